/** Prints a tree as the YAML of Playwright's aria snapshots, the format that models know. */

import { type SnapNode, statesIn } from "./tree.ts";

const MAX_NAME_CHARS = 900;

/**
 * @param root a `fragment`; its children are printed
 * @param options `refs`: print refs and pointers (the AI family); `maxDepth`: levels below the top one
 */
export function printAriaYaml(root: SnapNode, options: AriaYamlOptions): string {
  return printAriaLines(root, options).lines.join("\n");
}

export interface AriaYamlOptions {
  refs: boolean;
  maxDepth?: number;
}

export interface AriaLines {
  lines: string[];
  /** The node that a line introduces; null for texts and properties. */
  nodes: (SnapNode | null)[];
}

/** As `printAriaYaml`, with the node behind each line. */
export function printAriaLines(root: SnapNode, options: AriaYamlOptions): AriaLines {
  const out: AriaLines = { lines: [], nodes: [] };
  for (const child of root.children) print(child, 0, out, options, false);
  return out;
}

function push(out: AriaLines, line: string, node: SnapNode | null): void {
  out.lines.push(line);
  out.nodes.push(node);
}

function print(
  node: SnapNode | string,
  depth: number,
  out: AriaLines,
  options: AriaYamlOptions,
  isInPointer: boolean,
): void {
  const indent = "  ".repeat(depth);
  if (typeof node === "string") {
    push(out, `${indent}- text: ${quoteValue(node)}`, null);
    return;
  }
  const { url, placeholder } = node;
  const showsPointer = options.refs && node.ref !== undefined && node.hasPointer === true && !isInPointer;
  const key = `${indent}- ${quoteKey(keyOf(node, options.refs, showsPointer))}`;
  const isPlain = url === undefined && placeholder === undefined;
  const [first] = node.children;
  const isCut = options.maxDepth !== undefined && options.maxDepth > 0 && depth >= options.maxDepth;
  const single = node.children.length === 1 && typeof first === "string" ? first : undefined;
  const children = isCut && single === undefined ? [] : node.children;
  if (isPlain && children.length === 0) push(out, key, node);
  else if (isPlain && single !== undefined) push(out, `${key}: ${quoteValue(single)}`, node);
  else {
    push(out, `${key}:`, node);
    if (url !== undefined) push(out, `${indent}  - /url: ${quoteValue(url)}`, null);
    if (placeholder !== undefined) {
      push(out, `${indent}  - /placeholder: ${quoteValue(placeholder)}`, null);
    }
    for (const child of children) print(child, depth + 1, out, options, isInPointer || showsPointer);
  }
}

function keyOf(node: SnapNode, withRefs: boolean, showsPointer: boolean): string {
  let key = node.role;
  if (node.name !== "" && node.name.length <= MAX_NAME_CHARS) key += ` ${JSON.stringify(node.name)}`;
  for (const state of statesIn(node)) {
    if (!withRefs && (state === "active" || state === "aria-hidden")) continue;
    key += ` [${state}]`;
  }
  if (withRefs && node.ref !== undefined) key += ` [ref=${node.ref}]`;
  return showsPointer ? `${key} [cursor=pointer]` : key;
}

function quoteKey(key: string): string {
  return needsQuotes(key) ? `'${key.replace(/'/g, "''")}'` : key;
}

const controls = new Map([
  ["\\", "\\\\"],
  ['"', '\\"'],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

export function quoteValue(text: string): string {
  if (!needsQuotes(text)) return text;
  const escaped = text.replace(
    /[\\"\x00-\x1f\x7f-\x9f]/g,
    (char) => controls.get(char) ?? `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
  return `"${escaped}"`;
}

const yamlWords = new Set(["y", "n", "yes", "no", "true", "false", "on", "off", "null", "~"]);

/** Plain scalars that YAML would read as something else. */
function needsQuotes(text: string): boolean {
  return (
    text === "" ||
    /^[\s&*\],?!>|@"'#%[-]|\s$|[\n:](?:\s|$)|\s#|[\n\r{}`\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/.test(text) ||
    !Number.isNaN(Number(text)) ||
    yamlWords.has(text.toLowerCase()) ||
    /^[-+]?\.(?:inf|nan)$/i.test(text)
  );
}
