/** Commands of skills on a real runtime over a real Gateway: what policy takes away, no skill brings back. */

import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { ToolOwner } from "../../shared/policy/index.ts";
import type { Principal } from "../../shared/rpc/index.ts";
import { englishReplyWords, skillReply } from "../../shared/text/skillReply.ts";
import { silentLogger } from "../runtime/logging/logger.ts";
import type { Runtime } from "../runtime/runtimeTypes.ts";
import { connectTo, createTestRuntime, type TestConnection } from "../runtime/testing/testRuntime.ts";
import { defineTool, textResult } from "../runtime/tools/defineTool.ts";
import { createGateway, type Gateway } from "./createGateway.ts";
import { connectGateway } from "./gatewayClient.ts";

const commandInput = z.object({
  command: z.string().describe("What was typed"),
  commandName: z.string().describe("The command"),
  skillName: z.string().describe("The skill"),
});

let stateDir: string;
let ran: { tool: string; input: unknown; toolCallId: string; sessionKey: string; isOwner: boolean }[];
let runtime: Runtime;
let gateway: Gateway;
let rpc: TestConnection["rpc"];
const closers: (() => Promise<void> | void)[] = [];

interface FixtureFacts {
  ownerOnly?: boolean;
  answer?: string;
  owner?: ToolOwner;
}

function fixture(name: string, over: FixtureFacts = {}) {
  return defineTool({
    name,
    title: name,
    description: "Writes down what it was given.",
    promptLine: "Write down what is given",
    risk: "write",
    input: commandInput,
    ...(over.ownerOnly === undefined ? {} : { ownerOnly: over.ownerOnly }),
    ...(over.owner === undefined ? {} : { owner: over.owner }),
    execute: async (input, { toolCallId, sessionKey, senderIsOwner }) => {
      ran.push({ tool: name, input, toolCallId, sessionKey, isOwner: senderIsOwner });
      return over.answer === "" ? { content: [] } : textResult(over.answer ?? `ran ${input.command}`);
    },
  });
}

async function put(name: string, lines: string[], folder = "workspace/skills") {
  const place = path.join(stateDir, folder, name);
  await mkdir(place, { recursive: true });
  await writeFile(path.join(place, "SKILL.md"), ["---", ...lines, "---", "", "Text."].join("\n"));
}

const command = (tool: string, ...more: string[]) => [
  "command-dispatch: tool",
  `command-tool: ${tool}`,
  ...more,
];

async function start(config: unknown = {}, settings: unknown = {}) {
  await writeFile(path.join(stateDir, "openclaw.json"), JSON.stringify(config));
  await writeFile(path.join(stateDir, "sallyport.json5"), JSON.stringify(settings));
  runtime = await createTestRuntime(stateDir, {
    extraTools: [
      fixture("fixture_run"),
      fixture("fixture_owner", { ownerOnly: true }),
      fixture("fixture_quiet", { answer: "" }),
      fixture("files__delete", { owner: { kind: "mcp", serverId: "files" } }),
      fixture("chat_send", { owner: { kind: "channel" } }),
      fixture("kit_run", { owner: { kind: "plugin", pluginId: "kit" } }),
    ],
  });
  closers.push(() => runtime.dispose());
  gateway = await createGateway({
    runtime,
    panelDir: null,
    logger: silentLogger,
    host: "127.0.0.1",
    port: 0,
    version: "0.0.1",
  });
  closers.push(() => gateway.close());
  const token = runtime.gatewaySettings().operatorToken;
  const client = await connectGateway({ address: "127.0.0.1", port: gateway.port, token, version: "0.0.1" });
  closers.push(() => client.close());
  // The served contract holds every method of the runtime's contract.
  rpc = client as unknown as TestConnection["rpc"];
}

interface Place {
  agentId?: string;
  sessionKey?: string;
}

async function run(skill: string, args = "", place: Place = {}, by = rpc) {
  const { toolCallId } = await by.call("skills.run", { skill, args, ...place });
  return by.call("calls.wait", { toolCallId });
}

async function listed(name: string, place: Place = {}) {
  const { skills } = await rpc.call("skills.list", place);
  return skills.find((skill) => skill.name === name);
}

/** A program that may write but is not the owner. */
function connectAsWriter(): TestConnection {
  const writer: Principal = {
    kind: "operator",
    id: "device:phone",
    scopes: new Set(["operator.write"]),
    approvalSurface: false,
  };
  const connection = connectTo(runtime, writer, "writer");
  closers.push(() => connection.close());
  return connection;
}

