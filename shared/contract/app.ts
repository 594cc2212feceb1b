/** State of the app as a whole: what the frame, the annunciator and the status line show. */

import { z } from "zod";
import { defineContract } from "../rpc/contract.ts";

export const securityMode = z.enum(["deny", "allowlist", "full"]);
export const askMode = z.enum(["off", "on-miss", "always"]);

/** A problem in a file, with the place in it. Lines and columns count from 1. */
export const fileProblem = z.object({
  path: z.string(),
  line: z.number().int().nullable(),
  column: z.number().int().nullable(),
  message: z.string(),
  /** Dotted path into the document for schema problems. */
  configPath: z.string().nullable(),
});
export type FileProblem = z.infer<typeof fileProblem>;

/**
 * The exec mode that counts now. `broad` is set while anything may run without asking (A18):
 * `unconfirmed` modes found in the files act as allowlist and on-miss until a person confirms them.
 */
export const execMode = z.object({
  security: securityMode,
  ask: askMode,
  /** What the files say, when that is broader than what counts. */
  configured: z.object({ security: securityMode, ask: askMode }),
  broad: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("none") }),
    z.object({ kind: z.literal("unconfirmed"), agents: z.array(z.string()) }),
    z.object({ kind: z.literal("confirmed"), agents: z.array(z.string()), endsAtMs: z.number() }),
  ]),
});
export type ExecMode = z.infer<typeof execMode>;

export const appStatus = z.object({
  version: z.string(),
  /** Which release's behaviour the evaluator follows. */
  semantics: z.string(),
  preset: z.enum(["reference", "sallyport"]),
  shell: z.enum(["electron", "headless"]),
  stateDir: z.string(),
  /** What starts the command line here, for a client's settings: words follow behind `args`. null: not known. */
  commandLine: z.object({ file: z.string(), args: z.array(z.string()) }).nullable(),
  gateway: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("listening"), address: z.string(), port: z.number().int() }),
    z.object({ kind: z.literal("off"), reason: z.string() }),
  ]),
  config: z.object({
    path: z.string(),
    state: z.enum(["ok", "missing", "broken"]),
    hash: z.string().nullable(),
    changedAtMs: z.number().nullable(),
    problems: z.array(fileProblem),
    /** While it is broken: the last good one counts; else no tool exists. */
    usesLastGood: z.boolean().optional(),
  }),
  approvalsFile: z.object({
    path: z.string(),
    state: z.enum(["ok", "missing", "broken"]),
    problems: z.array(fileProblem),
  }),
  settingsProblems: z.array(fileProblem),
  mode: execMode,
  pendingApprovals: z.number().int(),
  /** When the first waiting request expires, epoch milliseconds. */
  firstExpiryMs: z.number().nullable(),
  runningProcesses: z.number().int(),
  /** Managed and attached browsers that run now. */
  runningBrowsers: z.number().int(),
  survivors: z.number().int(),
  connectedClients: z.number().int(),
  ledger: z.object({ entries: z.number().int(), verifiedAtMs: z.number().nullable() }),
  eventLoopLagP99Ms: z.number().nullable(),
  /** Whether a prompt can reach a person (A17): now, and as the self-test found it shortly after the start. */
  prompt: z.object({
    reach: z.enum(["reachable", "waitsForOperator", "noPanel", "screenLocked"]),
    checkAtStart: z.enum(["pending", "passed", "failed"]),
  }),
  /** Nobody has used this state directory with Sallyport yet. */
  firstRun: z.boolean(),
  nowMs: z.number(),
});
export type AppStatus = z.infer<typeof appStatus>;

export const uiSettings = z.object({
  theme: z.enum(["system", "light", "dark"]),
  language: z.enum(["system", "en", "zh-CN"]),
  density: z.enum(["compact", "comfortable"]),
  /** How a new approval asks for attention (A4). */
  attention: z.enum(["silent", "badge", "notify", "raise"]),
  singleKeys: z.boolean(),
});
export type UiSettings = z.infer<typeof uiSettings>;

export const appContract = defineContract({
  methods: {
    health: {
      scope: "operator.read",
      input: z.object({}),
      output: z.object({ ok: z.literal(true), status: z.literal("live"), uptimeMs: z.number() }),
    },
    "app.status": { scope: "operator.read", input: z.object({}), output: appStatus },
    "ui.settings.get": { scope: "operator.read", input: z.object({}), output: uiSettings },
    "ui.settings.set": { scope: "operator.write", input: uiSettings.partial(), output: uiSettings },
    /** Ends a broad mode at once: allowlist and on-miss count again. */
    "mode.restore": { scope: "operator.approvals", input: z.object({}), output: execMode },
    /** Confirms the broad mode that the files ask for, until `endsAtMs` (at most 24 h ahead). */
    "mode.confirmBroad": {
      scope: "operator.approvals",
      input: z.object({
        /** Typed by the person, word for word: `run without asking`. */
        words: z.string(),
        endsAtMs: z.number().int(),
      }),
      output: execMode,
    },
    /** Starts the scripted agent of "Try it"; answers when it has started, progress comes by event. */
    "tryout.start": { scope: "operator.write", input: z.object({}), output: z.object({ runId: z.string() }) },
    "tryout.stop": { scope: "operator.write", input: z.object({}), output: z.object({}) },
  },
  events: {
    "app.statusChanged": { scope: "operator.read", payload: appStatus },
    "ui.settingsChanged": { scope: "operator.read", payload: uiSettings },
    "tryout.changed": {
      scope: "operator.read",
      payload: z.object({
        runId: z.string(),
        /** `listTools`, `askCommand`, `startProcess`, `hiddenTool`, `cleanUp` in this order. */
        steps: z.array(
          z.object({
            step: z.enum(["listTools", "askCommand", "startProcess", "hiddenTool", "cleanUp"]),
            state: z.enum(["waiting", "running", "done", "denied", "failed"]),
            /** What the agent got, as evidence text. */
            detail: z.string(),
          }),
        ),
        isRunning: z.boolean(),
      }),
    },
  },
});
