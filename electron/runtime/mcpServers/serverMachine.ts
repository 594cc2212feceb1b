/** The life of one server: starting, ready, failed with retries that grow apart, stopped. One run at a time. */

import type { Reason } from "../../../shared/contract/index.ts";
import type { Clock } from "../clock.ts";
import type { Logger } from "../logging/logger.ts";
import type { Connection } from "./connection.ts";
import { type ForeignTool, type LeftOut, maxToolsPerServer } from "./definitions.ts";
import { reasonOf } from "./problems.ts";

export type RunState =
  | { kind: "stopped" }
  | { kind: "starting" }
  | { kind: "ready"; sinceMs: number; pid: number | null; reportedName: string; reportedVersion: string }
  | { kind: "failed"; reason: Reason; retryAtMs: number };

export interface ServerMachineDeps {
  clock: Clock;
  logger: Logger;
  /** @param onToolsChanged to be called when the server says so */
  connect(signal: AbortSignal, onToolsChanged: () => void): Promise<Connection>;
  readTools(raw: readonly unknown[]): { tools: ForeignTool[]; leftOut: LeftOut[] };
  /** State, tools or what is left out changed. */
  onChanged(): void;
  /** For the ledger. */
  record(kind: "started" | "ready" | "failed" | "stopped", data: Record<string, unknown>): void;
}

export interface ServerMachine {
  state(): RunState;
  /** Of the last list; kept while it is not ready, so that one can say why they are absent. */
  tools(): readonly ForeignTool[];
  leftOut(): readonly LeftOut[];
  /** The connection while it is ready; null otherwise. */
  connection(): Connection | null;
  /** Does nothing while it starts or is ready. */
  start(): void;
  /** Ends everything of it; resolves when nothing is left. */
  stop(): Promise<void>;
}

const firstRetryMs = 1000;
const maxRetryMs = 300_000;
/** Ready for so long, and the next failure counts as the first again. */
const stableMs = 60_000;
const refreshAfterMs = 300;
const refreshEveryMs = 3000;

export function createServerMachine(deps: ServerMachineDeps): ServerMachine {
  const { clock, logger } = deps;
  let state: RunState = { kind: "stopped" };
  let tools: readonly ForeignTool[] = [];
  let leftOut: readonly LeftOut[] = [];
  let connection: Connection | null = null;
  let run: AbortController | null = null;
  let running: Promise<void> = Promise.resolve();
  let failures = 0;
  const timers = new Map<"retry" | "stable" | "refresh", () => void>();
  let refresh: { state: "idle" | "waiting" | "running"; again: boolean; lastMs: number } = freshRefresh();

  const become = (next: RunState) => {
    state = next;
    deps.onChanged();
  };
  const stopTimers = () => {
    for (const cancel of timers.values()) cancel();
    timers.clear();
  };

  const fail = (own: AbortController, reason: Reason) => {
    if (run !== own) return;
    run = null;
    connection = null;
    const delayMs = Math.min(firstRetryMs * 2 ** Math.min(failures, 20), maxRetryMs);
    failures += 1;
    stopTimers();
    timers.set("retry", clock.after(delayMs, start));
    deps.record("failed", { reason, retryInMs: delayMs });
    become({ kind: "failed", reason, retryAtMs: clock.nowMs() + delayMs });
  };

  const accept = (raw: readonly unknown[], isCut: boolean) => {
    const read = deps.readTools(raw);
    tools = read.tools;
    leftOut = isCut
      ? [
          ...read.leftOut,
          { remoteName: "…", reason: { code: "mcp.toolTooMany", params: { max: maxToolsPerServer } } },
        ]
      : read.leftOut;
  };

  const live = async (own: AbortController) => {
    let opened: Connection | null = null;
    try {
      opened = await deps.connect(own.signal, () => toolsChanged(own));
      const { raw, isCut } = await opened.listTools();
      if (run !== own) return;
      accept(raw, isCut);
      connection = opened;
      const { pid, reportedName, reportedVersion } = opened;
      deps.record("ready", {
        pid,
        reportedName,
        reportedVersion,
        tools: tools.length,
        leftOut: leftOut.length,
      });
      const forget = () => {
        failures = 0;
      };
      timers.set("stable", clock.after(stableMs, forget));
      become({ kind: "ready", sinceMs: clock.nowMs(), pid, reportedName, reportedVersion });
      // It said so while it was listed for the first time.
      if (refresh.again) toolsChanged(own);
      const why = await opened.closed;
      await opened.end();
      fail(own, why ?? { code: "mcp.closed", params: {} });
    } catch (error) {
      // A server that fails leaves nothing behind before the next one is started.
      await opened?.end();
      fail(own, reasonOf(error));
    } finally {
      if (run !== own) await opened?.end();
    }
  };

  const start = () => {
    if (run !== null) return;
    stopTimers();
    const own = new AbortController();
    run = own;
    refresh = freshRefresh();
    deps.record("started", {});
    become({ kind: "starting" });
    // The one before may still be ending.
    running = running
      .then(() => live(own))
      .catch((error: unknown) => logger.error("mcpServer.broken", { error }));
  };

  const toolsChanged = (own: AbortController) => {
    if (run !== own) return;
    if (connection === null) {
      refresh.again = true;
      return;
    }
    if (refresh.state !== "idle") {
      refresh.again = refresh.state === "running";
      return;
    }
    refresh.state = "waiting";
    const dueMs = Math.max(refreshAfterMs, refresh.lastMs + refreshEveryMs - clock.nowMs());
    timers.set(
      "refresh",
      clock.after(dueMs, () => void reread(own)),
    );
  };

  const reread = async (own: AbortController) => {
    const current = connection;
    if (run !== own || current === null) return;
    refresh = { state: "running", again: false, lastMs: clock.nowMs() };
    try {
      const { raw, isCut } = await current.listTools();
      if (run !== own) return;
      accept(raw, isCut);
      deps.onChanged();
    } catch (error) {
      logger.warn("mcpServer.listFailed", { error });
      // What it offers now is not known, so nothing of it is offered.
      await current.end();
      return fail(own, reasonOf(error));
    }
    const { again } = refresh;
    refresh.state = "idle";
    if (again) toolsChanged(own);
  };

  return {
    state: () => state,
    tools: () => tools,
    leftOut: () => leftOut,
    connection: () => connection,
    start,
    async stop() {
      const own = run;
      const open = connection;
      run = null;
      connection = null;
      failures = 0;
      stopTimers();
      if (state.kind !== "stopped") {
        deps.record("stopped", {});
        become({ kind: "stopped" });
      }
      own?.abort();
      await open?.end();
      await running;
    },
  };
}

function freshRefresh(): { state: "idle" | "waiting" | "running"; again: boolean; lastMs: number } {
  return { state: "idle", again: false, lastMs: 0 };
}
