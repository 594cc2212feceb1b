/** Repairs: tried with every rule, availability included, and told with everything that they change elsewhere. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { allHardening } from "../../hardening/index.ts";
import { type AvailabilityFacts, listKnownTools } from "../availability.ts";
import { compilePolicy } from "../compile.ts";
import { parsePathText, pathText } from "../configRecord.ts";
import { evaluatePolicy } from "../evaluate.ts";
import { agentScopes } from "../scopes.ts";
import type { PolicyContext, RegisteredTool } from "../types.ts";
import { applyEdits } from "./configEdits.ts";
import { classOf, combine, countClasses, createContextSpace, enumerateContexts } from "./contextClasses.ts";
import { sampleContexts } from "./contextSample.ts";
import { finish } from "./steps.ts";
import { whyTool } from "./whyTool.ts";

const thorough = { timeout: 120_000 };
const hardening: ReadonlySet<string> = new Set();
const owner: PolicyContext = { agentId: "a1", senderIsOwner: true, provider: "openai", model: "m" };

/** What is there under a config, an agent's own memory switch included, as the running app has it. */
function toolsOf(config: unknown, context: PolicyContext): RegisteredTool[] {
  const facts: AvailabilityFacts = {
    hasImageModel: true,
    agentId: context.agentId ?? "main",
    ...(context.provider === undefined ? {} : { provider: context.provider }),
    ...(context.model === undefined ? {} : { model: context.model }),
  };
  const agent = agentScopes(config).get(context.agentId ?? "");
  const own = (agent?.entry.memorySearch as { enabled?: unknown } | undefined)?.enabled;
  return listKnownTools(config, facts).map((tool) => {
    if (!tool.name.startsWith("memory_") || own !== false || tool.unavailable !== undefined) return tool;
    const path = pathText(["agents", "list", agent?.index ?? 0, "memorySearch", "enabled"]);
    return { ...tool, unavailable: { reason: "disabled-in-config", params: { path } } };
  });
}

function why(config: unknown, context: PolicyContext, name: string) {
  const compiled = compilePolicy(config, { hardening });
  return whyTool(compiled, config, context, toolsOf(config, context), name, { toolsOf });
}

function isThere(config: unknown, context: PolicyContext, name: string): boolean {
  const compiled = compilePolicy(config, { hardening });
  return evaluatePolicy(compiled, context, toolsOf(config, context)).tools.includes(name);
}

describe("parsePathText", () => {
  test("reads back every path that pathText writes, and nothing else", () => {
    const part = fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom("a-b", "tools", '"]'), fc.nat(99));
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.array(part, { maxLength: 4 }), (first, rest) => {
        const path = [first, ...rest];
        expect(parsePathText(pathText(path))).toEqual(path);
      }),
    );
    for (const text of ["", ".a", "a..b", "a[", "a]", "a[x]", "a b"])
      expect(parsePathText(text), text).toBeUndefined();
  });
});

