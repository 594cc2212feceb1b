/** The debugger's questions, the assertions and `tools.effective` in a real runtime. */

import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { contract } from "../../../shared/contract/index.ts";
import { listKnownTools, promptOrder } from "../../../shared/policy/index.ts";
import {
  createClient,
  createMemoryPair,
  type RpcClient,
  type Scope,
  serve,
} from "../../../shared/rpc/index.ts";
import { operatorScopes, type Runtime } from "../runtimeTypes.ts";
import { createTestRuntime } from "../testing/testRuntime.ts";

let stateDir: string;
let runtime: Runtime;
let rpc: RpcClient<typeof contract>;
const closers: (() => void)[] = [];

const config = `{
  // mine
  tools: { profile: "coding" },
  agents: { list: [
    { id: "coder", default: true },
    { id: "support", tools: { profile: "messaging", deny: ["group:runtime"] } },
  ] },
}
`;

function connect(scopes: ReadonlySet<Scope> = operatorScopes): RpcClient<typeof contract> {
  const [clientSide, serverSide] = createMemoryPair();
  closers.push(
    serve({
      contract,
      handlers: runtime.handlers,
      transport: serverSide,
      principal: { kind: "operator", id: "operator:test", scopes, approvalSurface: false },
      events: runtime.events,
      connectionId: `test-${closers.length}`,
    }),
  );
  return createClient(contract, clientSide);
}

async function start(settings?: string): Promise<void> {
  await writeFile(path.join(stateDir, "openclaw.json"), config);
  if (settings !== undefined) await writeFile(path.join(stateDir, "sallyport.json5"), settings);
  runtime = await createTestRuntime(stateDir);
  rpc = connect();
}

beforeEach(async () => {
  stateDir = await mkdtemp(path.join(tmpdir(), "policy-running-"));
});
afterEach(async () => {
  for (const close of closers.splice(0)) close();
  await runtime?.dispose();
  await rm(stateDir, { recursive: true, force: true });
});

const savedText = () => readFile(path.join(stateDir, "openclaw.json"), "utf8");
const ledgerKinds = async () =>
  (await rpc.call("ledger.list", { limit: 50 })).entries.map((entry) => entry.kind);

