/** Keeps printed parts of dense snapshots for as long as their nodes stand. */

import type { DenseCache, DenseNode } from "./denseTree.ts";

/** Circumstances of a print in a line; those of a block are its indent and flags, never below zero. */
export const INLINE = -1;
export const INLINE_NEXT = -2;

/** What nodes looked like when they were printed last, and under which circumstances. */
export interface PrintCache<S> {
  nodes: DenseCache<S>;
  prints: WeakMap<DenseNode<S>, CachedPrint>;
}

export interface CachedPrint {
  key: number;
  lines: string[];
  frames: { ref: number; line: number; indent: number }[];
  refs: [ref: number, role: string, name: string][];
  last: number;
}

export function createPrintCache<S>(): PrintCache<S> {
  return { nodes: new WeakMap(), prints: new WeakMap() };
}