beforeEach(async () => {
  stateDir = await mkdtemp(path.join(tmpdir(), "skill-commands-"));
  ran = [];
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  await rm(stateDir, { recursive: true, force: true });
});

describe("a command of a skill", () => {
  it("calls its tool with the text as typed, and the ledger names the skill", async () => {
    await put("deploy", command("fixture_run", "description: Ships it."));
    await start();
    const typed = `  --to "prod; rm -rf /"  $(x)  `;
    const { call, result } = await run("/deploy", typed, { sessionKey: "agent:main:main" });
    expect(call).toMatchObject({
      tool: "fixture_run",
      sessionKey: "agent:main:main",
      state: { kind: "succeeded" },
      skill: {
        name: "deploy",
        commandName: "deploy",
        path: path.join(stateDir, "workspace/skills/deploy/SKILL.md"),
      },
    });
    expect(call.toolCallId).toMatch(/^cmd_[0-9a-f-]{36}$/);
    expect(call.callerLabel).toMatch(/: \/deploy$/);
    expect(ran).toEqual([
      {
        tool: "fixture_run",
        input: { command: typed, commandName: "deploy", skillName: "deploy" },
        toolCallId: call.toolCallId,
        sessionKey: "agent:main:main",
        isOwner: true,
      },
    ]);
    expect(skillReply({ call, result }, englishReplyWords)).toEqual({ isError: false, text: `ran ${typed}` });
    const { entries } = await rpc.call("ledger.list", {});
    expect(entries.map(({ kind }) => kind)).toEqual(["call.succeeded", "call.running", "call.proposed"]);
    expect(entries.at(-1)).toMatchObject({
      toolCallId: call.toolCallId,
      data: { tool: "fixture_run", skill: { name: "deploy", commandName: "deploy" } },
    });
    expect(await listed("deploy")).toMatchObject({
      description: "Ships it.",
      tools: ["fixture_run"],
      command: { kind: "ready", tool: "fixture_run" },
    });
  });

  it("answers in our own words when the tool says nothing", async () => {
    await put("quiet", command("fixture_quiet"));
    await start();
    expect(skillReply(await run("quiet"), englishReplyWords)).toEqual({ isError: false, text: "✅ Done." });
  });

  it("is judged by the schema of the tool, which is not made wider for it", async () => {
    await put("fetch", command("web_fetch"));
    await put("status", command("session_status"));
    await start();
    const answer = await run("fetch", "http://127.0.0.1:1/");
    expect(answer.call.state).toMatchObject({ kind: "invalid", issues: [{ path: "url" }] });
    expect(skillReply(answer, englishReplyWords).text).toBe(
      "❌ web_fetch needs url; a skill's command hands over command, commandName and skillName.",
    );
    // All that session_status knows may be left out; what it does not know is dropped.
    expect((await run("status", "now")).call.state.kind).toBe("succeeded");
  });

  it("is counted by the loop guard like every other call", async () => {
    await put("again", command("fixture_run"));
    const loopDetection = {
      enabled: true,
      warningThreshold: 1,
      criticalThreshold: 2,
      globalCircuitBreakerThreshold: 3,
    };
    await start({ tools: { loopDetection } });
    for (let round = 0; round < 3; round += 1)
      expect((await run("again", "x")).call.state.kind).toBe("succeeded");
    const blocked = await run("again", "x");
    expect(blocked.call.state).toMatchObject({
      kind: "denied",
      by: { kind: "rule", ruleId: "tools.loopDetection" },
    });
    expect(skillReply(blocked, englishReplyWords).text).toMatch(/^❌ /);
    expect(ran).toHaveLength(3);
  });
});

