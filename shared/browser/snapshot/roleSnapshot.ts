/** Turns Playwright's aria YAML into the reference's role snapshot: refs, filters, `nth` (browser.md 9.2–9.4). */

import { RoleNameTracker } from "./roleNameTracker.ts";
import { earnsRef, interactiveRoles, structuralRoles } from "./roles.ts";
import type { RefInfo, RoleSnapshot, RoleSnapshotOptions } from "./snapshotTypes.ts";
import type { SnapNode } from "./tree.ts";

export interface RoleSnapshotRules {
  /** Names with quotes, colons and backslashes are read as YAML means them, instead of cut or passed over. */
  readsYaml: boolean;
  /** The node that a line was printed from, whose own ref it then gets; absent: `e1`, `e2`, … in order. */
  nodeOfLine?: (lineIndex: number) => SnapNode | null;
}

interface ParsedLine {
  prefix: string;
  role: string;
  name: string;
  /** The name as it is printed, with its quotes. */
  printedName: string;
  rest: string;
  /** The key stood in YAML quotes; what follows them is then kept apart. */
  afterQuotes: string | null;
}

const NOTHING = "(no interactive elements)";
const EMPTY = "(empty)";

/**
 * @param yaml snapshot of `:root` in Playwright's default mode
 * @param options filters as the tool's parameters name them
 */
export function toRoleSnapshot(
  yaml: string,
  options: RoleSnapshotOptions,
  rules: RoleSnapshotRules,
): RoleSnapshot {
  let count = 0;
  const nextRef = () => {
    count += 1;
    return `e${count}`;
  };
  return transform(yaml, options, rules, (_, index) =>
    rules.nodeOfLine === undefined ? nextRef() : (rules.nodeOfLine(index)?.ref ?? undefined),
  );
}

/** `refs: "aria"`: the same filters over the AI snapshot, whose own ids stay. */
export function toRoleSnapshotWithAriaRefs(
  yaml: string,
  options: RoleSnapshotOptions,
  rules: RoleSnapshotRules,
): RoleSnapshot {
  const pattern = rules.readsYaml ? /\[ref=((?:f\d+)?e\d+)\]/ : /\[ref=(e\d+)\]/;
  return transform(yaml, options, rules, (parsed) => pattern.exec(parsed.rest)?.[1], true);
}

function transform(
  yaml: string,
  options: RoleSnapshotOptions,
  rules: RoleSnapshotRules,
  refFor: (parsed: ParsedLine, lineIndex: number) => string | undefined,
  keepsOwnRefs = false,
): RoleSnapshot {
  const refs = new Map<string, RefInfo>();
  const tracker = new RoleNameTracker();
  const result: string[] = [];
  let omittedByDepth = 0;
  const lines = yaml.split("\n");
  for (const [index, line] of lines.entries()) {
    if (options.maxDepth !== undefined && depthOf(line) > options.maxDepth) {
      omittedByDepth += 1;
      continue;
    }
    const parsed = parseLine(line, rules.readsYaml);
    if (parsed === null) {
      if (options.interactive !== true) result.push(line);
      continue;
    }
    const role = parsed.role.toLowerCase();
    // Something that acts like a control without the role of one.
    const isActedOn =
      rules.nodeOfLine?.(index)?.isClickable === true || rules.nodeOfLine?.(index)?.isEditable === true;
    const isInteractive = interactiveRoles.has(role) || isActedOn;
    if (options.interactive === true && !isInteractive) continue;
    if (options.compact === true && structuralRoles.has(role) && parsed.name === "" && !isActedOn) continue;
    const isWanted = keepsOwnRefs || isActedOn || earnsRef(role, parsed.name);
    const ref = isWanted ? refFor(parsed, index) : undefined;
    if (ref === undefined) {
      // A control without a ref cannot be acted on, so the interactive list leaves it out.
      if (options.interactive !== true) result.push(line);
      continue;
    }
    const info: RefInfo = { role, ...(parsed.name === "" ? {} : { name: parsed.name }) };
    refs.set(ref, info);
    if (keepsOwnRefs) {
      result.push(options.interactive === true ? printOwnRef(parsed, ref, rules.readsYaml) : line);
    } else {
      info.nth = tracker.next(role, info.name, ref);
      result.push(printLine(parsed, ref, info.nth, options.interactive === true));
    }
  }
  tracker.dropSingles(refs);
  const kept = options.compact === true ? dropEmptyParents(result) : result;
  const text = kept.join("\n");
  const shown = text === "" && options.compact !== true ? EMPTY : text;
  return finish(options.interactive === true ? (text === "" ? NOTHING : text) : shown, refs, omittedByDepth);
}

