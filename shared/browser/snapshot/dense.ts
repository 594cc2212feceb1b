/**
 * Second half of the dense format, the product's own: prints what `denseTree` kept.
 *
 * One line is one block: `# ` heading, `- ` list item, `| ` row with its cells between bars, `¶ ` paragraph,
 * `:role "name"` any other block with its content one blank deeper. In a line, `[e5 Name]` is a link,
 * `[e6:button,expanded Name]` anything else; `~` introduces a placeholder, `→` an address. A ref is printed for what
 * can be acted on; anything else has the number after the item before it, or prints its own where that is not so.
 */

import { escapeStart, escapeText, quoteName } from "./denseEscape.ts";
import { breaksBefore, type LineState } from "./denseLines.ts";
import type { PrintCache } from "./densePrintCache.ts";
import { INLINE, INLINE_NEXT } from "./densePrintCache.ts";
import { type CellKind, cellMarks, PrintedRefs } from "./denseRefs.ts";
import {
  type DenseNode,
  type DenseText,
  isActionable,
  isBlockRole,
  isHardBlockRole,
  isLabelledRole,
  isText,
  nodesIn,
  toDenseTree,
  valueRoles,
} from "./denseTree.ts";
import { type SnapNode, statesIn } from "./tree.ts";

export interface DenseOptions<S> {
  prefix: string;
  urls: boolean;
  maxDepth?: number;
  numberOf: (node: SnapNode<S>) => number;
  /** Of earlier prints with the same prefix and urls; not used together with `maxDepth`. */
  cache?: PrintCache<S>;
}

export interface DensePrint {
  lines: string[];
  /** Frames by their line; their content goes below it. */
  frames: { ref: number; line: number; indent: number }[];
  refs: [ref: number, role: string, name: string][];
  omittedByDepth: number;
}

const MAX_INLINE_NODES = 24;
const CHUNK = 8;

export function printDense<S>(root: SnapNode<S>, options: DenseOptions<S>): DensePrint {
  const printer = new Printer(options);
  printer.printItems(toDenseTree(root, options.cache?.nodes).items, 0, null);
  return printer.result();
}

type Where = "line" | "cell" | "option";

class Printer<S> {
  readonly #options: DenseOptions<S>;
  readonly #refs: PrintedRefs<S>;
  readonly #lines: string[] = [];
  readonly #frames: DensePrint["frames"] = [];
  #omitted = 0;

  constructor(options: DenseOptions<S>) {
    this.#options = options;
    this.#refs = new PrintedRefs(options.prefix, options.numberOf);
  }

  result(): DensePrint {
    const { refs } = this.#refs;
    return { lines: this.#lines, frames: this.#frames, refs, omittedByDepth: this.#omitted };
  }

  #push(indent: number, text: string): void {
    this.#lines.push(" ".repeat(indent) + text);
  }

  /** Content of one block: runs of texts and inline nodes share lines, blocks have their own. */
  printItems(
    items: readonly (DenseText | DenseNode<S>)[],
    indent: number,
    parent: DenseNode<S> | null,
  ): void {
    const { maxDepth } = this.#options;
    if (maxDepth !== undefined && indent > maxDepth) {
      this.#omitted += items.length;
      return;
    }
    let line: LineState | null = null;
    let previous: DenseNode<S> | null = null;
    const end = () => {
      if (line !== null) this.#push(indent, line.parts.join(" "));
      line = null;
    };
    for (let index = 0; index < items.length; index += 1) {
      const item = items[index];
      if (item === undefined) continue;
      if (isText(item) || isInline(item)) {
        const next = items[index + 1];
        if (line !== null && (breaksBefore(line, item, next) || this.#startsChunk(item))) end();
        line ??= { parts: [], chars: 0, hasControl: false, hasTextAfter: false };
        this.#addToLine(line, item);
        previous = null;
      } else {
        end();
        this.#printBlockOnce(item, indent, parent, previous);
        previous = item;
      }
    }
    end();
  }

  /**
   * Long runs of links or buttons break before every eighth number. Numbers stay with their elements, so a change in
   * one line does not push items of the lines after it about.
   */
  #startsChunk(item: DenseText | DenseNode<S>): boolean {
    return !isText(item) && isActionable(item.node) && this.#options.numberOf(item.node) % CHUNK === 0;
  }

  #addToLine(line: LineState, item: DenseText | DenseNode<S>): void {
    let text: string;
    if (isText(item)) {
      text = escapeText(item.text, "line");
      if (line.parts.length === 0) text = escapeStart(text);
      if (line.hasControl) line.hasTextAfter = true;
    } else {
      text = this.#inlineOnce(item);
      if (isLabelledRole(item.node.role)) {
        line.hasControl = true;
        line.hasTextAfter = false;
      }
    }
    line.parts.push(text);
    line.chars += text.length + 1;
  }