const denied = { tools: { deny: ["fixture_run"] } };
const telegram = "agent:main:telegram:group:-100";
const withheld: [how: string, config: unknown, place: Place, code: string][] = [
  ["denied for all", denied, {}, "removedByPolicy"],
  ["denied by a pattern", { tools: { deny: ["fixture_*"] } }, {}, "removedByPolicy"],
  [
    "denied for the agent",
    { agents: { list: [{ id: "main", tools: { deny: ["fixture_run"] } }] } },
    {},
    "removedByPolicy",
  ],
  ["outside the profile", { tools: { profile: "minimal" } }, {}, "removedByPolicy"],
  ["not on a list of what the surface lacks", { tools: { allow: ["read", "exec"] } }, {}, "removedByPolicy"],
  [
    "denied in the group of the session",
    { channels: { telegram: { groups: { "-100": { tools: { deny: ["fixture_run"] } } } } } },
    { sessionKey: telegram },
    "removedByPolicy",
  ],
  [
    "withheld in the sandbox",
    {
      agents: { defaults: { sandbox: { mode: "non-main" } } },
      tools: { sandbox: { tools: { deny: ["fixture_run"] } } },
    },
    { sessionKey: "agent:main:other" },
    "removedByPolicy",
  ],
  [
    "withheld from sub-agents",
    { tools: { subagents: { tools: { deny: ["fixture_run"] } } } },
    { sessionKey: "agent:main:subagent:1" },
    "removedByPolicy",
  ],
];
const settings: [string, unknown][] = [
  ["as the product comes", {}],
  ["with the preset reference", { hardening: { preset: "reference" } }],
  ["with the rule off", { hardening: { rules: { "policy.skillDispatchThroughPipeline": false } } }],
  [
    "with the preset reference and the rule off",
    { hardening: { preset: "reference", rules: { "policy.skillDispatchThroughPipeline": false } } },
  ],
];

describe.each(settings)("what policy takes away, %s", (_title, saved) => {
  it.each(withheld)("no skill brings back: %s", async (_how, config, place, code) => {
    await put("deploy", command("fixture_run"));
    await put("nothing", command("no_such_tool"));
    await start(config, saved);
    const answer = await run("deploy", "x", place);
    expect(answer.call.state).toMatchObject({ kind: "hidden", reason: { code } });
    expect(ran).toEqual([]);
    // The same as for a tool that nobody has.
    const unknown = await run("nothing", "x", place);
    expect(unknown.call.state).toMatchObject({ kind: "hidden", reason: { code: "unknownTool" } });
    expect(answer.result).toEqual(unknown.result);
    const replies = [answer, unknown].map((each) => skillReply(each, englishReplyWords).text);
    expect(replies).toEqual(["❌ Tool not available: fixture_run", "❌ Tool not available: no_such_tool"]);
    expect(await listed("deploy", place)).toMatchObject({
      command: { kind: "unreachable", tool: "fixture_run", reason: { code } },
    });
    const { entries } = await rpc.call("ledger.list", {});
    expect(entries.filter(({ kind }) => kind === "call.hidden")).toHaveLength(2);
  });

  it("leaves the same command alone where nothing is said against it", async () => {
    await put("deploy", command("fixture_run"));
    await start(
      { channels: { telegram: { groups: { "-100": { tools: { deny: ["fixture_run"] } } } } } },
      saved,
    );
    expect((await run("deploy", "x", { sessionKey: telegram })).call.state.kind).toBe("hidden");
    expect((await run("deploy", "x")).call.state.kind).toBe("succeeded");
    expect(ran).toHaveLength(1);
  });

  it("holds a session of an MCP client to the model and the limits of that client", async () => {
    await put("deploy", command("fixture_run"));
    await start({ tools: { byProvider: { acme: { deny: ["fixture_run"] } } } }, saved);
    const { client: mapped } = await rpc.call("clients.create", { name: "mapped", agentId: "main" });
    const { client: unmapped } = await rpc.call("clients.create", { name: "unmapped" });
    const place = { sessionKey: mapped.sessionKey };
    expect((await run("deploy", "x", place)).call.state.kind).toBe("succeeded");
    await rpc.call("clients.update", { id: mapped.id, provider: "acme" });
    expect((await run("deploy", "x", place)).call.state).toMatchObject({
      kind: "hidden",
      reason: { code: "removedByPolicy" },
    });
    expect((await run("deploy", "x", { sessionKey: unmapped.sessionKey })).call.state.kind).toBe("hidden");
    // Only the key itself says whose limits count.
    for (const sessionKey of [
      `${unmapped.sessionKey}:thread:1`,
      unmapped.sessionKey.toUpperCase(),
      unmapped.sessionKey.replace(":mcp:", ":MCP:"),
      "agent:main:mcp",
      "agent:main:mcp:",
      "agent:main:mcp:nobody-000000",
    ]) {
      for (const asked of [rpc.call("skills.list", { sessionKey }), run("deploy", "x", { sessionKey })])
        await expect(asked, sessionKey).rejects.toMatchObject({
          code: "INVALID_INPUT",
          message: expect.stringContaining("sallyport clients list"),
        });
    }
    expect(ran).toHaveLength(1);
  });

  it("keeps what is the owner's from everybody else", async () => {
    await put("mine", command("fixture_owner"));
    await start({}, saved);
    const writer = connectAsWriter();
    const answer = await run("mine", "x", {}, writer.rpc);
    expect(answer.call.state).toMatchObject({ kind: "hidden", reason: { code: "removedByPolicy" } });
    expect(ran).toEqual([]);
    expect((await run("mine", "x")).call.state.kind).toBe("succeeded");
    expect(ran).toMatchObject([{ tool: "fixture_owner", isOwner: true }]);
  });

  it("never calls commands and files", async () => {
    const tools = ["exec", "bash", "Exec", "process", "read", "write", "edit", "apply_patch", "apply-patch"];
    for (const tool of tools) await put(`call-${tool}`, command(tool));
    await start({ tools: { exec: { security: "full", ask: "off" }, allow: ["*"] } }, saved);
    const target = path.join(stateDir, "workspace", "made");
    for (const tool of tools) {
      const { call } = await run(`call-${tool}`, `touch ${target}`);
      expect(call.state, tool).toMatchObject({ kind: "hidden" });
    }
    expect((await run("call-exec", "true")).call.state).toMatchObject({
      reason: { code: "notOnSkillSurface" },
    });
    expect(await listed("call-write")).toMatchObject({
      command: { kind: "unreachable", tool: "write", reason: { code: "notOnSkillSurface" } },
    });
    await expect(readFile(target)).rejects.toMatchObject({ code: "ENOENT" });
    expect((await rpc.call("approvals.list", {})).pending).toEqual([]);
  });
});

