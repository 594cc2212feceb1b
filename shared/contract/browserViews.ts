/** The managed browsers as the panel and operators see them: profiles, tabs, pages, records, what agents did there. */

import { z } from "zod";
import { reason } from "./approvals.ts";

// ---------------------------------------------------------------------------------------------- profiles

export const browserProfileState = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("stopped") }),
  z.object({ kind: z.literal("starting") }),
  z.object({
    kind: z.literal("running"),
    /** null when another program started it. */
    pid: z.number().int().nullable(),
    sinceMs: z.number(),
    browserName: z.string(),
    version: z.string(),
  }),
  z.object({ kind: z.literal("stopping") }),
  /** It ended without being asked to. */
  z.object({ kind: z.literal("crashed"), atMs: z.number(), detail: z.string() }),
  /** Attach-only profiles: nothing answers there. */
  z.object({ kind: z.literal("unreachable"), detail: z.string() }),
]);
export type BrowserProfileState = z.infer<typeof browserProfileState>;

export const browserProfileView = z.object({
  name: z.string(),
  /** `managed`: we start it. `remote`: another machine's. `existing`: the person's own running browser. */
  kind: z.enum(["managed", "remote", "existing"]),
  isDefault: z.boolean(),
  /** Written in openclaw.json; built-in profiles exist without. Only a profile in the config can be deleted. */
  isInConfig: z.boolean(),
  cdpPort: z.number().int().nullable(),
  cdpUrl: z.string().nullable(),
  /** `#RRGGBB`. */
  color: z.string(),
  userDataDir: z.string().nullable(),
  attachOnly: z.boolean(),
  state: browserProfileState,
  /** Open pages; 0 unless running. */
  tabCount: z.number().int(),
  /** How requests of this browser are held to the policy; null unless running. `none` is the trusted mode. */
  guardedBy: z.enum(["proxy", "interception", "none"]).nullable(),
  /** A person has taken the browser over: agents' calls that change something are refused until it is given back. */
  isPaused: z.boolean(),
});
export type BrowserProfileView = z.infer<typeof browserProfileView>;

/** What may be reached, as it counts now. */
export const browserGuardSettings = z.object({
  /** `strict`: private and special addresses are refused. `trusted`: only the lists count. */
  mode: z.enum(["trusted", "strict"]),
  hostnameAllowlist: z.array(z.string()),
  allowedHostnames: z.array(z.string()),
});
export type BrowserGuardSettings = z.infer<typeof browserGuardSettings>;

export const browserOverview = z.object({
  /** null when the browser may be used; else why the tool is absent. */
  disabledBecause: z.string().nullable(),
  /** The same as a reason that has a sentence. */
  disabledReason: reason.nullable(),
  evaluateEnabled: z.boolean(),
  /** "See before click" is on: an agent's act waits for a person. */
  asksBeforeActs: z.boolean(),
  guard: browserGuardSettings,
  /** Default first, then by name. */
  profiles: z.array(browserProfileView),
});
export type BrowserOverview = z.infer<typeof browserOverview>;

// -------------------------------------------------------------------------------------------------- tabs

export const browserTab = z.object({
  profile: z.string(),
  /** 32 hex digits. Every `targetId` input also takes an unambiguous prefix. */
  targetId: z.string(),
  /** Page text: show it as text only. */
  title: z.string(),
  url: z.string(),
  /** `crashed`: its renderer ended; navigate or close it. */
  state: z.enum(["open", "crashed"]),
  /** The session that opened it; null when a person or the page itself did. */
  sessionKey: z.string().nullable(),
  /** The page it was opened by (a popup); null otherwise. */
  openerTargetId: z.string().nullable(),
  lastUsedAtMs: z.number(),
  /** Where calls without a targetId go. */
  isLastUsed: z.boolean(),
  counts: z.object({
    console: z.number().int(),
    errors: z.number().int(),
    requests: z.number().int(),
    failedRequests: z.number().int(),
    downloads: z.number().int(),
    dialogs: z.number().int(),
  }),
});
export type BrowserTab = z.infer<typeof browserTab>;

// --------------------------------------------------------------------------------- snapshots and pictures