describe("questions", () => {
  it("says why a tool is missing with its line, and the offered edit brings it back", async () => {
    await start();
    const context = { agentId: "support", senderIsOwner: true, surface: "model" } as const;
    const { answer, positions } = await rpc.call("policy.why", { tool: "exec", context });
    expect(answer).toMatchObject({ name: "exec", state: "removed", unmet: [] });
    expect(answer.removers.map((remover) => [remover.column, remover.decides])).toEqual([
      ["profile", true],
      ["agent", false],
    ]);
    expect(positions["agents.list[1].tools.deny[0]"]?.line).toBe(6);
    const [best] = answer.repairs;
    expect(best?.edits.length).toBeGreaterThan(0);
    expect(answer.repairs.every((repair) => repair.contextsChecked > 0)).toBe(true);
  });

  it("asks about a text instead of the saved config, and says when a part of it is not enough", async () => {
    await start();
    const { answer, preset } = await rpc.call("policy.why", {
      tool: "browser",
      context: { agentId: "a", surface: "model" },
      preset: "reference",
      configText: '{ tools: { deny: ["browser"] }, agents: { list: [{ id: "a" }] } }',
      layer: ["agents", "list", 0],
    });
    expect(preset).toBe("reference");
    expect(answer.layer).toMatchObject({ canRepair: false, removersOutside: ["tools.allow"] });
    await expect(
      rpc.call("policy.why", { tool: "x", context: { surface: "model" }, configText: "{ tools: " }),
    ).rejects.toMatchObject({ code: "INVALID_INPUT" });
    const unknown = await rpc.call("policy.why", { tool: "exce", context: { surface: "model" } });
    expect(unknown).toMatchObject({ answer: { state: "unknown" }, suggestion: "exec" });
  });

  it("compares two agents, and a saved config with an edited one", async () => {
    await start();
    const support = { agentId: "support", surface: "model" } as const;
    const coder = { agentId: "coder", surface: "model" } as const;
    const agents = await rpc.call("policy.compare", { a: { context: coder }, b: { context: support } });
    expect(agents.comparison.lost).toContain("exec");
    expect(agents.text.find((line) => line.startsWith("- exec:"))).toContain("in A kept; in B removed at");
    const edited = await rpc.call("policy.compare", {
      a: { context: support },
      b: {
        context: support,
        configText: config.replace('"messaging"', '"coding"').replace("group:runtime", "x"),
      },
    });
    expect(edited.comparison.gained).toContain("exec");
  });

  it("proves and refutes, and says what was told apart", async () => {
    await start();
    const report = await rpc.call("policy.check", {
      assertions: "never support: exec\nnever *: exec\nperhaps\n",
    });
    expect(report.counts).toEqual({ proved: 1, refuted: 1, invalid: 1 });
    expect(report.classes.find((one) => one.dimension === "agent")?.values).toContain("support");
    const refuted = report.results.find((result) => result.kind === "refuted");
    expect(refuted).toMatchObject({ tool: "exec", line: 2, context: { agentId: "coder" } });
  });

  it("finds slips with their place", async () => {
    await start();
    const { findings, positions } = await rpc.call("policy.findings", {
      context: { agentId: "a", surface: "model" },
      configText: '{\n  tools: { deny: ["exce"] } }',
    });
    expect(findings[0]).toMatchObject({ kind: "deny-names-nothing", suggestion: "exec" });
    expect(findings[0]?.text).toContain("exce");
    expect(positions["tools.deny[0]"]?.line).toBe(2);
  });

  it("finds a skill of the agent none of whose tools is left, and none of an agent that has them", async () => {
    await start();
    const folder = path.join(stateDir, "workspace-support", "skills", "tidy");
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, "SKILL.md"), "---\nname: tidy\nallowed-tools: [exec, process]\n---\n");
    const idle = async (agentId: string, configText?: string) => {
      const context = { agentId, surface: "model" as const };
      const asked = configText === undefined ? { context } : { context, configText };
      const { findings } = await rpc.call("policy.findings", asked);
      return findings.filter(({ kind }) => kind === "skill-without-tools");
    };
    const [found, ...more] = await idle("support");
    expect(more).toEqual([]);
    expect(found?.text).toBe(
      `${path.join(folder, "SKILL.md")}: the skill "tidy" has none of its tools in this context: "exec", "process".`,
    );
    expect(await idle("coder")).toEqual([]);
    expect(await idle("support", "{ tools: {} }")).toEqual([]);
    expect(await idle("support", '{ tools: { deny: ["exec", "process"] } }')).toHaveLength(1);
    const off = `{ tools: { deny: ["group:runtime"] }, skills: { entries: { tidy: { enabled: false } } } }`;
    expect(await idle("support", off)).toEqual([]);
  });
});

describe("what a caller sees", () => {
  it("is listed in the order of the schema, and told in the order of the prompt", async () => {
    await start();
    const { tools, instructions } = runtime.tools.listTools({
      id: "mcp:x",
      label: "x",
      agentId: "coder",
      sessionKey: "agent:coder:mcp:x",
      isOwner: true,
      provider: "openai",
      model: "gpt-5.2",
      surface: "mcp",
    });
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(["read", "edit", "write", "exec", "session_status", "web_fetch"]),
    );
    const known = listKnownTools({}, { provider: "openai", model: "gpt-5.2" }).map(({ name }) => name);
    const listed = names.filter((name) => known.includes(name));
    expect(listed).toEqual(known.filter((name) => names.includes(name)));
    const told = [...instructions.matchAll(/^- ([\w-]+): /gmu)].map(([, name]) => name);
    expect(told).toEqual(promptOrder(names));
    expect(told).not.toEqual(names);
  });
});

