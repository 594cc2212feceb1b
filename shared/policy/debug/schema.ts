/** Wire schemas of the debugger's answers: causes and repairs, differences, proofs, classes. */

import { z } from "zod";
import { columnIds } from "../codes.ts";
import {
  configEditSchema,
  configPathSchema,
  policyCellSchema,
  policyContextSchema,
  policyRowSchema,
  policyRuleSchema,
  reasonSchema,
} from "../schema.ts";

export const classLabelSchema = z.object({
  agent: z.string(),
  model: z.string(),
  group: z.string(),
  owner: z.boolean(),
  sandboxed: z.boolean(),
  role: z.enum(["main", "orchestrator", "leaf"]),
  surface: z.enum(["model", "http"]),
  tools: z.string().optional().describe("What the machine has to lack for it; absent: nothing"),
});

/** One column of a trace for one tool, with the rules that spoke. */
export const toolStepSchema = z.object({
  column: z.string(),
  label: z.string(),
  cell: policyCellSchema,
  rules: z.array(policyRuleSchema),
});

export const repairSchema = z.object({
  edits: z.array(configEditSchema),
  opensHere: z.array(z.string()).describe("Other tools that the same edits bring to the asked context"),
  closesHere: z.array(z.string()),
  contexts: z.array(
    z.object({ label: classLabelSchema, opens: z.array(z.string()), closes: z.array(z.string()) }),
  ),
  contextsChecked: z.number().int(),
  contextsTotal: z.number().int().describe("More than were checked: then a sample was looked at"),
  takesFrom: z.array(z.string()).describe("Other agents that lose any tool"),
  isValid: z.boolean(),
});

export const whyAnswerSchema = z.object({
  name: z.string(),
  state: z.enum(["unknown", "absent", "removed", "kept"]),
  removers: z.array(toolStepSchema.extend({ decides: z.boolean() })),
  unmet: z.array(reasonSchema),
  repairs: z.array(repairSchema),
  layer: z
    .object({
      path: configPathSchema,
      canRepair: z.boolean(),
      removersOutside: z.array(z.string()),
    })
    .optional(),
});

export const traceDifferenceSchema = z.object({
  name: z.string(),
  change: z.enum(["gained", "lost", "moved", "path"]),
  a: policyRowSchema.optional(),
  b: policyRowSchema.optional(),
  columns: z.array(z.enum(columnIds)),
});

export const traceComparisonSchema = z.object({
  rows: z.array(traceDifferenceSchema),
  gained: z.array(z.string()),
  lost: z.array(z.string()),
});

/** A checked line. `refuted` carries the way of the tool through every column instead of the whole matrix. */
export const assertionOutcomeSchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("invalid"),
    line: z.number().int(),
    text: z.string(),
    message: z.string(),
  }),
  z.object({
    kind: z.literal("proved"),
    line: z.number().int(),
    text: z.string(),
    contexts: z.number().int(),
  }),
  z.object({
    kind: z.literal("refuted"),
    line: z.number().int(),
    text: z.string(),
    contexts: z.number().int().describe("Contexts looked at up to the counterexample"),
    context: policyContextSchema,
    label: classLabelSchema,
    tool: z.string(),
    steps: z.array(toolStepSchema).describe("Empty when no such tool is registered"),
  }),
]);
export type AssertionOutcome = z.infer<typeof assertionOutcomeSchema>;

export const classDimensionSchema = z.object({
  dimension: z.enum(["agent", "model", "group", "owner", "sandboxed", "role", "surface", "tools"]),
  values: z.array(z.string()),
});
