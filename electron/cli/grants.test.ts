/** Grants and edited commands from the terminal, against a running headless Sallyport. */

import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { connectGateway } from "../gateway/gatewayClient.ts";
import { type Headless, startHeadless } from "../headless/startHeadless.ts";
import { silentLogger } from "../runtime/logging/logger.ts";
import { type CliHarness, createCliHarness } from "./testing/cliHarness.ts";

let cli: CliHarness;
let headless: Headless;
let rpc: Awaited<ReturnType<typeof connectGateway>>;

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
  rpc = await connectGateway({
    address: "127.0.0.1",
    port: headless.gateway.port,
    token: headless.runtime.gatewaySettings().operatorToken,
    version: "1",
  });
  await rpc.call("approvals.attend", {});
});

afterEach(async () => {
  rpc.close();
  await headless.dispose();
  await cli.cleanUp();
});

/** @returns the id of the waiting request and how its call ends */
async function ask(command: string) {
  const { toolCallId } = await rpc.call("calls.start", { tool: "exec", args: { command } });
  await expect.poll(async () => (await rpc.call("approvals.list", {})).pending.length).toBe(1);
  const [request] = (await rpc.call("approvals.list", {})).pending;
  return { id: request?.id ?? "", ended: () => rpc.call("calls.wait", { toolCallId }) };
}

describe("grants from the terminal", () => {
  it("are saved with a decision, listed and revoked", async () => {
    const { id, ended } = await ask("uname -s");
    const resolve = [
      "approvals",
      "resolve",
      id,
      "allow-always",
      "--yes",
      "--minutes",
      "30",
      "--scope",
      "program",
    ];
    const saved = await cli.run(resolve);
    expect(saved.stdout).toMatch(/allowed always by cli\.\nSaved grant [0-9a-f]{8}\./);
    expect(saved.stderr).toContain("scope     exactCommand: [");
    expect((await ended()).result?.isError).toBe(false);

    const listed = await cli.run(["approvals", "grants", "list"]);
    expect(listed.stdout).toMatch(/^[0-9a-f]{8} {2}agent main {2}30 min\n.*uname\] …/);
    const { grants } = JSON.parse((await cli.run(["approvals", "grants", "list", "--json"])).stdout);
    expect(grants).toHaveLength(1);
    const refused = await cli.run(["approvals", "grants", "revoke", grants[0].id], {
      env: { OPENCLAW_SHELL: "exec" },
    });
    expect(refused.code).toBe(1);
    const revoked = await cli.run(["approvals", "grants", "revoke", grants[0].id.slice(0, 8)]);
    expect(revoked.stdout).toContain("Revoked");
    expect((await cli.run(["approvals", "grants", "list"])).stdout).toBe("No grants.\n");
    expect((await cli.run(["approvals", "grants", "revoke", "12345678"])).code).toBe(1);
  });

  it("need one lifetime, a scope that is offered, and allow-always", async () => {
    const { id, ended } = await ask("uname -s");
    for (const [code, ...words] of [
      [2, "allow-once", "--session"],
      [2, "allow-always", "--session", "--agent"],
      [2, "allow-always", "--minutes", "0"],
      [2, "allow-always", "--scope", "program"],
      [1, "allow-always", "--session", "--scope", "nothing"],
      [2, "allow-always", "--edit", "uname -r"],
    ] as const) {
      const run = await cli.run(["approvals", "resolve", id, ...words, "--yes"]);
      expect([run.code, words], run.stderr).toEqual([code, words]);
    }
    await cli.run(["approvals", "resolve", id, "deny"]);
    await ended();
  });

  it("runs an edited command after showing what both gates make of it", async () => {
    const { id, ended } = await ask("echo asked");
    const refused = await cli.run([
      "approvals",
      "resolve",
      id,
      "allow-once",
      "--yes",
      "--edit",
      "sallyport approvals resolve x allow-once",
    ]);
    expect(refused.code).toBe(1);
    const done = await cli.run(["approvals", "resolve", id, "allow-once", "--yes", "--edit", "echo edited"]);
    expect(done.stderr).toMatch(/asked for echo asked\n {2}command {3}echo edited/);
    expect(done.stdout).toContain("Ran echo edited instead.");
    const { result } = await ended();
    expect(JSON.stringify(result?.content)).toContain("Edited by operator");
  });
});
