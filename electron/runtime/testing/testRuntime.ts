/** A real runtime on a given folder and a panel connection to it, for tests of the runtime as a whole. */

import { contract } from "../../../shared/contract/index.ts";
import {
  createClient,
  createMemoryPair,
  type Principal,
  type RpcClient,
  serve,
} from "../../../shared/rpc/index.ts";
import { systemClock } from "../clock.ts";
import { createRuntime } from "../createRuntime.ts";
import { silentLogger } from "../logging/logger.ts";
import { type Caller, operatorScopes, type Runtime, type RuntimeDeps } from "../runtimeTypes.ts";

/** A mapped client of agent `main`, as the Gateway would hand it on. */
export const testCaller: Caller = {
  id: "mcp:test",
  label: "test client",
  agentId: "main",
  sessionKey: "agent:main:mcp:test",
  isOwner: false,
  provider: null,
  model: null,
  surface: "mcp",
};

/** The panel: may decide approvals. */
export const testPanel: Principal = {
  kind: "panel",
  id: "panel:test",
  scopes: operatorScopes,
  approvalSurface: true,
};

/** Starts on `stateDir`, which is also the home unless `over` says otherwise. The caller disposes it. */
export function createTestRuntime(stateDir: string, over: Partial<RuntimeDeps> = {}): Promise<Runtime> {
  const homeDir = over.homeDir ?? stateDir;
  return createRuntime({
    stateDir,
    homeDir,
    baseEnv: { PATH: process.env.PATH ?? "/usr/bin:/bin", HOME: homeDir, SHELL: "/bin/sh" },
    version: "0.0.0-test",
    shell: "headless",
    logger: silentLogger,
    clock: systemClock,
    screenLock: { isLocked: () => false },
    ...over,
  });
}

export interface TestConnection {
  rpc: RpcClient<typeof contract>;
  close(): void;
}

/** Connects in memory; messages are cloned, so that what passes here passes over a socket. */
export function connectTo(
  runtime: Runtime,
  principal: Principal = testPanel,
  connectionId = "panel-test",
): TestConnection {
  const [clientSide, serverSide] = createMemoryPair();
  const close = serve({
    contract,
    handlers: runtime.handlers,
    transport: serverSide,
    principal,
    events: runtime.events,
    connectionId,
  });
  return { rpc: createClient(contract, clientSide), close };
}
