/** Strict schemas of the policy part of `openclaw.json`, for the whole-config schema to embed. */

import { z } from "zod";
import { toolProfileIds } from "./catalog.ts";
import { sessionVisibilities } from "./sessionTools.ts";

const names = z.array(z.string());
const positive = z.number().int().positive();
const notNegative = z.number().int().min(0);
const flag = z.boolean().optional();

const policyLists = { allow: names.optional(), alsoAllow: names.optional(), deny: names.optional() };

/** One object may narrow with allow or widen with alsoAllow, not both. */
function refuseBoth(
  scope: { allow?: string[] | undefined; alsoAllow?: string[] | undefined },
  ctx: z.RefinementCtx,
): void {
  if ((scope.allow?.length ?? 0) > 0 && (scope.alsoAllow?.length ?? 0) > 0) {
    ctx.addIssue({
      code: "custom",
      message:
        "allow and alsoAllow cannot both have entries here: merge alsoAllow into allow, or drop allow.",
    });
  }
}

/** `{allow, alsoAllow, deny}` as groups, sandboxes and sub-agents carry it. */
export const groupToolPolicySchema = z.strictObject(policyLists).superRefine(refuseBoth);

export const toolsBySenderSchema = z.record(z.string(), groupToolPolicySchema);

const profileSchema = z.enum(toolProfileIds);

const providerPolicySchema = z
  .strictObject({ ...policyLists, profile: profileSchema.optional() })
  .superRefine(refuseBoth);

const applyPatchSchema = z.strictObject({
  enabled: flag,
  workspaceOnly: flag,
  allowModels: names.optional(),
});

const safeBinProfileSchema = z.strictObject({
  minPositional: notNegative.optional(),
  maxPositional: notNegative.optional(),
  allowedValueFlags: names.optional(),
  deniedFlags: names.optional(),
});

const execKeys = {
  host: z.enum(["auto", "sandbox", "gateway", "node"]).optional(),
  security: z.enum(["deny", "allowlist", "full"]).optional(),
  ask: z.enum(["off", "on-miss", "always"]).optional(),
  node: z.string().optional(),
  pathPrepend: names.optional(),
  safeBins: names.optional(),
  safeBinTrustedDirs: names.optional(),
  safeBinProfiles: z.record(z.string(), safeBinProfileSchema).optional(),
  strictInlineEval: flag,
  backgroundMs: positive.optional(),
  timeoutSec: positive.optional(),
  cleanupMs: positive.optional(),
  notifyOnExit: flag,
  notifyOnExitEmptySuccess: flag,
  applyPatch: applyPatchSchema.optional(),
};

const elevatedSchema = z.strictObject({
  enabled: flag,
  allowFrom: z.record(z.string(), z.array(z.union([z.string(), z.number()]))).optional(),
});

const thresholdOrder = [
  ["warningThreshold", "criticalThreshold"],
  ["criticalThreshold", "globalCircuitBreakerThreshold"],
] as const;

const loopDetectionSchema = z
  .strictObject({
    enabled: flag,
    historySize: positive.optional(),
    warningThreshold: positive.optional(),
    criticalThreshold: positive.optional(),
    globalCircuitBreakerThreshold: positive.optional(),
    detectors: z.strictObject({ genericRepeat: flag, knownPollNoProgress: flag, pingPong: flag }).optional(),
  })
  .superRefine((settings, ctx) => {
    for (const [lower, higher] of thresholdOrder) {
      const low = settings[lower];
      const high = settings[higher];
      if (low !== undefined && high !== undefined && low >= high) {
        ctx.addIssue({ code: "custom", path: [higher], message: `${higher} must be greater than ${lower}.` });
      }
    }
  });

const secret = z.union([z.string(), z.record(z.string(), z.unknown())]);

const webSearchSchema = z.strictObject({
  enabled: flag,
  provider: z.string().optional(),
  apiKey: secret.optional(),
  maxResults: positive.optional(),
  timeoutSeconds: positive.optional(),
  cacheTtlMinutes: z.number().min(0).optional(),
  openaiCodex: z
    .strictObject({
      enabled: flag,
      mode: z.enum(["cached", "live"]).optional(),
      allowedDomains: names.optional(),
      contextSize: z.enum(["low", "medium", "high"]).optional(),
      userLocation: z
        .strictObject({
          country: z.string().optional(),
          region: z.string().optional(),
          city: z.string().optional(),
          timezone: z.string().optional(),
        })
        .optional(),
    })
    .optional(),
  // Blocks of single providers from older configs; they are moved elsewhere on load.
  brave: z.unknown().optional(),
  perplexity: z.unknown().optional(),
  grok: z.unknown().optional(),
  gemini: z.unknown().optional(),
  kimi: z.unknown().optional(),
  firecrawl: z.unknown().optional(),
});

