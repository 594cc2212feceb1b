/** A hardening rule lets through at most what the reference lets through: the cases in which it was otherwise. */

import { describe, expect, test } from "vitest";
import { compilePolicy } from "./compile.ts";
import { whyTool } from "./debug/whyTool.ts";
import { evaluatePolicy } from "./evaluate.ts";
import { policyHardening } from "./hardening.ts";
import { subagentRoleOf } from "./subagentPolicy.ts";
import { tracePolicy } from "./trace.ts";
import type { PolicyContext, RegisteredTool } from "./types.ts";

const reference: ReadonlySet<string> = new Set();
const hardened: ReadonlySet<string> = new Set(policyHardening.map((rule) => rule.id));

const core = [
  "read",
  "write",
  "exec",
  "session_status",
  "sessions_list",
  "canvas",
  "nodes",
  "cron",
  "image",
].map((name): RegisteredTool => ({ name, owner: { kind: "core" } }));
const mcp = (serverId: string, tool: string): RegisteredTool => ({
  name: `${serverId}__${tool}`,
  owner: { kind: "mcp", serverId },
});

function run(
  config: unknown,
  context: PolicyContext,
  tools: readonly RegisteredTool[],
  hardening: ReadonlySet<string> = hardened,
): string[] {
  const compiled = compilePolicy(config, { hardening });
  const { tools: kept } = evaluatePolicy(compiled, { senderIsOwner: true, ...context }, tools);
  const rows = tracePolicy(compiled, { senderIsOwner: true, ...context }, tools).rows;
  expect(rows.filter((row) => row.verdict.kind === "kept").map((row) => row.name)).toEqual(kept);
  return kept;
}

describe("policy.mcpThroughPipeline", () => {
  test("brings no tool of a server to HTTP", () => {
    const tools = [...core, mcp("files", "rm")];
    expect(run({}, { surface: "http" }, tools, reference)).not.toContain("files__rm");
    expect(run({}, { surface: "http" }, tools)).not.toContain("files__rm");
    expect(run({}, {}, tools)).toContain("files__rm");
  });

  test.each([
    { serverId: "session_status", config: { tools: { profile: "minimal" } }, kept: ["session_status"] },
    { serverId: "read", config: { tools: { allow: ["read"] } }, kept: ["read"] },
    { serverId: " Bash ", config: { tools: { allow: ["exec"] } }, kept: ["exec"] },
    { serverId: "browser", config: { tools: { allow: ["browser", "read"] } }, kept: ["read"] },
    { serverId: "kit", config: { tools: { allow: ["kit"] } }, kept: ["kit_one"] },
    { serverId: "files", config: { tools: { allow: ["files"] } }, kept: ["files__rm"] },
    { serverId: "read", config: { tools: { allow: ["read__*"] } }, kept: ["read__rm"] },
    { serverId: "read", config: { tools: { allow: ["group:plugins"] } }, kept: ["kit_one", "read__rm"] },
  ])("a server with the id $serverId takes over no entry", ({ serverId, config, kept }) => {
    const tools = [
      ...core,
      { name: "kit_one", owner: { kind: "plugin" as const, pluginId: "kit" } },
      mcp(serverId, "rm"),
    ];
    const found = run(config, {}, tools);
    expect(found.map((name) => name.trim())).toEqual(kept.map((name) => name.trim()));
  });

  test("a deny entry of that name denies both, the tool and the server", () => {
    const tools = [...core, mcp("read", "rm")];
    const kept = run({ tools: { deny: ["read"] } }, {}, tools);
    expect(kept).not.toContain("read");
    expect(kept).not.toContain("read__rm");
  });
});

describe("policy.toolNameConflicts", () => {
  test.each(["exec", "pdf", "memory_search", "whatsapp_login", "group:fs"])(
    "leaves out a plugin with the id %s",
    (pluginId) => {
      const tools: RegisteredTool[] = [...core, { name: "evil", owner: { kind: "plugin", pluginId } }];
      expect(run({ tools: { allow: [pluginId, "read"] } }, {}, tools)).not.toContain("evil");
    },
  );

  test("keeps a shipped plugin whose id is its own tool's name", () => {
    const tools: RegisteredTool[] = [
      ...core,
      { name: "browser", owner: { kind: "plugin", pluginId: "browser" } },
    ];
    expect(run({ tools: { allow: ["browser"] } }, {}, tools)).toEqual(["browser"]);
  });
});

