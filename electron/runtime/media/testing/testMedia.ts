/** For tests: the media tools on loopback servers, with config, environment, clock and a temporary home in hand. */

import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Hardening } from "../../../../shared/hardening/rules.ts";
import { allMediaHardening } from "../../../../shared/media/index.ts";
import { allWebHardening } from "../../../../shared/web/index.ts";
import { createManualClock } from "../../clock.ts";
import type { KeptCalls } from "../../handlers/mediaHandlers.ts";
import { silentLogger } from "../../logging/logger.ts";
import { createGuardedFetch, type GuardedFetch } from "../../net/guardedFetch.ts";
import {
  startTestServer,
  type TestHandler,
  type TestServer,
  testAddresses,
  testResolver,
} from "../../net/testServer.ts";
import { testContext } from "../../testing/toolCallContext.ts";
import type { ToolCallContext, ToolResult } from "../../tools/defineTool.ts";
import { createMediaTools, type MediaTools } from "../createMediaTools.ts";

export interface TestMedia {
  /** Change it between calls; a new object counts as a new config. */
  settings: { config: unknown; hardening: Hardening; env: Record<string, string>; isSandboxed: boolean };
  home: string;
  stateDir: string;
  workspace: string;
  media: MediaTools;
  clock: ReturnType<typeof createManualClock>;
  /** A server that plays the service at this origin from now on; closed with the rest. */
  play(origin: string, handle: TestHandler): Promise<TestServer>;
  /** A server of the public internet. */
  serve(handle: TestHandler): Promise<TestServer>;
  /** Arguments pass the schema as in a real call. */
  call(tool: string, args: unknown, context?: Partial<ToolCallContext>): Promise<ToolResult>;
  remove(): Promise<void>;
}

export async function makeTestMedia(
  options: { pdfWorkerUrl?: URL; calls?: () => KeptCalls } = {},
): Promise<TestMedia> {
  const home = await realpath(await mkdtemp(path.join(tmpdir(), "sallyport-media-")));
  const stateDir = path.join(home, ".openclaw");
  const workspace = path.join(stateDir, "workspace");
  await mkdir(workspace, { recursive: true });
  const settings: TestMedia["settings"] = {
    config: {},
    hardening: new Set([...allMediaHardening, ...allWebHardening]),
    env: {},
    isSandboxed: false,
  };
  const origins = new Map<string, string>();
  const servers: TestServer[] = [];
  const guarded = createGuardedFetch({ resolve: testResolver });
  const fetch: GuardedFetch = (request) => {
    const { origin } = new URL(request.url);
    const local = origins.get(origin);
    return guarded(local === undefined ? request : { ...request, url: request.url.replace(origin, local) });
  };
  const clock = createManualClock();
  const media = createMediaTools({
    config: () => settings.config,
    hardening: () => settings.hardening,
    env: settings.env,
    homeDir: home,
    stateDir,
    workspaceOf: () => workspace,
    agentIds: () => ["main"],
    isSandboxed: () => settings.isSandboxed,
    clock,
    logger: silentLogger,
    fetch,
    addresses: testAddresses,
    pdfWorkerUrl: options.pdfWorkerUrl ?? null,
    ...(options.calls === undefined ? {} : { calls: options.calls }),
  });
  const serve = async (handle: TestHandler) => {
    const server = await startTestServer(handle);
    servers.push(server);
    return server;
  };
  return {
    settings,
    home,
    stateDir,
    workspace,
    media,
    clock,
    serve,
    async play(origin, handle) {
      const server = await serve(handle);
      origins.set(origin, server.url("", "service.test"));
      return server;
    },
    async call(name, args, context = {}) {
      const tool = media.tools.find((candidate) => candidate.name === name);
      if (tool === undefined) throw new Error(`There is no tool ${name}.`);
      return tool.execute(tool.input.parse(args), { ...testContext(), ...context });
    },
    async remove() {
      await Promise.all(servers.splice(0).map((server) => server.close()));
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** @returns a handler that answers everything with this JSON */
export function json(answer: unknown, status = 200, headers: Record<string, string> = {}): TestHandler {
  return (_request, response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(answer));
  };
}

/** @returns the JSON body of a request that a server got */
export function bodyOf(server: TestServer, index = 0): Record<string, unknown> {
  return JSON.parse(server.requests[index]?.body ?? "null") as Record<string, unknown>;
}
