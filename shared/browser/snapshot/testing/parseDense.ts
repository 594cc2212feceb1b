/** For tests: reads the dense format back, to show that nothing of the page was lost in it. */

import { unescapeText } from "../denseEscape.ts";
import { valueRoles } from "../denseTree.ts";

export interface ParsedNode {
  role: string;
  name: string;
  states: string[];
  ref: string;
  isRefPrinted: boolean;
}

interface Piece {
  text: string;
  node?: ParsedNode;
}

const refPattern = /^((?:f\d+)?)e(\d+)/;
/** Roles that are nothing by name alone: what stands in them is content. */
const unnamedRoles = new Set(
  "paragraph listitem list emphasis strong code deletion insertion subscript superscript mark time term definition".split(
    " ",
  ),
);
const cellRoles = new Map([
  ["", "cell"],
  ["^", "columnheader"],
  ["<", "rowheader"],
  ["=", "gridcell"],
]);

/** @returns every node in order, names derived where the format leaves them to the content */
export function parseDense(text: string): ParsedNode[] {
  return new Parser().parse(text);
}

class Parser {
  readonly #nodes: ParsedNode[] = [];
  #last = { prefix: "", number: Number.NaN };
  /** What stood last at each indentation. */
  readonly #stack: string[] = [];

  parse(text: string): ParsedNode[] {
    for (const line of text.split("\n")) {
      if (line === "" || line.trimStart().startsWith("…")) continue;
      const indent = line.length - line.trimStart().length;
      this.#line(line.slice(indent), indent);
    }
    return this.#nodes;
  }

