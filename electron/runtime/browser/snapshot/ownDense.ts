/** Takes dense snapshots: printed inside of each document, put together here. */

import { interactiveRoles } from "../../../../shared/browser/snapshot/roles.ts";
import { estimateTokens } from "../../../../shared/browser/snapshot/snapshotTypes.ts";
import { AppError } from "../../../../shared/errors/index.ts";
import type { Hardening } from "../../../../shared/hardening/index.ts";
import type { RefInfo, Snapshot, SnapshotRequest } from "../browserTypes.ts";
import type { DenseReply, PageReply } from "../page/pageProtocol.ts";
import { cutLines, firstLineAfter } from "./budget.ts";
import type { TabState } from "./createSnapshotEngine.ts";
import { type FrameBudget, frameBudget, readFrame, startPlace } from "./enterFrames.ts";
import type { FramePlace } from "./pageWorld.ts";
import { badSelector, isBadSelector, nothingMatches } from "./scope.ts";

const DEFAULT_MAX_CHARS = 80_000;
const EFFICIENT_MAX_CHARS = 10_000;

type Part = Extract<DenseReply, { mark: string }>;

/** A whole reply as it was read: what the page need not send again while it holds. */
export interface KnownPart {
  part: Part;
  refs: readonly (readonly [ref: string, info: RefInfo])[];
}

interface Gathered {
  lines: string[];
  refs: Map<string, RefInfo>;
  notes: string[];
  extent: Snapshot["extent"];
  omittedByDepth: number;
}

export async function takeDense(
  tab: TabState,
  request: SnapshotRequest,
  rules: Hardening,
): Promise<Snapshot> {
  const start = await startPlace(tab, request.frame);
  const gathered: Gathered = { lines: [], refs: new Map(), notes: [], extent: "full", omittedByDepth: 0 };
  const masks = rules.has("browser.maskSecrets");
  let reply: PageReply<DenseReply>;
  try {
    reply = await gather(tab, start, request, masks, gathered, 0, frameBudget());
  } catch (error) {
    throw isBadSelector(error) && request.selector !== undefined ? badSelector(request.selector) : error;
  }
  if (gathered.omittedByDepth > 0) {
    gathered.notes.push(
      `${gathered.omittedByDepth} items below level ${request.maxDepth} are left out: raise depth to see them.`,
    );
  }
  const isEfficient = request.interactive === true && request.compact === true;
  const budget = request.maxChars !== undefined && request.maxChars > 0 ? request.maxChars : null;
  const cut = cutLines(
    request.interactive === true ? withRolesOnTop(gathered, request.after) : gathered.lines,
    budget ?? (isEfficient ? EFFICIENT_MAX_CHARS : DEFAULT_MAX_CHARS),
    gathered.extent === "full" ? request.after : undefined,
  );
  const notes = gathered.notes.map((note) => `… ${note}`);
  const text = [cut.text, ...notes].filter((part) => part !== "").join("\n");
  const more = [cut.more, ...gathered.notes].filter((note) => note !== null).join(" ");
  let interactive = 0;
  for (const { role } of gathered.refs.values()) if (interactiveRoles.has(role)) interactive += 1;
  return {
    format: "dense",
    text,
    refs: gathered.refs,
    stats: {
      lines: text === "" ? 0 : text.split("\n").length,
      chars: text.length,
      refs: gathered.refs.size,
      interactive,
    },
    truncated: cut.isTruncated,
    more: more === "" ? null : more,
    extent: gathered.extent,
    tokenEstimate: estimateTokens(text),
    documentId: reply.documentId,
    url: reply.url,
    title: reply.title,
  };
}

