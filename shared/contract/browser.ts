/** The managed browsers as the panel and operators see them: profiles, tabs, what agents did there, live view, guard. */

import { z } from "zod";
import { hardeningPresets } from "../hardening/rules.ts";
import { defineContract } from "../rpc/contract.ts";

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

/** Absent: the default profile. Never another one than named. */
const profile = z.string().min(1).max(64).optional();
/** Absent: the tab that was used last. */
const targetId = z.string().min(1).max(64).optional();
const onTab = z.object({ profile, targetId });
const named = z.object({ name: z.string().min(1).max(64) });

const guardVerdict = z.discriminatedUnion("verdict", [
  z.object({ verdict: z.literal("allowed") }),
  z.object({ verdict: z.literal("blocked"), kind: z.string(), message: z.string(), url: z.string() }),
]);

export const browserContract = defineContract({
  methods: {
    "browser.profiles": { scope: "operator.read", input: z.object({}), output: browserOverview },
    /** Answers when it runs. Joins a start under way. */
    "browser.start": {
      scope: "operator.write",
      input: z.object({ profile }),
      output: browserProfileView,
    },
    "browser.stop": {
      scope: "operator.write",
      input: z.object({ profile }),
      output: z.object({ stopped: z.boolean(), profile: browserProfileView }),
    },
    /** Writes the config, comments stay. Name: lower case letters, digits, hyphens. */
    "browser.createProfile": {
      scope: "operator.admin",
      input: z.object({
        name: z.string().min(1).max(64),
        color: z.string().max(20).optional(),
        /** Attach to a browser there instead of starting one. */
        cdpUrl: z.string().max(2000).optional(),
        driver: z.enum(["openclaw", "existing-session"]).optional(),
        /** With driver `existing-session` only. */
        userDataDir: z.string().max(4096).optional(),
      }),
      output: browserProfileView,
    },
    /** Stops it, moves its data to the trash, removes it from the config. Ask the person first. */
    "browser.deleteProfile": {
      scope: "operator.admin",
      input: named,
      output: z.object({ name: z.string(), movedTo: z.string().nullable() }),
    },
    /** Stops it and moves its data (cookies, logins, history) to the trash. Ask the person first. */
    "browser.resetProfile": {
      scope: "operator.admin",
      input: named,
      output: z.object({ name: z.string(), movedTo: z.string().nullable() }),
    },
    /** Takes the browser over, or gives it back to the agents. */
    "browser.pause": {
      scope: "operator.write",
      input: z.object({ profile, paused: z.boolean() }),
      output: browserProfileView,
    },

    /** Of one profile, or of all running ones. Never starts a browser. */
    "browser.tabs": {
      scope: "operator.read",
      input: z.object({ profile }),
      output: z.object({ tabs: z.array(browserTab) }),
    },
    /** Starts the browser when it does not run. */
    "browser.open": {
      scope: "operator.write",
      input: z.object({ profile, url: z.string().min(1).max(8192) }),
      output: browserTab,
    },
    "browser.focus": {
      scope: "operator.write",
      input: z.object({ profile, targetId: z.string().min(1).max(64) }),
      output: browserTab,
    },
    "browser.close": {
      scope: "operator.write",
      input: z.object({ profile, targetId: z.string().min(1).max(64) }),
      output: z.object({ closed: z.boolean() }),
    },
    /** Exactly one of `url` and `history`. */
    "browser.navigate": {
      scope: "operator.write",
      input: onTab.extend({
        url: z.string().min(1).max(8192).optional(),
        history: z.enum(["back", "forward", "reload"]).optional(),
      }),
      output: browserTab,
    },

    "browser.snapshot": {
      scope: "operator.read",
      input: onTab.extend({
        format: browserSnapshotFormat.default("dense"),
        interactive: z.boolean().optional(),
        compact: z.boolean().optional(),
        maxDepth: z.number().int().min(0).max(100).optional(),
        selector: z.string().max(2000).optional(),
        frame: z.string().max(2000).optional(),
        refs: z.enum(["role", "aria"]).optional(),
        maxChars: z.number().int().min(1).max(1_000_000).optional(),
        limit: z.number().int().min(1).max(2000).optional(),
        after: z.string().max(200).optional(),
        urls: z.boolean().optional(),
        incremental: z.boolean().optional(),
      }),
      output: browserSnapshot,
    },
    "browser.screenshot": {
      scope: "operator.read",
      input: onTab.extend({
        fullPage: z.boolean().optional(),
        ref: z.string().max(40).optional(),
        type: z.enum(["png", "jpeg"]).default("jpeg"),
        /** Longest side in pixels. */
        maxSide: z.number().int().min(100).max(2000).default(1400),
        withBoxes: z.boolean().default(false),
      }),
      output: browserScreenshot,
    },
    /** By hand: one act as the tool takes it, for example `{kind: "click", ref: "e4"}`. */
    "browser.act": {
      scope: "operator.write",
      input: onTab.extend({ request: z.record(z.string(), z.unknown()) }),
      output: browserActResult,
    },
    /** Mouse and keys by hand on the live view. */
    "browser.input": {
      scope: "operator.write",
      input: onTab.extend({ input: browserInput }),
      output: z.object({}),
    },
    "browser.records": {
      scope: "operator.read",
      input: onTab.extend({ limit: z.number().int().min(1).max(500).default(200) }),
      output: browserRecords,
    },

    /** Newest last, of one profile or of all. */
    "browser.blocked": {
      scope: "operator.read",
      input: z.object({ profile }),
      output: z.object({ blocked: z.array(browserBlockedRequest) }),
    },
    /** Newest last. */
    "browser.film": {
      scope: "operator.read",
      input: z.object({
        profile,
        sessionKey: z.string().max(300).optional(),
        limit: z.number().int().min(1).max(500).default(100),
      }),
      output: z.object({ entries: z.array(browserFilmEntry) }),
    },
    "browser.filmPictures": {
      scope: "operator.read",
      input: z.object({ ids: z.array(z.string()).min(1).max(24) }),
      output: z.object({ pictures: z.array(browserFilmPicture) }),
    },

    /**
     * Frames of one page as `browser.frame` events with this `castId`, until stopped or until the connection closes.
     * A second start by the same connection for the same page replaces the first.
     */
    "browser.screencast.start": {
      scope: "operator.read",
      input: onTab.extend({
        maxWidth: z.number().int().min(160).max(1920).default(1280),
        maxHeight: z.number().int().min(120).max(1200).default(900),
        quality: z.number().int().min(20).max(90).default(60),
        /** Frames per second at most; a page that does not change sends none. */
        maxFps: z.number().min(0.5).max(15).default(6),
      }),
      output: z.object({ castId: z.string(), profile: z.string(), targetId: z.string() }),
    },
    "browser.screencast.stop": {
      scope: "operator.read",
      input: z.object({ castId: z.string() }),
      output: z.object({ stopped: z.boolean() }),
    },

    /** What the guard says to an address or a redirect chain. Nothing is loaded. */
    "browser.guard.explain": {
      scope: "operator.read",
      input: z.object({
        check: z
          .enum(["before-navigation", "after-navigation", "redirect-chain"])
          .default("before-navigation"),
        url: z.string().max(8192).optional(),
        /** In the order in which they were requested. */
        chain: z.array(z.string().max(8192)).max(50).optional(),
        /** As under `browser.ssrfPolicy`; null = not configured; absent: the config's. */
        ssrfPolicy: z.record(z.string(), z.unknown()).nullable().optional(),
        /** Proxy variables as if set; absent: this process's own. */
        env: z.record(z.string(), z.string()).optional(),
        /** Answers of the resolver by name, unlisted names fail; absent: the system's resolver. */
        dns: z.record(z.string(), z.array(z.string())).optional(),
        /** Absent: the hardening that counts now. */
        preset: z.enum(hardeningPresets).optional(),
      }),
      output: guardVerdict,
    },
    /** One click: private addresses refused, or allowed again. Edits the config in place; comments stay. */
    "browser.setStrict": {
      scope: "operator.admin",
      input: z.object({ strict: z.boolean() }),
      output: browserGuardSettings,
    },
  },
  events: {
    /** Profiles, their states and all tabs of running ones; at most five times a second. */
    "browser.changed": {
      scope: "operator.read",
      payload: z.object({ overview: browserOverview, tabs: z.array(browserTab) }),
    },
    /** A film entry began, ended or got its pictures: replace the one with this id. */
    "browser.activity": { scope: "operator.read", payload: z.object({ entry: browserFilmEntry }) },
    "browser.blockedRequest": { scope: "operator.read", payload: browserBlockedRequest },
    "browser.frame": {
      scope: "operator.read",
      payload: z.object({
        castId: z.string(),
        profile: z.string(),
        targetId: z.string(),
        /** Counts from 1; a receiver that fell behind shows the newest only. */
        seq: z.number().int(),
        /** JPEG. */
        base64: z.string(),
        /** CSS pixels of the viewport that the picture shows. */
        viewportWidth: z.number(),
        viewportHeight: z.number(),
        atMs: z.number(),
      }),
    },
    /** The page is gone, or its browser: no more frames. */
    "browser.screencastEnded": {
      scope: "operator.read",
      payload: z.object({ castId: z.string(), reason: z.string() }),
    },
  },
});
