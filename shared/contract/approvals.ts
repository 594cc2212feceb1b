/** Approvals: what waits for a person, what was decided, and the approvals file. */

import { z } from "zod";
import { explainedWord } from "../exec/explain/types.ts";
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
  /** Masked when it looks like a secret: its first characters stay readable. */
  shown: z.string(),
  isMasked: z.boolean(),
  /** Characters that the mask stands for; absent when nothing is masked. */
  length: z.number().int().optional(),
});

export const approvalWarning = z.object({ level: z.enum(["danger", "warn"]), reason });

/** One piece of what a grant stores; `hole` is one plain word that may vary, `any` whatever arguments. */
export const grantPart = z.object({
  kind: z.enum(["program", "word", "hole", "any", "operator"]),
  text: z.string(),
});
export type GrantPart = z.infer<typeof grantPart>;

/** A scope that a person may choose for a grant of our own (A11); narrowest first. */
export const grantOffer = z.object({
  id: z.string(),
  kind: z.enum(["exactCommand", "argumentShape", "program"]),
  /** Names of the programs, for the label. */
  programs: z.array(z.string()),
  /** One list per grant that is stored: exactly its content, in the order in which it is compared. */
  stores: z.array(z.array(grantPart)),
  /** The grant counts only in this folder; null = in any. */
  cwd: z.string().nullable(),
  /** Programs and scripts that an agent might change: the grant ends for them when their content does. */
  pinnedFiles: z.array(z.string()),
  /** What the programs can do at worst: codes such as `delete` or `sendData`; empty when nothing is known of them. */
  abilities: z.array(z.string()),
});
export type GrantOffer = z.infer<typeof grantOffer>;

/**
 * How long and for whom a grant counts. `session` and `minutes` are bound to the session of the request; a `session`
 * grant is never written to disk and ends with the app as well.
 */
export const grantLifetime = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("session") }),
  z.object({ kind: z.literal("minutes"), minutes: z.number().int().min(1).max(1440) }),
  z.object({ kind: z.literal("agent") }),
  z.object({ kind: z.literal("allAgents") }),
]);
export type GrantLifetime = z.infer<typeof grantLifetime>;

/** What "always" would store, or why it is not offered (A11, A12). */
export const alwaysOffer = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("offered"),
    /** Entries that go into the approvals file, under which agent; empty when only a grant can be stored. */
    stores: z.array(z.object({ pattern: z.string(), agentId: z.string() })),
    /** Why `stores` is empty. */
    storesWithheld: reason.optional(),
    /** Grants of our own; absent or empty when none may be stored. */
    scopes: z.array(grantOffer).optional(),
    /** Why `scopes` is empty. */
    scopesWithheld: reason.optional(),
    /**
     * Only in requests of kind `mcpCall`, whose `stores` is empty: "always" stores, in sallyport.json5, that this agent
     * may call this tool without asking while its definition and the server's entry stay as they are.
     */
    mcpTool: z
      .object({
        server: z.string(),
        tool: z.string(),
        agentId: z.string(),
        definitionDigest: z.string(),
      })
      .optional(),
  }),
  z.object({ kind: z.literal("withheld"), reason }),
]);

export const approvalRequest = z.object({
  id: z.string(),
  /** SHA-256 over everything shown; an allow must carry it (A6). */
  digest: z.string(),
  kind: z.enum(["exec", "configWrite", "broadMode", "fileWrite", "browserAct", "restart", "mcpCall"]),
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
  /** Whether the command may be changed before it runs (A14); absent = it may not. */
  canEdit: z.boolean().optional(),
  /** The command as the agent asked for it, when a person changed it: only in previews of an edit. */
  editedFrom: z.string().optional(),
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
  /** The command that a person put in the place of the asked one; absent = it ran as asked. */
  editedCommand: z.string().optional(),
  /** What was decided about; absent in records of before there was this field. */
  kind: approvalRequest.shape.kind.optional(),
  /** The grant that was saved with the decision. */
  grantId: z.string().optional(),
});
export type ApprovalDecision = z.infer<typeof approvalDecision>;

export const approvalsSnapshot = z.object({
  pending: z.array(approvalRequest),
  /** Newest first, at most 20. */
  recent: z.array(approvalDecision),
});