describe("assertions at save time", () => {
  const rules = "never support: exec\nalways coder: exec";

  it("with block, refuses the write and gives the refuting context; nothing is written", async () => {
    await start();
    await rpc.call("policy.assertions.set", { text: rules, onFail: "block" });
    expect(await rpc.call("policy.assertions.get", {})).toEqual({ text: rules, onFail: "block" });
    const { hash } = await rpc.call("config.get", {});
    const before = await savedText();
    const loosened = before.replace('"messaging", deny: ["group:runtime"]', '"coding"');
    await expect(rpc.call("config.set", { raw: loosened, baseHash: hash })).rejects.toMatchObject({
      code: "INVALID_INPUT",
      message: expect.stringContaining("never support: exec"),
      data: {
        reason: "assertionsRefuted",
        results: [
          expect.objectContaining({ tool: "exec", context: expect.objectContaining({ agentId: "support" }) }),
        ],
      },
    });
    await expect(
      rpc.call("config.setPath", { path: "tools.profile", value: "minimal", ignoreWarnings: true }),
    ).rejects.toMatchObject({ data: { reason: "assertionsRefuted" } });
    expect(await savedText()).toBe(before);
    expect(await ledgerKinds()).toContain("assertions.blocked");
    // What keeps the promises is written as ever.
    const view = await rpc.call("config.setPath", { path: "tools.deny", value: ["write"] });
    expect(view).not.toHaveProperty("warnings");
  });

  it("with warn, writes, reports, notes it in the ledger and tells the panels", async () => {
    await start(`{ assertions: { text: "never support: exec", onFail: "warn" } }`);
    const checked = new Promise((resolve) => {
      closers.push(rpc.on("policy.assertionsChecked", resolve));
    });
    const view = await rpc.call("config.setPath", {
      path: "agents.list.1.tools",
      value: { profile: "coding" },
    });
    expect(view.warnings).toMatchObject([{ kind: "refuted", tool: "exec" }]);
    expect(await savedText()).toContain("// mine");
    expect(await checked).toMatchObject({ trigger: "config", counts: { refuted: 1 } });
    expect(await ledgerKinds()).toContain("assertions.refuted");
    const again = await rpc.call("config.setPath", {
      path: "tools.deny",
      value: ["write"],
      ignoreWarnings: true,
    });
    expect(again).not.toHaveProperty("warnings");
  });

  it("checks again when the settings file changes the promises or the rules", async () => {
    await start();
    const checked = new Promise((resolve) => {
      closers.push(rpc.on("policy.assertionsChecked", resolve));
    });
    await writeFile(
      path.join(stateDir, "sallyport.json5"),
      `{ assertions: { text: ["never coder: exec", "never support: exec"] } }`,
    );
    expect(await checked).toMatchObject({ trigger: "settings", counts: { proved: 1, refuted: 1 } });
  });

  it("does not save lines that it cannot read, nor, with block, promises that are broken already", async () => {
    await start();
    const set = (text: string, onFail: "block" | "warn") =>
      rpc.call("policy.assertions.set", { text, onFail });
    await expect(set("perhaps coder: exec", "warn")).rejects.toMatchObject({
      data: { reason: "assertionsInvalid" },
    });
    await expect(set("never coder: exec", "block")).rejects.toMatchObject({
      data: { reason: "assertionsRefuted" },
    });
    expect((await rpc.call("policy.assertions.get", {})).text).toBe("");
    expect((await set("never coder: exec", "warn")).counts).toEqual({ proved: 0, refuted: 1, invalid: 0 });
  });
});

describe("tools.effective", () => {
  it("answers for sessions of clients and of people, and for no other", async () => {
    await start();
    const { client } = await rpc.call("clients.create", { name: "tester", agentId: "support" });
    const ofClient = await rpc.call("tools.effective", { sessionKey: client.sessionKey });
    expect(ofClient).toMatchObject({ agentId: "support", profile: "messaging" });
    const ofPanel = await rpc.call("tools.effective", { sessionKey: "agent:coder:panel", agentId: "Coder" });
    expect(ofPanel.groups[0]).toMatchObject({ id: "core", label: "Built-in tools" });
    expect(ofPanel.groups[0]?.tools.map((tool) => tool.id)).toContain("exec");
    await expect(rpc.call("tools.effective", { sessionKey: "agent:coder:nobody" })).rejects.toMatchObject({
      code: "INVALID_INPUT",
      message: expect.stringContaining("unknown session key"),
    });
    await expect(
      rpc.call("tools.effective", { sessionKey: "agent:coder:panel", agentId: "support" }),
    ).rejects.toMatchObject({ code: "INVALID_INPUT" });
  });
});
