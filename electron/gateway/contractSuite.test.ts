/** The product's contract over memory and over the Gateway's WebSocket; the same cases run over IPC in the e2e suite. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, it } from "vitest";
import { contract } from "../../shared/contract/index.ts";
import { createClient, createMemoryPair, serve } from "../../shared/rpc/index.ts";
import { silentLogger } from "../runtime/logging/logger.ts";
import type { Runtime } from "../runtime/runtimeTypes.ts";
import { createTestRuntime, testPanel } from "../runtime/testing/testRuntime.ts";
import { createGateway, type Gateway } from "./createGateway.ts";
import { type ContractPeer, contractCases } from "./testing/contractCases.ts";
import { openPanelSocket } from "./testing/panelSocket.ts";

let stateDir: string;
let runtime: Runtime;
let gateway: Gateway;

beforeAll(async () => {
  stateDir = await mkdtemp(path.join(tmpdir(), "contract-"));
  runtime = await createTestRuntime(stateDir);
  gateway = await createGateway({
    runtime,
    panelDir: stateDir,
    logger: silentLogger,
    host: "127.0.0.1",
    port: 0,
    version: "0.0.0-test",
  });
});
afterAll(async () => {
  await gateway.close();
  await runtime.dispose();
  await rm(stateDir, { recursive: true, force: true });
});

const ways: Record<string, () => Promise<ContractPeer>> = {
  memory: async () => {
    const [transport, serverSide] = createMemoryPair();
    const { handlers, events } = runtime;
    serve({
      contract,
      handlers,
      transport: serverSide,
      principal: testPanel,
      events,
      connectionId: "memory",
    });
    return { transport, rpc: createClient(contract, transport) };
  },
  WebSocket: async () => {
    const transport = await openPanelSocket(gateway);
    return { transport, rpc: createClient(contract, transport) };
  },
};

describe.each(Object.entries(ways))("the contract over %s", (_name, connect) => {
  it.each(contractCases)("$title", async ({ run }) => {
    const peer = await connect();
    try {
      await run(peer);
    } finally {
      peer.rpc.close();
    }
  });
});
