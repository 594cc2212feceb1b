/** Wire schemas of policy questions and answers; the types of `types.ts` are inferred from them. */

import { z } from "zod";
import { cellEffects, columnIds, findingKinds, preFilterIds, reasonCodes, ruleLists } from "./codes.ts";

export const configPathSchema = z
  .array(z.union([z.string(), z.number().int()]))
  .describe('Path into the config, for example ["agents","list",1,"tools","deny",0]');

export const policySurfaceSchema = z.enum(["model", "mcp", "http"]);

export const policyContextSchema = z.object({
  agentId: z.string().optional().describe("Explicit agent; blank counts as absent"),
  sessionKey: z.string().optional(),
  provider: z.string().optional().describe("Model provider; without it byProvider stages are off"),
  model: z.string().optional(),
  modelApi: z.string().optional(),
  channel: z.string().optional().describe("Message provider of the session"),
  groupId: z.string().optional(),
  groupChannel: z.string().optional(),
  groupSpace: z.string().optional(),
  accountId: z.string().optional(),
  senderId: z.string().optional(),
  senderName: z.string().optional(),
  senderUsername: z.string().optional(),
  senderE164: z.string().optional(),
  spawnedBy: z.string().optional().describe("Session key of the parent"),
  sandboxed: z.boolean().optional(),
  subagentDepth: z.number().optional().describe("0 for a main session; absent: read from the session key"),
  subagentRole: z.enum(["main", "orchestrator", "leaf"]).optional().describe("Stored role, beats depth"),
  spawnDepth: z.number().optional().describe("Stored depth, beats subagentDepth and the key"),
  senderIsOwner: z.boolean().optional().describe("Unknown counts as not owner"),
  hasCodexAuth: z.boolean().optional().describe("The agent's own store has an openai-codex profile"),
  surface: policySurfaceSchema.default("model"),
});

export const toolOwnerSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("core") }),
  z.object({ kind: z.literal("plugin"), pluginId: z.string() }),
  z.object({ kind: z.literal("channel") }),
  z.object({ kind: z.literal("mcp"), serverId: z.string() }),
]);

export const registeredToolSchema = z.object({
  name: z.string(),
  owner: toolOwnerSchema,
  optional: z.boolean().optional().describe("Plugin tool that exists only when an allow list names it"),
  ownerOnly: z.boolean().optional(),
  unavailable: z
    .object({ reason: z.string(), params: z.record(z.string(), z.string()).optional() })
    .optional()
    .describe("Known but not present; never survives"),
});

export const reasonSchema = z.object({
  code: z.enum(reasonCodes),
  params: z.record(z.string(), z.string()).optional(),
});

export const configEditSchema = z.discriminatedUnion("op", [
  z.object({ op: z.literal("set"), path: configPathSchema, value: z.unknown() }),
  z.object({ op: z.literal("insert"), path: configPathSchema, value: z.unknown() }),
  z.object({ op: z.literal("remove"), path: configPathSchema }),
]);

export const policyStageResultSchema = z.object({
  column: z.enum(columnIds),
  label: z.string(),
  removed: z.array(z.string()),
  surviving: z.array(z.string()),
});

export const policyWarningSchema = z.object({
  stage: z.string(),
  kind: z.enum(["gated-core", "unknown", "mixed"]),
  stripped: z.boolean(),
  entries: z.array(z.string()),
});

export const policyFindingSchema = z.object({
  kind: z.enum(findingKinds),
  column: z.enum(columnIds).nullable(),
  stage: z.string().describe("Label of the stage, or the area of the config"),
  configPath: configPathSchema.nullable(),
  path: z.string(),
  entries: z.array(z.string()),
  failsOpen: z.boolean().describe("OpenClaw lets tools through because of it"),
  enforced: z
    .boolean()
    .describe("The evaluation that reports it restricted anyway (policy.strictLists and kin)"),
  suggestion: z.string().optional().describe("Nearest known name"),
  fix: z.array(configEditSchema).optional(),
});

export const policyResultSchema = z.object({
  agentId: z.string().nullable(),
  profile: z.string().nullable(),
  providerProfile: z.string().nullable(),
  preFilters: z.array(z.object({ filter: z.enum(preFilterIds), removed: z.array(z.string()) })),
  stages: z.array(policyStageResultSchema),
  tools: z.array(z.string()),
  warnings: z.array(policyWarningSchema),
  findings: z.array(policyFindingSchema),
});

export const policyRuleSchema = z.object({
  id: z.string(),
  column: z.enum(columnIds),
  list: z.enum(ruleLists),
  configPath: configPathSchema.nullable().describe("null: built in, no line in the config"),
  path: z.string().describe("The path as text, or a word for a built-in list"),
  entry: z.string(),
  effect: z.enum(["allows", "denies", "restricts"]),
  why: reasonSchema,
  lostTo: z.object({ ruleId: z.string().nullable(), why: reasonSchema }).optional(),
});

export const policyCellSchema = z.object({
  effect: z.enum(cellEffects),
  ruleIds: z.array(z.string()).optional().describe("Deciding rule first"),
  why: reasonSchema.optional(),
});

export const policyColumnSchema = z.object({
  id: z.enum(columnIds),
  kind: z.enum(["pre-filter", "stage", "call-site", "surface"]),
  number: z.number().int().min(1).max(9).optional(),
  label: z.string(),
  configPaths: z.array(configPathSchema),
  state: z.enum(["active", "skipped"]),
  failsOpen: z.boolean(),
  survivors: z.number().int(),
  removed: z.number().int(),
});

export const policyVerdictSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("kept") }),
  z.object({ kind: z.literal("removed"), column: z.enum(columnIds) }),
  z.object({
    kind: z.literal("absent"),
    reason: z.string(),
    params: z.record(z.string(), z.string()).optional(),
  }),
]);

export const policyRowSchema = z.object({
  name: z.string(),
  section: z.string().describe('Catalog section id, "plugin:<id>" or "other"'),
  verdict: policyVerdictSchema,
  cells: z.array(policyCellSchema).describe("One per column, in column order"),
});

export const policyTraceSchema = z.object({
  result: policyResultSchema,
  columns: z.array(policyColumnSchema),
  rows: z.array(policyRowSchema),
  rules: z.array(policyRuleSchema),
});
