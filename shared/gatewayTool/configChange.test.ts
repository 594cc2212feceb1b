import { describe, expect, it } from "vitest";
import { changedSettings, judgeConfigChange, mergePatch, shownConfigPath } from "./index.ts";

const strict = new Set(["gateway.protectedConfig"]);
const reference = new Set<string>();

describe("a merge patch", () => {
  it("removes by null, merges objects, and replaces what is no object", () => {
    const before = { ui: { a: 1, b: 2 }, list: [1, 2], gone: { x: 1 } };
    expect(mergePatch(before, { ui: { a: null, c: { d: null, e: 3 } }, list: [3], gone: null })).toEqual({
      ui: { b: 2, c: { e: 3 } },
      list: [3],
    });
    expect(before.ui).toEqual({ a: 1, b: 2 });
    expect(mergePatch({ a: "text" }, { a: { b: 1 } })).toEqual({ a: { b: 1 } });
  });

  it("merges lists of objects by id: known ones in place, others at the end", () => {
    const list = [
      { id: "main", name: "A" },
      { id: "ops", tools: { deny: ["exec"] } },
    ];
    const patched = mergePatch(
      { list },
      {
        list: [
          { id: "ops", name: "B" },
          { id: "new", x: null },
        ],
      },
    );
    expect(patched).toEqual({
      list: [{ id: "main", name: "A" }, { id: "ops", tools: { deny: ["exec"] }, name: "B" }, { id: "new" }],
    });
    expect(mergePatch({ list }, { list: [] })).toEqual({ list: [] });
    expect(mergePatch({ list }, { list: [{ name: "no id" }] })).toEqual({ list: [{ name: "no id" }] });
  });

  it("treats names of the language as plain keys", () => {
    const patched = mergePatch({}, { constructor: { prototype: 1 }, toString: 2 });
    expect(Object.keys(patched as object)).toEqual(["constructor", "toString"]);
    expect(({} as { prototype?: unknown }).prototype).toBeUndefined();
  });
});

describe("what a change changes", () => {
  const names = (before: unknown, after: unknown) =>
    changedSettings(before, after).map(({ path }) => shownConfigPath(path));

  it("is named at single values, also where whole branches come or go", () => {
    expect(names({ a: { b: 1, c: 2 } }, { a: { c: 2, b: 3 } })).toEqual(["a.b"]);
    expect(names({}, { a: { b: { c: 1 } } })).toEqual(["a.b.c"]);
    expect(names({ a: { b: { c: 1 } } }, {})).toEqual(["a.b.c"]);
    expect(names({}, { a: {} })).toEqual(["a"]);
    expect(names({ a: { b: 1 } }, { a: 5 })).toEqual(["a", "a.b"]);
    expect(names({ a: { b: 1 } }, { a: {} })).toEqual(["a.b"]);
  });

  it("names a list itself when its length changes or something else stands there", () => {
    expect(names({ l: ["a"] }, { l: ["a", "b"] })).toEqual(["l", "l[1]"]);
    expect(names({ l: ["a"] }, { l: ["b"] })).toEqual(["l[0]"]);
    expect(names({}, { l: [] })).toEqual(["l"]);
    expect(names({ l: ["a"] }, { l: { 0: "a" } })).toContain("l");
    expect(names({ "a.b": 1 }, {})).toEqual(['["a.b"]']);
  });
});