describe.each(settings)("tools that others bring, %s", (_title, saved) => {
  it("are out of reach when an MCP server or a channel brings them", async () => {
    for (const tool of ["files__delete", "chat_send"]) await put(tool, command(tool));
    await start({ tools: { allow: ["*"] } }, saved);
    for (const tool of ["files__delete", "chat_send"]) {
      const reason = { code: "notOnSkillSurface", params: { tool } };
      expect((await run(tool, "x")).call.state).toEqual({ kind: "hidden", reason });
      expect(await listed(tool)).toMatchObject({ command: { kind: "unreachable", tool, reason } });
      // The same tool, called by hand: it is there, and only the command of a skill does not get it.
      const args = { command: "x", commandName: "x", skillName: "x" };
      const { toolCallId } = await rpc.call("calls.start", { tool, args });
      expect((await rpc.call("calls.wait", { toolCallId })).call.state.kind).toBe("succeeded");
    }
    expect(ran.map(({ toolCallId }) => toolCallId.startsWith("cmd_"))).toEqual([false, false]);
  });

  it("are judged by the id of the plugin that brings them", async () => {
    await put("kit", command("kit_run"));
    await start({ agents: { list: [{ id: "main", tools: { deny: ["kit"] } }, { id: "other" }] } }, saved);
    await put("kit", command("kit_run"), "workspace-other/skills");
    expect((await run("kit", "x")).call.state.kind).toBe("hidden");
    expect((await run("kit", "x", { agentId: "other" })).call.state.kind).toBe("succeeded");
    expect(ran).toMatchObject([{ tool: "kit_run", sessionKey: "agent:other:operator" }]);
  });
});