describe("policy.providerModelKeys", () => {
  const context: PolicyContext = { provider: "openrouter", model: "anthropic/x", agentId: "a1" };
  const kept = (byProvider: unknown, hardening = hardened) =>
    run({ tools: { byProvider } }, context, core, hardening);

  test("does not lose a deny to an entry under the longer key", () => {
    for (const other of ["anthropic/x", "openrouter"]) {
      const byProvider = { "openrouter/anthropic/x": {}, [other]: { deny: ["exec"] } };
      expect(kept(byProvider), other).not.toContain("exec");
    }
  });

  test("lets both entries limit: a tool has to be on both lists", () => {
    const byProvider = {
      "openrouter/anthropic/x": { allow: ["read", "exec"], deny: ["canvas"] },
      "anthropic/x": { allow: ["exec", "write", "canvas"] },
    };
    expect(kept(byProvider)).toEqual(["exec"]);
    expect(kept(byProvider, reference)).toEqual(["write", "exec", "canvas"]);
  });

  test("lets both profiles limit, at the agent as well", () => {
    const config = {
      tools: { byProvider: { "anthropic/x": { profile: "messaging" } } },
      agents: {
        list: [{ id: "a1", tools: { byProvider: { "openrouter/anthropic/x": { profile: "minimal" } } } }],
      },
    };
    expect(run(config, context, core)).toEqual(["session_status"]);
    expect(run(config, context, core, reference)).toEqual(["session_status", "sessions_list"]);
  });

  test("brings no optional tool into being: the longer key can only limit", () => {
    const tools: RegisteredTool[] = [
      ...core,
      { name: "opt", owner: { kind: "plugin", pluginId: "kit" }, optional: true },
    ];
    const byProvider = { "openrouter/anthropic/x": { allow: ["read", "opt"] } };
    for (const other of [{}, { "anthropic/x": { deny: ["exec"] } }]) {
      expect(run({ tools: { byProvider: { ...byProvider, ...other } } }, context, tools)).toEqual(["read"]);
    }
  });

  test("finds an entry that stands alone under the longer key", () => {
    expect(kept({ "openrouter/anthropic/x": { deny: ["exec"] } })).not.toContain("exec");
  });

  test("names the list that keeps a tool out, and mends both", () => {
    const config = {
      tools: {
        byProvider: { "openrouter/anthropic/x": { allow: ["read"] }, "anthropic/x": { allow: ["exec"] } },
      },
    };
    const compiled = compilePolicy(config, { hardening: hardened });
    const asked = { ...context, senderIsOwner: true };
    const ruleFor = (name: string) => {
      const trace = tracePolicy(compiled, asked, core);
      const column = trace.columns.findIndex(({ id }) => id === "global-provider");
      const [ruleId] = trace.rows.find((row) => row.name === name)?.cells[column]?.ruleIds ?? [];
      return trace.rules.find(({ id }) => id === ruleId)?.path;
    };
    expect(ruleFor("read")).toBe('tools.byProvider["anthropic/x"].allow');
    expect(ruleFor("exec")).toBe('tools.byProvider["openrouter/anthropic/x"].allow');
    const [best] = whyTool(compiled, config, asked, core, "write").repairs;
    expect(best?.edits.map(({ path }) => path[2])).toEqual(
      expect.arrayContaining(["anthropic/x", "openrouter/anthropic/x"]),
    );
  });
});

describe("policy.httpSubagentDepth", () => {
  const role = (context: PolicyContext, maxSpawnDepth = 1, httpCountsKey = true) =>
    subagentRoleOf(
      { agents: { defaults: { subagents: { maxSpawnDepth } } } },
      { surface: "http", ...context },
      { httpCountsKey },
    );

  test("takes the deeper of what is stored and what the key shows", () => {
    expect(role({ sessionKey: "subagent:x" })).toBe("leaf");
    expect(role({ sessionKey: "agent:a:subagent:x" }, 2)).toBe("orchestrator");
    expect(role({ sessionKey: "agent:a:subagent:x:subagent:y" }, 2)).toBe("leaf");
    expect(role({ sessionKey: "agent:a:subagent:x:subagent:y", spawnDepth: 1 }, 2)).toBe("leaf");
    expect(role({ sessionKey: "agent:a:subagent:x:subagent:y" }, 2, false)).toBe("orchestrator");
    expect(role({ sessionKey: "agent:a:subagent:x", spawnDepth: 3 }, 2)).toBe("leaf");
  });
});

describe("policy.sandboxDenyAdds", () => {
  const kept = (sandbox: unknown, own: unknown = {}, hardening = hardened) =>
    run(
      {
        tools: { sandbox: { tools: sandbox } },
        agents: { list: [{ id: "a1", tools: { sandbox: { tools: own } } }] },
      },
      { agentId: "a1", sandboxed: true },
      core,
      hardening,
    );

  test("an added deny entry brings no tool", () => {
    expect(kept({ allow: [] })).not.toContain("canvas");
    expect(kept({ allow: [], deny: ["x"] })).toEqual(kept({ allow: [] }));
    expect(kept({ allow: [], deny: ["x"] }, {}, reference)).toContain("canvas");
    expect(kept({ allow: [], deny: ["exec"] }, { deny: ["read"] })).not.toContain("exec");
    expect(kept({ allow: [], deny: ["exec"] }, { deny: ["read"] }, reference)).toContain("exec");
  });

  test("an entry of the built-in list is lifted by name, and a written deny still wins", () => {
    expect(kept({ alsoAllow: ["canvas"], deny: ["x"] })).toContain("canvas");
    expect(kept({ alsoAllow: ["canvas"], deny: ["canvas"] })).not.toContain("canvas");
  });

  test("a repair drops the written entry and lifts the built-in one", () => {
    const config = { tools: { sandbox: { tools: { deny: ["canvas"] } } } };
    const compiled = compilePolicy(config, { hardening: hardened });
    const asked = { senderIsOwner: true, sandboxed: true };
    const [best] = whyTool(compiled, config, asked, core, "canvas").repairs;
    expect(best?.edits).toEqual([
      { op: "remove", path: ["tools", "sandbox", "tools", "deny", 0] },
      { op: "set", path: ["tools", "sandbox", "tools", "alsoAllow"], value: ["canvas"] },
    ]);
  });
});
