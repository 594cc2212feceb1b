/** `app.status`: one snapshot of everything that the frame of the panel shows, and its changes by event. */

import type { AppStatus } from "../../shared/contract/index.ts";
import type { Approvals } from "./approvals/createApprovals.ts";
import type { PromptCheck } from "./approvals/promptCheck.ts";
import type { Clients } from "./clients/createClients.ts";
import type { ConfigStore, SettingsStore } from "./config/index.ts";
import type { EventHub } from "./events/eventHub.ts";
import type { ProcessDesk } from "./handlers/processHandlers.ts";
import type { BroadMode } from "./mode/broadMode.ts";
import type { RuntimeDeps } from "./runtimeTypes.ts";
import type { ApprovalsStore, Ledger } from "./storage/index.ts";

/** Which release's tool system the evaluators follow. */
export const semanticsVersion = "2026.3.31";

export interface StatusDesk {
  current(): AppStatus;
  /** Sends the status soon; many changes in a row give one event. */
  announce(): void;
  setGateway(state: AppStatus["gateway"]): void;
  setLag(p99Ms: number): void;
  setVerified(atMs: number): void;
  dispose(): void;
}

export interface StatusDeps {
  deps: RuntimeDeps;
  hub: EventHub;
  config: ConfigStore;
  settings: SettingsStore;
  approvalsFile: ApprovalsStore;
  approvals: Approvals;
  processes: ProcessDesk;
  runningBrowsers(): number;
  clients: Clients;
  ledger: Ledger;
  broadMode: BroadMode;
  promptCheck: PromptCheck;
  storageProblems: AppStatus["settingsProblems"];
  isFirstRun: boolean;
}

const announceEveryMs = 100;
/** Even without a change: the time in it keeps "ends in" honest, and the lag is fresh. */
const heartbeatMs = 15_000;

export function createStatusDesk(parts: StatusDeps): StatusDesk {
  const { deps, hub, config, settings, approvalsFile, approvals } = parts;
  let gateway: AppStatus["gateway"] = { kind: "off", reason: "not started" };
  let lagP99Ms: number | null = null;
  let verifiedAtMs: number | null = null;
  let timer: NodeJS.Timeout | null = null;

  const configPart = (): AppStatus["config"] => {
    const state = config.current();
    const { path } = config.view();
    if (state.kind === "ok")
      return { path, state: "ok", hash: state.hash, changedAtMs: state.changedAtMs, problems: [] };
    if (state.kind === "missing")
      return { path, state: "missing", hash: null, changedAtMs: null, problems: [] };
    return {
      path,
      state: "broken",
      hash: state.hash,
      changedAtMs: state.changedAtMs,
      problems: state.problems,
      usesLastGood: state.lastGood !== null,
    };
  };
  const approvalsPart = (): AppStatus["approvalsFile"] => {
    const state = approvalsFile.current();
    return { path: state.path, state: state.kind, problems: state.kind === "broken" ? state.problems : [] };
  };

  const current = (): AppStatus => {
    const pending = approvals.pending();
    return {
      version: deps.version,
      semantics: semanticsVersion,
      preset: settings.settings().hardening.preset,
      shell: deps.shell,
      stateDir: deps.stateDir,
      commandLine: deps.commandLine ?? null,
      gateway,
      config: configPart(),
      approvalsFile: approvalsPart(),
      settingsProblems: [...settings.problems(), ...parts.storageProblems],
      mode: parts.broadMode.current(),
      pendingApprovals: pending.length,
      firstExpiryMs: pending.length === 0 ? null : Math.min(...pending.map((request) => request.expiresAtMs)),
      runningProcesses: parts.processes.runningCount(),
      runningBrowsers: parts.runningBrowsers(),
      survivors: parts.processes.survivorCount(),
      connectedClients: parts.clients.connectedCount(),
      ledger: { entries: parts.ledger.count(), verifiedAtMs },
      eventLoopLagP99Ms: lagP99Ms,
      prompt: parts.promptCheck.current(),
      firstRun: parts.isFirstRun,
      nowMs: deps.clock.nowMs(),
    };
  };
  const announce = () => {
    if (timer !== null) return;
    timer = setTimeout(() => {
      timer = null;
      hub.publish("app.statusChanged", current());
    }, announceEveryMs);
    timer.unref();
  };
  const heartbeat = setInterval(announce, heartbeatMs);
  heartbeat.unref();
  const offs = [
    config.events.on("changed", announce),
    settings.events.on("changed", announce),
    approvalsFile.events.on("changed", announce),
    approvals.events.on("changed", announce),
    parts.clients.events.on("changed", announce),
  ];

  return {
    current,
    announce,
    setGateway(state) {
      gateway = state;
      announce();
    },
    setLag(p99Ms) {
      lagP99Ms = p99Ms;
    },
    setVerified(atMs) {
      verifiedAtMs = atMs;
      announce();
    },
    dispose() {
      clearInterval(heartbeat);
      if (timer !== null) clearTimeout(timer);
      for (const off of offs) off();
    },
  };
}