describe("repairs of availability", thorough, () => {
  const agents = [{ id: "a0" }, { id: "a1" }];

  test.each([
    {
      name: "memory_search",
      what: "an agent's own switch",
      config: { agents: { list: [{ id: "a0" }, { id: "a1", memorySearch: { enabled: false } }] } },
      edits: [{ op: "set", path: ["agents", "list", 1, "memorySearch", "enabled"], value: true }],
    },
    {
      name: "apply_patch",
      what: "an agent's own block",
      config: {
        tools: { exec: { applyPatch: { enabled: true } } },
        agents: { list: [{ id: "a0" }, { id: "a1", tools: { exec: { applyPatch: { enabled: false } } } }] },
      },
      edits: [
        { op: "set", path: ["agents", "list", 1, "tools", "exec", "applyPatch", "enabled"], value: true },
      ],
    },
    {
      name: "memory_search",
      what: "two switches",
      config: {
        agents: { defaults: { memorySearch: { enabled: false } }, list: agents },
        plugins: { deny: ["x", "memory-core"] },
      },
      edits: [
        { op: "set", path: ["agents", "defaults", "memorySearch", "enabled"], value: true },
        { op: "remove", path: ["plugins", "deny", 1] },
      ],
    },
    {
      name: "browser",
      what: "plugins off and its entry off",
      config: { plugins: { enabled: false, entries: { browser: { enabled: false } } } },
      edits: [
        { op: "set", path: ["plugins", "enabled"], value: true },
        { op: "set", path: ["plugins", "entries", "browser", "enabled"], value: true },
      ],
    },
    {
      name: "memory_get",
      what: "an entry of a hyphenated plugin",
      config: { plugins: { entries: { "memory-core": { enabled: false } } } },
      edits: [{ op: "set", path: ["plugins", "entries", "memory-core", "enabled"], value: true }],
    },
    {
      name: "browser",
      what: "a list of allowed plugins",
      config: { plugins: { allow: ["memory-core"] } },
      edits: [{ op: "insert", path: ["plugins", "allow", 1], value: "browser" }],
    },
    {
      name: "memory_search",
      what: "no plugin for memory",
      config: { plugins: { slots: { memory: "none" } } },
      edits: [{ op: "set", path: ["plugins", "slots", "memory"], value: "memory-core" }],
    },
    {
      name: "web_fetch",
      what: "a switch and a list",
      config: { tools: { web: { fetch: { enabled: false } }, deny: ["web_fetch"] } },
      edits: [
        { op: "set", path: ["tools", "web", "fetch", "enabled"], value: true },
        { op: "remove", path: ["tools", "deny", 0] },
      ],
    },
    {
      name: "apply_patch",
      what: "a list of models",
      config: { tools: { exec: { applyPatch: { allowModels: ["other"] } } } },
      edits: [{ op: "insert", path: ["tools", "exec", "applyPatch", "allowModels", 1], value: "openai/m" }],
    },
  ])("brings $name back from $what", ({ name, config, edits }) => {
    expect(isThere(config, owner, name)).toBe(false);
    const answer = why(config, owner, name);
    expect(answer.repairs.map((repair) => repair.edits)).toContainEqual(edits);
    for (const repair of answer.repairs) {
      expect(isThere(applyEdits(config, repair.edits), owner, name)).toBe(true);
      expect(repair.isValid).toBe(true);
    }
  });

  test("offers nothing that is not enough, and nothing for what the config does not decide", () => {
    const config = { plugins: { enabled: false } };
    const compiled = compilePolicy(config, { hardening });
    const tools = toolsOf(config, owner);
    // Whatever is edited, the tool stays away here.
    expect(whyTool(compiled, config, owner, tools, "browser").repairs).toEqual([]);
    expect(why({}, owner, "code_execution").repairs).toEqual([]);
    expect(why({}, { ...owner, provider: "acme" }, "apply_patch").repairs).toEqual([]);
  });

  test.each([
    [{ tools: "all" }, "read"],
    [{ tools: { deny: "read", alsoAllow: 5, profile: "minimal" } }, "exec"],
    [{ plugins: { entries: { browser: { enabled: false } }, allow: ["x"], deny: {} } }, "browser"],
    [{ agents: { list: { a1: {} }, defaults: [] }, tools: [] }, "read"],
    [
      { tools: { exec: { applyPatch: { enabled: false } } }, agents: { list: [{ id: "a1", tools: [] }] } },
      "apply_patch",
    ],
    [null, "read"],
  ])("answers for a malformed config, with edits that have a place in it: %j %s", (config, name) => {
    for (const { edits } of why(config, owner, name).repairs) {
      expect(() => applyEdits(config, edits)).not.toThrow();
    }
  });

  test("tells in which other contexts the tool comes into being as well", () => {
    const config = {
      agents: {
        defaults: { memorySearch: { enabled: false } },
        list: [{ id: "a1" }, { id: "a2", memorySearch: { enabled: false } }],
      },
    };
    const [repair] = why(config, owner, "memory_search").repairs;
    const named = new Set(repair?.contexts.map(({ label }) => label.agent));
    expect([...named].toSorted()).toEqual(["a1", "any-other-agent"]);
  });
});

function without<T>(all: ReadonlySet<T>, some: ReadonlySet<T>): T[] {
  return [...all].filter((item) => !some.has(item));
}

