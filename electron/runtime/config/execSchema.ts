/** `tools.exec` of openclaw.json, strict at both levels (exec.md §2). */

import { z } from "zod";
import { execAsk, execHostSetting, execSecurity } from "../../../shared/exec/schema.ts";

const safeBinProfile = z.strictObject({
  minPositional: z.number().int().nonnegative().optional(),
  maxPositional: z.number().int().nonnegative().optional(),
  allowedValueFlags: z.array(z.string()).optional(),
  deniedFlags: z.array(z.string()).optional(),
});

const fields = {
  host: execHostSetting.optional(),
  security: execSecurity.optional(),
  ask: execAsk.optional(),
  node: z.string().optional(),
  pathPrepend: z.array(z.string()).optional(),
  safeBins: z.array(z.string()).optional(),
  safeBinTrustedDirs: z.array(z.string()).optional(),
  safeBinProfiles: z.record(z.string(), safeBinProfile).optional(),
  strictInlineEval: z.boolean().optional(),
  backgroundMs: z.number().int().positive().optional(),
  timeoutSec: z.number().int().positive().optional(),
  cleanupMs: z.number().int().positive().optional(),
  notifyOnExit: z.boolean().optional(),
  notifyOnExitEmptySuccess: z.boolean().optional(),
  applyPatch: z
    .strictObject({
      enabled: z.boolean().optional(),
      workspaceOnly: z.boolean().optional(),
      allowModels: z.array(z.string()).optional(),
    })
    .optional(),
};

export const globalExecSchema = z.strictObject(fields);

/** The running notice is accepted under an agent only. */
export const agentExecSchema = z.strictObject({
  ...fields,
  approvalRunningNoticeMs: z.number().int().nonnegative().optional(),
});

export type ExecConfig = z.infer<typeof globalExecSchema>;