  /** As `#printBlock`, from the cache when nothing that the print depends on has changed. */
  #printBlockOnce(
    item: DenseNode<S>,
    indent: number,
    parent: DenseNode<S> | null,
    previous: DenseNode<S> | null,
  ): void {
    const { cache, maxDepth } = this.#options;
    if (cache === undefined || maxDepth !== undefined) {
      this.#printBlock(item, indent, parent, previous);
      return;
    }
    const follows = this.#refs.follows(item.node);
    const key =
      indent * 8 +
      (follows ? 4 : 0) +
      (parent?.node.role === "list" ? 2 : 0) +
      (previous?.node.role === "list" ? 1 : 0);
    const known = cache.prints.get(item);
    if (known?.key === key) {
      const base = this.#lines.length;
      for (const line of known.lines) this.#lines.push(line);
      for (const frame of known.frames) this.#frames.push({ ...frame, line: frame.line + base });
      this.#refs.replay(known.refs, known.last);
      return;
    }
    const start = { lines: this.#lines.length, frames: this.#frames.length, refs: this.#refs.refs.length };
    this.#printBlock(item, indent, parent, previous);
    cache.prints.set(item, {
      key,
      lines: this.#lines.slice(start.lines),
      frames: this.#frames.slice(start.frames).map((frame) => ({ ...frame, line: frame.line - start.lines })),
      refs: this.#refs.refs.slice(start.refs),
      last: this.#refs.last,
    });
  }

  #inlineOnce(item: DenseNode<S>): string {
    const { cache } = this.#options;
    if (cache === undefined) return this.#inline(item, "line");
    const key = this.#refs.follows(item.node) ? INLINE_NEXT : INLINE;
    const known = cache.prints.get(item);
    const [text] = known?.lines ?? [];
    if (known?.key === key && text !== undefined) {
      this.#refs.replay(known.refs, known.last);
      return text;
    }
    const start = this.#refs.refs.length;
    const made = this.#inline(item, "line");
    const refs = this.#refs.refs.slice(start);
    cache.prints.set(item, { key, lines: [made], frames: [], refs, last: this.#refs.last });
    return made;
  }

  #printBlock(
    item: DenseNode<S>,
    indent: number,
    parent: DenseNode<S> | null,
    previous: DenseNode<S> | null,
  ): void {
    const { node } = item;
    const states = statesIn(node);
    if (node.role === "iframe") {
      this.#printFrame(item, indent);
      return;
    }
    if (node.role === "list" && node.name === "" && states.length === 0 && item.items.every(isListItem)) {
      // The dashes say that it is a list; a second one right after it needs its own line to be told apart, and so does
      // one whose number does not follow.
      if (previous?.node.role !== "list" && this.#refs.follows(node)) {
        this.#refs.skip(node);
        this.printItems(item.items, indent, item);
        return;
      }
    }
    const marker = this.#markerOf(item, parent);
    if (marker !== null) {
      const head = this.#lineHead(item, marker, states);
      const split = item.items.findIndex((one) => !isText(one) && !isInline(one));
      const inline = split === -1 ? item.items : item.items.slice(0, split);
      const text = this.#inlineItems(inline, "line", true, item);
      this.#push(indent, text === "" ? head.trimEnd() : head + text);
      if (split !== -1) this.printItems(item.items.slice(split), indent + 1, item);
      return;
    }
    if (node.role === "row" && isSimpleRow(item)) this.#printRow(item, indent, states);
    else this.#printNamedBlock(item, indent);
  }

  #markerOf(item: DenseNode<S>, parent: DenseNode<S> | null): string | null {
    const { node } = item;
    if (node.role === "listitem") return parent?.node.role === "list" ? "- " : null;
    if (node.role === "paragraph") return "¶ ";
    if (node.role === "heading" && node.level !== undefined && node.level <= 6)
      return `${"#".repeat(node.level)} `;
    return null;
  }

  #lineHead({ node, printedName }: DenseNode<S>, marker: string, states: readonly string[]): string {
    const ref = this.#refs.take(node);
    const shown = node.role === "heading" ? states.filter((state) => !state.startsWith("level=")) : states;
    let head = marker;
    if (ref !== null) head += `${ref} `;
    if (shown.length > 0) head += `{${shown.join(",")}} `;
    if (printedName !== "") head += `${quoteName(printedName)} `;
    return head;
  }

  #printFrame({ node }: DenseNode<S>, indent: number): void {
    const number = this.#options.numberOf(node);
    this.#refs.take(node);
    this.#push(indent, `${this.#options.prefix}e${number}:iframe`);
    this.#frames.push({ ref: number, line: this.#lines.length - 1, indent });
  }

  #printNamedBlock(item: DenseNode<S>, indent: number): void {
    const { node } = item;
    const ref = this.#refs.take(node) ?? "";
    let head = `${ref}:${tagOf(node)}`;
    for (const state of statesIn(node)) head += `,${state}`;
    const isDerived = isHardBlockRole(node.role) && node.isNameFromContent === true;
    const name = item.printedName === "" && !isDerived ? node.name : item.printedName;
    if (name !== "") head += ` ${quoteName(name)}`;
    const isShort = item.items.length > 0 && item.items.every((one) => isText(one));
    if (isShort) this.#push(indent, `${head}: ${this.#inlineItems(item.items, "line", true, item)}`);
    else {
      this.#push(indent, head);
      // Rows stand below their group without going deeper: a table has many, and nothing else begins with a bar.
      const isRows = node.role === "rowgroup" && nodesIn(item.items).length === item.items.length;
      this.printItems(item.items, isRows ? indent : indent + 1, item);
    }
  }

  /** `| a | b`, each cell marked by its kind: `|` data, `|^` column header, `|<` row header, `|=` grid cell. */
  #printRow(item: DenseNode<S>, indent: number, states: readonly string[]): void {
    const cells = nodesIn(item.items);
    const refs = this.#refs.takeRow(item.node, cells[0]?.node);
    let line = `| ${refs}`;
    if (states.length > 0) line += `{${states.join(",")}} `;
    if (item.printedName !== "") line += `${quoteName(item.printedName)} `;
    for (const [index, cell] of cells.entries()) {
      const mark = cellMarks.get(cell.node.role as CellKind) ?? "";
      line += index === 0 ? (mark === "" ? "" : `${mark} `) : `|${mark} `;
      line += index === 0 ? "" : this.#refs.prefixed(cell.node);
      const cellStates = statesIn(cell.node);
      if (cellStates.length > 0) line += `{${cellStates.join(",")}} `;
      if (cell.printedName !== "") line += `${quoteName(cell.printedName)} `;
      else if (cell.items.length === 0 && cell.node.name !== "")
        line += escapeStart(escapeText(cell.node.name, "cell"));
      line += `${this.#inlineItems(cell.items, "cell", true, cell)} `;
    }
    this.#push(indent, line.trimEnd());
  }

  #inlineItems(
    items: readonly (DenseText | DenseNode<S>)[],
    where: Where,
    isStart: boolean,
    owner: DenseNode<S>,
  ): string {
    if (
      items.length === 0 &&
      owner.printedName === "" &&
      owner.node.name !== "" &&
      !valueRoles.has(owner.node.role)
    ) {
      const name = escapeText(owner.node.name, where);
      return where === "cell" && owner.node.role.endsWith("cell") ? "" : isStart ? escapeStart(name) : name;
    }
    const parts: string[] = [];
    for (const item of items) {
      if (isText(item)) {
        const text = escapeText(item.text, where);
        parts.push(parts.length === 0 && isStart ? escapeStart(text) : text);
      } else parts.push(this.#inline(item, where));
    }
    return parts.join(" ");
  }

  #inline(item: DenseNode<S>, where: Where): string {
    const { node } = item;
    const ref = this.#refs.take(node) ?? "";
    const states = statesIn(node);
    let tag = tagOf(node);
    if (node.role === "heading" && node.level !== undefined && node.level <= 6 && states.length === 1) {
      tag = "#".repeat(node.level);
    } else if (node.role !== "link" || states.length > 0 || ref === "") {
      tag = `:${[tag, ...states].join(",")}`;
    } else tag = "";
    let text = `[${ref}${tag}`;
    const options = optionsOnly(item);
    if (options.length > 0) {
      text += ` ${quoteName(node.name)}: ${options.map((option) => this.#option(option)).join("; ")}`;
    } else {
      if (item.printedName !== "") text += ` ${quoteName(item.printedName)}`;
      const content = this.#inlineItems(item.items, where, true, item);
      if (content !== "") text += ` ${content}`;
    }
    if (node.placeholder !== undefined) text += ` ~ ${escapeText(node.placeholder, where)}`;
    if (this.#options.urls && node.url !== undefined) text += ` → ${escapeText(node.url, where)}`;
    return `${text}]`;
  }

  /** Options of a drop-down: `*` the chosen one. */
  #option({ node }: DenseNode<S>): string {
    const ref = this.#refs.takeImplied(node);
    const name = escapeText(node.name, "option");
    return `${node.selected === true ? "*" : ""}${ref === null ? "" : `${ref} `}${escapeStart(name)}`;
  }
}