describe("the contexts of a repair", thorough, () => {
  /** The truth, slowly: every class before and after. */
  function changedClasses(config: unknown, edited: unknown): number {
    const before = compilePolicy(config, { hardening });
    const after = compilePolicy(edited, { hardening });
    return enumerateContexts(before).filter(({ context }) => {
      const tools = toolsOf({}, owner);
      const names = [before, after].map((compiled) => evaluatePolicy(compiled, context, tools).tools.join());
      return names[0] !== names[1];
    }).length;
  }

  test("are all of them while they are few enough, however the agents and models stand in their rows", () => {
    const config = {
      tools: { byProvider: { weakco: { deny: ["exec"] }, acme: { deny: ["read"] } } },
      agents: { list: Array.from({ length: 25 }, (_, index) => ({ id: `a${index}` })) },
    };
    const compiled = compilePolicy(config, { hardening });
    const asked = { agentId: "a0", senderIsOwner: true, provider: "weakco", model: "w" };
    const answer = whyTool(compiled, config, asked, toolsOf({}, owner), "exec");
    expect(answer.repairs).toHaveLength(1);
    const [repair] = answer.repairs;
    const edited = applyEdits(config, repair?.edits ?? []);
    expect(repair?.contextsChecked).toBe(repair?.contextsTotal);
    expect(repair?.contextsTotal).toBe(enumerateContexts(compiled).length);
    expect(repair?.contexts.length).toBe(changedClasses(config, edited));
    expect(repair?.contexts.length).toBeGreaterThan(100);
  });

  test("are a sample with every pair of values when they are too many, which says so", () => {
    const config = {
      tools: {
        byProvider: Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`p${i}`, { deny: [`t${i}`] }])),
      },
      agents: { list: Array.from({ length: 30 }, (_, index) => ({ id: `a${index}`, tools: {} })) },
      channels: {
        telegram: {
          groups: Object.fromEntries(
            Array.from({ length: 20 }, (_, i) => [`g${i}`, { tools: { deny: [`x${i}`] } }]),
          ),
        },
      },
    };
    const compiled = compilePolicy(config, { hardening });
    const axes = finish(createContextSpace(compiled).axes({}));
    const asked = { agentId: "a3", senderIsOwner: true, provider: "p2", model: "m" };
    const { classes, total } = finish(sampleContexts(axes, asked, 8000));
    expect(total).toBe(countClasses(axes));
    expect(classes.length).toBeLessThan(total / 4);
    const labels = classes.map((parts) => classOf(parts).label);
    const pairsOf = (some: readonly (typeof labels)[number][]) =>
      new Set(
        some.flatMap((label) => [
          `${label.agent} ${label.model}`,
          `${label.agent} ${label.group}`,
          `${label.model} ${label.group}`,
          `${label.role} ${label.surface} `,
          `${label.role} ${label.group} `,
          `${label.owner} ${label.agent} `,
        ]),
      );
    const all = [...combine(axes)].map((parts) => classOf(parts).label);
    const missing = without(pairsOf(all), pairsOf(labels));
    expect(missing.filter((pair) => !pair.includes("not looked at"))).toEqual([]);

    // Far too few for the pairs: still every value.
    const small = finish(sampleContexts(axes, asked, 300));
    const values = (some: readonly (typeof labels)[number][]) =>
      new Set(some.flatMap((label) => Object.entries(label).map((entry) => entry.join(" "))));
    const seen = values(small.classes.map((parts) => classOf(parts).label));
    expect(without(values(all), seen)).toEqual([]);

    const denied = { ...config, tools: { ...config.tools, deny: ["exec"] } };
    const answer = whyTool(compilePolicy(denied, { hardening }), denied, asked, toolsOf({}, owner), "exec", {
      maxContexts: 300,
    });
    const [repair] = answer.repairs;
    expect(repair?.contextsChecked).toBeLessThan(repair?.contextsTotal ?? 0);
    const agents = new Set(repair?.contexts.map(({ label }) => label.agent));
    expect(agents.size).toBe(31);
  });
});

