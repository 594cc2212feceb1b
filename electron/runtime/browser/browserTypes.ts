/** What the parts of the managed browser promise each other: profiles, guard, snapshots, service. */

import type { Browser, BrowserContext, ElementHandle, Page } from "playwright-core";

// ---------------------------------------------------------------------------------------------- profiles

/** `managed`: we start it. `remote`: another machine's, attach only. `existing`: the person's own running browser. */
export type ProfileKind = "managed" | "remote" | "existing";

/** One profile with every default filled in. */
export interface BrowserProfile {
  name: string;
  kind: ProfileKind;
  isDefault: boolean;
  /** Written in openclaw.json; the built-in profiles exist without. */
  isInConfig: boolean;
  /** Port of the debugging endpoint on loopback; null for remote profiles. */
  cdpPort: number | null;
  cdpUrl: string | null;
  /** `#rrggbb`, upper case. */
  color: string;
  /** Only for `managed`, and for `existing` when configured. */
  userDataDir: string | null;
  attachOnly: boolean;
}

export type ProfileState =
  | { kind: "stopped" }
  | { kind: "starting" }
  | { kind: "running"; pid: number | null; sinceMs: number; browserName: string; version: string }
  | { kind: "stopping" }
  /** It ended without being asked to. */
  | { kind: "crashed"; atMs: number; detail: string }
  /** Attach-only profiles: nothing answers there. */
  | { kind: "unreachable"; detail: string };

/** A live attachment to one profile's browser. */
export interface BrowserConnection {
  profile: BrowserProfile;
  browser: Browser;
  /** The default context; pages of the profile. */
  context: BrowserContext;
  /** How requests are held to the policy: by the filtering proxy, by interception, or not at all (trusted mode). */
  guardedBy: "proxy" | "interception" | "none";
  /** Settles with the reason when the browser or the connection ends. */
  closed: Promise<string>;
}

export interface BrowserProfiles {
  all(): BrowserProfile[];
  /**
   * @param name absent: the default profile
   * @throws AppError NOT_FOUND that lists the known profiles
   */
  find(name: string | undefined): BrowserProfile;
  state(name: string): ProfileState;
  /** The existing connection, never starting anything. */
  connection(name: string): BrowserConnection | null;
  /** Starts or attaches, and connects; joins a start under way. @throws AppError saying what to do */
  connect(name: string, options: { signal?: AbortSignal }): Promise<BrowserConnection>;
  stop(name: string): Promise<{ stopped: boolean }>;
  /** Called after every change of a profile or its state. @returns a function that stops it */
  onChanged(listener: (name: string) => void): () => void;
  dispose(): Promise<void>;
}

// ------------------------------------------------------------------------------------------------- guard

/** `mode` of the vectors' guard cases; a refusal names the rule. */
export type GuardVerdict =
  | { verdict: "allowed" }
  | { verdict: "blocked"; kind: string; message: string; url: string };

/** A request that the guard refused, for the panel. */
export interface BlockedRequest {
  atMs: number;
  profile: string;
  url: string;
  /** `navigation`, `subframe`, `fetch`, `websocket`, `worker`, `other`, as far as known. */
  what: string;
  kind: string;
  message: string;
}

// --------------------------------------------------------------------------------------------- snapshots

/** `dense` is the product's own; the other three are the reference's families. */
export type SnapshotFormat = "dense" | "ai" | "role" | "aria";

export interface SnapshotRequest {
  format: SnapshotFormat;
  interactive?: boolean;
  compact?: boolean;
  /** Levels below the root, 0 the root itself. */
  maxDepth?: number;
  /** CSS selector; only the first match's subtree. */
  selector?: string;
  /** CSS selector of one iframe. */
  frame?: string;
  /** `aria`: role filters over the AI tree, with its ids. */
  refs?: "role" | "aria";
  maxChars?: number;
  /** Nodes of format `aria`. */
  limit?: number;
  /** Dense: go on after the part that ended with this mark (announced by the cut). */
  after?: string;
  /** Dense: print link targets. */
  urls?: boolean;
  /** Who looks: incremental snapshots compare with what this viewer saw last on this page. */
  viewer: string;
  /** Only what changed since this viewer's last snapshot of the same document; a full one when there was none. */
  incremental?: boolean;
}

export interface RefInfo {
  role: string;
  name?: string;
  nth?: number;
}

export interface Snapshot {
  format: SnapshotFormat;
  /** Page text: hostile, not yet wrapped. */
  text: string;
  refs: Map<string, RefInfo>;
  stats: { lines: number; chars: number; refs: number; interactive: number };
  truncated: boolean;
  /** How to get the rest; null when whole. */
  more: string | null;
  /** `full`, or `changes` against the viewer's last one; `unchanged` has an empty text. */
  extent: "full" | "changes" | "unchanged";
  /** Characters / 4, rounded up. */
  tokenEstimate: number;
  /** Changes with every document the main frame shows. */
  documentId: string;
  url: string;
  title: string;
}

/** A ref that was found again, bound to its element. */
export interface ResolvedRef {
  handle: ElementHandle;
  role: string;
  name: string;
}

export interface SnapshotEngine {
  /** @throws AppError INVALID_INPUT when a selector or frame matches nothing */
  take(page: Page, request: SnapshotRequest): Promise<Snapshot>;
  /**
   * `e12`, `@e12`, `ref=e12`, `f1e3`.
   * @throws AppError NOT_FOUND with `data.kind` `unknown_ref` | `stale_ref`; at once, never after a timeout
   */
  resolve(page: Page, ref: string): Promise<ResolvedRef>;
  /** Boxes of refs in the viewport, in CSS pixels of the viewport. */
  boxes(page: Page): Promise<{ ref: string; x: number; y: number; width: number; height: number }[]>;
}
