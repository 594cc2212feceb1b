/** For tests: the whole browser service with its tool on a real Chromium, and a local site. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { allHardening } from "../../../../shared/hardening/index.ts";
import { isSandboxed } from "../../../../shared/policy/index.ts";
import { createApprovals } from "../../approvals/createApprovals.ts";
import { createPresence } from "../../approvals/presence.ts";
import { systemClock } from "../../clock.ts";
import { silentLogger } from "../../logging/logger.ts";
import { browserInput } from "../../tools/browser/schema.ts";
import { createBrowserTool } from "../../tools/browser/tool.ts";
import type { ToolCallContext, ToolResult } from "../../tools/defineTool.ts";
import { joinProfiles } from "../profiles/joinProfiles.ts";
import { createSandboxBrowsers, type SandboxBrowsers } from "../profiles/sandboxBrowsers.ts";
import { freePorts, startTestBrowsers } from "../profiles/testBrowsers.ts";
import type { DownloadLimits } from "../records/downloads.ts";
import { openFileRoots } from "../records/fileRoots.ts";
import { createSnapshotEngine } from "../snapshot/createSnapshotEngine.ts";
import { createBrowserService } from "./createBrowserService.ts";

export interface TestSite {
  url: string;
  /** Body of the page at a path; scripts run. A function answers itself. */
  pages: Map<string, string | ((request: IncomingMessage, response: ServerResponse) => void)>;
  requests: string[];
  close(): Promise<void>;
}

export async function startTestSite(): Promise<TestSite> {
  const pages: TestSite["pages"] = new Map();
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://site").pathname;
    requests.push(`${request.method} ${request.url}`);
    const page = pages.get(path);
    if (typeof page === "function") return page(request, response);
    response.writeHead(page === undefined ? 404 : 200, { "content-type": "text/html; charset=utf-8" });
    response.end(page === undefined ? "nothing here" : `<!doctype html><title>${path}</title>${page}`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pages,
    requests,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export interface TestDesk {
  service: ReturnType<typeof createBrowserService>;
  browsers: Awaited<ReturnType<typeof startTestBrowsers>>;
  /** Changes the config; the port stays. */
  setBrowser(browser: Record<string, unknown>, rest?: Record<string, unknown>): Promise<void>;
  sandboxes: SandboxBrowsers;
  approvals: ReturnType<typeof createApprovals>;
  settings: { asks: boolean; hardening: ReadonlySet<string> };
  /** Runs the tool as the pipeline does. A thrown refusal comes back as its error. */
  call(args: Record<string, unknown>, over?: Partial<ToolCallContext>): Promise<ToolResult>;
  dispose(): Promise<void>;
}

export async function startTestDesk(
  browser: Record<string, unknown> = {},
  options: { downloadLimits?: DownloadLimits } = {},
): Promise<TestDesk> {
  const [port] = await freePorts(1);
  const base = { cdpPortRangeStart: Math.min(port ?? 20_000, 65_000) };
  const browsers = await startTestBrowsers({ ...base, ...browser });
  const presence = createPresence({ screenLock: { isLocked: () => false }, waitForOperator: () => false });
  presence.attend("test");
  const approvals = createApprovals({ clock: systemClock, logger: silentLogger, presence, earlier: [] });
  const settings = { asks: false, hardening: allHardening as ReadonlySet<string> };
  const fileRoots = () => openFileRoots(browsers.folder, process.getuid?.() ?? null);
  const sandboxes = await createSandboxBrowsers({
    config: browsers.config,
    stateDir: join(browsers.folder, "sandbox-browsers"),
    homeDir: browsers.folder,
    env: { PATH: process.env.PATH ?? "", HOME: browsers.folder },
    gatewayPort: () => 18_789,
    guard: browsers.guard,
    clock: systemClock,
    logger: silentLogger,
    readyTimeoutMs: 60_000,
    fileRoots,
  });
  const profiles = joinProfiles(browsers.profiles, sandboxes);
  const shared = {
    profiles,
    config: () => browsers.config.effective().config,
    hardening: () => settings.hardening,
  };
  const service = createBrowserService({
    ...shared,
    engine: createSnapshotEngine({ hardening: () => settings.hardening }),
    guard: browsers.guard,
    asksBeforeActs: () => settings.asks,
    approvals,
    stateDir: browsers.folder,
    tempDir: browsers.folder,
    clock: systemClock,
    logger: silentLogger,
    ...options,
  });
  const tool = createBrowserTool({
    ...shared,
    profiles: browsers.profiles,
    sandboxes,
    service,
    isSandboxed: (agentId, sessionKey) =>
      isSandboxed(browsers.config.effective().config, agentId, sessionKey),
  });
  let calls = 0;
  return {
    service,
    browsers,
    setBrowser: (next, rest) => browsers.setBrowser({ ...base, ...next }, rest),
    sandboxes,
    approvals,
    settings,
    async call(args, over = {}) {
      calls += 1;
      return tool.execute(browserInput.parse(args), {
        toolCallId: `call-${calls}`,
        agentId: "main",
        sessionKey: "agent:main:test",
        callerId: "mcp:test",
        callerLabel: "test client",
        senderIsOwner: false,
        canBackground: false,
        signal: new AbortController().signal,
        reportProgress: () => {},
        reportWaiting: () => {},
        ...over,
      });
    },
    async dispose() {
      approvals.dispose();
      await service.dispose();
      await sandboxes.dispose();
      await browsers.dispose();
    },
  };
}

export function textOf(result: ToolResult): string {
  return result.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}

export function detailsOf(result: ToolResult): Record<string, unknown> {
  return (result.details ?? {}) as Record<string, unknown>;
}

/** @returns the ref of the first line of a snapshot that matches */
export function refOf(text: string, line: RegExp): string {
  const found = text.split("\n").find((each) => line.test(each));
  const ref = found === undefined ? undefined : /\b((?:f\d+)?e\d+)\b/.exec(found)?.[1];
  if (ref === undefined) throw new Error(`no ref for ${line} in\n${text}`);
  return ref;
}

export const vectorPages = join(process.env.VECTORS_DIR ?? "e2e/vectors", "browser/pages");
