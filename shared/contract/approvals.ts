/** Approvals: what waits for a person, what was decided, and the approvals file. */

import { z } from "zod";
import { defineContract } from "../rpc/contract.ts";
import { askMode, fileProblem, securityMode } from "./app.ts";

/** Why something was asked or refused: a code with values; sentences live in the catalogues of the panel. */
export const reason = z.object({
  code: z.string(),
  params: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])),
});
export type Reason = z.infer<typeof reason>;

/** A place in a file that holds a rule. */
export const ruleSource = z.object({
  file: z.enum(["openclaw.json", "exec-approvals.json", "sallyport.json5", "built-in"]),
  /** Dotted path, for example `tools.exec.ask`. */
  configPath: z.string(),
  line: z.number().int().nullable(),
});
export type RuleSource = z.infer<typeof ruleSource>;

/** One simple command of the request, with why it is asked or not (A1). */
export const approvalSegment = z.object({
  /** Where it stands in `command`, UTF-16 offsets, end exclusive. */
  start: z.number().int(),
  end: z.number().int(),
  /** `&&`, `||`, `;`, `|` behind it, or null for the last. */
  operator: z.string().nullable(),
  argv: z.array(z.string()),
  resolvedPath: z.string().nullable(),
  realPath: z.string().nullable(),
  /** SHA-256 of the program, hex, first 64 MiB; null when there is no file. */
  sha256: z.string().nullable(),
  verdict: z.enum(["allowlist", "safeBins", "skills", "grant", "asks"]),
  reason,
});
export type ApprovalSegment = z.infer<typeof approvalSegment>;

export const envOverride = z.object({
  name: z.string(),
  /** Masked when it looks like a secret: kind and length stay readable. */
  shown: z.string(),
  isMasked: z.boolean(),
});

export const approvalWarning = z.object({ level: z.enum(["danger", "warn"]), reason });

/** What "always" would store, or why it is not offered (A11, A12). */
export const alwaysOffer = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("offered"),
    /** Entries that go into the approvals file, under which agent. */
    stores: z.array(z.object({ pattern: z.string(), agentId: z.string() })),
  }),
  z.object({ kind: z.literal("withheld"), reason }),
]);

export const approvalRequest = z.object({
  id: z.string(),
  /** SHA-256 over everything shown; an allow must carry it (A6). */
  digest: z.string(),
  kind: z.enum(["exec", "configWrite", "broadMode", "fileWrite"]),
  agentId: z.string(),
  sessionKey: z.string(),
  callerId: z.string(),
  callerLabel: z.string(),
  toolCallId: z.string(),
  command: z.string(),
  /** null when the text could not be analysed; `analysisProblem` then names the spot. */
  segments: z.array(approvalSegment).nullable(),
  analysisProblem: z.object({ reason, start: z.number().int(), end: z.number().int() }).nullable(),
  /** How it will run: the text as typed through a shell, or rebuilt. */
  runsAs: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("typed"), shell: z.string() }),
    z.object({ kind: z.literal("rebuilt"), text: z.string() }),
  ]),
  host: z.enum(["gateway", "sandbox", "node"]),
  cwd: z.string(),
  env: z.array(envOverride),
  pty: z.boolean(),
  background: z.boolean(),
  timeoutMs: z.number().nullable(),
  /** The first reason is the headline. */
  askedBecause: z.array(reason),
  warnings: z.array(approvalWarning),
  rule: z.object({ security: securityMode, ask: askMode, sources: z.array(ruleSource) }),
  always: alwaysOffer,
  createdAtMs: z.number(),
  expiresAtMs: z.number(),
  /** What happens when nobody answers. */
  onExpiry: z.enum(["deny", "run"]),
  /** Identical requests of the same run that joined this one, itself included (A22). */
  joinedCount: z.number().int(),
});
export type ApprovalRequest = z.infer<typeof approvalRequest>;

/** Who or what decided (A10): never call an expiry a person's denial. */
export const provenance = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("person"), principalId: z.string() }),
  z.object({ kind: z.literal("rule"), ruleId: z.string() }),
  z.object({ kind: z.literal("expiry") }),
  z.object({ kind: z.literal("system"), reason }),
]);
export type Provenance = z.infer<typeof provenance>;

export const approvalOutcome = z.enum(["allowed-once", "allowed-always", "denied", "expired", "cancelled"]);
export type ApprovalOutcome = z.infer<typeof approvalOutcome>;

