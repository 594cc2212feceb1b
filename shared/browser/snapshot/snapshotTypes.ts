/** Shapes that the text side of snapshots shares. */

/** What a ref stands for: role, accessible name, and which of several alike. */
export interface RefInfo {
  role: string;
  name?: string;
  nth?: number;
}

export interface SnapshotStats {
  lines: number;
  chars: number;
  refs: number;
  /** Refs whose role is an interactive one. */
  interactive: number;
}

export interface RoleSnapshotOptions {
  interactive?: boolean;
  compact?: boolean;
  /** Levels below the root, 0 the root itself. */
  maxDepth?: number;
}

export interface RoleSnapshot {
  text: string;
  refs: Map<string, RefInfo>;
  stats: SnapshotStats;
  /** Lines that `maxDepth` left out. */
  omittedByDepth: number;
}

/** Characters by four, rounded up: what a text costs a model, roughly. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / 4);
}
