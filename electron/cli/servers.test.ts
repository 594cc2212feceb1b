/** `sallyport servers` on files alone and against a running app with a real server. */

import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Headless, startHeadless } from "../headless/startHeadless.ts";
import { silentLogger } from "../runtime/logging/logger.ts";
import { type CliHarness, createCliHarness } from "./testing/cliHarness.ts";

const toyServer = fileURLToPath(new URL("../runtime/mcpServers/testing/toyServer.mjs", import.meta.url));
let cli: CliHarness;
let headless: Headless | null;

beforeEach(async () => {
  headless = null;
  cli = await createCliHarness();
  await mkdir(cli.stateDir, { recursive: true });
  const toy = {
    command: process.execPath,
    args: [toyServer, cli.stateDir, "--token", "hunter2hunter2"],
    env: { KEY: "abcdefgh1234" },
  };
  const config = { mcp: { servers: { toy, broken: { command: "x", url: "http://h/" } } } };
  await writeFile(path.join(cli.stateDir, "openclaw.json"), JSON.stringify(config));
});

afterEach(async () => {
  await headless?.dispose();
  await cli.cleanUp();
});

async function start(): Promise<void> {
  headless = await startHeadless({
    env: cli.env,
    homeDir: cli.homeDir,
    port: 0,
    panelDir: null,
    version: "0.0.1",
    logger: silentLogger,
  });
}

const started = () => readFile(path.join(cli.stateDir, "started"), "utf8").catch(() => "");
const digest = async (): Promise<string> => {
  const { stdout } = await cli.run(["servers", "list", "--json"]);
  return JSON.parse(stdout).servers[0].digest;
};

describe("without a running app", () => {
  it("the entries are shown without secrets, and nothing is started", async () => {
    const { code, stdout } = await cli.run(["servers", "list"]);
    expect(code).toBe(0);
    expect(stdout).toContain("toy  not confirmed, so not started");
    expect(stdout).toMatch(/broken {2}cannot be started: /);
    const confirmed = await cli.run(["servers", "confirm", "toy"], { answers: ["y"] });
    expect(confirmed.code).toBe(0);
    expect(confirmed.stdout).toContain("env       KEY");
    expect(confirmed.stdout).toContain(await digest());
    expect(stdout + confirmed.stdout).not.toMatch(/hunter2|abcdefgh/);
    expect((await cli.run(["servers", "list"])).stdout).toContain("toy  stopped");
    expect((await cli.run(["servers", "restart", "toy"])).stderr).toContain("Sallyport does not run");
    expect(await started()).toBe("");
  });

  it.each([[["n"]], [[""]], [["yes please"]]])("the answer %j confirms nothing", async (answers) => {
    const { code, stderr } = await cli.run(["servers", "confirm", "toy"], { answers });
    expect([code, stderr]).toEqual([1, "Nothing was confirmed.\n"]);
    expect((await cli.run(["servers", "list"])).stdout).toContain("toy  not confirmed");
  });

  it("scripts confirm what they have seen and nothing else", async () => {
    expect((await cli.run(["servers", "confirm", "toy"])).code).toBe(2);
    const other = await cli.run(["servers", "confirm", "toy", "--digest", "0".repeat(64)]);
    expect([other.code, other.stderr]).toEqual([1, expect.stringContaining("changed after it was shown")]);
    expect((await cli.run(["servers", "confirm", "toy", "--digest", await digest()])).code).toBe(0);
    expect((await cli.run(["servers", "confirm", "none", "--digest", "x"])).stderr).toContain(
      "no server none",
    );
  });

  it.each([
    ["confirm", "toy"],
    ["withdraw", "toy"],
    ["restart", "toy"],
    ["stop", "toy"],
    ["ask-again", "toy"],
  ])("a command of an agent cannot %s", async (...args) => {
    const { code, stderr } = await cli.run(["servers", ...args], {
      env: { SALLYPORT_EXEC_ID: "1" },
      answers: ["y"],
    });
    expect([code, stderr]).toEqual([1, expect.stringContaining("A command that an agent runs may not")]);
  });
});

describe("with a running app", () => {
  it("a confirmed server starts at once, is stopped, restarted and taken back", async () => {
    await start();
    expect((await cli.run(["servers", "confirm", "toy"], { answers: ["y"] })).code).toBe(0);
    const list = async () => (await cli.run(["servers", "list"])).stdout;
    await expect.poll(list, { timeout: 20_000 }).toMatch(/toy {2}ready, process \d+/);
    expect(await list()).toContain("toy__echo  Gives back what it was given.");
    expect((await cli.run(["servers", "stop", "toy"])).stdout).toBe("toy: stopped.\n");
    expect((await cli.run(["servers", "restart", "toy"])).stdout).toMatch(/^toy: (starting|ready)/);
    const asks = await cli.run(["servers", "ask-again", "toy"]);
    expect(asks.stdout).toBe("Every call of toy asks.\n");
    const withdrawn = await cli.run(["servers", "withdraw", "toy"]);
    expect(withdrawn.stdout).toBe("toy: not confirmed, so not started.\n");
  });

  it("policy says why a tool of a server is missing", async () => {
    await start();
    await cli.run(["servers", "confirm", "toy"], { answers: ["y"] });
    await expect
      .poll(async () => (await cli.run(["servers", "list"])).stdout, { timeout: 20_000 })
      .toContain("ready");
    await cli.run(["config", "set", "tools.deny", '["toy__*"]']);
    const why = await cli.run(["policy", "why", "toy__echo"]);
    expect(why.stdout).toContain("toy__*");
    expect(why.stdout).toContain("tools.deny");
    await cli.run(["config", "unset", "tools.deny"]);
    await cli.run(["servers", "stop", "toy"]);
    expect((await cli.run(["policy", "why", "toy__echo"])).stdout).toContain(
      "The MCP server toy does not run now.",
    );
  });
});