export const browserRef = z.object({
  ref: z.string(),
  role: z.string(),
  name: z.string().nullable(),
  nth: z.number().int().nullable(),
});
export type BrowserRef = z.infer<typeof browserRef>;

export const browserSnapshotFormat = z.enum(["dense", "ai", "role", "aria"]);

export const browserSnapshot = z.object({
  profile: z.string(),
  targetId: z.string(),
  url: z.string(),
  title: z.string(),
  format: browserSnapshotFormat,
  /** Page text: show it as text only. Empty when `extent` is `unchanged`. */
  text: z.string(),
  refs: z.array(browserRef),
  stats: z.object({
    lines: z.number().int(),
    chars: z.number().int(),
    refs: z.number().int(),
    interactive: z.number().int(),
  }),
  extent: z.enum(["full", "changes", "unchanged"]),
  truncated: z.boolean(),
  /** How to get the rest; null when whole. */
  more: z.string().nullable(),
  tokenEstimate: z.number().int(),
  /** Changes with every document of the main frame; refs of another one are stale. */
  documentId: z.string(),
  takenAtMs: z.number(),
});
export type BrowserSnapshot = z.infer<typeof browserSnapshot>;

/** A ref's place in a picture, in pixels of that picture. Role and name stand in the snapshot. */
export const browserBox = z.object({
  ref: z.string(),
  x: z.number(),
  y: z.number(),
  width: z.number(),
  height: z.number(),
});
export type BrowserBox = z.infer<typeof browserBox>;

export const browserScreenshot = z.object({
  profile: z.string(),
  targetId: z.string(),
  url: z.string(),
  title: z.string(),
  mimeType: z.enum(["image/png", "image/jpeg"]),
  base64: z.string(),
  /** Pixels of the picture. */
  width: z.number().int(),
  height: z.number().int(),
  /** Picture pixels per CSS pixel of the page. */
  scale: z.number(),
  /** Refs of the newest snapshot of this page that are inside the viewport; empty for element and full-page pictures. */
  boxes: z.array(browserBox),
  takenAtMs: z.number(),
});
export type BrowserScreenshot = z.infer<typeof browserScreenshot>;

// ----------------------------------------------------------------------------------------------- records

const recordId = z.string();

export const browserConsoleEntry = z.object({
  id: recordId,
  atMs: z.number(),
  /** Chromium's word: log, info, warning, error, debug, … */
  type: z.string(),
  text: z.string(),
  /** `url:line:column`, or null. */
  location: z.string().nullable(),
});
export const browserPageError = z.object({
  id: recordId,
  atMs: z.number(),
  name: z.string(),
  message: z.string(),
  stack: z.string().nullable(),
});
export const browserRequestEntry = z.object({
  id: recordId,
  atMs: z.number(),
  method: z.string(),
  url: z.string(),
  resourceType: z.string(),
  /** null while it runs and when it failed before an answer. */
  status: z.number().int().nullable(),
  ok: z.boolean().nullable(),
  failure: z.string().nullable(),
});
export const browserDownloadEntry = z.object({
  id: recordId,
  atMs: z.number(),
  url: z.string(),
  suggestedFilename: z.string(),
  state: z.enum(["running", "saved", "failed", "refused"]),
  /** Where it was saved; null unless saved. */
  path: z.string().nullable(),
  sizeBytes: z.number().nullable(),
  /** Why it failed or was refused. */
  reason: z.string().nullable(),
});
export const browserDialogEntry = z.object({
  id: recordId,
  atMs: z.number(),
  kind: z.enum(["alert", "confirm", "prompt", "beforeunload"]),
  message: z.string(),
  /** `armed`: answered as an agent had asked for; `automatic`: dismissed because nobody had. */
  answer: z.enum(["accepted", "dismissed"]),
  answeredBy: z.enum(["armed", "automatic"]),
});
export type BrowserConsoleEntry = z.infer<typeof browserConsoleEntry>;
export type BrowserPageError = z.infer<typeof browserPageError>;
export type BrowserRequestEntry = z.infer<typeof browserRequestEntry>;
export type BrowserDownloadEntry = z.infer<typeof browserDownloadEntry>;
export type BrowserDialogEntry = z.infer<typeof browserDialogEntry>;

