/**
 * The dense list of what can be acted on, a line each: `e5 button,pressed Name`; a link has no role, `e6 Name`. In a
 * whole list of the main frame a line with the role of the line before, and without states, is its number alone,
 * `7 Name`. Numbers are refs too. Changes are lists of whole lines, since each must be understood by itself.
 */

import type { DenseOptions, DensePrint } from "./dense.ts";
import { escapeText, quoteName } from "./denseEscape.ts";
import { contentOf, type DenseNode, isActionable, isText, nodesIn, toDenseTree } from "./denseTree.ts";
import { interactiveRoles } from "./roles.ts";
import { type SnapNode, statesIn } from "./tree.ts";

const roleWords = new Set([...interactiveRoles, "clickable", "editable", "iframe"]);

/** `short`: line by line what is shown of a whole list. */
export interface ControlsPrint extends DensePrint {
  short: string[];
}

export function printControls<S>(root: SnapNode<S>, options: DenseOptions<S>): ControlsPrint {
  const print: ControlsPrint = { lines: [], short: [], frames: [], refs: [], omittedByDepth: 0 };
  let lastRole = "";
  const visit = (dense: DenseNode<S>): void => {
    for (const item of dense.items) {
      if (isText(item)) continue;
      const { node } = item;
      if (node.role === "iframe") {
        const ref = options.numberOf(node);
        print.refs.push([ref, node.role, ""]);
        print.lines.push(`${options.prefix}e${ref} iframe`);
        print.short.push(`${options.prefix}e${ref} iframe`);
        print.frames.push({ ref, line: print.lines.length - 1, indent: 0 });
        lastRole = "";
      } else if (isActionable(node)) {
        const ref = options.numberOf(node);
        print.refs.push([ref, node.role, node.name]);
        const role = tagOf(node);
        const text = textOf(item);
        const states = statesIn(node).filter((state) => state !== "active");
        const shown = role === "link" && states.length === 0 ? "" : ` ${[role, ...states].join(",")}`;
        const line = `${options.prefix}e${ref}${shown}${text}`;
        print.lines.push(line);
        const isNumberEnough =
          options.prefix === "" &&
          role === lastRole &&
          states.length === 0 &&
          interactiveRoles.has(node.role);
        print.short.push(isNumberEnough ? `${ref}${text}` : line);
        lastRole = role;
      }
      if (!isActionable(node) || !takesOptions(item, print, options)) visit(item);
    }
  };
  visit(toDenseTree(root));
  return print;
}

function tagOf(node: SnapNode): string {
  if (interactiveRoles.has(node.role)) return node.role;
  return node.isEditable === true ? "editable" : node.role === "img" ? "img" : "clickable";
}

/** Name and options, with a blank before them. */
function textOf<S>(item: DenseNode<S>): string {
  const { node } = item;
  let line = "";
  const name =
    node.name !== "" ? node.name : interactiveRoles.has(node.role) ? "" : contentOf(item).slice(0, 80);
  const [firstWord] = name.split(/[\s,]/, 1);
  if (name !== "") {
    const isPlain = !roleWords.has(firstWord ?? "") && !/^["\\]/.test(name) && !name.includes(": ");
    line += ` ${isPlain ? name : quoteName(name)}`;
  }
  const options = optionsOf(item);
  if (options.length > 0) {
    const texts = options.map(
      ({ node: one }) => `${one.selected === true ? "*" : ""}${escapeText(one.name, "option")}`,
    );
    line += `: ${texts.join("; ")}`;
  }
  return line;
}

function optionsOf<S>(item: DenseNode<S>): DenseNode<S>[] {
  if (item.node.role !== "combobox" && item.node.role !== "listbox") return [];
  return nodesIn(item.items).filter(({ node }) => node.role === "option");
}

/** Options stand in the line of their drop-down, and have numbers all the same. */
function takesOptions<S>(item: DenseNode<S>, print: DensePrint, options: DenseOptions<S>): boolean {
  const found = optionsOf(item);
  for (const { node } of found) print.refs.push([options.numberOf(node), node.role, node.name]);
  return found.length > 0 && found.length === item.items.length;
}