function isListItem<S>(item: DenseText | DenseNode<S>): boolean {
  return !isText(item) && item.node.role === "listitem";
}

function isInline<S>(item: DenseNode<S>): boolean {
  return !isBlockRole(item.node.role) && !item.hasBlock && item.size <= MAX_INLINE_NODES + optionCount(item);
}

function optionCount<S>(item: DenseNode<S>): number {
  return item.node.role === "combobox" ? item.items.length : 0;
}

/** @returns the options of a drop-down that consists of nothing else; empty for everything else */
function optionsOnly<S>({ node, items }: DenseNode<S>): DenseNode<S>[] {
  const isChoice = node.role === "combobox" || node.role === "listbox";
  return isChoice && items.every(isPlainOption) ? nodesIn(items) : [];
}

function isPlainOption<S>(item: DenseText | DenseNode<S>): boolean {
  if (isText(item) || item.node.role !== "option" || item.items.length > 0) return false;
  return statesIn(item.node).every((state) => state === "selected");
}

function isSimpleRow<S>(row: DenseNode<S>): boolean {
  if (row.items.length === 0) return false;
  return row.items.every((cell) => {
    if (isText(cell) || !cellMarks.has(cell.node.role as CellKind)) return false;
    return cell.items.every((item) => isText(item) || (isInline(item) && !isHardBlockRole(item.node.role)));
  });
}

function tagOf(node: SnapNode): string {
  if (node.role !== "generic") return node.role;
  return node.isEditable === true ? "editable" : isActionable(node) ? "clickable" : "generic";
}
