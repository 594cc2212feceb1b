/** Realistic answers of a runtime, for component tests. */

import type {
  ApprovalDecision,
  ApprovalRequest,
  ApprovalSegment,
  AppStatus,
  SallyportContract,
  UiSettings,
} from "../../shared/contract/index.ts";
import { AppError } from "../../shared/errors/index.ts";
import type { Handlers } from "../../shared/rpc/index.ts";

export const testSettings: UiSettings = {
  theme: "dark",
  language: "en",
  density: "compact",
  attention: "badge",
  singleKeys: true,
};

export function testStatus(changes: Partial<AppStatus> = {}): AppStatus {
  return {
    version: "0.1.0",
    semantics: "2026.3.31",
    preset: "sallyport",
    shell: "headless",
    stateDir: "/home/mira/.openclaw",
    gateway: { kind: "listening", address: "127.0.0.1", port: 18_789 },
    config: {
      path: "/home/mira/.openclaw/openclaw.json",
      state: "ok",
      hash: "h",
      changedAtMs: 0,
      problems: [],
    },
    approvalsFile: { path: "/home/mira/.openclaw/exec-approvals.json", state: "ok", problems: [] },
    settingsProblems: [],
    mode: {
      security: "allowlist",
      ask: "on-miss",
      configured: { security: "allowlist", ask: "on-miss" },
      broad: { kind: "none" },
    },
    pendingApprovals: 0,
    firstExpiryMs: null,
    runningProcesses: 0,
    runningBrowsers: 0,
    survivors: 0,
    connectedClients: 0,
    ledger: { entries: 12, verifiedAtMs: null },
    eventLoopLagP99Ms: 9,
    prompt: { reach: "reachable", checkAtStart: "passed" },
    commandLine: null,
    firstRun: false,
    nowMs: Date.now(),
    ...changes,
  };
}

/** One segment that covers the whole command and asks. */
export function askingSegment(command: string): ApprovalSegment {
  const argv = command.split(/\s+/);
  return {
    start: 0,
    end: command.length,
    operator: null,
    argv,
    resolvedPath: `/usr/bin/${argv[0] ?? ""}`,
    realPath: `/usr/bin/${argv[0] ?? ""}`,
    sha256: "ab".repeat(32),
    verdict: "asks",
    reason: { code: "allowlistMiss", params: { path: `/usr/bin/${argv[0] ?? ""}` } },
  };
}

let nextRequest = 0;

export function testRequest(command: string, changes: Partial<ApprovalRequest> = {}): ApprovalRequest {
  nextRequest += 1;
  const id = `request-${String(nextRequest).padStart(4, "0")}`;
  return {
    id,
    digest: `digest of ${id}`,
    kind: "exec",
    agentId: "main",
    sessionKey: "agent:main:api-refactor",
    callerId: "mcp:c1",
    callerLabel: "Coding agent",
    toolCallId: `call-${nextRequest}`,
    command,
    segments: [askingSegment(command)],
    analysisProblem: null,
    runsAs: { kind: "typed", shell: "/bin/bash -c" },
    host: "gateway",
    cwd: "/home/mira/src/acme",
    env: [],
    pty: false,
    background: false,
    timeoutMs: null,
    askedBecause: [{ code: "allowlistMiss", params: { path: `/usr/bin/${command.split(" ")[0] ?? ""}` } }],
    warnings: [],
    rule: { security: "allowlist", ask: "on-miss", sources: [] },
    always: { kind: "withheld", reason: { code: "interpreter", params: {} } },
    createdAtMs: Date.now() + nextRequest,
    expiresAtMs: Date.now() + 1_800_000,
    onExpiry: "deny",
    joinedCount: 1,
    ...changes,
  };
}

export function testDecision(
  request: ApprovalRequest,
  changes: Partial<ApprovalDecision> = {},
): ApprovalDecision {
  return {
    id: request.id,
    command: request.command,
    agentId: request.agentId,
    sessionKey: request.sessionKey,
    callerLabel: request.callerLabel,
    outcome: "denied",
    by: { kind: "person", principalId: "panel:test" },
    note: null,
    createdAtMs: request.createdAtMs,
    decidedAtMs: Date.now(),
    stored: [],
    ...changes,
  };
}

/** Answers of a quiet runtime; what a test does not expect to be called says so. */
export function fixtureHandlers(own: Partial<Handlers<SallyportContract>> = {}): Handlers<SallyportContract> {
  const quiet: Partial<Handlers<SallyportContract>> = {
    health: () => ({ ok: true, status: "live", uptimeMs: 1 }),
    "app.status": () => testStatus(),
    "ui.settings.get": () => testSettings,
    "approvals.list": () => ({ pending: [], recent: [] }),
    "approvals.attend": () => ({ attending: true }),
    "approvals.history": () => ({ decisions: [] }),
    "approvals.pauses": () => ({ paused: [] }),
    "processes.list": () => ({ processes: [], survivors: [] }),
    "clients.list": () => ({ clients: [], mcpUrl: "http://127.0.0.1:18789/mcp" }),
    "mcpServers.list": () => ({ servers: [] }),
    "calls.list": () => ({ calls: [] }),
    "skills.list": ({ agentId }) => ({ agentId: agentId ?? "main", skills: [] }),
    "tools.list": () => ({ sections: [] }),
    "policy.contexts": () => ({
      agents: [{ id: "main", isDefault: true }],
      models: [],
      groups: [],
      seen: [],
    }),
    ...own,
  };
  return new Proxy(quiet as Handlers<SallyportContract>, {
    get: (target, name, receiver) =>
      Reflect.get(target, name, receiver) ??
      (() => {
        throw new AppError("UNAVAILABLE", `The test did not expect ${String(name)} to be called.`);
      }),
  });
}
