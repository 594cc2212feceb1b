/** The debugger's answers: causes, repairs that work, differences, and proofs that hold against brute force. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { listKnownTools } from "../availability.ts";
import { compilePolicy } from "../compile.ts";
import { evaluatePolicy } from "../evaluate.ts";
import { describeFinding } from "../explain.ts";
import { policyHardening } from "../hardening.ts";
import { configArbitrary, toolsArbitrary, wideContextArbitrary } from "../testing/arbitraries.ts";
import { tracePolicy } from "../trace.ts";
import type { PolicyContext } from "../types.ts";
import { checkAssertions } from "./assertions.ts";
import { compareTraces } from "./compareTraces.ts";
import { applyEdits } from "./configEdits.ts";
import { createContextSpace, describeAxes } from "./contextClasses.ts";
import { collectFindings } from "./findings.ts";
import { finish } from "./steps.ts";
import { whyTool } from "./whyTool.ts";

/** Many samples: on a machine with other work they may take their time. */
const thorough = { timeout: 120_000 };

const reference: ReadonlySet<string> = new Set();
const hardened: ReadonlySet<string> = new Set(policyHardening.map((rule) => rule.id));
const tools = listKnownTools({}, { provider: "openai", model: "m", hasImageModel: true });
const compile = (config: unknown, hardening = reference) => compilePolicy(config, { hardening });

function why(config: unknown, context: PolicyContext, name: string, layer?: (string | number)[]) {
  return whyTool(compile(config), config, context, tools, name, layer === undefined ? {} : { layer });
}

describe("applyEdits", () => {
  test("sets, inserts and removes without touching the given config", () => {
    const config = { tools: { deny: ["a", "b"] } };
    const edited = applyEdits(config, [
      { op: "remove", path: ["tools", "deny", 0] },
      { op: "insert", path: ["tools", "deny", 1], value: "c" },
      { op: "set", path: ["agents", "list", 0, "tools", "__proto__"], value: 1 },
    ]);
    expect(JSON.stringify(edited)).toBe(
      '{"tools":{"deny":["b","c"]},"agents":{"list":[{"tools":{"__proto__":1}}]}}',
    );
    expect(config).toEqual({ tools: { deny: ["a", "b"] } });
    expect(() => applyEdits({ tools: 5 }, [{ op: "set", path: ["tools", "deny"], value: [] }])).toThrow(
      "tools.deny",
    );
  });
});