export const approvalDecision = z.object({
  id: z.string(),
  command: z.string(),
  agentId: z.string(),
  sessionKey: z.string(),
  callerLabel: z.string(),
  outcome: approvalOutcome,
  by: provenance,
  note: z.string().nullable(),
  createdAtMs: z.number(),
  decidedAtMs: z.number(),
  stored: z.array(z.object({ pattern: z.string(), agentId: z.string() })),
});
export type ApprovalDecision = z.infer<typeof approvalDecision>;

export const approvalsSnapshot = z.object({
  pending: z.array(approvalRequest),
  /** Newest first, at most 20. */
  recent: z.array(approvalDecision),
});

const allowlistEntry = z.object({
  agentId: z.string(),
  id: z.string().nullable(),
  pattern: z.string(),
  lastUsedAtMs: z.number().nullable(),
  lastUsedCommand: z.string().nullable(),
  /** Hygiene: never matches, too broad, names an interpreter, file is missing. */
  findings: z.array(reason),
});

export const approvalsFileView = z.object({
  path: z.string(),
  exists: z.boolean(),
  state: z.enum(["ok", "missing", "broken"]),
  problems: z.array(fileProblem),
  /** SHA-256 hex of the raw file, null when it does not exist; writes must carry it. */
  hash: z.string().nullable(),
  /** The file without the socket token; null when broken. */
  file: z.record(z.string(), z.unknown()).nullable(),
  entries: z.array(allowlistEntry),
});

export const approvalsContract = defineContract({
  methods: {
    "approvals.list": { scope: "operator.approvals", input: z.object({}), output: approvalsSnapshot },
    /** Counts this connection as a person who can be reached, until it closes (A17). */
    "approvals.attend": {
      scope: "operator.approvals",
      input: z.object({}),
      output: z.object({ attending: z.boolean() }),
    },
    /**
     * `deny` needs no digest; every allow does, else it is refused as stale.
     * The id may be an unambiguous prefix for `deny`.
     */
    "approvals.resolve": {
      scope: "operator.approvals",
      input: z.object({
        id: z.string().min(4),
        decision: z.enum(["allow-once", "allow-always", "deny"]),
        digest: z.string().optional(),
        note: z.string().max(4000).optional(),
      }),
      output: approvalDecision,
    },
    "approvals.history": {
      scope: "operator.approvals",
      input: z.object({
        limit: z.number().int().min(1).max(500).default(100),
        beforeMs: z.number().optional(),
      }),
      output: z.object({ decisions: z.array(approvalDecision) }),
    },
    /** OpenClaw's name. An allow without our digest is refused with the reason. */
    "exec.approval.resolve": {
      scope: "operator.approvals",
      input: z.object({
        id: z.string().min(4),
        decision: z.enum(["allow-once", "allow-always", "deny"]),
        digest: z.string().optional(),
      }),
      output: z.object({ ok: z.literal(true) }),
    },
    "exec.approvals.get": { scope: "operator.admin", input: z.object({}), output: approvalsFileView },
    "exec.approvals.set": {
      scope: "operator.admin",
      input: z.object({ file: z.record(z.string(), z.unknown()), baseHash: z.string().nullable() }),
      output: approvalsFileView,
    },
    "exec.approvals.allowlistAdd": {
      scope: "operator.admin",
      input: z.object({ pattern: z.string().min(1), agentId: z.string().default("*") }),
      output: z.object({ view: approvalsFileView, added: z.boolean(), findings: z.array(reason) }),
    },
    "exec.approvals.allowlistRemove": {
      scope: "operator.admin",
      input: z.object({ pattern: z.string().min(1), agentId: z.string().default("*") }),
      output: z.object({ view: approvalsFileView, removed: z.boolean() }),
    },
  },
  events: {
    /** Sent on every change of the queue; small, because requests are few. */
    "approvals.changed": { scope: "operator.approvals", payload: approvalsSnapshot },
    /** OpenClaw's names, for its own clients. */
    "exec.approval.requested": {
      scope: "operator.approvals",
      payload: z.object({
        id: z.string(),
        request: z.record(z.string(), z.unknown()),
        createdAtMs: z.number(),
        expiresAtMs: z.number(),
      }),
    },
    "exec.approval.resolved": {
      scope: "operator.approvals",
      payload: z.object({
        id: z.string(),
        decision: z.enum(["allow-once", "allow-always", "deny"]).nullable(),
        resolvedBy: z.string(),
        ts: z.number(),
        request: z.record(z.string(), z.unknown()),
      }),
    },
  },
});
