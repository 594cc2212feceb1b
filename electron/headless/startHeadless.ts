/** Runtime and Gateway without Electron: the composition root that the headless entry, the command line and tests share. */

import { chmodSync, mkdirSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { AppStatus } from "../../shared/contract/index.ts";
import { AppError } from "../../shared/errors/index.ts";
import { createGateway, type Gateway } from "../gateway/createGateway.ts";
import { checkoutCommand } from "../runtime/checkoutCommand.ts";
import { systemClock } from "../runtime/clock.ts";
import { createRuntime } from "../runtime/createRuntime.ts";
import type { Logger } from "../runtime/logging/logger.ts";
import { createRebuildable, type Rebuildable, type RestartHost } from "../runtime/restart/index.ts";
import type { Runtime } from "../runtime/runtimeTypes.ts";
import { acquireInstanceLock, resolveHome, resolveStateDir, statePaths } from "../runtime/storage/index.ts";

const lagReportMs = 5000;

export interface HeadlessOptions {
  env: Record<string, string | undefined>;
  /** The person's home, as the operating system says. */
  homeDir: string;
  /** Absent: as the environment says. */
  stateDir?: string;
  /** Absent: as config and environment say. 0 takes any free port. */
  port?: number;
  /** Folder of the built panel; null: no panel. */
  panelDir: string | null;
  version: string;
  /** How a client starts the command line; absent: as from a checkout, if this is one. */
  commandLine?: AppStatus["commandLine"];
  logger: Logger;
  /** After a restart nothing answers any more, and why; absent: it is only logged. */
  onLost?(error: unknown): void;
}

export interface Headless {
  /** As they are now: a restart puts others in their place. */
  readonly runtime: Runtime;
  readonly gateway: Gateway;
  stateDir: string;
  /** Ends Gateway, processes and files; may be called twice. */
  dispose(): Promise<void>;
}

/** @throws AppError UNAVAILABLE with `data.alreadyRuns` when another Sallyport holds the state directory */
export async function startHeadless(options: HeadlessOptions): Promise<Headless> {
  const { env, logger, version } = options;
  const homeDir = resolveHome(env, options.homeDir);
  const stateDir = options.stateDir ?? resolveStateDir(env, options.homeDir);
  const paths = statePaths(stateDir, homeDir);
  makePrivateFolder(stateDir);
  const lock = acquireInstanceLock(paths.instanceLock, { shell: "headless" });
  if (!lock.ok) throw new AppError("UNAVAILABLE", lock.message, { data: { alreadyRuns: true } });

  const open = async (old: Parts | null): Promise<Parts> => {
    const parts = createClosing(logger);
    try {
      const runtime = await createRuntime({
        stateDir,
        homeDir,
        baseEnv: definedOnly(env),
        version,
        shell: "headless",
        commandLine: options.commandLine ?? checkoutCommand(),
        logger,
        clock: systemClock,
        // Without a desktop there is no lock screen; presence follows the open panels alone.
        screenLock: { isLocked: () => false },
        restartHost,
      });
      parts.add(() => runtime.dispose());
      parts.add(watchLag(runtime));
      const gateway = await createGateway({
        runtime,
        panelDir: options.panelDir,
        logger,
        host: "127.0.0.1",
        // Clients find it again where it was.
        port: old?.gateway.port ?? options.port ?? runtime.gatewaySettings().port,
        version,
        gatewayFile: paths.gatewayFile,
        panelSessions: old?.gateway.panelSessions ?? null,
      });
      parts.add(() => gateway.close());
      return { runtime, gateway, close: parts.close };
    } catch (error) {
      await parts.close();
      throw error;
    }
  };
  let live: Rebuildable<Parts> | null = null;
  const restartHost: RestartHost = {
    restart: () => live?.restart(),
    lastRestartAtMs: () => live?.lastRestartAtMs() ?? null,
  };
  try {
    const started = await createRebuildable<Parts>({
      open,
      close: (parts) => parts.close(),
      logger,
      nowMs: systemClock.nowMs,
      onLost: (error) => options.onLost?.(error),
    });
    live = started;
    return {
      get runtime() {
        return started.current().runtime;
      },
      get gateway() {
        return started.current().gateway;
      },
      stateDir,
      async dispose() {
        await started.dispose();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** What a restart makes anew. */
interface Parts {
  runtime: Runtime;
  gateway: Gateway;
  close(): Promise<void>;
}

/** What has to be closed, newest first: the Gateway goes before the runtime. */
function createClosing(logger: Logger) {
  let parts: (() => void | Promise<void>)[] = [];
  return {
    add(close: () => void | Promise<void>): void {
      parts.unshift(close);
    },
    /** May be called twice. */
    async close(): Promise<void> {
      const now = parts;
      parts = [];
      for (const close of now) {
        // One part that cannot end must not keep the others, and the lock, from ending.
        await Promise.resolve()
          .then(close)
          .catch((error: unknown) => logger.error("headless.disposeFailed", { error }));
      }
    },
  };
}

/** @returns the environment without names that have no value */
export function definedOnly(env: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** Tells the runtime every few seconds how late its timers were (p99). */
function watchLag(runtime: Runtime): () => void {
  const histogram = monitorEventLoopDelay({ resolution: 10 });
  histogram.enable();
  const timer = setInterval(() => {
    runtime.reportLag(Math.round(histogram.percentile(99) / 10_000) / 100);
    histogram.reset();
  }, lagReportMs);
  timer.unref();
  return () => {
    clearInterval(timer);
    histogram.disable();
  };
}

function makePrivateFolder(dir: string): void {
  const firstMade = mkdirSync(dir, { recursive: true, mode: 0o700 });
  if (firstMade !== undefined) chmodSync(dir, 0o700);
}
