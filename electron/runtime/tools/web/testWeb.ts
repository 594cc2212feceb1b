/** For tests: the web tools on loopback servers, with config, environment and clock in hand. */

import type { Hardening } from "../../../../shared/hardening/rules.ts";
import { allMediaHardening } from "../../../../shared/media/index.ts";
import { allWebHardening } from "../../../../shared/web/index.ts";
import { createManualClock } from "../../clock.ts";
import { silentLogger } from "../../logging/logger.ts";
import { createPdfReader } from "../../media/pdf/pdfReader.ts";
import { createGuardedFetch, type GuardedFetch } from "../../net/guardedFetch.ts";
import { testAddresses, testResolver } from "../../net/testServer.ts";
import { testContext } from "../../testing/toolCallContext.ts";
import type { ToolCallContext, ToolResult } from "../defineTool.ts";
import { createWebTools } from "./createWebTools.ts";

export { textOf } from "../../testing/toolCallContext.ts";

export interface TestWeb {
  /** Change it between calls; a new object counts as a new config. */
  settings: { config: unknown; hardening: Hardening; env: Record<string, string> };
  clock: ReturnType<typeof createManualClock>;
  web: ReturnType<typeof createWebTools>;
  /** Arguments pass the schema as in a real call. */
  call(tool: string, args: unknown, context?: Partial<ToolCallContext>): Promise<ToolResult>;
}

/**
 * @param origins where requests to real services go instead: `https://api.example.com` to a local origin; all other
 * requests are made as they are
 */
export function makeTestWeb(origins: ReadonlyMap<string, string> = new Map()): TestWeb {
  const settings: TestWeb["settings"] = {
    config: {},
    hardening: new Set([...allWebHardening, ...allMediaHardening]),
    env: {},
  };
  const clock = createManualClock();
  const guarded = createGuardedFetch({ resolve: testResolver });
  const fetch: GuardedFetch = (request) => {
    const { origin } = new URL(request.url);
    const local = origins.get(origin);
    return guarded(local === undefined ? request : { ...request, url: request.url.replace(origin, local) });
  };
  const web = createWebTools({
    config: () => settings.config,
    hardening: () => settings.hardening,
    env: settings.env,
    homeDir: "/nonexistent",
    clock,
    logger: silentLogger,
    fetch,
    addresses: testAddresses,
    workerUrl: null,
    pdf: createPdfReader({ logger: silentLogger, workerUrl: null }),
  });
  return {
    settings,
    clock,
    web,
    async call(name, args, context = {}) {
      const tool = web.tools.find((candidate) => candidate.name === name);
      if (tool === undefined) throw new Error(`There is no tool ${name}.`);
      return tool.execute(tool.input.parse(args), { ...testContext(), ...context });
    },
  };
}

export function detailsOf(result: ToolResult): Record<string, unknown> {
  return result.details as Record<string, unknown>;
}