describe("whyTool", thorough, () => {
  const owner: PolicyContext = { agentId: "a1", senderIsOwner: true };

  test("finds why the browser is missing from a coding agent, and offers alsoAllow for that agent first", () => {
    const config = {
      tools: { profile: "coding" },
      agents: { list: [{ id: "a1", tools: {} }, { id: "a2" }] },
    };
    const answer = why(config, owner, "browser");
    expect(answer).toMatchObject({ state: "removed", unmet: [] });
    expect(answer.removers.map((remover) => [remover.column, remover.decides])).toEqual([["profile", true]]);
    const [best] = answer.repairs;
    expect(best?.edits).toEqual([
      { op: "set", path: ["agents", "list", 0, "tools", "alsoAllow"], value: ["browser"] },
    ]);
    expect(best?.opensHere).toEqual([]);
    expect(new Set(best?.contexts.map((effect) => effect.label.agent))).toEqual(new Set(["a1"]));
  });

  test("keeps the global extras when it gives an agent its own alsoAllow", () => {
    const config = { tools: { profile: "minimal", alsoAllow: ["read"] }, agents: { list: [{ id: "a1" }] } };
    const [best] = why(config, owner, "exec").repairs;
    expect(best?.closesHere).toEqual([]);
    expect(best?.opensHere).toEqual([]);
  });

  test("names every remover in order and mends them together", () => {
    const config = {
      tools: { profile: "minimal", deny: ["group:runtime"] },
      agents: { list: [{ id: "a1", tools: { allow: ["session_status", "read"] } }] },
    };
    const answer = why(config, owner, "exec");
    expect(answer.removers.map((remover) => remover.column)).toEqual(["profile", "global", "agent"]);
    expect(answer.repairs.length).toBeGreaterThan(0);
    for (const repair of answer.repairs) {
      const edited = applyEdits(config, repair.edits);
      expect(evaluatePolicy(compile(edited), owner, tools).tools).toContain("exec");
    }
    expect(answer.repairs[0]?.opensHere).toEqual([]);
  });

  test("replaces a denied group by its other members before it opens the whole group", () => {
    const config = { tools: { deny: ["group:fs"] } };
    const answer = why(config, owner, "read");
    expect(answer.repairs[0]?.opensHere).toEqual([]);
    expect(applyEdits(config, answer.repairs[0]?.edits ?? [])).toEqual({
      tools: { deny: expect.arrayContaining(["edit", "write", "apply_patch"]) },
    });
    expect(answer.repairs.at(-1)?.opensHere).toEqual(expect.arrayContaining(["edit", "write"]));
  });

  test("says which preconditions no list can change", () => {
    const answer = why({}, { senderIsOwner: false }, "cron");
    expect(answer.unmet).toEqual([{ code: "owner-only" }]);
    expect(answer.repairs).toEqual([]);
    expect(why({}, owner, "pdf2").state).toBe("unknown");
    expect(why({}, { channel: "node", senderIsOwner: true }, "exec").unmet).toEqual([
      { code: "node-keeps-few" },
    ]);
  });

  test("offers no edit twice: neither a name that stands there already, nor a better repair with more to it", () => {
    const config = { tools: { profile: "coding", allow: ["group:fs", "exec"] } };
    const { repairs } = why(config, owner, "browser");
    expect(repairs.length).toBeGreaterThan(0);
    const texts = repairs.map((repair) => repair.edits.map((edit) => JSON.stringify(edit)));
    for (const [index, edits] of texts.entries()) {
      const inserted = repairs[index]?.edits.filter((edit) => edit.op === "insert") ?? [];
      expect(new Set(inserted.map((edit) => JSON.stringify(edit.path.slice(0, -1)))).size).toBe(
        inserted.length,
      );
      for (const better of texts.slice(0, index))
        expect(better.every((edit) => edits.includes(edit))).toBe(false);
    }
  });

  test("says when the layer that may be edited cannot do it", () => {
    const config = { tools: { deny: ["exec"] }, agents: { list: [{ id: "a1", tools: { deny: ["exec"] } }] } };
    const answer = why(config, owner, "exec", ["agents", "list", 0]);
    expect(answer.layer).toEqual({
      path: ["agents", "list", 0],
      canRepair: false,
      removersOutside: ["tools.allow"],
    });
    expect(why(config, owner, "exec").repairs[0]?.edits).toHaveLength(2);
  });

  test("mends sandbox, sub-agent, group and HTTP denials", () => {
    const cases: { config: unknown; context: PolicyContext; name: string }[] = [
      { config: {}, context: { ...owner, sandboxed: true }, name: "browser" },
      {
        config: { tools: { sandbox: { tools: { allow: ["read"], deny: ["exec"] } } } },
        context: { ...owner, sandboxed: true },
        name: "exec",
      },
      { config: {}, context: { ...owner, subagentDepth: 1 }, name: "sessions_list" },
      {
        config: { tools: { subagents: { tools: { allow: ["read"] } } } },
        context: { ...owner, subagentDepth: 1 },
        name: "exec",
      },
      {
        config: { channels: { telegram: { groups: { "1": { tools: { deny: ["e*"] } } } } } },
        context: { ...owner, channel: "telegram", groupId: "1" },
        name: "exec",
      },
      { config: {}, context: { ...owner, surface: "http" }, name: "cron" },
      {
        config: { gateway: { tools: { deny: ["tts"] } } },
        context: { ...owner, surface: "http" },
        name: "tts",
      },
    ];
    for (const { config, context, name } of cases) {
      const answer = why(config, context, name);
      expect(answer.state, name).toBe("removed");
      expect(answer.repairs.length, name).toBeGreaterThan(0);
    }
  });

  test("takes a tool away that is there, for the agent alone first", () => {
    const config = { agents: { list: [{ id: "a1", tools: {} }, { id: "a2" }] } };
    const [best, next] = why(config, owner, "exec").repairs;
    expect(best?.edits[0]?.path.slice(0, 3)).toEqual(["agents", "list", 0]);
    expect(next?.edits).toEqual([{ op: "set", path: ["tools", "deny"], value: ["exec"] }]);
  });

  test("only offers edits that do what they say, over random configs", () => {
    fc.assert(
      fc.property(
        configArbitrary,
        wideContextArbitrary,
        toolsArbitrary,
        fc.nat(),
        (config, context, list, pick) => {
          const name = list[pick % list.length]?.name ?? "";
          const answer = whyTool(compile(config), config, context, list, name, {
            maxContexts: 10,
            maxRepairs: 3,
          });
          const isThere = evaluatePolicy(compile(config), context, list).tools.includes(name);
          expect(answer.state === "kept").toBe(isThere);
          for (const repair of answer.repairs) {
            const after = evaluatePolicy(compile(applyEdits(config, repair.edits)), context, list).tools;
            expect(after.includes(name)).toBe(!isThere);
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe("compareTraces", () => {
  test("gives differing rows only, and what was gained and lost", () => {
    const config = {
      tools: { profile: "coding" },
      agents: { list: [{ id: "a1", tools: { deny: ["exec"] } }] },
    };
    const compiled = compile(config);
    const a = tracePolicy(compiled, { agentId: "a1", senderIsOwner: true }, tools);
    const b = tracePolicy(compiled, { agentId: "a2", senderIsOwner: true }, tools);
    const comparison = compareTraces(a, b);
    expect(comparison.gained).toEqual(["exec"]);
    expect(comparison.lost).toEqual([]);
    expect(comparison.rows.find((row) => row.name === "exec")?.columns).toEqual(["agent"]);
    expect(compareTraces(a, a).rows).toEqual([]);
  });
});

describe("assertions", () => {
  const config = {
    tools: { deny: ["gateway"], byProvider: { weakco: { profile: "minimal" } } },
    agents: {
      list: [
        { id: "coder", tools: { profile: "coding" } },
        { id: "support", tools: { profile: "messaging" } },
      ],
    },
    channels: { telegram: { groups: { "1": { tools: { deny: ["read"] } } } } },
  };
  const check = (text: string) => checkAssertions(compile(config), tools, text);

  test("are proved, or refuted with a context that shows it", () => {
    const results = check(
      [
        "# what we promise",
        "never support: exec, group:fs",
        "always coder: read",
        "always coder when provider=openai channel=none role=main sandboxed=false: read  # direct chats",
        "never *: gateway",
        "never coder: exec",
      ].join("\n"),
    );
    expect(results.map((result) => [result.line, result.kind])).toEqual([
      [2, "proved"],
      [3, "refuted"],
      [4, "proved"],
      [5, "proved"],
      [6, "refuted"],
    ]);
    const refuted = results[1];
    if (refuted?.kind !== "refuted") throw new Error("line 3 must be refuted");
    expect(refuted.tool).toBe("read");
    expect(evaluatePolicy(compile(config), refuted.context, tools).tools).not.toContain("read");
    expect(refuted.trace.rows.find((row) => row.name === "read")?.verdict.kind).toBe("removed");
  });

  test("say what is wrong with a line that cannot be read, and when no context fits", () => {
    const kinds = check("support must not exec\nnever support when mood=bad: exec\nnever support: ,").map(
      (result) => result.kind,
    );
    expect(kinds).toEqual(["invalid", "invalid", "invalid"]);
    expect(check("never support when sandboxed=true: exec")[0]).toMatchObject({ kind: "invalid" });
  });

  test("hold hostile names for ordinary ones", () => {
    expect(check("never *: __proto__")[0]?.kind).toBe("proved");
    expect(check("never constructor: exec")[0]).toMatchObject({
      kind: "invalid",
      message: expect.stringContaining('no agent "constructor" in agents.list'),
    });
    expect(check("always coder: constructor")[0]?.kind).toBe("refuted");
  });
});

describe("describeAxes", () => {
  test("prints what it told apart", () => {
    const compiled = compile({
      agents: { list: [{ id: "a1" }] },
      tools: { byProvider: { "p/m": { deny: ["read"] } } },
    });
    const dimensions = new Map(
      describeAxes(finish(createContextSpace(compiled).axes({}))).map(({ dimension, values }) => [
        dimension,
        values,
      ]),
    );
    expect(dimensions.get("agent")).toEqual(["a1", "any-other-agent"]);
    expect(dimensions.get("model")).toContain("p m");
    expect(dimensions.get("surface")).toEqual(["model", "http"]);
  });
});

describe("collectFindings", () => {
  const kinds = (config: unknown, context: PolicyContext = { senderIsOwner: true, agentId: "a1" }) =>
    collectFindings(compile(config), context, tools).map((finding) => finding.kind);

  test.each([
    ["deny-names-nothing", { tools: { deny: ["exce"] } }],
    ["allow-and-also-allow", { tools: { allow: ["read"], alsoAllow: ["exec"] } }],
    ["shadowed-entry", { tools: { allow: ["read", "exec"], deny: ["exec"] } }],
    [
      "unreachable-entry",
      {
        tools: { profile: "minimal" },
        agents: { list: [{ id: "a1", tools: { allow: ["session_status", "exec"] } }] },
      },
    ],
    ["wider-than-profile", { tools: { profile: "minimal", alsoAllow: ["*"] } }],
    ["wider-than-profile", { tools: { profile: "messaging", exec: {} } }],
    ["provider-key-never-matches", { tools: { byProvider: { OpenAI: {}, openai: {} } } }],
    ["list-stripped", { tools: { allow: ["browser"] } }],
    ["unknown-entry", { tools: { allow: ["read", "browsr"] } }],
  ])("finds %s", (kind, config) => {
    expect(kinds(config)).toContain(kind);
  });

  test("finds nothing in a plain config, and a skill whose tools are all filtered", () => {
    const config = { tools: { profile: "coding", deny: ["cron"] } };
    expect(kinds(config)).toEqual([]);
    const skills = [
      { name: "tidy", tools: ["cron", "tts"], path: "skills/tidy/SKILL.md" },
      { name: "code", tools: ["exec", "tts"] },
      { name: "alias", tools: ["Bash"] },
      { name: "group", tools: ["group:fs"] },
      { name: "pattern", tools: ["sessions_*"] },
      { name: "none", tools: [] },
      { name: "__proto__", tools: ["constructor"] },
    ];
    const context = { senderIsOwner: true };
    const found = collectFindings(compile(config), context, tools, { skills });
    expect(found.map(({ kind, stage, path, entries }) => [kind, stage, path, ...entries])).toEqual([
      ["skill-without-tools", "tidy", "skills/tidy/SKILL.md", "cron", "tts"],
      ["skill-without-tools", "__proto__", "__proto__", "constructor"],
    ]);
    const commands = [
      { name: "gone", tools: ["cron", "read"], commandTool: "cron" },
      { name: "shell", tools: ["exec"], commandTool: "exec", path: "skills/shell/SKILL.md" },
      { name: "typo", tools: ["session_statu", "read"], commandTool: "session_statu" },
      { name: "works", tools: ["session_status"], commandTool: "session_status" },
      { name: "idle", tools: ["cron"], commandTool: "cron" },
    ];
    const unreachable = collectFindings(compile(config, hardened), context, tools, { skills: commands });
    expect(
      unreachable.map(({ kind, stage, entries, suggestion }) => [kind, stage, ...entries, suggestion]),
    ).toEqual([
      ["skill-without-tools", "idle", "cron", undefined],
      ["skill-command-unreachable", "gone", "cron", undefined],
      ["skill-command-unreachable", "shell", "exec", undefined],
      ["skill-command-unreachable", "typo", "session_statu", "session_status"],
    ]);
    expect(unreachable.map(describeFinding)).toContain(
      'skills/shell/SKILL.md: the command of the skill "shell" calls "exec", which it does not reach in this context.',
    );
    // OpenClaw asks no list about the command of a skill, but its set has no exec either.
    const asOpenclaw = collectFindings(compile(config), context, tools, { skills: commands });
    expect(
      asOpenclaw.filter(({ kind }) => kind === "skill-command-unreachable").map(({ stage }) => stage),
    ).toEqual(["shell", "typo"]);
    // Only a model reads skills.
    const http = collectFindings(compile(config), { ...context, surface: "http" }, tools, { skills });
    expect(http.filter(({ kind }) => kind === "skill-without-tools")).toEqual([]);
  });

  test("brings a tool back in the place of the name that was meant to be it", () => {
    const edits = (config: unknown, context: PolicyContext, tool: string) =>
      why(config, { senderIsOwner: true, ...context }, tool).repairs[0]?.edits;
    const support = { id: "support", tools: { profile: "messaging", alsoAllow: ["cron", "brwser"] } };
    expect(edits({ agents: { list: [support] } }, { agentId: "support" }, "browser")).toEqual([
      { op: "set", path: ["agents", "list", 0, "tools", "alsoAllow", 1], value: "browser" },
    ]);
    expect(edits({ tools: { allow: ["read", "exce"] } }, {}, "exec")).toEqual([
      { op: "set", path: ["tools", "allow", 1], value: "exec" },
    ]);
    expect(edits({ tools: { allow: ["read", "exce"] } }, {}, "cron")).toEqual([
      { op: "insert", path: ["tools", "allow", 2], value: "cron" },
    ]);
  });

  test("corrects a typing slip in a deny list", () => {
    const [found] = collectFindings(compile({ tools: { deny: ["exce"] } }), {}, tools);
    expect(found?.fix).toEqual([{ op: "set", path: ["tools", "deny", 0], value: "exec" }]);
  });
});
