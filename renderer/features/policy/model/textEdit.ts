/** Edits JSON5 text in place, keeping comments and formatting around the change. Pure. */

import { parse } from "@humanwhocodes/momoa";
import type { ConfigEdit } from "../../../../shared/policy/types.ts";
import { orderedEdits } from "./repairs.ts";

interface Node {
  type: string;
  range?: [number, number] | undefined;
  members?: { name: Node & { value?: string; name?: string }; value: Node; range?: [number, number] }[];
  elements?: { value: Node }[];
}

/**
 * @throws when `text` is no JSON5
 * @returns the text after all edits; an edit whose place cannot be found is left out
 */
export function editText(text: string, edits: readonly ConfigEdit[]): string {
  return orderedEdits(edits).reduce(applyOne, text);
}

function applyOne(text: string, edit: ConfigEdit): string {
  const root = (parse(text, { mode: "json5", ranges: true, allowTrailingCommas: true }) as { body: unknown })
    .body as Node;
  let node = root;
  for (let depth = 0; depth < edit.path.length; depth += 1) {
    const segment = edit.path[depth];
    const isLast = depth === edit.path.length - 1;
    if (typeof segment === "number") {
      const elements = node.elements;
      if (elements === undefined) return text;
      const element = elements[segment];
      if (isLast && edit.op === "insert") return insertElement(text, node, segment, edit.value);
      if (element === undefined) return text;
      if (isLast && edit.op === "remove")
        return removeAt(
          text,
          node,
          elements.map((item) => rangeOf(item.value)),
          segment,
        );
      if (isLast && edit.op === "set")
        return splice(text, rangeOf(element.value), JSON.stringify(edit.value));
      node = element.value;
    } else {
      const members = node.members;
      if (members === undefined || segment === undefined) return text;
      const index = members.findIndex((member) => nameOf(member.name) === segment);
      const member = members[index];
      if (member === undefined) {
        if (edit.op === "remove") return text;
        return insertMember(text, node, segment, nested(edit.path.slice(depth + 1), edit.value));
      }
      if (isLast) {
        if (edit.op === "remove") return removeAt(text, node, members.map(rangeOf), index);
        return splice(text, rangeOf(member.value), inline(edit.value));
      }
      node = member.value;
    }
  }
  return text;
}

/** The value with the objects that are missing on the way to it. */
function nested(path: readonly (string | number)[], value: unknown): string {
  const [segment, ...rest] = path;
  if (segment === undefined) return inline(value);
  if (typeof segment === "number") return `[${nested(rest, value)}]`;
  return `{ ${keyText(segment)}: ${nested(rest, value)} }`;
}

function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((entry) => JSON.stringify(entry)).join(", ")}]`;
  return JSON.stringify(value);
}

function insertElement(text: string, list: Node, index: number, value: unknown): string {
  const elements = list.elements ?? [];
  const [start] = rangeOf(list);
  const at = elements[index];
  if (at !== undefined) return insert(text, rangeOf(at.value)[0], `${inline(value)}, `);
  const last = elements.at(-1);
  if (last !== undefined) return insert(text, rangeOf(last.value)[1], `, ${inline(value)}`);
  return insert(text, start + 1, inline(value));
}

function insertMember(text: string, object: Node, key: string, value: string): string {
  const members = object.members ?? [];
  const [start, end] = rangeOf(object);
  const entry = `${keyText(key)}: ${value}`;
  const last = members.at(-1);
  if (last === undefined) return `${text.slice(0, start + 1)} ${entry} ${text.slice(end - 1)}`;
  const [lastStart, lastEnd] = rangeOf(last);
  const lineStart = text.lastIndexOf("\n", lastStart - 1) + 1;
  const indent = text.slice(lineStart, lastStart);
  const separator = /^\s*$/u.test(indent) && lineStart > start ? `,\n${indent}` : ", ";
  return insert(text, lastEnd, `${separator}${entry}`);
}

/** Removes an item with the comma that belongs to it. */
function removeAt(text: string, holder: Node, ranges: [number, number][], index: number): string {
  const own = ranges[index];
  if (own === undefined) return text;
  const next = ranges[index + 1];
  const previous = ranges[index - 1];
  if (next !== undefined) return splice(text, [own[0], next[0]], "");
  if (previous !== undefined) return splice(text, [previous[1], own[1]], "");
  const [, end] = rangeOf(holder);
  const tail = text.slice(own[1], end - 1);
  const comma = /^\s*,/u.exec(tail);
  return splice(text, [own[0], own[1] + (comma?.[0].length ?? 0)], "");
}

function rangeOf(node: { range?: [number, number] | undefined }): [number, number] {
  return node.range ?? [0, 0];
}

function nameOf(node: { type: string; value?: string; name?: string }): string {
  return node.type === "Identifier" ? (node.name ?? "") : String(node.value ?? "");
}

function keyText(key: string): string {
  return /^[A-Za-z_$][\w$]*$/u.test(key) ? key : JSON.stringify(key);
}

function insert(text: string, at: number, added: string): string {
  return text.slice(0, at) + added + text.slice(at);
}

function splice(text: string, [start, end]: [number, number], replacement: string): string {
  return text.slice(0, start) + replacement + text.slice(end);
}
