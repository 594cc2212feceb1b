/** Tool calls: catalog as a model would see it, calls by hand, and the recorded life of every call. */

import { z } from "zod";
import { defineContract } from "../rpc/contract.ts";
import { provenance, reason } from "./approvals.ts";

export const toolContent = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("image"), data: z.string(), mimeType: z.string() }),
]);

/** What the model was given: text in UTF-16 units, tokens estimated as characters / 4. */
export const outputSize = z.object({
  chars: z.number().int(),
  images: z.number().int(),
  tokenEstimate: z.number().int(),
  /** Characters that the last line of defence cut off; tools announce their own cuts in the text. */
  cutChars: z.number().int(),
});
export type OutputSize = z.infer<typeof outputSize>;

/** States of one call. `hidden` means that policy removed the tool: for the caller it does not exist. */
export const toolCallState = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("proposed") }),
  z.object({ kind: z.literal("hidden"), reason }),
  z.object({
    kind: z.literal("invalid"),
    issues: z.array(z.object({ path: z.string(), message: z.string() })),
  }),
  z.object({ kind: z.literal("awaitingApproval"), approvalId: z.string() }),
  z.object({ kind: z.literal("running"), startedAtMs: z.number() }),
  z.object({ kind: z.literal("succeeded"), durationMs: z.number(), output: outputSize.optional() }),
  z.object({
    kind: z.literal("failed"),
    durationMs: z.number(),
    message: z.string(),
    output: outputSize.optional(),
  }),
  z.object({ kind: z.literal("denied"), by: provenance, reason, note: z.string().nullable() }),
  z.object({ kind: z.literal("expired"), approvalId: z.string() }),
  z.object({ kind: z.literal("cancelled") }),
]);
export type ToolCallState = z.infer<typeof toolCallState>;

export const toolCallSnapshot = z.object({
  toolCallId: z.string(),
  tool: z.string(),
  agentId: z.string(),
  sessionKey: z.string(),
  callerId: z.string(),
  callerLabel: z.string(),
  /** Arguments as shown: long strings cut, secrets masked. */
  argsShown: z.string(),
  state: toolCallState,
  createdAtMs: z.number(),
  updatedAtMs: z.number(),
  /** Last progress text while it runs. */
  progress: z.string().nullable(),
  /** The skill whose command made the call; untrusted text. Absent: no skill did. */
  skill: z.object({ name: z.string(), commandName: z.string(), path: z.string() }).optional(),
});
export type ToolCallSnapshot = z.infer<typeof toolCallSnapshot>;

export const toolCallResult = z.object({
  content: z.array(toolContent),
  details: z.unknown().optional(),
  isError: z.boolean(),
});

/** One tool of the catalog for an agent: what the model would see, or why it does not exist. */
export const catalogTool = z.object({
  name: z.string(),
  section: z.string(),
  title: z.string(),
  description: z.string(),
  promptLine: z.string(),
  inputSchema: z.record(z.string(), z.unknown()),
  /** null = not known, because the tool is not there. */
  risk: z.enum(["read", "write", "execute"]).nullable(),
  /** `absent`: the tool is in the catalog but not registered here, with the reason. */
  presence: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("registered") }),
    z.object({ kind: z.literal("absent"), reason }),
  ]),
});
export type CatalogTool = z.infer<typeof catalogTool>;

export const catalogSection = z.object({ id: z.string(), label: z.string(), tools: z.array(catalogTool) });

export const ledgerEntry = z.object({
  seq: z.number().int(),
  atMs: z.number(),
  kind: z.string(),
  toolCallId: z.string().nullable(),
  agentId: z.string().nullable(),
  sessionKey: z.string().nullable(),
  callerId: z.string().nullable(),
  data: z.record(z.string(), z.unknown()),
  hash: z.string(),
});

export const callsContract = defineContract({
  methods: {
    /** All sections and tools, our own view of the catalog with schemas. */
    "tools.list": {
      scope: "operator.read",
      input: z.object({}),
      output: z.object({ sections: z.array(catalogSection) }),
    },
    /** OpenClaw's catalog answer (policy.md §1). */
    "tools.catalog": {
      scope: "operator.read",
      input: z.object({ agentId: z.string().optional(), includePlugins: z.boolean().optional() }),
      output: z.object({
        agentId: z.string(),
        profiles: z.array(z.object({ id: z.string(), label: z.string() })),
        groups: z.array(z.record(z.string(), z.unknown())),
      }),
    },
    /** Starts a call by hand. The call goes the same way as any other: policy, approval, execution, record. */
    "calls.start": {
      scope: "operator.write",
      input: z.object({
        tool: z.string().min(1),
        args: z.record(z.string(), z.unknown()),
        agentId: z.string().optional(),
        sessionKey: z.string().optional(),
      }),
      output: z.object({ toolCallId: z.string() }),
    },
    /** Waits until the call has ended. For a hidden tool the state says so: the operator may know. */
    "calls.wait": {
      scope: "operator.read",
      input: z.object({ toolCallId: z.string() }),
      output: z.object({ call: toolCallSnapshot, result: toolCallResult.nullable() }),
    },
    "calls.cancel": {
      scope: "operator.write",
      input: z.object({ toolCallId: z.string() }),
      output: z.object({}),
    },
    "calls.list": {
      scope: "operator.read",
      input: z.object({ limit: z.number().int().min(1).max(500).default(100) }),
      output: z.object({ calls: z.array(toolCallSnapshot) }),
    },
    "ledger.list": {
      scope: "operator.read",
      input: z.object({
        limit: z.number().int().min(1).max(1000).default(200),
        beforeSeq: z.number().int().optional(),
      }),
      output: z.object({ entries: z.array(ledgerEntry) }),
    },
    /** Recomputes the hash chain. */
    "ledger.verify": {
      scope: "operator.read",
      input: z.object({}),
      output: z.object({
        ok: z.boolean(),
        entries: z.number().int(),
        firstBadSeq: z.number().int().nullable(),
      }),
    },
  },
  events: {
    "calls.changed": { scope: "operator.read", payload: toolCallSnapshot },
  },
});
