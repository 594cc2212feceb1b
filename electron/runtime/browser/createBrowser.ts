/** Wires the parts of the managed browser: profiles, guard, snapshots, service, tool, contract, live view. */

import { tmpdir } from "node:os";
import { join } from "node:path";
import { browserConfigOf } from "../../../shared/browser/index.ts";
import type { browserContract } from "../../../shared/contract/index.ts";
import type { Hardening } from "../../../shared/hardening/rules.ts";
import { listKnownTools } from "../../../shared/policy/index.ts";
import type { EventName, EventPayload, Handlers } from "../../../shared/rpc/index.ts";
import type { Approvals } from "../approvals/createApprovals.ts";
import type { Clock } from "../clock.ts";
import type { ConfigStore } from "../config/index.ts";
import { createBrowserDesk } from "../handlers/browserHandlers.ts";
import type { Logger } from "../logging/logger.ts";
import { type HostResolver, systemResolver } from "../net/hostResolver.ts";
import { createBrowserTool } from "../tools/browser/tool.ts";
import type { ToolDefinition } from "../tools/defineTool.ts";
import { createBrowserGuard } from "./guard/createGuardDesk.ts";
import { createBrowserProfiles, type EmbeddedBrowser } from "./profiles/createBrowserProfiles.ts";
import { joinProfiles } from "./profiles/joinProfiles.ts";
import { createSandboxBrowsers } from "./profiles/sandboxBrowsers.ts";
import { type FileRoots, openFileRoots } from "./records/fileRoots.ts";
import { createBrowserService } from "./service/createBrowserService.ts";
import { createScreencasts } from "./service/screencast.ts";
import { createSnapshotEngine } from "./snapshot/createSnapshotEngine.ts";

export interface BrowserDeps {
  config: ConfigStore;
  hardening(): Hardening;
  approvals: Approvals;
  /** "See before click" of sallyport.json5. */
  asksBeforeActs(): boolean;
  isSandboxed(agentId: string, sessionKey: string): boolean;
  /** The environment that browsers are started with. */
  env: Record<string, string>;
  stateDir: string;
  homeDir: string;
  gatewayPort(): number;
  clock: Clock;
  logger: Logger;
  record(kind: string, by: string, data: Record<string, unknown>): void;
  publish<E extends EventName<typeof browserContract>>(
    event: E,
    payload: EventPayload<typeof browserContract, E>,
  ): void;
  /** A Chromium that the shell brings along. */
  embeddedBrowser?: EmbeddedBrowser;
  /** For tests; absent: the system's. */
  resolve?: HostResolver;
  tempDir?: string;
}

export interface ManagedBrowser {
  tool: ToolDefinition;
  handlers: Handlers<typeof browserContract>;
  /** Closes the tabs of sessions that are over. */
  endSessions(isEnded: (sessionKey: string) => boolean): Promise<void>;
  runningCount(): number;
  /** A connection closed: its live views end. */
  leave(connectionId: string): void;
  dispose(): Promise<void>;
}

/** State changes reach the panel at most this often; mere counts of a busy page less. */
const announceEveryMs = { state: 200, records: 1000 } as const;

export async function createBrowser(deps: BrowserDeps): Promise<ManagedBrowser> {
  const { config, hardening, clock, logger, publish } = deps;
  const resolve = deps.resolve ?? systemResolver;
  const guard = createBrowserGuard({ config, env: deps.env, hardening, clock, logger, resolve });
  const started = {
    config,
    stateDir: deps.stateDir,
    homeDir: deps.homeDir,
    env: deps.env,
    gatewayPort: deps.gatewayPort,
    guard,
    clock,
    logger,
    ...(deps.embeddedBrowser === undefined ? {} : { embeddedBrowser: deps.embeddedBrowser }),
  };
  const host = await createBrowserProfiles(started);
  const tempDir = deps.tempDir ?? tmpdir();
  const sandboxes = await createSandboxBrowsers({
    ...started,
    stateDir: join(deps.stateDir, "sandbox-browsers"),
    fileRoots: (): Promise<FileRoots> => openFileRoots(tempDir, process.getuid?.() ?? null),
  });
  const profiles = joinProfiles(host, sandboxes);
  const saved = () => config.effective().config;
  const service = createBrowserService({
    profiles,
    engine: createSnapshotEngine({ hardening }),
    config: saved,
    hardening,
    guard,
    asksBeforeActs: deps.asksBeforeActs,
    approvals: deps.approvals,
    stateDir: deps.stateDir,
    tempDir,
    clock,
    logger,
  });
  const casts = createScreencasts({
    clock,
    logger,
    onFrame: (frame) => publish("browser.frame", frame),
    onEnded: (castId, reason) => publish("browser.screencastEnded", { castId, reason }),
  });
  const desk = createBrowserDesk({
    service,
    admin: profiles,
    guard,
    casts,
    config,
    hardening,
    env: deps.env,
    resolve: async (host) => (await resolve(host)).map((each) => each.address),
    nowMs: () => clock.nowMs(),
    disabled: () => {
      const path = "browser.enabled";
      if (browserConfigOf(saved()).enabled === false)
        return { because: path, reason: { code: "absent.disabled-in-config", params: { path } } };
      const absence = listKnownTools(saved(), {}).find((tool) => tool.name === "browser")?.unavailable;
      if (absence === undefined) return null;
      const { reason: because, params = {} } = absence;
      return { because, reason: { code: `absent.${because}`, params } };
    },
    record: deps.record,
  });

  let due: { atMs: number; cancel(): void } | null = null;
  const announce = (what: "state" | "records") => {
    const atMs = clock.nowMs() + announceEveryMs[what];
    if (due !== null && due.atMs <= atMs) return;
    due?.cancel();
    const cancel = clock.after(announceEveryMs[what], () => {
      due = null;
      desk
        .tabs()
        .then((tabs) => publish("browser.changed", { overview: desk.overview(), tabs }))
        .catch((error: unknown) => logger.warn("browser.notAnnounced", { error }));
    });
    due = { atMs, cancel };
  };
  const offs = [
    service.onChanged(announce),
    config.events.on("changed", () => announce("state")),
    service.film.onEntry((entry) => publish("browser.activity", { entry })),
    guard.blocked.onBlocked((request) => publish("browser.blockedRequest", request)),
  ];

  return {
    tool: createBrowserTool({
      service,
      profiles: host,
      sandboxes,
      config: saved,
      hardening,
      isSandboxed: deps.isSandboxed,
    }) as unknown as ToolDefinition,
    handlers: desk.handlers,
    async endSessions(isEnded) {
      await service.endSessions(isEnded);
      await sandboxes.endSessions(isEnded);
    },
    runningCount: () => profiles.all().filter(({ name }) => profiles.state(name).kind === "running").length,
    leave: (connectionId) => casts.leave(connectionId),
    async dispose() {
      due?.cancel();
      for (const off of offs) off();
      await casts.dispose();
      await service.dispose();
      await profiles.dispose();
      guard.dispose();
    },
  };
}