describe("the order of repairs", thorough, () => {
  test("puts what touches one agent before what takes the tool from others, whatever order they were found in", () => {
    const entries = ["g", "h", "i", "j"].map((id) => [id, { tools: { deny: ["tts"] } }]);
    const config = {
      agents: { list: [{ id: "a0" }, { id: "a1", tools: { deny: ["tts"] } }] },
      channels: { telegram: { groups: Object.fromEntries(entries) } },
    };
    const context = { ...owner, channel: "telegram", groupId: "g" };
    const { repairs } = why(config, context, "exec");
    const sizes = repairs.map(({ contexts }) => contexts.length);
    expect(repairs.length).toBe(3);
    // The group has fewest contexts of all, but those of every agent.
    expect(repairs[0]?.edits[0]?.path.slice(0, 3)).toEqual(["agents", "list", 1]);
    expect(sizes.slice(1)).toEqual(sizes.slice(1).toSorted((a, b) => a - b));
    expect(repairs[1]?.edits[0]?.path[0]).toBe("channels");
    expect(repairs.at(-1)?.edits[0]?.path).toEqual(["tools", "deny"]);
  });

  test("counts what closes elsewhere as much as what opens", () => {
    const config = { agents: { list: [{ id: "a0" }, { id: "a1", tools: {} }, { id: "a2" }] } };
    const { repairs } = why(config, owner, "exec");
    const [best, next] = repairs;
    expect(best?.edits[0]?.path.slice(0, 3)).toEqual(["agents", "list", 1]);
    const agents = new Set(
      next?.contexts.filter(({ closes }) => closes.includes("exec")).map(({ label }) => label.agent),
    );
    expect([...agents].toSorted()).toEqual(["a0", "a1", "a2", "any-other-agent"]);
  });

  test("puts an edit that opens other tools behind one that opens none", () => {
    const config = { tools: { profile: "minimal" }, agents: { list: [{ id: "a1", tools: {} }] } };
    const { repairs } = why(config, owner, "read");
    // The profile coding lacks what a node session of any other agent has with minimal.
    expect(repairs.at(-1)?.takesFrom).toEqual(["any-other-agent"]);
    const harmless = repairs.filter(({ takesFrom }) => takesFrom.length === 0);
    expect(harmless).toEqual(repairs.slice(0, -1));
    const others = harmless.map(({ opensHere }) => opensHere.length);
    expect(others[0]).toBe(0);
    expect(others).toEqual(others.toSorted((a, b) => a - b));
    expect(others.at(-1)).toBeGreaterThan(0);
  });
});

describe("repairs that take tools away from others", thorough, () => {
  const config = {
    tools: { allow: ["nope_tool"] },
    agents: { list: [{ id: "main" }, { id: "support", tools: { profile: "messaging" } }, { id: "coder" }] },
  };
  const support: PolicyContext = { agentId: "support", senderIsOwner: false };

  test.each([
    ["reference", new Set<string>()],
    ["sallyport", allHardening],
  ] as const)("come last, and nobody needs the detour over a dropped allow list (%s)", (_name, rules) => {
    const compiled = compilePolicy(config, { hardening: rules });
    const { repairs } = whyTool(compiled, config, support, toolsOf(config, support), "exec", { toolsOf });
    expect(repairs.length).toBeGreaterThan(0);
    const losing = repairs.map(({ takesFrom }) => takesFrom.length > 0);
    expect(losing).toEqual(losing.toSorted((a, b) => Number(a) - Number(b)));
    expect(losing[0]).toBe(false);
    // While the list is dropped, the profile alone is enough; an entry would make the list count for everybody.
    const isDropped = !rules.has("policy.strictLists");
    for (const { edits } of repairs)
      expect(edits.some(({ path }) => pathText(path).startsWith("tools.allow"))).toBe(!isDropped);
  });

  test("name who loses them, and never the asked agent", () => {
    const open = { agents: config.agents };
    const asked: PolicyContext = { agentId: "main" };
    const compiled = compilePolicy(open, { hardening });
    const { repairs } = whyTool(compiled, open, asked, toolsOf(open, asked), "read", { toolsOf });
    const forAll = repairs.find(({ edits }) => edits.every(({ path }) => path[0] === "tools"));
    expect(forAll?.takesFrom).toEqual(["coder", "any-other-agent"]);
    expect(repairs[0]?.takesFrom).toEqual([]);
  });
});
