/** Which refs the dense format prints, and which follow from the one before. */

import { isActionable } from "./denseTree.ts";
import type { SnapNode } from "./tree.ts";

export type CellKind = "cell" | "columnheader" | "rowheader" | "gridcell";

export const cellMarks: ReadonlyMap<CellKind, string> = new Map([
  ["cell", ""],
  ["columnheader", "^"],
  ["rowheader", "<"],
  ["gridcell", "="],
]);

export class PrintedRefs<S> {
  readonly refs: [ref: number, role: string, name: string][] = [];
  readonly #prefix: string;
  readonly #numberOf: (node: SnapNode<S>) => number;
  #last = Number.NaN;

  constructor(prefix: string, numberOf: (node: SnapNode<S>) => number) {
    this.#prefix = prefix;
    this.#numberOf = numberOf;
  }

  /** @returns the ref to print, or null when it follows from the one before */
  take(node: SnapNode<S>): string | null {
    const isNext = this.#advance(node);
    return isNext && !isActionable(node) ? null : `${this.#prefix}e${this.#last}`;
  }

  /** For options, which are chosen by their drop-down. */
  takeImplied(node: SnapNode<S>): string | null {
    return this.#advance(node) ? null : `${this.#prefix}e${this.#last}`;
  }

  /** `e5 ` before a cell, or nothing. */
  prefixed(node: SnapNode<S>): string {
    const ref = this.takeImplied(node);
    return ref === null ? "" : `${ref} `;
  }

  /** A row and its first cell stand side by side: where one of them has to be printed, both are. */
  takeRow(row: SnapNode<S>, firstCell: SnapNode<S> | undefined): string {
    const rowRef = this.takeImplied(row);
    const rowNumber = this.#last;
    if (firstCell === undefined) return rowRef === null ? "" : `${rowRef} `;
    const cellRef = this.takeImplied(firstCell);
    if (cellRef !== null) return `${this.#prefix}e${rowNumber} ${cellRef} `;
    return rowRef === null ? "" : `${rowRef} `;
  }

  /** A node that prints nothing of its own but has a number: the list around its dashes. */
  skip(node: SnapNode<S>): void {
    this.#advance(node);
  }

  /** Number that was printed or implied last. */
  get last(): number {
    return this.#last;
  }

  /** Takes over what an earlier print of the same nodes did. */
  replay(refs: readonly [ref: number, role: string, name: string][], last: number): void {
    for (const ref of refs) this.refs.push(ref);
    this.#last = last;
  }

  /** Whether the number would not have to be printed. */
  follows(node: SnapNode<S>): boolean {
    return this.#numberOf(node) === this.#last + 1;
  }

  #advance(node: SnapNode<S>): boolean {
    const number = this.#numberOf(node);
    const isNext = number === this.#last + 1;
    this.#last = number;
    this.refs.push([number, node.role, node.name]);
    return isNext;
  }
}
