/** The way to the runtime: the running app over its Gateway, else a runtime of our own on the same files. */

import { randomUUID } from "node:crypto";
import { contract, type SallyportContract } from "../../shared/contract/index.ts";
import { AppError } from "../../shared/errors/index.ts";
import { createClient, createMemoryPair, type RpcClient, serve } from "../../shared/rpc/index.ts";
import { connectGateway } from "../gateway/gatewayClient.ts";
import type { ServedContract } from "../gateway/gatewayContract.ts";
import { definedOnly } from "../headless/startHeadless.ts";
import { systemClock } from "../runtime/clock.ts";
import { createRuntime } from "../runtime/createRuntime.ts";
import { silentLogger } from "../runtime/logging/logger.ts";
import { operatorScopes } from "../runtime/runtimeTypes.ts";
import {
  type GatewayFileInfo,
  readGatewayFile,
  resolveHome,
  resolveStateDir,
  type StatePaths,
  statePaths,
} from "../runtime/storage/index.ts";
import type { CliIo } from "./io.ts";

export interface Place {
  stateDir: string;
  homeDir: string;
  paths: StatePaths;
}

/** Where this environment keeps its state. */
export function placeOf(io: CliIo): Place {
  const homeDir = resolveHome(io.env, io.homeDir);
  const stateDir = resolveStateDir(io.env, io.homeDir);
  return { stateDir, homeDir, paths: statePaths(stateDir, homeDir) };
}

/** @returns where the running app listens, or null when none runs on this state directory */
export async function findGateway(place: Place): Promise<GatewayFileInfo | null> {
  const state = await readGatewayFile(place.paths.gatewayFile);
  if (state.kind === "broken") {
    throw new AppError("UNAVAILABLE", `${state.reason} Delete it when no Sallyport runs, then try again.`);
  }
  return state.kind === "running" ? state.info : null;
}

export interface Running {
  rpc: RpcClient<ServedContract>;
  close(): void;
}

/** @throws AppError UNAVAILABLE when no app runs: these commands need one */
export async function openRunning(io: CliIo, version: string): Promise<Running> {
  const place = placeOf(io);
  const info = await findGateway(place);
  if (info === null) {
    throw new AppError(
      "UNAVAILABLE",
      `Sallyport does not run on ${place.stateDir}. Start the app, or \`sallyport gateway run\`.`,
    );
  }
  const rpc = await connectGateway({ ...info, version, displayName: "sallyport command line" });
  return { rpc, close: () => rpc.close() };
}

export interface Access {
  rpc: RpcClient<SallyportContract>;
  /** Whether the answers come from the running app. */
  via: "gateway" | "files";
  close(): Promise<void>;
}

/** Takes the running app when there is one; otherwise works on the files, with the same rules. */
export async function openAccess(io: CliIo, version: string): Promise<Access> {
  const place = placeOf(io);
  const info = await findGateway(place);
  if (info !== null) {
    const rpc = await connectGateway({ ...info, version, displayName: "sallyport command line" });
    // The served contract holds every method of the runtime's contract.
    return {
      rpc: rpc as unknown as RpcClient<SallyportContract>,
      via: "gateway",
      close: async () => rpc.close(),
    };
  }
  const runtime = await createRuntime({
    stateDir: place.stateDir,
    homeDir: place.homeDir,
    baseEnv: definedOnly(io.env),
    version,
    shell: "headless",
    logger: silentLogger,
    clock: systemClock,
    screenLock: { isLocked: () => false },
    startsServers: false,
  });
  const [clientEnd, serverEnd] = createMemoryPair();
  const failures: unknown[] = [];
  serve({
    contract,
    handlers: runtime.handlers,
    transport: serverEnd,
    principal: { kind: "operator", id: "cli", scopes: operatorScopes, approvalSurface: false },
    connectionId: randomUUID(),
    // There is no log to look into: the cause goes to the person.
    onInternalError: ({ error }) => failures.push(error),
  });
  return {
    rpc: withCauses(createClient(contract, clientEnd), failures),
    via: "files",
    close: async () => {
      clientEnd.close();
      await runtime.dispose();
    },
  };
}

function withCauses(rpc: RpcClient<SallyportContract>, failures: unknown[]): RpcClient<SallyportContract> {
  return {
    ...rpc,
    call: (method, input, options) =>
      rpc.call(method, input, options).catch((error: unknown) => {
        throw failures.pop() ?? error;
      }),
  };
}
