/** Pausing and resuming an agent from the terminal, against a running headless Sallyport. */

import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { connectGateway } from "../gateway/gatewayClient.ts";
import { type Headless, startHeadless } from "../headless/startHeadless.ts";
import { silentLogger } from "../runtime/logging/logger.ts";
import { type CliHarness, createCliHarness } from "./testing/cliHarness.ts";

let cli: CliHarness;
let headless: Headless | null;

beforeEach(async () => {
  cli = await createCliHarness();
  await mkdir(cli.stateDir, { recursive: true });
  await writeFile(
    path.join(cli.stateDir, "openclaw.json"),
    '{ tools: { profile: "coding", exec: { security: "allowlist", ask: "on-miss" } } }',
  );
  headless = await startHeadless({
    env: cli.env,
    homeDir: cli.homeDir,
    port: 0,
    panelDir: null,
    version: "0.0.1",
    logger: silentLogger,
  });
});

afterEach(async () => {
  await headless?.dispose();
  await cli.cleanUp();
});

describe("pausing from the terminal", () => {
  it("denies the agent's commands until it is resumed", async () => {
    const running = headless;
    if (running === null) throw new Error("unreachable");
    const rpc = await connectGateway({
      address: "127.0.0.1",
      port: running.gateway.port,
      token: running.runtime.gatewaySettings().operatorToken,
      version: "1",
    });
    try {
      const paused = await cli.run(["approvals", "pause", "main"]);
      expect(paused.stdout).toBe("Paused: main. What waits or runs already is left as it is.\n");
      const { toolCallId } = await rpc.call("calls.start", { tool: "exec", args: { command: "uname -s" } });
      const ended = await rpc.call("calls.wait", { toolCallId });
      expect(ended.call.state).toMatchObject({ kind: "denied", reason: { code: "agentPaused" } });

      const byAgent = await cli.run(["approvals", "resume", "main"], { env: { OPENCLAW_SHELL: "exec" } });
      expect(byAgent.code).toBe(1);
      const resumed = await cli.run(["approvals", "resume", "main", "--json"]);
      expect(JSON.parse(resumed.stdout)).toEqual({ resumed: true, paused: [] });
      expect((await cli.run(["approvals", "resume", "main"])).stdout).toBe("main was not paused.\n");
    } finally {
      rpc.close();
    }
  });

  it("refuses a name that no agent has, and says when nothing runs that could keep the pause", async () => {
    const unknown = await cli.run(["approvals", "pause", "mian"]);
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining("There is no agent mian")]);
    await headless?.dispose();
    headless = null;
    expect((await cli.run(["approvals", "pause", "main"])).code).not.toBe(0);
  });
});
