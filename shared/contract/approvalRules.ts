/** What narrows or widens approvals beside single decisions: paused agents, a rule over a burst, checks of entries. */

import { z } from "zod";
import { defineContract } from "../rpc/contract.ts";
import { grantLifetime, reason } from "./approvals.ts";

/** An agent whose new commands and file requests are denied at once. Kept in memory: it ends with the app. */
export const agentPause = z.object({
  agentId: z.string(),
  sinceMs: z.number(),
  /** Principal that paused it. */
  by: z.string(),
  /** Calls that were denied since. */
  deniedCount: z.number().int(),
});
export type AgentPause = z.infer<typeof agentPause>;

/** Which waiting requests a grant of one of them would let through, judged as they wait now. Nothing is stored. */
export const rulePreview = z.object({
  /** Oldest first, with the digest of what was judged. */
  covered: z.array(z.object({ id: z.string(), digest: z.string() })),
  left: z.array(z.object({ id: z.string(), reason })),
});
export type RulePreview = z.infer<typeof rulePreview>;

const pauses = z.object({ paused: z.array(agentPause) });
const ofAgent = z.object({ agentId: z.string().min(1).max(200) });

export const approvalRulesContract = defineContract({
  methods: {
    "approvals.pauses": { scope: "operator.approvals", input: z.object({}), output: pauses },
    /** What waits already goes on waiting; what runs goes on running. NOT_FOUND for an agent that nothing names. */
    "approvals.pauseAgent": { scope: "operator.approvals", input: ofAgent, output: pauses },
    "approvals.resumeAgent": {
      scope: "operator.approvals",
      input: ofAgent,
      output: pauses.extend({ resumed: z.boolean() }),
    },
    "approvals.previewRule": {
      scope: "operator.approvals",
      input: z.object({ id: z.string(), scopeId: z.string(), lifetime: grantLifetime }),
      output: rulePreview,
    },
    /** What would be found in a new entry. Stores nothing. */
    "exec.approvals.allowlistCheck": {
      scope: "operator.admin",
      input: z.object({ pattern: z.string().max(4096), agentId: z.string().default("*") }),
      output: z.object({
        /** Exactly this pattern is in the list of this agent already. */
        isListed: z.boolean(),
        findings: z.array(reason),
      }),
    },
  },
  events: {
    "approvals.pausesChanged": { scope: "operator.approvals", payload: pauses },
    /** The approvals file has another content, or can no longer be read. */
    "exec.approvals.changed": { scope: "operator.admin", payload: z.object({ hash: z.string().nullable() }) },
  },
});
