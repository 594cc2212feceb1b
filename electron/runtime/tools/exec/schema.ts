/** Input of the exec tool. Words are lenient as in the reference: an unknown host, security or ask is ignored. */

import { z } from "zod";

/** More than a person looks through in a prompt. */
const maxEnvCount = 64;
const maxEnvValueChars = 8192;

export const execInput = z.object({
  command: z.string().max(131_072).describe("Shell command to run"),
  workdir: z.string().max(4096).optional().describe("Working directory; absent: the agent's workspace"),
  env: z
    .record(z.string().max(256), z.string().max(maxEnvValueChars))
    .refine((env) => Object.keys(env).length <= maxEnvCount, `Set at most ${maxEnvCount} variables.`)
    .optional()
    .describe("Environment variables to add; names that change what a program loads are refused"),
  yieldMs: z
    .number()
    .optional()
    .describe("Wait this many milliseconds, then leave the command running and return (10 to 120000)"),
  background: z.boolean().optional().describe("Return at once and leave the command running"),
  timeout: z.number().optional().describe("Kill the command after this many seconds; 0 or less: never"),
  pty: z
    .boolean()
    .optional()
    .describe("Run in a terminal of 120 columns and 30 rows, for programs that need one"),
  elevated: z.boolean().optional().describe("Ask to run on this computer with the operator's elevated level"),
  host: z
    .string()
    .max(64)
    .optional()
    .describe("auto, sandbox, gateway or node; only what the operator configured is allowed"),
  security: z
    .string()
    .max(64)
    .optional()
    .describe("deny, allowlist or full; can only make the configured mode stricter"),
  ask: z
    .string()
    .max(64)
    .optional()
    .describe("off, on-miss or always; can only make the configured mode stricter"),
  node: z.string().max(256).optional().describe("Node to run on when host is node"),
});