/** A grant that counts now; grants of one answer are one row. */
export const grantView = z.object({
  /** Revokes all of `stores`. */
  id: z.string(),
  kind: grantOffer.shape.kind,
  programs: z.array(z.string()),
  stores: z.array(z.array(grantPart)),
  cwd: z.string().nullable(),
  pinnedFiles: z.array(z.string()),
  agentId: z.string(),
  sessionKey: z.string().nullable(),
  /** The command whose prompt was answered. */
  madeFor: z.string().nullable(),
  createdAtMs: z.number(),
  createdBy: z.string(),
  /** null = until it is revoked, or until the session or the app ends. */
  expiresAtMs: z.number().nullable(),
  /** `memory`: ends with the session and with the app. */
  keptIn: z.enum(["memory", "file"]),
  /** Since the app started. */
  useCount: z.number().int(),
  /** As far as the ledger reaches back; null = never. */
  lastUsedAtMs: z.number().nullable(),
  lastUsedCommand: z.string().nullable(),
  findings: z.array(reason),
});
export type GrantView = z.infer<typeof grantView>;

const pastCommand = z.object({
  command: z.string(),
  atMs: z.number(),
  agentId: z.string(),
  sessionKey: z.string(),
  cwd: z.string(),
  /** Identical ones counted together. */
  count: z.number().int(),
});

export const grantPreview = z.object({
  /** How many past commands were looked at, and how many the grant would have let through by itself. */
  lookedAt: z.number().int(),
  coveredCount: z.number().int(),
  /** Newest first, at most 61. */
  covered: z.array(pastCommand),
  /** The most similar that still ask, with the difference: code and the word. */
  nearest: z.array(pastCommand.extend({ difference: reason })),
  /** With this grant the waiting command would not ask; false comes with the reason. */
  isEnough: z.boolean(),
  notEnoughBecause: z.array(reason),
});
export type GrantPreview = z.infer<typeof grantPreview>;

/** A changed command before it runs: both gates have looked at it, nothing was decided. */
export const editPreview = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("refused"), reason, message: z.string() }),
  z.object({
    kind: z.literal("ready"),
    /** `ask`: it needs this person's decision as the original did; `allow`: a rule would let it run. */
    outcome: z.enum(["ask", "allow"]),
    /** The request as it would be shown, with the digest that an allow must carry. */
    request: approvalRequest,
  }),
]);
export type EditPreview = z.infer<typeof editPreview>;

const allowlistEntry = z.object({
  agentId: z.string(),
  id: z.string().nullable(),
  pattern: z.string(),
  lastUsedAtMs: z.number().nullable(),
  lastUsedCommand: z.string().nullable(),
  /** Since the app started; absent where nobody counts. */
  useCount: z.number().int().optional(),
  /** `always`: an answer stored it; `hand`: added in the panel or the terminal; `file`: no record, so written there. */
  source: z.enum(["always", "hand", "file"]).optional(),
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
        /** With `allow-always`: save this grant instead of entries in the approvals file. */
        grant: z.object({ scopeId: z.string(), lifetime: grantLifetime }).optional(),
        /** With `allow-once`: run this instead. `digest` is then the one of `approvals.explainEdit`. */
        editedCommand: z.string().max(131_072).optional(),
      }),
      output: approvalDecision,
    },
    /** Which past commands a grant would have let through, and which similar ones still ask. Stores nothing. */
    "approvals.previewGrant": {
      scope: "operator.approvals",
      input: z.object({ id: z.string(), scopeId: z.string(), lifetime: grantLifetime }),
      output: grantPreview,
    },
    /** Runs both gates on a changed command, without effect. */
    "approvals.explainEdit": {
      scope: "operator.approvals",
      input: z.object({ id: z.string(), command: z.string().max(131_072) }),
      output: editPreview,
    },
    /** The waiting command word by word; codes, sentences live in the catalogues. */
    "approvals.explain": {
      scope: "operator.approvals",
      input: z.object({ id: z.string() }),
      output: z.object({ words: z.array(explainedWord) }),
    },
    "exec.explainWords": {
      scope: "operator.read",
      input: z.object({ command: z.string().max(131_072) }),
      output: z.object({ words: z.array(explainedWord) }),
    },
    /** Grants that count now, newest first. */
    "grants.list": {
      scope: "operator.approvals",
      input: z.object({}),
      output: z.object({ grants: z.array(grantView) }),
    },
    "grants.revoke": {
      scope: "operator.approvals",
      input: z.object({ id: z.string() }),
      output: z.object({ revoked: z.boolean() }),
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
    "grants.changed": { scope: "operator.approvals", payload: z.object({ grants: z.array(grantView) }) },
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
