/** openclaw.json over the wire: read, validate, write with a base hash. */

import { z } from "zod";
import { assertionOutcomeSchema } from "../policy/debug/schema.ts";
import { defineContract } from "../rpc/contract.ts";
import { fileProblem } from "./app.ts";

export const configView = z.object({
  path: z.string(),
  exists: z.boolean(),
  valid: z.boolean(),
  /** Raw text with secrets replaced by `__OPENCLAW_REDACTED__`; null when that cannot be done safely. */
  raw: z.string().nullable(),
  /** Parsed and redacted; null when broken. */
  config: z.record(z.string(), z.unknown()).nullable(),
  hash: z.string().nullable(),
  issues: z.array(fileProblem),
});
export type ConfigView = z.infer<typeof configView>;

/**
 * A write, with the assertions that the new config breaks when `assertions.onFail` is `warn`. With `block` the write
 * is refused instead: INVALID_INPUT with `data.reason: "assertionsRefuted"` and `data.results`.
 */
export const configWriteResult = configView.extend({ warnings: z.array(assertionOutcomeSchema).optional() });

/** The person has seen the warnings: they are not checked again for this write. `block` is not lifted by it. */
const ignoreWarnings = z.boolean().optional();

const configPathInput = z
  .string()
  .min(1)
  .max(512)
  .describe("Dotted path; numbers index lists: agents.list.0.tools.profile");

export const configContract = defineContract({
  methods: {
    "config.get": { scope: "operator.read", input: z.object({}), output: configView },
    /** Whole text. With an existing file `baseHash` must be its current hash. A text that does not validate is refused. */
    "config.set": {
      scope: "operator.admin",
      input: z.object({ raw: z.string().max(4_194_304), baseHash: z.string().nullable(), ignoreWarnings }),
      output: configWriteResult,
    },
    /** One value in place; comments and formatting stay. `value` undefined removes the key. */
    "config.setPath": {
      scope: "operator.admin",
      input: z.object({
        path: configPathInput,
        value: z.unknown().optional(),
        baseHash: z.string().nullable().optional(),
        ignoreWarnings,
      }),
      output: configWriteResult,
    },
    "config.validate": {
      scope: "operator.read",
      input: z.object({ raw: z.string().max(4_194_304) }),
      output: z.object({ valid: z.boolean(), issues: z.array(fileProblem) }),
    },
  },
  events: {
    "config.changed": {
      scope: "operator.read",
      payload: z.object({ hash: z.string().nullable(), valid: z.boolean() }),
    },
  },
});
