/** Where the reference fails open, the hardened rules restrict as written. */

import { describe, expect, test } from "vitest";
import { canBackground, skillDispatchTools } from "./background.ts";
import { compilePolicy } from "./compile.ts";
import { applyEdits } from "./debug/configEdits.ts";
import { evaluatePolicy } from "./evaluate.ts";
import { describeFinding } from "./explain.ts";
import { policyHardening } from "./hardening.ts";
import { resolveSessionVisibility } from "./sessionTools.ts";
import type { PolicyContext, RegisteredTool } from "./types.ts";

const tools: RegisteredTool[] = [
  ...["read", "write", "exec", "process", "sessions_list", "session_status", "cron"].map(
    (name): RegisteredTool => ({ name, owner: { kind: "core" } }),
  ),
  { name: "browser", owner: { kind: "plugin", pluginId: "browser" } },
  { name: "kit_one", owner: { kind: "plugin", pluginId: "kit" } },
];

function run(
  config: unknown,
  rules: string[],
  context: PolicyContext = { senderIsOwner: true },
  list = tools,
) {
  return evaluatePolicy(compilePolicy(config, { hardening: new Set(rules) }), context, list);
}

describe("policy.strictLists", () => {
  test.each([
    { name: "a plugin tool alone", allow: ["browser"], strict: ["browser"] },
    { name: "a plugin id alone", allow: ["kit"], strict: ["kit_one"] },
    { name: "all plugins", allow: ["group:plugins"], strict: ["browser", "kit_one"] },
    { name: "a pattern alone", allow: ["sessions_*"], strict: ["sessions_list"] },
    { name: "a group of plugin tools that are not there", allow: ["group:memory"], strict: [] },
    { name: "unknown names", allow: ["ghost", "phantom"], strict: [] },
  ])("restricts to what the list names when it names only $name", ({ allow, strict }) => {
    const config = { tools: { allow } };
    expect(run(config, []).tools).toHaveLength(tools.length);
    expect(run(config, ["policy.strictLists"]).tools).toEqual(strict);
  });

  test("reports the same fact on both presets and says whether it was enforced", () => {
    const config = { tools: { allow: ["browser"] } };
    const [open] = run(config, []).findings;
    const [strict] = run(config, ["policy.strictLists"]).findings;
    expect(open).toMatchObject({
      kind: "list-stripped",
      failsOpen: true,
      enforced: false,
      path: "tools.allow",
    });
    expect(strict).toMatchObject({
      kind: "list-stripped",
      failsOpen: true,
      enforced: true,
      path: "tools.allow",
    });
    expect(open?.fix).toEqual([{ op: "insert", path: ["tools", "allow", 1], value: "session_status" }]);
    const mended = applyEdits(config, open?.fix ?? []);
    expect(run(mended, []).findings.filter(({ failsOpen }) => failsOpen)).toEqual([]);
    expect(run(mended, []).tools).toEqual(["session_status", "browser"]);
  });

  test("limits to a profile even when none of its tools is there", () => {
    const few = tools.slice(0, 2);
    const config = { tools: { profile: "minimal" } };
    const open = run(config, [], {}, few);
    expect(open.tools).toEqual(["read", "write"]);
    expect(open.findings.map((finding) => finding.kind)).toEqual(["profile-without-core"]);
    expect(run(config, ["policy.strictLists"], {}, few).tools).toEqual([]);
  });

  test("does not warn about plugin names, groups and patterns that name something", () => {
    const config = { tools: { allow: ["read", "sessions_*", "kit", "ghost"] } };
    expect(run(config, []).warnings[0]?.entries).toEqual(["sessions_*", "ghost"]);
    expect(run(config, ["policy.strictLists"]).warnings).toEqual([
      { stage: "tools.allow", kind: "unknown", stripped: false, entries: ["ghost"] },
    ]);
  });

  test("leaves an empty list and alsoAllow without limit", () => {
    expect(run({ tools: { allow: [" "] } }, ["policy.strictLists"]).tools).toHaveLength(tools.length);
    expect(run({ tools: { alsoAllow: ["ghost"] } }, ["policy.strictLists"]).tools).toHaveLength(tools.length);
  });
});

describe("findings", () => {
  test("name the nearest known name and the edit that corrects a typing slip", () => {
    const [finding] = run({ tools: { allow: ["read", "browsre"] } }, []).findings;
    expect(finding).toMatchObject({ kind: "unknown-entry", suggestion: "browser" });
    expect(finding?.fix).toEqual([{ op: "set", path: ["tools", "allow", 1], value: "browser" }]);
    if (finding !== undefined) expect(describeFinding(finding)).toContain('Did you mean "browser"?');
  });

  test("tell a pattern, a gated tool and an unknown profile apart", () => {
    const kinds = (config: unknown) => run(config, []).findings.map((finding) => finding.kind);
    // One list, one finding, however many patterns it consists of.
    expect(kinds({ tools: { allow: ["sessions_*"] } })).toEqual(["pattern-not-core"]);
    expect(kinds({ tools: { allow: ["sessions_*", "read"] } })).toEqual(["pattern-not-core"]);
    expect(kinds({ tools: { allow: ["sessions_*", "nope"] } })).toEqual([
      "list-stripped",
      "pattern-not-core",
      "unknown-entry",
    ]);
    expect(kinds({ tools: { allow: ["read", "tts"] } })).toEqual(["gated-entry"]);
    expect(kinds({ tools: { profile: "Coding" } })).toEqual(["unknown-profile"]);
  });
});

