/** Input of the gateway tool. */

import { z } from "zod";
import { webArgs } from "../../../../shared/web/index.ts";

export const gatewayActions = [
  "restart",
  "config.get",
  "config.schema.lookup",
  "config.apply",
  "config.patch",
  "update.run",
] as const;

const texts = [
  "action",
  "reason",
  "path",
  "raw",
  "baseHash",
  "sessionKey",
  "note",
  "gatewayUrl",
  "gatewayToken",
];
const numbers = ["delayMs", "restartDelayMs", "timeoutMs"];

/** As large as a config may be that is written over the contract. */
const maxRawChars = 4_194_304;

export const gatewayInput = z.preprocess(
  webArgs([...texts, ...numbers], numbers),
  z.object({
    action: z.enum(gatewayActions).describe("What to do"),
    delayMs: z.number().optional().describe("restart: milliseconds before it, 0 to 60000; absent: 2000"),
    reason: z.string().optional().describe("restart: why, for the person; at most 200 characters count"),
    path: z
      .string()
      .max(1024)
      .optional()
      .describe(
        "config.schema.lookup: setting to describe, such as messages.queue or agents.list[].identity. config.get: only this part of the config",
      ),
    raw: z
      .string()
      .max(maxRawChars)
      .optional()
      .describe(
        "config.patch: JSON5 object that is merged in (null removes; lists of objects merge by id). config.apply: whole new config as JSON5",
      ),
    baseHash: z
      .string()
      .max(128)
      .optional()
      .describe("Hash from config.get that the change is based on; absent: the current one"),
    sessionKey: z
      .string()
      .max(512)
      .optional()
      .describe("Session that is told of the restart; absent: the own one"),
    note: z
      .string()
      .optional()
      .describe("Kept with the restart and recorded after it; at most 1000 characters"),
    restartDelayMs: z
      .number()
      .optional()
      .describe("config.apply and config.patch: taken for compatibility; a change counts without a restart"),
    gatewayUrl: z
      .string()
      .optional()
      .describe("Only the address of this Gateway, such as ws://127.0.0.1:18789; it is not needed"),
    gatewayToken: z.string().optional().describe("Not needed: the call does not leave this program"),
    timeoutMs: z.number().optional().describe("Not needed: the call does not leave this program"),
  }),
);

export type GatewayInput = z.output<typeof gatewayInput>;