/** Newest last in every list. All texts are the page's. */
export const browserRecords = z.object({
  profile: z.string(),
  targetId: z.string(),
  console: z.array(browserConsoleEntry),
  errors: z.array(browserPageError),
  requests: z.array(browserRequestEntry),
  downloads: z.array(browserDownloadEntry),
  dialogs: z.array(browserDialogEntry),
});
export type BrowserRecords = z.infer<typeof browserRecords>;

/** A request that the guard refused. */
export const browserBlockedRequest = z.object({
  atMs: z.number(),
  profile: z.string(),
  url: z.string(),
  /** `navigation`, `subframe`, `fetch`, `websocket`, `worker`, `other`. */
  what: z.string(),
  /** The rule, as in the guard's verdicts. */
  kind: z.string(),
  message: z.string(),
});
export type BrowserBlockedRequest = z.infer<typeof browserBlockedRequest>;

// -------------------------------------------------------------------------------------------------- film

/** One action on a page, by an agent or by a person's hand. */
export const browserFilmEntry = z.object({
  id: z.string(),
  profile: z.string(),
  targetId: z.string().nullable(),
  atMs: z.number(),
  durationMs: z.number().nullable(),
  who: z.object({
    /** `agent`: a tool call; `person`: the panel or the command line. */
    kind: z.enum(["agent", "person"]),
    label: z.string(),
    agentId: z.string().nullable(),
    sessionKey: z.string().nullable(),
    toolCallId: z.string().nullable(),
  }),
  /** `open`, `navigate`, `click`, `type`, `fill`, … */
  action: z.string(),
  /** The element acted on; null for actions without one. `name` is page text. */
  target: z.object({ ref: z.string().nullable(), role: z.string(), name: z.string() }).nullable(),
  /** What was typed, chosen or pressed, one line; values of password fields are masked. null when nothing was. */
  detail: z.string().nullable(),
  urlBefore: z.string().nullable(),
  urlAfter: z.string().nullable(),
  result: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("running") }),
    z.object({ kind: z.literal("done") }),
    /** `message` says what happened; `problem` is the code, for example `covered`, `stale_ref`. */
    z.object({ kind: z.literal("failed"), problem: z.string(), message: z.string() }),
  ]),
  /** Whether `browser.filmPictures` has them. */
  hasBefore: z.boolean(),
  hasAfter: z.boolean(),
});
export type BrowserFilmEntry = z.infer<typeof browserFilmEntry>;

export const browserFilmPicture = z.object({
  id: z.string(),
  /** Small JPEGs, base64; null when there is none or it was dropped. */
  beforeBase64: z.string().nullable(),
  afterBase64: z.string().nullable(),
  width: z.number().int(),
  height: z.number().int(),
});
export type BrowserFilmPicture = z.infer<typeof browserFilmPicture>;

// -------------------------------------------------------------------------------------------------- acts

/** What an act did, as the tool reports it to a model. */
export const browserActResult = z.object({
  targetId: z.string(),
  /** After the action. */
  url: z.string(),
  title: z.string(),
  /** One line: what was done. */
  message: z.string(),
  /** evaluate only: JSON text; null otherwise. */
  value: z.string().nullable(),
  /** What it caused, one line each: dialogs, downloads, popups, console errors. Page text. */
  events: z.array(z.object({ kind: z.string(), text: z.string() })),
});
export type BrowserActResult = z.infer<typeof browserActResult>;

/** Input by hand on the live view; coordinates are CSS pixels of the viewport. */
export const browserInput = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("mouse"),
    type: z.enum(["down", "up", "move"]),
    x: z.number(),
    y: z.number(),
    button: z.enum(["none", "left", "middle", "right"]).default("left"),
    clickCount: z.number().int().min(0).max(3).default(1),
  }),
  z.object({
    kind: z.literal("wheel"),
    x: z.number(),
    y: z.number(),
    deltaX: z.number(),
    deltaY: z.number(),
  }),
  /** A key by its name, as in `Enter`, `Tab`, `Control+a`. */
  z.object({ kind: z.literal("key"), key: z.string().min(1).max(60) }),
  z.object({ kind: z.literal("text"), text: z.string().min(1).max(10_000) }),
]);

export type BrowserInput = z.infer<typeof browserInput>;