describe("the other hardening rules", () => {
  test("policy.unknownProfile limits an unknown word to minimal", () => {
    expect(run({ tools: { profile: "codign" } }, []).tools).toHaveLength(tools.length);
    expect(run({ tools: { profile: "codign" } }, ["policy.unknownProfile"]).tools).toEqual([
      "session_status",
    ]);
  });

  test("policy.mcpThroughPipeline filters tools of MCP servers like plugin tools", () => {
    const list: RegisteredTool[] = [
      ...tools,
      { name: "files__delete", owner: { kind: "mcp", serverId: "files" } },
    ];
    const config = { tools: { deny: ["files"] } };
    const names = (rules: string[]) =>
      run(config, rules, { senderIsOwner: true, channel: "node" }, list).tools;
    expect(names([])).toEqual(["files__delete"]);
    expect(names(["policy.mcpThroughPipeline"])).toEqual([]);
  });

  test("policy.skillDispatchThroughPipeline sends skill commands through the pipeline", () => {
    const names = (rules: string[], config: unknown = { tools: { deny: ["browser"] } }) =>
      skillDispatchTools(compilePolicy(config, { hardening: new Set(rules) }), { senderIsOwner: false }, [
        ...tools,
        { name: "files__delete", owner: { kind: "mcp", serverId: "files" } },
      ]);
    expect(names([])).toContain("browser");
    expect(names([])).not.toContain("cron");
    expect(names(["policy.skillDispatchThroughPipeline"])).not.toContain("browser");
    expect(names(["policy.skillDispatchThroughPipeline"])).toContain("session_status");
    // The surface does not have these, whatever a policy says; a list of nothing else lets nothing through.
    for (const rules of [[], ["policy.skillDispatchThroughPipeline"], ["policy.strictLists"]]) {
      for (const absent of ["exec", "read", "write", "files__delete"])
        expect(names(rules, {})).not.toContain(absent);
    }
    expect(names(["policy.skillDispatchThroughPipeline"], { tools: { allow: ["read", "exec"] } })).toEqual(
      [],
    );
  });

  test("policy.httpListsNormalised lets deny entries work as elsewhere", () => {
    const config = { gateway: { tools: { deny: ["Browser", "group:sessions"] } } };
    const names = (rules: string[]) => run(config, rules, { surface: "http", senderIsOwner: true }).tools;
    expect(names([])).toEqual(["sessions_list", "session_status", "browser", "kit_one"]);
    expect(names(["policy.httpListsNormalised"])).toEqual(["kit_one"]);
  });

  test("policy.providerModelKeys finds a key that names provider and model in full", () => {
    const config = { tools: { byProvider: { "openrouter/anthropic/x": { deny: ["exec"] } } } };
    const context = { provider: "openrouter", model: "anthropic/x", senderIsOwner: true };
    expect(run(config, [], context).tools).toContain("exec");
    expect(run(config, ["policy.providerModelKeys"], context).tools).not.toContain("exec");
  });

  test("policy.httpSubagentDepth counts the depth of the key on HTTP", () => {
    const config = { agents: { defaults: { subagents: { maxSpawnDepth: 2 } } } };
    const context: PolicyContext = {
      surface: "http",
      sessionKey: "agent:main:subagent:a:subagent:b",
      senderIsOwner: true,
    };
    expect(run(config, [], context).tools).toContain("sessions_list");
    expect(run(config, ["policy.httpSubagentDepth"], context).tools).not.toContain("sessions_list");
  });

  test("policy.toolNameConflicts leaves out a plugin tool that poses as exec", () => {
    const list: RegisteredTool[] = [...tools, { name: "Exec", owner: { kind: "plugin", pluginId: "evil" } }];
    expect(run({}, [], {}, list).tools).toContain("Exec");
    expect(run({}, ["policy.toolNameConflicts"], {}, list).tools).not.toContain("Exec");
  });

  test("policy.pluginIdNotTool denies the tool too when a plugin has its name as id", () => {
    const list: RegisteredTool[] = [...tools, { name: "other", owner: { kind: "plugin", pluginId: "exec" } }];
    const config = { tools: { deny: ["exec"] } };
    expect(run(config, [], {}, list).tools).toContain("exec");
    expect(run(config, ["policy.pluginIdNotTool"], {}, list).tools).not.toContain("exec");
    expect(run(config, ["policy.pluginIdNotTool"], {}, list).tools).not.toContain("other");
  });

  test("policy.sandboxSelfVisibility keeps self for a sandboxed session", () => {
    const config = { tools: { sessions: { visibility: "self" } } };
    const visibility = (rules: string[]) =>
      resolveSessionVisibility(config, { sandboxed: true, hardening: new Set(rules) });
    expect(visibility([])).toBe("tree");
    expect(visibility(["policy.sandboxSelfVisibility"])).toBe("self");
  });

  test("have ids of their own area and no id twice", () => {
    const ids = policyHardening.map((rule) => rule.id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^policy\.[a-zA-Z]+$/);
  });
});

describe("canBackground", () => {
  const background = (config: unknown, context: PolicyContext = {}) =>
    canBackground(compilePolicy(config, { hardening: new Set() }), context);

  test("asks all stages for process by plain matching, dropped lists included", () => {
    expect(background({})).toBe(true);
    expect(background({ tools: { profile: "coding" } })).toBe(true);
    expect(background({ tools: { deny: ["process"] } })).toBe(false);
    expect(background({ tools: { allow: ["ghost"] } })).toBe(false);
    expect(background({ tools: { allow: ["exec"] } })).toBe(false);
    expect(background({ tools: { sandbox: { tools: { deny: ["process"] } } } }, { sandboxed: true })).toBe(
      false,
    );
  });
});
