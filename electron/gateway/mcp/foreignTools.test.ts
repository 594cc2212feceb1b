/** Tools of foreign MCP servers always pass the pipeline: a real client, the real Gateway, a real server behind it. */

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  type CallToolResult,
  McpError,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { silentLogger } from "../../runtime/logging/logger.ts";
import { createToyDesk, type ToyDesk } from "../../runtime/mcpServers/testing/toyDesk.ts";
import { createGateway, type Gateway } from "../createGateway.ts";

const token = "a-token-of-this-test-0123456789";

interface Side {
  desk: ToyDesk;
  gateway: Gateway;
  client: Client;
}

/** @param rules hardening of sallyport.json5 */
async function open(rules: Record<string, unknown>): Promise<Side> {
  const desk = await createToyDesk({
    settings: { hardening: rules },
    config: (entries) => configWith(entries.toy()),
  });
  const gateway = await createGateway({
    runtime: desk.runtime,
    panelDir: null,
    logger: silentLogger,
    host: "127.0.0.1",
    port: 0,
    version: "0.0.1",
  });
  const { token: clientToken } = await desk.panel.rpc.call("clients.create", {
    name: "agent",
    agentId: "main",
  });
  const client = new Client({ name: "agent", version: "1" });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${gateway.url}/mcp`), {
      requestInit: { headers: { Authorization: `Bearer ${clientToken}` } },
    }),
  );
  return { desk, gateway, client };
}

async function close({ desk, gateway, client }: Side): Promise<void> {
  await client.close();
  await gateway.close();
  await desk.dispose();
}

function configWith(toy: unknown, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { ...more, gateway: { auth: { token } }, mcp: { servers: { toy } } };
}

async function names(client: Client): Promise<string[]> {
  return (await client.listTools()).tools.map((tool) => tool.name).filter((name) => name.startsWith("toy__"));
}

/** @returns what the client is told, letter for letter, without the name */
async function refusal(client: Client, name: string): Promise<string> {
  try {
    const result = await client.callTool({ name, arguments: { text: "x" } });
    return `answered ${JSON.stringify(result)}`;
  } catch (error) {
    if (!(error instanceof McpError)) throw error;
    return `${error.code} ${error.message}`.replaceAll(name, "NAME");
  }
}

const agent = (tools: Record<string, unknown>) => ({ agents: { list: [{ id: "main", tools }] } });

const withheld: [string, Record<string, unknown>][] = [
  ["its name is denied", { tools: { deny: ["toy__echo"] } }],
  ["its name is denied in other letters", { tools: { deny: [" TOY__Echo "] } }],
  ["a pattern denies it", { tools: { deny: ["toy__*"] } }],
  ["its server is denied", { tools: { deny: ["toy"] } }],
  ["all plugins are denied", { tools: { deny: ["group:plugins"] } }],
  ["an allow list does not name it", { tools: { allow: ["session_status", "toy__fail"] } }],
  ["a profile does not name it", { tools: { profile: "coding" } }],
  ["the agent is denied it", agent({ deny: ["toy__echo"] })],
  ["the agent's profile does not name it", agent({ profile: "minimal" })],
  ["the sandbox does not let it in", { agents: { defaults: { sandbox: { mode: "all" } } } }],
];

const left: [string, Record<string, unknown>][] = [
  ["nothing is said", {}],
  ["its name is allowed", { tools: { allow: ["toy__echo"] } }],
  ["a pattern allows it", { tools: { allow: ["toy__e*"] } }],
  ["its server is allowed", { tools: { allow: ["toy"] } }],
  ["the profile is extended by plugins", { tools: { profile: "coding", alsoAllow: ["group:plugins"] } }],
  [
    "the sandbox lets the server in",
    {
      agents: { defaults: { sandbox: { mode: "all" } } },
      tools: { sandbox: { tools: { alsoAllow: ["toy"] } } },
    },
  ],
];

const presets: [string, Record<string, unknown>][] = [
  ["sallyport", { preset: "sallyport", rules: { "mcp.callsAsk": false } }],
  ["reference", { preset: "reference" }],
  [
    "reference with the rule of the pipeline switched off by hand",
    { preset: "reference", rules: { "policy.mcpThroughPipeline": false } },
  ],
];

describe.each(presets)("with preset %s", (_name, rules) => {
  let side: Side;
  beforeAll(async () => {
    side = await open(rules);
    // The reference starts what stands in the config.
    if (rules.preset === "sallyport") await side.desk.confirm();
    await side.desk.becomes("ready");
  });
  afterAll(() => close(side));

  it.each(left)("a tool is listed and called when %s", async (_why, more) => {
    const { desk, client } = side;
    await desk.configure(configWith(desk.toy(), more));
    expect(await names(client)).toContain("toy__echo");
    const result = (await client.callTool({
      name: "toy__echo",
      arguments: { text: "hello" },
    })) as CallToolResult;
    expect(result.isError).toBe(false);
    expect(JSON.stringify(result.content)).toContain("hello");
    expect(JSON.stringify(result.content)).toContain("EXTERNAL_UNTRUSTED_CONTENT");
  });

  it.each(withheld)(
    "a tool is neither listed nor callable, and answers as an unknown one, when %s",
    async (_why, more) => {
      const { desk, client } = side;
      await desk.configure(configWith(desk.toy(), more));
      const before = desk.calls().length;
      expect(await names(client)).not.toContain("toy__echo");
      expect(await refusal(client, "toy__echo")).toBe(await refusal(client, "toy__never-heard-of"));
      expect(await refusal(client, "toy__echo")).toMatch(/^-32602 .*Unknown tool: NAME$/);
      expect(desk.calls()).toHaveLength(before);
    },
  );

  it("a sub-agent does not get what its stage withholds", async () => {
    const { desk } = side;
    await desk.configure(configWith(desk.toy(), { tools: { subagents: { tools: { deny: ["toy"] } } } }));
    const run = async (sessionKey: string) => {
      const { toolCallId } = await desk.panel.rpc.call("calls.start", {
        tool: "toy__echo",
        args: {},
        sessionKey,
      });
      return (await desk.panel.rpc.call("calls.wait", { toolCallId })).call.state.kind;
    };
    expect(await run("agent:main:subagent:one")).toBe("hidden");
    expect(await run("agent:main:main")).toBe("succeeded");
  });

  it.runIf(process.platform === "linux")(
    "a server cannot speak to the Gateway as a person would",
    async () => {
      const { desk, gateway, client } = side;
      await desk.configure(configWith(desk.toy()));
      const address = `${gateway.url}/tools/invoke`;
      const knock = await client.callTool({ name: "toy__knock", arguments: { address, secret: token } });
      expect(JSON.stringify(knock.content)).toMatch(/---\\n403\\n/);
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      // The same from here is only a bad request.
      expect((await fetch(address, { method: "POST", body: "{}", headers })).status).toBe(400);
    },
  );

  it("HTTP does not offer it at all", async () => {
    const { desk, gateway } = side;
    await desk.configure(
      configWith(desk.toy(), { gateway: { auth: { token }, tools: { allow: ["toy__echo"] } } }),
    );
    const ask = async (tool: string) => {
      const answer = await fetch(`${gateway.url}/tools/invoke`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ tool, args: { text: "x" } }),
      });
      return [answer.status, (await answer.text()).replaceAll(tool, "NAME")];
    };
    expect(await ask("toy__echo")).toEqual(await ask("toy__never-heard-of"));
    expect((await ask("toy__echo"))[0]).toBe(404);
  });

  it("the loop guard counts its calls", async () => {
    const { desk, client } = side;
    const loopDetection = {
      enabled: true,
      warningThreshold: 1,
      criticalThreshold: 2,
      globalCircuitBreakerThreshold: 3,
    };
    await desk.configure(configWith(desk.toy(), { tools: { loopDetection } }));
    const answers: unknown[] = [];
    for (let round = 0; round < 4; round += 1)
      answers.push(
        (await client.callTool({ name: "toy__structured", arguments: { round: "same" } })).isError,
      );
    expect(answers).toEqual([false, false, false, true]);
  });
});

describe("over the Gateway", () => {
  let side: Side;
  beforeAll(async () => {
    side = await open({});
  });
  afterAll(() => close(side));

  it("a client learns of tools that come and go, and of nothing before a person confirmed the server", async () => {
    const { desk, client } = side;
    let changes = 0;
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      changes += 1;
    });
    expect(await names(client)).toEqual([]);
    expect(desk.started()).toEqual([]);
    await desk.ready();
    await expect.poll(() => changes).toBeGreaterThan(0);
    expect(await names(client)).toContain("toy__echo");
    const { tools } = await client.listTools();
    const echo = tools.find((tool) => tool.name === "toy__echo");
    expect(echo).toMatchObject({
      title: "Echo",
      description: "Tool of the MCP server toy, in the server's own words: Gives back what it was given.",
      inputSchema: { type: "object", required: ["text"] },
      // Its own claim that it only reads is not passed on.
      annotations: { readOnlyHint: false, destructiveHint: true },
    });
    const seen = changes;
    await desk.panel.rpc.call("mcpServers.stop", { name: "toy" });
    await expect.poll(() => changes).toBeGreaterThan(seen);
    expect(await names(client)).toEqual([]);
    expect(await refusal(client, "toy__echo")).toBe(await refusal(client, "toy__never-heard-of"));
  });

  it("a call waits for a person and its outcome comes back", async () => {
    const { desk, client } = side;
    await desk.panel.rpc.call("mcpServers.restart", { name: "toy" });
    await desk.becomes("ready");
    const call = client.callTool({ name: "toy__echo", arguments: { text: "asked" } });
    const request = await desk.decide("allow-once");
    expect(request).toMatchObject({ kind: "mcpCall", agentId: "main" });
    expect(JSON.stringify((await call).content)).toContain("asked");
  });
});
