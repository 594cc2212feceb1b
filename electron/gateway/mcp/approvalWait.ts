/** The surface's own helper tool: it fetches the outcome of a call that had to wait for a person. */

import type { Tool } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";

export const approvalWaitName = "approval_wait";

/** Longest single wait; the model may call again. */
const maxWaitMs = 10 * 60_000;

export const approvalWaitInput = z.strictObject({
  approvalId: z.string().min(1).max(128).describe("The approvalId of an approval-pending answer"),
  waitMs: z
    .number()
    .int()
    .min(0)
    .max(maxWaitMs)
    .optional()
    .describe("How long to wait for the person, in milliseconds; absent: as long as a call usually waits"),
});

export const approvalWaitTool: Tool = {
  name: approvalWaitName,
  title: "Wait for an approval",
  description:
    "Waits until a person has answered a command that is pending approval, then gives its output, or says that it was not executed. Answers approval-pending again when nobody has answered in time.",
  inputSchema: jsonSchema(),
  annotations: { readOnlyHint: true, openWorldHint: false },
};

function jsonSchema(): Tool["inputSchema"] {
  const { $schema: _ignored, ...schema } = z.toJSONSchema(approvalWaitInput, { io: "input" });
  return schema as Tool["inputSchema"];
}
