/** Runtime and Gateway of the app: made at start, and made anew by a restart while windows and tray stay. */

import { messageOf } from "../../shared/errors/index.ts";
import { createGateway, type Gateway } from "../gateway/createGateway.ts";
import { createTryoutRunner } from "../gateway/tryout/tryoutRunner.ts";
import { createRuntime } from "../runtime/createRuntime.ts";
import { createRebuildable, type Rebuildable, type RestartHost } from "../runtime/restart/index.ts";
import type { Runtime, RuntimeDeps } from "../runtime/runtimeTypes.ts";
import { startLagMeter } from "./lagMeter.ts";

export interface LiveRuntime {
  /** As it is now: ask each time. */
  runtime(): Runtime;
  /** Ends Gateway and runtime; may be called twice. */
  dispose(): Promise<void>;
}

export interface LiveRuntimeOptions {
  deps: Omit<RuntimeDeps, "restartHost">;
  gatewayFile: string;
  /** A restart begins: what hangs on the runtime lets go of it. */
  onClosing(): void;
  /** Another runtime is there after a restart. */
  onReopened(runtime: Runtime): void;
  onLost(error: unknown): void;
}

interface Parts {
  runtime: Runtime;
  gateway: Gateway | null;
  /** Kept when the Gateway could not start again, too. */
  port: number | null;
  stopLag(): void;
}

/** @throws AppError when the runtime cannot start */
export async function createLiveRuntime(options: LiveRuntimeOptions): Promise<LiveRuntime> {
  const { deps } = options;
  const { logger, version } = deps;
  let live: Rebuildable<Parts> | null = null;
  const restartHost: RestartHost = {
    restart: () => live?.restart(),
    lastRestartAtMs: () => live?.lastRestartAtMs() ?? null,
  };

  /** The app works without the Gateway; then MCP clients and the CLI cannot reach it, and the status line says so. */
  const startGateway = async (runtime: Runtime, port: number): Promise<Gateway | null> => {
    const { gatewayFile } = options;
    try {
      return await createGateway({
        runtime,
        panelDir: null,
        logger,
        host: "127.0.0.1",
        port,
        version,
        gatewayFile,
      });
    } catch (error) {
      logger.warn("gateway.notStarted", { error });
      runtime.reportGateway({ kind: "off", reason: messageOf(error) });
      return null;
    }
  };

  const open = async (old: Parts | null): Promise<Parts> => {
    const runtime = await createRuntime({ ...deps, restartHost });
    // The Gateway attaches its own; this one counts when the Gateway could not start.
    runtime.attachTryout(createTryoutRunner({ tools: runtime.tools, version, logger }));
    // Clients find it again where it was.
    const gateway = await startGateway(runtime, old?.port ?? runtime.gatewaySettings().port);
    const stopLag = startLagMeter((p99Ms) => runtime.reportLag(p99Ms));
    return { runtime, gateway, port: gateway?.port ?? old?.port ?? null, stopLag };
  };

  const close = async ({ runtime, gateway, stopLag }: Parts): Promise<void> => {
    options.onClosing();
    stopLag();
    try {
      await gateway?.close();
    } finally {
      await runtime.dispose();
    }
  };

  const started = await createRebuildable<Parts>({
    open,
    close,
    logger,
    nowMs: deps.clock.nowMs,
    onReopened: ({ runtime }) => options.onReopened(runtime),
    onLost: options.onLost,
  });
  live = started;
  return { runtime: () => started.current().runtime, dispose: started.dispose };
}