  #add(role: string, states: string[], explicit: string | null): ParsedNode {
    if (explicit !== null) {
      const match = refPattern.exec(explicit);
      this.#last = { prefix: match?.[1] ?? "", number: Number(match?.[2]) };
    } else this.#last.number += 1;
    const node: ParsedNode = {
      role,
      name: "",
      states,
      ref: `${this.#last.prefix}e${this.#last.number}`,
      isRefPrinted: explicit !== null,
    };
    this.#nodes.push(node);
    return node;
  }

  #line(line: string, indent: number): void {
    const marker = /^(#{1,6}|-|¶|\|)(?: |$)/.exec(line)?.[1];
    const parent = this.#stack[indent - 1];
    const before = this.#stack[indent];
    this.#stack.length = indent;
    if (marker === "|") {
      this.#stack[indent] = "row";
      this.#row(line.slice(2));
      return;
    }
    if (marker !== undefined) {
      const role = marker === "-" ? "listitem" : marker === "¶" ? "paragraph" : "heading";
      if (role === "listitem" && parent !== "list" && before !== "listitem") this.#add("list", [], null);
      this.#stack[indent] = role;
      let rest = line.slice(marker.length + 1);
      const ref = /^((?:f\d+)?e\d+) /.exec(`${rest} `)?.[1] ?? null;
      if (ref !== null) rest = rest.slice(ref.length + 1);
      const states = takeStates(rest);
      if (role === "heading") states.found.unshift(`level=${marker.length}`);
      const node = this.#add(role, states.found, ref);
      this.#finish(node, states.rest);
      return;
    }
    const block =
      /^((?:f\d+)?e\d+)?:([a-z]+)((?:,[a-z-]+(?:=\w+)?)*)(?: ("(?:[^"\\]|\\.)*"))?(?:: (.*)|$)/.exec(line);
    if (block !== null) {
      const role = roleOfTag(block[2] ?? "");
      this.#stack[indent] = role;
      const node = this.#add(role, statesIn(block[3] ?? ""), block[1] ?? null);
      if (block[4] !== undefined) node.name = unescapeText(block[4].slice(1, -1));
      if (block[5] !== undefined) this.#inline(block[5]);
      return;
    }
    this.#stack[indent] = "text";
    this.#inline(line);
  }

  #row(body: string): void {
    let rest = body;
    const refs: string[] = [];
    for (
      let match = /^((?:f\d+)?e\d+) /.exec(`${rest} `);
      match !== null;
      match = /^((?:f\d+)?e\d+) /.exec(`${rest} `)
    ) {
      if (refs.length === 2) break;
      refs.push(match[1] ?? "");
      rest = rest.slice((match[1]?.length ?? 0) + 1);
    }
    const states = takeStates(rest);
    const row = this.#add("row", states.found, refs[0] ?? null);
    const named = takeName(states.rest);
    row.name = named.name ?? "";
    const texts: string[] = [];
    for (const [index, cell] of splitCells(named.rest).entries()) {
      let cellText = cell.text;
      let ref = index === 0 ? (refs[1] ?? null) : null;
      if (index > 0) {
        const explicit = /^((?:f\d+)?e\d+) /.exec(`${cellText} `)?.[1];
        if (explicit !== undefined) {
          ref = explicit;
          cellText = cellText.slice(explicit.length + 1);
        }
      }
      const cellStates = takeStates(cellText);
      const node = this.#add(cellRoles.get(cell.mark) ?? "cell", cellStates.found, ref);
      this.#finish(node, cellStates.rest);
      texts.push(node.name);
    }
    if (row.name === "") row.name = texts.join(" ");
  }

  /** The rest of a node: its name if printed, its content. */
  #finish(node: ParsedNode, body: string): string {
    const choice = /^("(?:[^"\\]|\\.)*"): (.*)$/.exec(body);
    if (choice?.[1] !== undefined) {
      node.name = unescapeText(choice[1].slice(1, -1));
      this.#options(choice[2] ?? "");
      return node.name;
    }
    const named = takeName(body);
    if (valueRoles.has(node.role)) {
      node.name = named.name ?? "";
      this.#inline(named.rest);
      return node.name;
    }
    const content = this.#inline(named.rest);
    node.name = named.name ?? (unnamedRoles.has(node.role) ? "" : content);
    return content;
  }

  #options(body: string): void {
    if (body.trim() === "") return;
    for (const option of splitAt(body, ";")) {
      let text = option.trim();
      const states: string[] = [];
      if (text.startsWith("*")) {
        states.push("selected");
        text = text.slice(1);
      }
      const ref = /^((?:f\d+)?e\d+) /.exec(text)?.[1] ?? null;
      if (ref !== null) text = text.slice(ref.length + 1);
      this.#add("option", states, ref).name = unescapeText(text);
    }
  }

  /** @returns what stands there, nodes by their names */
  #inline(body: string): string {
    const pieces: Piece[] = [];
    let plain = "";
    for (let at = 0; at < body.length; at += 1) {
      const char = body[at] ?? "";
      if (char === "\\") {
        plain += body.slice(at, at + 2);
        at += 1;
      } else if (char === "[") {
        pieces.push({ text: unescapeText(plain) });
        plain = "";
        const end = closing(body, at);
        pieces.push({ text: this.#bracket(body.slice(at + 1, end)) });
        at = end;
      } else plain += char;
    }
    pieces.push({ text: unescapeText(plain) });
    return pieces
      .map(({ text }) => text.trim())
      .filter((text) => text !== "")
      .join(" ");
  }

  #bracket(body: string): string {
    const head = /^((?:f\d+)?e\d+)?(?::([a-z]+)((?:,[a-z-]+(?:=\w+)?)*)|(#{1,6}))?(?: |$)/.exec(body);
    const tag = head?.[2];
    const level = head?.[4];
    const role = level !== undefined ? "heading" : tag === undefined ? "link" : roleOfTag(tag);
    const states = level !== undefined ? [`level=${level.length}`] : statesIn(head?.[3] ?? "");
    const node = this.#add(role, states, head?.[1] ?? null);
    const rest = withoutTail(body.slice(head?.[0].length ?? 0));
    const content = this.#finish(node, rest);
    return node.name === "" ? content : node.name;
  }
}

function roleOfTag(tag: string): string {
  return tag === "clickable" || tag === "editable" ? "generic" : tag;
}

function statesIn(text: string): string[] {
  return text.split(",").filter((state) => state !== "");
}

function takeStates(text: string): { found: string[]; rest: string } {
  const match = /^\{([^}]*)\} ?/.exec(text);
  return match === null
    ? { found: [], rest: text }
    : { found: statesIn(match[1] ?? ""), rest: text.slice(match[0].length) };
}

function takeName(text: string): { name: string | null; rest: string } {
  const match = /^("(?:[^"\\]|\\.)*")(?: |$)/.exec(text);
  return match?.[1] === undefined
    ? { name: null, rest: text }
    : { name: unescapeText(match[1].slice(1, -1)), rest: text.slice(match[0].length) };
}

/** Placeholder and address at the end of a bracket. */
function withoutTail(text: string): string {
  const match = /(?:^|(?<=[^\\]) |^ )(?:~|→) /.exec(text);
  return match === null ? text : text.slice(0, match.index);
}

function closing(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === "[") depth += 1;
    else if (text[at] === "]") {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  throw new Error(`A bracket stays open: ${text.slice(from, from + 80)}`);
}

function splitAt(text: string, separator: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = "";
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? "";
    if (char === "\\") {
      part += text.slice(at, at + 2);
      at += 1;
    } else if (char === separator && depth === 0) {
      parts.push(part);
      part = "";
    } else {
      if (char === "[") depth += 1;
      if (char === "]") depth -= 1;
      part += char;
    }
  }
  return [...parts, part];
}

function splitCells(text: string): { mark: string; text: string }[] {
  return splitAt(text, "|").map((part) => {
    const mark = /^([\^<=]) /.exec(part)?.[1] ?? "";
    return { mark, text: (mark === "" ? part : part.slice(2)).trim() };
  });
}
