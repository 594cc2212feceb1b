/** `sallyport servers` on files alone and against a running app with a real server. */

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { connectGateway } from "../gateway/gatewayClient.ts";
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
  const config = {
    mcp: {
      servers: { toy, broken: { command: "x", url: "http://h/" }, off: { command: "x", enabled: false } },
    },
  };
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

/** Calls the tool by hand and answers Always when it is asked. */
async function allowAlways(tool: string): Promise<void> {
  if (headless === null) throw new Error("no app runs");
  const token = headless.runtime.gatewaySettings().operatorToken;
  const rpc = await connectGateway({
    address: "127.0.0.1",
    port: headless.gateway.port,
    token,
    version: "1",
  });
  try {
    await rpc.call("approvals.attend", {});
    const { toolCallId } = await rpc.call("calls.start", { tool, args: { text: "x" } });
    await expect.poll(async () => (await rpc.call("approvals.list", {})).pending.length).toBe(1);
    const listed = await cli.run(["approvals", "pending"]);
    expect(listed.stdout).toMatch(/ {2}toy__echo of server toy {2}\{"text":"x"\}\n/);
    const id = /^\w+/.exec(listed.stdout)?.[0] ?? "";
    expect((await cli.run(["approvals", "resolve", id, "allow-always", "--yes"])).code).toBe(0);
    await rpc.call("calls.wait", { toolCallId });
    expect((await cli.run(["approvals", "history"])).stdout).toMatch(
      / {4}toy__echo of server toy {2}\{"text"/,
    );
  } finally {
    rpc.close();
  }
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
    expect(stdout).toContain("toy  not confirmed, so not started: sallyport servers confirm toy\n");
    expect(stdout).toMatch(/^off {2}off in the config$/m);
    expect(stdout).toMatch(/broken {2}cannot be started: /);
    const confirmed = await cli.run(["servers", "confirm", "toy"], { answers: ["y"] });
    expect(confirmed.code).toBe(0);
    expect(confirmed.stdout).toContain("env       KEY");
    expect(confirmed.stdout).toContain(await digest());
    expect(confirmed.stdout).toContain("toy is confirmed. No app runs; it starts with the next one.\n");
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

  it.each([
    ["broken", "broken cannot be started: it has both command and url; keep one of them"],
    ["off", "off is off in the config: the entry says enabled: false"],
  ])("nobody is asked about %s, which cannot be started", async (name, why) => {
    for (const more of [[], ["--digest", "0".repeat(64)]]) {
      const { code, stdout, stderr } = await cli.run(["servers", "confirm", name, ...more], {
        answers: ["y"],
      });
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toContain(`${why} (openclaw.json mcp.servers.${name}, line 1)`);
    }
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
    const withdrawn = await cli.run(["servers", "withdraw", "toy"]);
    expect(withdrawn.stdout).toBe("toy: not confirmed, so not started.\n");
  });

  it("what runs without asking is taken back by either name of the tool, and no other is", async () => {
    const again = (...more: string[]) => cli.run(["servers", "ask-again", "toy", ...more]);
    await start();
    expect(await again()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("toy is not confirmed."),
    });
    await cli.run(["servers", "confirm", "toy"], { answers: ["y"] });
    const list = async () => (await cli.run(["servers", "list"])).stdout;
    await expect.poll(list, { timeout: 20_000 }).toMatch(/toy {2}ready/);
    expect((await again("--tool", "echo", "--agent", "main")).stdout).toBe(
      "Nothing was changed: nothing was stored about toy__echo of toy and agent main.\nEvery call of toy asks.\n",
    );
    const unknown = await again("--tool", "nonsense");
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toMatch(/toy has no tool nonsense\. Tools: .*toy__echo.* Nothing was changed\./);
    for (const name of ["echo", "toy__echo"]) {
      await allowAlways("toy__echo");
      expect(await list()).toContain("[does not ask for main]");
      expect((await again("--tool", "toy__blocks")).stdout).toBe(
        "Nothing was changed: nothing was stored about toy__blocks of toy and any agent.\n" +
          "Calls that still run without asking: toy__echo (main)\n",
      );
      expect((await again("--tool", name)).stdout).toBe(
        "Taken back: 1 word about toy__echo of toy and any agent.\nEvery call of toy asks.\n",
      );
    }
  });

  it("an address where nobody listens is named", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    await new Promise((resolve) => server.close(resolve));
    const servers = {
      closed: { url: `http://127.0.0.1:${port}/sse` },
      away: { url: "http://127.0.0.1:1/mcp", transport: "streamable-http" },
    };
    await writeFile(path.join(cli.stateDir, "openclaw.json"), JSON.stringify({ mcp: { servers } }));
    await start();
    for (const name of ["closed", "away"]) await cli.run(["servers", "confirm", name], { answers: ["y"] });
    const list = async () => (await cli.run(["servers", "list"])).stdout;
    await expect
      .poll(list, { timeout: 20_000 })
      .toContain(`closed  failed: nothing answers at 127.0.0.1:${port} (connection refused)`);
    await expect
      .poll(list, { timeout: 20_000 })
      .toContain("away  failed: web requests may not use port 1; let the server listen on another one");
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