function finish(text: string, refs: Map<string, RefInfo>, omittedByDepth: number): RoleSnapshot {
  let interactive = 0;
  for (const { role } of refs.values()) if (interactiveRoles.has(role)) interactive += 1;
  const stats = { lines: text.split("\n").length, chars: text.length, refs: refs.size, interactive };
  return { text, refs, stats, omittedByDepth };
}

function printLine(parsed: ParsedLine, ref: string, nth: number, isFlat: boolean): string {
  const name = parsed.printedName === "" ? "" : ` ${parsed.printedName}`;
  const head = `${parsed.role}${name} [ref=${ref}]${nth > 0 ? ` [nth=${nth}]` : ""}`;
  const rest = !isFlat || parsed.rest.includes("[") ? parsed.rest : "";
  return `${isFlat ? "- " : parsed.prefix}${quoted(parsed, head + rest, isFlat)}`;
}

/** The reference prints the id of the AI family a second time; the readable way leaves it where it stood. */
function printOwnRef(parsed: ParsedLine, ref: string, printsOnce: boolean): string {
  const name = parsed.printedName === "" ? "" : ` ${parsed.printedName}`;
  const key = `${parsed.role}${name}${printsOnce ? "" : ` [ref=${ref}]`}${parsed.rest}`;
  return `- ${quoted(parsed, key, true)}`;
}

/** A key that YAML needs in quotes keeps them; a flat list has no values after it. */
function quoted({ afterQuotes }: ParsedLine, key: string, isFlat: boolean): string {
  if (afterQuotes === null) return key;
  return `'${key.replaceAll("'", "''")}'${isFlat ? "" : afterQuotes}`;
}

function depthOf(line: string): number {
  return Math.floor((line.length - line.trimStart().length) / 2);
}

function parseLine(line: string, readsYaml: boolean): ParsedLine | null {
  if (readsYaml) {
    const quoted = /^(\s*-\s*)'((?:[^']|'')*)'(.*)$/.exec(line);
    if (quoted?.[1] !== undefined && quoted[2] !== undefined && quoted[3] !== undefined) {
      return readNamed(quoted[1], quoted[2].replaceAll("''", "'"), quoted[3], true);
    }
    const plain = /^(\s*-\s*)(\w.*)$/.exec(line);
    return plain?.[1] !== undefined && plain[2] !== undefined
      ? readNamed(plain[1], plain[2], "", false)
      : null;
  }
  const match = /^(\s*-\s*)(\w+)(?:\s+"([^"]*)")?(.*)$/.exec(line);
  if (match?.[1] === undefined || match[2] === undefined) return null;
  const name = match[3] ?? "";
  return {
    prefix: match[1],
    role: match[2],
    name,
    printedName: name === "" ? "" : `"${name}"`,
    rest: match[4] ?? "",
    afterQuotes: null,
  };
}

/** A key with its quotes off: role, JSON name, states. */
function readNamed(prefix: string, key: string, after: string, isQuoted: boolean): ParsedLine | null {
  const match = /^(\w+)(?:\s+("(?:[^"\\]|\\.)*"))?(.*)$/.exec(key);
  if (match?.[1] === undefined) return null;
  let name = "";
  if (match[2] !== undefined) {
    try {
      name = String(JSON.parse(match[2]));
    } catch {
      // Not a name that Playwright printed; then it is text of the page and gets no meaning.
      return null;
    }
  }
  return {
    prefix,
    role: match[1],
    name,
    printedName: match[2] ?? "",
    rest: match[3] ?? "",
    afterQuotes: isQuoted ? after : null,
  };
}

/** Second pass of compact: a line stays with a ref, an inline value, or a ref somewhere below it. */
function dropEmptyParents(lines: readonly string[]): string[] {
  return lines.filter((line, index) => {
    if (line.includes("[ref=")) return true;
    if (line.includes(":") && !line.trimEnd().endsWith(":")) return true;
    const depth = depthOf(line);
    for (let next = index + 1; next < lines.length; next += 1) {
      const below = lines[next];
      if (below === undefined || depthOf(below) <= depth) return false;
      if (below.includes("[ref=")) return true;
    }
    return false;
  });
}
