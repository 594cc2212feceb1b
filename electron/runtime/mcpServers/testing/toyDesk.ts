/** For tests: a runtime whose config names a toy server, and a person at the panel. */

import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, vi } from "vitest";
import type { ApprovalRequest, McpServer } from "../../../../shared/contract/index.ts";
import type { Runtime } from "../../runtimeTypes.ts";
import { connectTo, createTestRuntime, type TestConnection } from "../../testing/testRuntime.ts";

const programs = dirname(fileURLToPath(import.meta.url));

/** A bound, not an expectation. */
const patience = { timeout: 20_000, interval: 20 };

export interface ToyDesk {
  stateDir: string;
  runtime: Runtime;
  panel: TestConnection;
  /** An entry of `mcp.servers` that runs the toy in the state directory. */
  toy(more?: Record<string, unknown>): Record<string, unknown>;
  hostile(mode: string): Record<string, unknown>;
  /** Replaces openclaw.json as a person would. */
  configure(config: Record<string, unknown>): Promise<void>;
  server(name?: string): Promise<McpServer>;
  /** Waits, bounded, until the server is in this state. */
  becomes(kind: McpServer["state"]["kind"], name?: string): Promise<McpServer>;
  confirm(name?: string): Promise<McpServer>;
  /** Confirms the server and waits until it is ready. */
  ready(name?: string): Promise<McpServer>;
  /** The one request that waits for a person. */
  request(): Promise<ApprovalRequest>;
  decide(decision: "allow-once" | "allow-always" | "deny"): Promise<ApprovalRequest>;
  /** Process ids of the servers that were started, in order. */
  started(): number[];
  /** What the toy was called with. */
  calls(): { name: string; args: unknown }[];
  dispose(): Promise<void>;
}

/** @param settings of sallyport.json5; a person is reachable unless it says so */
export async function createToyDesk(
  options: {
    settings?: Record<string, unknown>;
    config?: (desk: Pick<ToyDesk, "toy" | "hostile">) => Record<string, unknown>;
  } = {},
): Promise<ToyDesk> {
  const stateDir = mkdtempSync(join(tmpdir(), "sallyport-toy-"));
  const entries = {
    toy: (more: Record<string, unknown> = {}) => ({
      command: process.execPath,
      args: [join(programs, "toyServer.mjs"), stateDir],
      ...more,
    }),
    hostile: (mode: string) => ({
      command: process.execPath,
      args: [join(programs, "hostileServer.mjs"), mode, stateDir],
    }),
  };
  const config = options.config?.(entries) ?? { mcp: { servers: { toy: entries.toy() } } };
  writeFileSync(join(stateDir, "openclaw.json"), JSON.stringify(config));
  const settings = { gateway: { waitForOperator: true }, ...options.settings };
  writeFileSync(join(stateDir, "sallyport.json5"), JSON.stringify(settings), { mode: 0o600 });
  const runtime = await createTestRuntime(stateDir);
  const panel = connectTo(runtime);

  const server = async (name = "toy") => {
    const { servers } = await panel.rpc.call("mcpServers.list", {});
    const found = servers.find((one) => one.name === name);
    if (found === undefined) throw new Error(`no server ${name}`);
    return found;
  };
  const becomes = async (kind: McpServer["state"]["kind"], name = "toy") => {
    await vi.waitFor(async () => expect((await server(name)).state.kind).toBe(kind), patience);
    return server(name);
  };
  const confirm = async (name = "toy") =>
    panel.rpc.call("mcpServers.confirm", { name, digest: (await server(name)).digest });
  const linesOf = (file: string) => {
    try {
      return readFileSync(join(stateDir, file), "utf8").trim().split("\n");
    } catch {
      // Nothing wrote it yet.
      return [];
    }
  };
  const request = async () => {
    const pending = async () => (await panel.rpc.call("approvals.list", {})).pending;
    await vi.waitFor(async () => expect(await pending()).toHaveLength(1), patience);
    const [one] = await pending();
    if (one === undefined) throw new Error("it no longer waits");
    return one;
  };

  return {
    stateDir,
    runtime,
    panel,
    ...entries,
    async configure(next) {
      const { hash } = await panel.rpc.call("config.get", {});
      await panel.rpc.call("config.set", { raw: JSON.stringify(next), baseHash: hash });
    },
    server,
    becomes,
    confirm,
    async ready(name = "toy") {
      await confirm(name);
      return becomes("ready", name);
    },
    request,
    async decide(decision) {
      const waiting = await request();
      await panel.rpc.call("approvals.resolve", { id: waiting.id, decision, digest: waiting.digest });
      return waiting;
    },
    started: () => linesOf("started").map(Number),
    calls: () => linesOf("calls").map((line) => JSON.parse(line)),
    async dispose() {
      panel.close();
      await runtime.dispose();
      await rm(stateDir, { recursive: true, force: true });
    },
  };
}
