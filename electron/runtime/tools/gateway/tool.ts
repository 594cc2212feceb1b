/** The gateway tool: reads and changes this program's config within limits, and restarts it. Owner only. */

import { AppError } from "../../../../shared/errors/index.ts";
import { defineTool, jsonResult, type ToolResult } from "../defineTool.ts";
import { configAnswer, readPath } from "./configView.ts";
import { type ConfigWriteDeps, writeConfig } from "./configWrite.ts";
import { requireOwnAddress } from "./ownAddress.ts";
import { type RestartActionDeps, requestRestart } from "./restart.ts";
import { gatewayInput } from "./schema.ts";
import { lookUpSchema } from "./schemaLookup.ts";

export interface GatewayToolDeps extends ConfigWriteDeps, Omit<RestartActionDeps, "config"> {
  /** Where this Gateway listens, or would. */
  port(): number;
}

/** @see gateway-sessions-nodes.md §8 */
export function createGatewayTool(deps: GatewayToolDeps) {
  return defineTool({
    name: "gateway",
    title: "Gateway",
    description:
      "Reads and changes the configuration of this program, and restarts it. config.get shows it without secrets, " +
      "config.schema.lookup describes one setting and says whether it can be changed here, config.patch merges a " +
      "change in (null removes), config.apply replaces the whole. Settings that decide what agents may do cannot be " +
      "changed. A change, and a restart, may wait for a person. Changes count at once, without a restart.",
    promptLine: "Read or change the gateway's config, or restart it",
    risk: "write",
    ownerOnly: true,
    input: gatewayInput,
    async execute(input, context): Promise<ToolResult> {
      requireOwnAddress(input.gatewayUrl, deps.port());
      switch (input.action) {
        case "config.get": {
          const path = input.path === undefined ? undefined : readPath(input.path);
          await deps.config.reload();
          return jsonResult({ ok: true, result: configAnswer(deps.config, path) });
        }
        case "config.schema.lookup":
          if (input.path === undefined)
            throw new AppError("INVALID_INPUT", "path required: name a setting, such as messages.queue.");
          return jsonResult({ ok: true, result: lookUpSchema(input.path, deps.hardening()) });
        case "config.apply":
        case "config.patch":
          return writeConfig(input.action, input, context, deps);
        case "restart":
          return requestRestart(input, context, { ...deps, config: () => deps.config.effective().config });
        case "update.run":
          return jsonResult({ ok: true, result: noUpdate });
      }
    },
  });
}

/** There is no updater, so nothing is looked up, nothing is changed and nothing restarts. */
const noUpdate = {
  ok: false,
  result: {
    status: "skipped",
    mode: "none",
    steps: [],
    reason:
      "This version of Sallyport does not update itself. Nothing was updated; a person installs a newer version.",
    durationMs: 0,
  },
  restart: null,
  sentinel: null,
} as const;