const webFetchSchema = z.strictObject({
  enabled: flag,
  maxChars: positive.optional(),
  maxCharsCap: positive.optional(),
  maxResponseBytes: positive.optional(),
  timeoutSeconds: positive.optional(),
  cacheTtlMinutes: z.number().min(0).optional(),
  maxRedirects: notNegative.optional(),
  userAgent: z.string().optional(),
  readability: flag,
  firecrawl: z.unknown().optional(),
});

const xSearchSchema = z.strictObject({
  enabled: flag,
  apiKey: secret.optional(),
  model: z.string().optional(),
  inlineCitations: flag,
  maxTurns: z.number().int().optional(),
  timeoutSeconds: positive.optional(),
  cacheTtlMinutes: z.number().min(0).optional(),
});

const messageSchema = z.strictObject({
  allowCrossContextSend: flag,
  crossContext: z
    .strictObject({
      allowWithinProvider: flag,
      allowAcrossProviders: flag,
      marker: z
        .strictObject({ enabled: flag, prefix: z.string().optional(), suffix: z.string().optional() })
        .optional(),
    })
    .optional(),
  broadcast: z.strictObject({ enabled: flag }).optional(),
});

const attachmentsSchema = z.strictObject({
  enabled: flag,
  maxFiles: positive.optional(),
  maxFileBytes: positive.optional(),
  maxTotalBytes: positive.optional(),
  retainOnSessionKeep: flag,
});

const nestedPolicy = z.strictObject({ tools: groupToolPolicySchema.optional() });

const sharedKeys = {
  ...policyLists,
  profile: profileSchema.optional(),
  byProvider: z.record(z.string(), providerPolicySchema).optional(),
  elevated: elevatedSchema.optional(),
  fs: z.strictObject({ workspaceOnly: flag }).optional(),
  loopDetection: loopDetectionSchema.optional(),
  sandbox: nestedPolicy.optional(),
};

/** `agents.list[].tools`. */
export const agentToolsSchema = z
  .strictObject({
    ...sharedKeys,
    exec: z.strictObject({ ...execKeys, approvalRunningNoticeMs: notNegative.optional() }).optional(),
  })
  .superRefine(refuseBoth);

/** The global `tools` section. */
export const toolsConfigSchema = z
  .strictObject({
    ...sharedKeys,
    exec: z.strictObject(execKeys).optional(),
    subagents: nestedPolicy.optional(),
    web: z
      .strictObject({
        search: webSearchSchema.optional(),
        fetch: webFetchSchema.optional(),
        x_search: xSearchSchema.optional(),
      })
      .optional(),
    // Both belong to the media part, which validates them in depth.
    media: z.record(z.string(), z.unknown()).optional(),
    links: z.record(z.string(), z.unknown()).optional(),
    message: messageSchema.optional(),
    agentToAgent: z.strictObject({ enabled: flag, allow: names.optional() }).optional(),
    sessions: z.strictObject({ visibility: z.enum(sessionVisibilities).optional() }).optional(),
    sessions_spawn: z.strictObject({ attachments: attachmentsSchema.optional() }).optional(),
    experimental: z.record(z.string(), z.unknown()).optional(),
  })
  .superRefine(refuseBoth);

const groupEntrySchema = z.looseObject({
  tools: groupToolPolicySchema.optional(),
  toolsBySender: toolsBySenderSchema.optional(),
});
const groupMap = z.record(z.string(), groupEntrySchema).optional();
const nestedMap = z.record(z.string(), groupEntrySchema.extend({ channels: groupMap })).optional();

const groupMaps = {
  groups: groupMap,
  rooms: groupMap,
  channels: groupMap,
  guilds: nestedMap,
  teams: nestedMap,
};

/** Only the parts of a config that policy reads; everything else passes unseen. */
export const policyConfigSchema = z.looseObject({
  tools: toolsConfigSchema.optional(),
  agents: z
    .looseObject({ list: z.array(z.looseObject({ tools: agentToolsSchema.optional() })).optional() })
    .optional(),
  channels: z
    .record(
      z.string(),
      z.looseObject({ ...groupMaps, accounts: z.record(z.string(), z.looseObject(groupMaps)).optional() }),
    )
    .optional(),
  gateway: z
    .looseObject({ tools: z.strictObject({ allow: names.optional(), deny: names.optional() }).optional() })
    .optional(),
});

export interface PolicyConfigIssue {
  /** Dotted, numbers for list positions; the object itself for unknown keys. Empty for the root. */
  path: string;
  message: string;
}

/** Checks the policy part of a config. @returns issues sorted by path; none means valid */
export function validatePolicyConfig(config: unknown): PolicyConfigIssue[] {
  const parsed = policyConfigSchema.safeParse(config);
  if (parsed.success) return [];
  return parsed.error.issues
    .map((issue) => ({ path: issue.path.map(String).join("."), message: issue.message }))
    .sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}
