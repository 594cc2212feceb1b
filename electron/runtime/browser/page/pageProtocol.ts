/** What the engine outside asks of its part inside of each document. JSON both ways. */

import type { SnapNode } from "../../../../shared/browser/snapshot/tree.ts";

export type CutReason = "elements" | "time";

export interface DenseInput {
  prefix: string;
  masks: boolean;
  urls: boolean;
  interactive: boolean;
  selector?: string;
  maxDepth?: number;
  /** Keeps what this viewer has seen; absent: nothing is kept. */
  viewer?: string;
  /** Only what differs from what the viewer saw last. */
  incremental: boolean;
  /** Mark of a whole reply that the asker still has. */
  known?: string;
}

/** A frame's place among the lines: its own lines follow that line, one level deeper. */
export interface FramePlace {
  ref: number;
  line: number;
  indent: number;
}

export type DenseReply =
  | { found: false }
  /** The whole reply with the mark that the asker named is still right. */
  | { found: true; extent: "known" }
  | {
      found: true;
      /** Of a whole reply that may be asked for again; empty for all others. */
      mark: string;
      /** `changes`: `lines` are the changed ones with their marks. */
      extent: "full" | "changes" | "unchanged";
      lines: string[];
      frames: FramePlace[];
      /** A line each: number, role and name with tabs between; of changes only those in the changed lines. */
      refs: string;
      cutBy: CutReason | null;
      tooDeep: number;
      elementCount: number;
      omittedByDepth: number;
    };

export type TreeReply =
  | { found: false }
  | {
      found: true;
      root: SnapNode;
      frames: { ref: string }[];
      cutBy: CutReason | null;
      tooDeep: number;
      elementCount: number;
    };

export type Located =
  | { kind: "unknown" }
  | { kind: "gone"; role: string; name: string }
  | { kind: "changed"; role: string; name: string; nowRole: string; nowName: string }
  /** `mutations`: noticed in the document up to now. */
  | { kind: "found"; role: string; name: string; xpath: string; mutations: number }
  | { kind: "marked"; role: string; name: string; mark: string };

export interface PageCalls {
  tree: {
    input: { family: "ai" | "role"; prefix: string; masks: boolean; clickables: boolean; selector?: string };
    output: TreeReply;
  };
  dense: { input: DenseInput; output: DenseReply };
  locate: { input: { ref: number }; output: Located };
  /** Whether nothing has moved in the document since so many mutations: a path of then leads to the same element. */
  isAsItWas: { input: { mutations: number }; output: boolean };
  unmark: { input: { mark: string }; output: Record<string, never> };
  boxes: {
    input: Record<string, never>;
    output: { ref: number; x: number; y: number; width: number; height: number }[];
  };
  /** Values that nobody should read, to be masked in what the browser itself says. */
  secrets: { input: Record<string, never>; output: string[] };
  frameRef: { input: { selector: string }; output: { ref: number | null } };
}

export interface PageReply<Value = unknown> {
  documentId: string;
  url: string;
  title: string;
  value: Value;
  /** Highest number given so far. */
  lastRef: number;
}
