/** Exec sessions as the panel sees them: list, output, input, end. */

import { z } from "zod";
import { defineContract } from "../rpc/contract.ts";

export const processState = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("running") }),
  /** The shell ended; children still hold its output. */
  z.object({ kind: z.literal("lingering"), exitCode: z.number().nullable() }),
  z.object({ kind: z.literal("ending") }),
  z.object({
    kind: z.literal("exited"),
    exitCode: z.number().nullable(),
    signal: z.string().nullable(),
    endedAtMs: z.number(),
  }),
]);

export const processInfo = z.object({
  id: z.string(),
  agentId: z.string(),
  sessionKey: z.string(),
  command: z.string(),
  /** Verb and first word, for lists. */
  name: z.string(),
  cwd: z.string(),
  pid: z.number().nullable(),
  io: z.enum(["pty", "pipe"]),
  canWrite: z.boolean(),
  cols: z.number().int(),
  rows: z.number().int(),
  state: processState,
  isBackground: z.boolean(),
  startedAtMs: z.number(),
  /** Live processes of its tree, itself included; 0 when ended. */
  treeSize: z.number().int(),
  bytesTotal: z.number(),
  bytesKept: z.number(),
  linesTotal: z.number(),
  bytesPerSecond: z.number(),
  toolCallId: z.string().nullable(),
});
export type ProcessInfo = z.infer<typeof processInfo>;

export const survivor = z.object({
  id: z.string(),
  pid: z.number(),
  command: z.string(),
  agentId: z.string(),
  startedAtMs: z.number(),
  treeSize: z.number().int(),
});
export type Survivor = z.infer<typeof survivor>;

/** Raw terminal output; `seq` numbers chunks of one session from 1. */
export const outputChunk = z.object({ seq: z.number().int(), text: z.string() });

const processId = z.object({ id: z.string() });

export const processesContract = defineContract({
  methods: {
    "processes.list": {
      scope: "operator.read",
      input: z.object({}),
      output: z.object({ processes: z.array(processInfo), survivors: z.array(survivor) }),
    },
    /** Chunks with seq > `afterSeq` that are still kept, at most about 1 MB; `droppedBytes` were before the first. */
    "processes.read": {
      scope: "operator.read",
      input: z.object({ id: z.string(), afterSeq: z.number().int().min(0).default(0) }),
      output: z.object({ chunks: z.array(outputChunk), droppedBytes: z.number(), lastSeq: z.number().int() }),
    },
    "processes.write": {
      scope: "operator.write",
      input: z.object({ id: z.string(), data: z.string().max(65_536) }),
      output: z.object({ accepted: z.boolean(), reason: z.string().nullable() }),
    },
    "processes.resize": {
      scope: "operator.write",
      input: z.object({
        id: z.string(),
        cols: z.number().int().min(2).max(500),
        rows: z.number().int().min(1).max(300),
      }),
      output: z.object({}),
    },
    "processes.end": {
      scope: "operator.write",
      input: processId,
      output: z.object({ gone: z.boolean(), remaining: z.array(z.number()) }),
    },
    /** Forgets an ended session. */
    "processes.remove": { scope: "operator.write", input: processId, output: z.object({}) },
    "processes.adopt": { scope: "operator.write", input: processId, output: z.object({}) },
    "processes.endSurvivor": {
      scope: "operator.write",
      input: processId,
      output: z.object({ gone: z.boolean(), remaining: z.array(z.number()) }),
    },
  },
  events: {
    "processes.changed": {
      scope: "operator.read",
      payload: z.object({ processes: z.array(processInfo), survivors: z.array(survivor) }),
    },
    "processes.output": {
      scope: "operator.read",
      payload: z.object({ id: z.string(), chunks: z.array(outputChunk) }),
    },
  },
});