async function gather(
  tab: TabState,
  place: FramePlace,
  request: SnapshotRequest,
  masks: boolean,
  into: Gathered,
  depth: number,
  budget: FrameBudget,
): Promise<PageReply<DenseReply>> {
  const last = tab.denseParts.get(place.prefix);
  const reply = await tab.world.call(place, "dense", {
    prefix: place.prefix,
    masks,
    urls: request.urls === true,
    interactive: request.interactive === true,
    ...(depth === 0 && request.selector !== undefined ? { selector: request.selector } : {}),
    ...(request.maxDepth === undefined ? {} : { maxDepth: request.maxDepth }),
    viewer: request.viewer,
    incremental: request.incremental === true,
    ...(last === undefined ? {} : { known: last.part.mark }),
  });
  if (!reply.value.found) {
    if (request.selector !== undefined) throw nothingMatches("selector", request.selector);
    return reply;
  }
  const { part: value, refs } = readPart(tab, place, reply.value, last);
  note(value, into);
  for (const [ref, info] of refs) into.refs.set(ref, { ...info });
  const children: (Gathered & { at: number; indent: number })[] = [];
  for (const frame of value.frames) {
    const child = {
      lines: [],
      refs: into.refs,
      notes: into.notes,
      extent: "full" as const,
      omittedByDepth: 0,
    };
    const gathered: Gathered = child;
    const entered = await readFrame(tab, place, frame.ref, depth, budget, (inner) =>
      gather(tab, inner, request, masks, gathered, depth + 1, budget),
    );
    if (entered.kind === "left") gathered.lines.push(`… ${entered.why}`);
    into.omittedByDepth += gathered.omittedByDepth;
    children.push({ ...gathered, at: frame.line, indent: frame.indent });
  }
  join(value, children, into);
  return reply;
}

/** A part that starts in the middle of a row of equal controls says their role, which stands in an earlier part. */
function withRolesOnTop({ lines, refs }: Gathered, after: string | undefined): readonly string[] {
  const at = firstLineAfter(after);
  const [, number, rest = ""] = /^(\d+)(.*)$/s.exec(lines[at] ?? "") ?? [];
  const role = number === undefined ? undefined : refs.get(`e${number}`)?.role;
  if (role === undefined) return lines;
  return lines.with(at, `e${number}${role === "link" ? "" : ` ${role}`}${rest}`);
}

function readPart(
  tab: TabState,
  { prefix }: FramePlace,
  reply: Extract<DenseReply, { found: true }>,
  last: KnownPart | undefined,
): KnownPart {
  if (reply.extent === "known") {
    if (last === undefined) throw new AppError("INTERNAL", "The page named a snapshot that nobody has.");
    return last;
  }
  const lines = reply.refs === "" ? [] : reply.refs.split("\n");
  const refs = lines.map((line) => {
    const [number = "", role = "", name = ""] = line.split("\t");
    return [`${prefix}e${number}`, name === "" ? { role } : { role, name }] as const;
  });
  const known: KnownPart = { part: reply, refs };
  if (reply.mark !== "") tab.denseParts.set(prefix, known);
  return known;
}

/** Frames go below their line; of changes they simply follow, because their lines name their refs. */
function join(
  part: Part,
  children: readonly (Gathered & { at: number; indent: number })[],
  into: Gathered,
): void {
  into.extent = part.extent;
  if (part.extent !== "full") {
    into.lines.push(...part.lines);
    for (const child of children) {
      if (child.extent === "full")
        into.lines.push(...child.lines.map((line) => (line.startsWith("…") ? line : `+${line}`)));
      else into.lines.push(...child.lines);
    }
    into.extent = into.lines.length === 0 ? "unchanged" : "changes";
    return;
  }
  let from = 0;
  for (const child of children) {
    into.lines.push(...part.lines.slice(from, child.at + 1));
    const indent = " ".repeat(child.indent + 1);
    for (const line of child.lines) into.lines.push(indent + line);
    from = child.at + 1;
  }
  into.lines.push(...part.lines.slice(from));
}

function note(part: Part, into: Gathered): void {
  into.omittedByDepth += part.omittedByDepth;
  if (part.cutBy === "elements") {
    into.notes.push(
      `The page is too large to read as a whole: reading ended after ${part.elementCount} elements. Take a part of it with selector.`,
    );
  }
  if (part.cutBy === "time") {
    into.notes.push(
      `Reading the page took too long and ended after ${part.elementCount} elements. Take a part of it with selector.`,
    );
  }
  if (part.tooDeep > 0) into.notes.push(`${part.tooDeep} branches nest too deep to be read.`);
}