describe("a skill without a command", () => {
  const reasonOf = async (name: string, place: Place = {}) => {
    const shown = await listed(name, place);
    const error: unknown = await run(name, "x", place).catch((thrown: unknown) => thrown);
    return { shown: shown?.command, error };
  };

  it.each<[string, string[], unknown, string, string]>([
    ["text", ["description: Words."], {}, "skillIsText", "command-dispatch: tool"],
    ["other", ["command-dispatch: prompt", "command-tool: fixture_run"], {}, "skillIsText", "calls no tool"],
    ["half", ["command-dispatch: tool"], {}, "skillWithoutTool", "needs command-tool"],
    [
      "mine",
      command("fixture_run", "user-invocable: false"),
      {},
      "skillNotInvocable",
      "user-invocable: false",
    ],
    [
      "off",
      command("fixture_run"),
      { skills: { entries: { off: { enabled: false } } } },
      "skillSwitchedOff",
      "skills.entries",
    ],
    [
      "theirs",
      command("fixture_run"),
      { agents: { list: [{ id: "main", skills: ["another"] }] } },
      "skillNotForAgent",
      "does not have the skill theirs",
    ],
  ])("is shown and refused with the reason: %s", async (name, lines, config, code, words) => {
    await put(name, lines);
    await start(config);
    const { shown, error } = await reasonOf(name);
    expect(shown).toMatchObject({ kind: "none", reason: { code, params: { skill: name } } });
    expect(error).toMatchObject({
      code: "UNAVAILABLE",
      message: expect.stringContaining(words),
      data: { reason: { code } },
    });
    expect(ran).toEqual([]);
    expect((await rpc.call("ledger.list", {})).entries).toEqual([]);
  });

  it("is refused with the agent and the way to see what there is, when it does not exist", async () => {
    await start();
    await expect(run("nope")).rejects.toMatchObject({
      code: "NOT_FOUND",
      message: expect.stringContaining("sallyport skills list"),
    });
    await expect(run("nope", "", { agentId: "stranger" })).rejects.toMatchObject({ code: "INVALID_INPUT" });
    await expect(rpc.call("skills.list", { agentId: "stranger" })).rejects.toMatchObject({
      message: expect.stringContaining("Agents: main"),
    });
  });

  it("is refused for a session of one agent with another agent's id", async () => {
    const list = [{ id: "open" }, { id: "locked", tools: { deny: ["fixture_run"] } }];
    await put("deploy", command("fixture_run"), "skills");
    await start({ agents: { list } });
    await expect(
      run("deploy", "x", { agentId: "open", sessionKey: "agent:locked:main" }),
    ).rejects.toMatchObject({ code: "INVALID_INPUT", message: expect.stringContaining("agent locked") });
    expect((await run("deploy", "x", { sessionKey: "agent:locked:main" })).call.state.kind).toBe("hidden");
    expect((await run("deploy", "x", { agentId: "Open" })).call).toMatchObject({ agentId: "open" });
    expect(ran).toHaveLength(1);
  });
});

describe("names of commands", () => {
  it("are made as OpenClaw makes them; of two with one command the nearer counts", async () => {
    await put("far", ["name: Ship It!", ...command("fixture_owner")], "skills");
    await put("near", ["name: ship-it", ...command("fixture_run")]);
    await put("zh", ["name: 部署", ...command("fixture_quiet")]);
    await put("text", ["name: ship_it", "user-invocable: false"]);
    await start();
    expect(await listed("Ship It!")).toMatchObject({
      commandName: "ship_it",
      command: { kind: "none", reason: { code: "skillNameTaken" } },
    });
    for (const asked of ["ship_it", "/ship-it", "Ship It!", "SHIP_IT"]) await run(asked, asked);
    expect(ran.map(({ tool, input }) => [tool, input])).toEqual(
      ["ship_it", "/ship-it", "Ship It!", "SHIP_IT"].map((typed) => [
        "fixture_run",
        { command: typed, commandName: "ship_it", skillName: "ship-it" },
      ]),
    );
    expect((await run("部署")).call).toMatchObject({ tool: "fixture_quiet", skill: { commandName: "部署" } });
  });

  it("run only what the person was shown", async () => {
    await put("deploy", command("fixture_run"));
    await start();
    const asked = { skill: "deploy", args: "x", tool: "fixture_run" };
    await put("deploy", command("fixture_owner"));
    await expect(rpc.call("skills.run", asked)).rejects.toMatchObject({
      message: expect.stringContaining("calls fixture_owner now, not fixture_run"),
    });
    expect(ran).toEqual([]);
  });

  it("and descriptions carry nothing that a terminal or a reader would fall for", async () => {
    await put("ansi", [
      'name: "a\u001b[31m\u202eb\u200b"',
      "description: one\u001b]0;x\u0007 two\u2028three \u{e0041}four",
      ...command("fixture_run"),
    ]);
    await put("spoof", [`name: spoof`, ...command("fixture\u200b_run")]);
    await put("long", [`description: ${"字".repeat(5_000)}`, ...command("fixture_run")]);
    await put("folded", ["description: >-", "  First", "  second.", ...command("fixture_run")]);
    await put("proto", ["name: __proto__", ...command("__proto__")]);
    await start();
    const { skills } = await rpc.call("skills.list", {});
    expect(JSON.stringify(skills)).not.toMatch(/\\u001b|\\u0007|[\u0000-\u001f\p{Cf}\u2028]/u);
    expect(await listed("folded")).toMatchObject({ description: "First second." });
    expect([...((await listed("long"))?.description ?? "")]).toHaveLength(300);
    expect((await run("spoof")).call.state).toMatchObject({
      kind: "hidden",
      reason: { code: "unknownTool" },
    });
    expect((await run("__proto__")).call.state).toMatchObject({ kind: "hidden" });
    expect(ran).toEqual([]);
  });
});
