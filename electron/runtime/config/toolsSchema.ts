/** The `tools` objects of openclaw.json, strict as the release checks them (policy.md §4). */

import { z } from "zod";
import { agentExecSchema, globalExecSchema } from "./execSchema.ts";

const names = z.array(z.string());
const profile = z.enum(["minimal", "coding", "messaging", "full"]);

interface Lists {
  allow?: string[] | undefined;
  alsoAllow?: string[] | undefined;
}

/** Together they would be read as a union, which nobody means who writes both. */
function oneOfTheLists(value: Lists): boolean {
  return !((value.allow?.length ?? 0) > 0 && (value.alsoAllow?.length ?? 0) > 0);
}
const bothLists = {
  message:
    "allow and alsoAllow cannot both hold entries in one object. Put the entries of alsoAllow into allow.",
};

const listFields = { allow: names.optional(), alsoAllow: names.optional(), deny: names.optional() };

/** `{allow, alsoAllow, deny}` and nothing else: groups, sandbox, sub-agents. */
export const toolListsSchema = z.strictObject(listFields).refine(oneOfTheLists, bothLists);

const providerPolicy = z
  .strictObject({ ...listFields, profile: profile.optional() })
  .refine(oneOfTheLists, bothLists);

const threshold = z.number().int().positive().optional();
const loopDetection = z
  .strictObject({
    enabled: z.boolean().optional(),
    historySize: threshold,
    warningThreshold: threshold,
    criticalThreshold: threshold,
    globalCircuitBreakerThreshold: threshold,
    detectors: z
      .strictObject({
        genericRepeat: z.boolean().optional(),
        knownPollNoProgress: z.boolean().optional(),
        pingPong: z.boolean().optional(),
      })
      .optional(),
  })
  .superRefine((value, context) => {
    const { warningThreshold, criticalThreshold, globalCircuitBreakerThreshold } = value;
    if (isNotAbove(criticalThreshold, warningThreshold))
      context.addIssue({
        code: "custom",
        path: ["criticalThreshold"],
        message: "criticalThreshold must be greater than warningThreshold.",
      });
    if (isNotAbove(globalCircuitBreakerThreshold, criticalThreshold))
      context.addIssue({
        code: "custom",
        path: ["globalCircuitBreakerThreshold"],
        message: "globalCircuitBreakerThreshold must be greater than criticalThreshold.",
      });
  });

function isNotAbove(upper: number | undefined, lower: number | undefined): boolean {
  return upper !== undefined && lower !== undefined && upper <= lower;
}

const elevated = z.strictObject({
  enabled: z.boolean().optional(),
  allowFrom: z.record(z.string(), z.array(z.union([z.string(), z.number()]))).optional(),
});

const fs = z.strictObject({ workspaceOnly: z.boolean().optional() });
const sandbox = z.strictObject({ tools: toolListsSchema.optional() });

const sharedFields = {
  ...listFields,
  profile: profile.optional(),
  byProvider: z.record(z.string(), providerPolicy).optional(),
  elevated: elevated.optional(),
  fs: fs.optional(),
  loopDetection: loopDetection.optional(),
  sandbox: sandbox.optional(),
};

/** What other parts of the release read; their own issues tighten them. */
const loose = z.looseObject({});

export const globalToolsSchema = z
  .strictObject({
    ...sharedFields,
    exec: globalExecSchema.optional(),
    subagents: z.strictObject({ tools: toolListsSchema.optional() }).optional(),
    agentToAgent: z.strictObject({ enabled: z.boolean().optional(), allow: names.optional() }).optional(),
    sessions: z.strictObject({ visibility: z.enum(["self", "tree", "agent", "all"]).optional() }).optional(),
    web: loose.optional(),
    media: loose.optional(),
    links: loose.optional(),
    message: loose.optional(),
    sessions_spawn: loose.optional(),
  })
  .refine(oneOfTheLists, bothLists);

export const agentToolsSchema = z
  .strictObject({ ...sharedFields, exec: agentExecSchema.optional() })
  .refine(oneOfTheLists, bothLists);