describe("what an agent may change", () => {
  const open = [
    [{}, { ui: { seamColor: "#aabbcc" } }],
    [{ messages: { responsePrefix: "x" } }, {}],
    [{ messages: { responsePrefix: "x" } }, { messages: {} }],
    [{ agents: { list: [{ id: "a" }] } }, { agents: { list: [{ id: "a", identity: { emoji: "🦉" } }] } }],
    [{ tools: { deny: ["x"] } }, { tools: { deny: ["x"] }, ui: {} }],
  ] as const;
  it.each(open)("%j → %j", (before, after) => {
    expect(judgeConfigChange(before, after, strict)).toEqual({ kind: "allowed" });
  });

  const list = [{ id: "a", tools: { deny: ["exec"] } }, { id: "b" }];
  const closed: [before: unknown, after: unknown, path: string][] = [
    [{}, { tools: { allow: ["*"] } }, "tools.allow"],
    [{ tools: { deny: ["exec"] } }, {}, "tools.deny"],
    [{}, { tools: { web: { fetch: { maxChars: 9 } } } }, "tools.web.fetch.maxChars"],
    [{}, { gateway: { tools: { allow: ["exec"] } } }, "gateway.tools.allow"],
    [{}, { gateway: { auth: { mode: "none" } } }, "gateway.auth.mode"],
    [{}, { approvals: { exec: { enabled: true } } }, "approvals.exec.enabled"],
    [{}, { browser: { ssrfPolicy: { allowedHostnames: ["x"] } } }, "browser.ssrfPolicy.allowedHostnames"],
    [{}, { browser: { executablePath: "/tmp/x" } }, "browser.executablePath"],
    [{}, { plugins: { enabled: true } }, "plugins.enabled"],
    [{}, { mcp: { servers: { x: { command: "sh" } } } }, "mcp.servers.x.command"],
    [{}, { skills: { load: { extraDirs: ["/tmp"] } } }, "skills.load.extraDirs"],
    [{}, { hooks: { enabled: true } }, "hooks.enabled"],
    [{}, { commands: { ownerAllowFrom: ["x"] } }, "commands.ownerAllowFrom"],
    [{}, { commands: { restart: true } }, "commands.restart"],
    [
      {},
      { channels: { x: { groups: { g: { tools: { allow: ["exec"] } } } } } },
      "channels.x.groups.g.tools.allow",
    ],
    [{}, { secrets: { providers: { x: { source: "exec" } } } }, "secrets.providers.x.source"],
    [{}, { env: { vars: { PATH: "/tmp" } } }, "env.vars.PATH"],
    [{}, { models: { providers: { x: { baseUrl: "http://x" } } } }, "models.providers.x.baseUrl"],
    [{}, { agents: { defaults: { sandbox: { mode: "off" } } } }, "agents.defaults.sandbox.mode"],
    [{}, { agents: { defaults: { model: "weak/one" } } }, "agents.defaults.model"],
    [{}, { agents: { list: [{ id: "new", identity: { name: "x" } }] } }, "agents.list"],
    [{ agents: { list } }, { agents: { list: list.toReversed() } }, "agents.list[0].id"],
    [{ agents: { list } }, { agents: { list: list.slice(0, 1) } }, "agents.list"],
    [
      { agents: { list } },
      { agents: { list: [{ ...list[0], subagents: { allowAgents: ["*"] } }, list[1]] } },
      "agents.list[0].subagents.allowAgents",
    ],
    // A form that hides a gate below a name that may be changed.
    [{ messages: { queue: { mode: "collect" } } }, { messages: "x" }, "messages"],
    [{}, { ui: { seamColor: { tools: "x" } } }, "ui.seamColor.tools"],
    [{}, { "ui.seamColor": "#fff" }, '["ui.seamColor"]'],
    [{}, { agents: { list: { "[]": { name: "x" } } } }, 'agents.list["[]"].name'],
    [{}, { $schema: "http://x" }, "$schema"],
    [{}, { logging: { redactSensitive: "off" } }, "logging.redactSensitive"],
    [{}, { unheardOf: 1 }, "unheardOf"],
    [{ tools: { deny: ["x"] } }, "nothing", ""],
  ];
  it.each(closed)("refuses %j → %j", (before, after, path) => {
    const verdict = judgeConfigChange(before, after, strict);
    expect(verdict).toMatchObject({ kind: "protected", paths: expect.arrayContaining([path]) });
  });

  it("names every protected path, and no other", () => {
    const after = { ui: { seamColor: "#fff" }, tools: { allow: ["a"], profile: "full" } };
    expect(judgeConfigChange({}, after, strict)).toEqual({
      kind: "protected",
      paths: ["tools.allow", "tools.allow[0]", "tools.profile"],
    });
  });

  it("refuses a value that is not of the known form, with the problem", () => {
    expect(judgeConfigChange({}, { ui: { seamColor: "url(http://x)" } }, strict)).toMatchObject({
      kind: "badValue",
      path: "ui.seamColor",
    });
    expect(judgeConfigChange({}, { messages: { queue: { cap: 1e9 } } }, strict)).toMatchObject({
      kind: "badValue",
    });
    expect(judgeConfigChange({}, { ui: { seamColor: null } }, strict)).toMatchObject({ kind: "badValue" });
  });

  it("keeps the two modes of exec as the reference does when the rule is off", () => {
    const after = { tools: { allow: ["x"], exec: { ask: "off", security: "full", safeBins: ["a"] } } };
    expect(judgeConfigChange({}, after, reference)).toEqual({
      kind: "protected",
      paths: ["tools.exec.ask", "tools.exec.security"],
    });
    expect(judgeConfigChange({}, { tools: { allow: ["x"] } }, reference)).toEqual({ kind: "allowed" });
  });
});
