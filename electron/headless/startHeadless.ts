/** Runtime and Gateway without Electron: the composition root that the headless entry, the command line and tests share. */

import { chmodSync, mkdirSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { AppError } from "../../shared/errors/index.ts";
import { createGateway, type Gateway } from "../gateway/createGateway.ts";
import { systemClock } from "../runtime/clock.ts";
import { createRuntime } from "../runtime/createRuntime.ts";
import type { Logger } from "../runtime/logging/logger.ts";
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
  logger: Logger;
}

export interface Headless {
  runtime: Runtime;
  gateway: Gateway;
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

  const opened: (() => void | Promise<void>)[] = [() => lock.release()];
  let disposing: Promise<void> | null = null;
  const dispose = () => {
    disposing ??= (async () => {
      // Newest first: the Gateway goes before the runtime, the lock is given back last.
      for (const close of opened.reverse()) {
        // One part that cannot end must not keep the others, and the lock, from ending.
        await Promise.resolve(close()).catch((error: unknown) =>
          logger.error("headless.disposeFailed", { error }),
        );
      }
    })();
    return disposing;
  };
  try {
    const runtime = await createRuntime({
      stateDir,
      homeDir,
      baseEnv: definedOnly(env),
      version,
      shell: "headless",
      logger,
      clock: systemClock,
      // Without a desktop there is no lock screen; presence follows the open panels alone.
      screenLock: { isLocked: () => false },
    });
    opened.push(() => runtime.dispose());
    opened.push(watchLag(runtime));
    const gateway = await createGateway({
      runtime,
      panelDir: options.panelDir,
      logger,
      host: "127.0.0.1",
      port: options.port ?? runtime.gatewaySettings().port,
      version,
      gatewayFile: paths.gatewayFile,
    });
    opened.push(() => gateway.close());
    return { runtime, gateway, stateDir, dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
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
