/** Classes of contexts against the whole product of values: nothing that a config can tell apart is left out. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { listKnownTools } from "../availability.ts";
import { compilePolicy } from "../compile.ts";
import { evaluatePolicy } from "../evaluate.ts";
import { policyHardening } from "../hardening.ts";
import type { PolicyContext, RegisteredTool } from "../types.ts";
import { checkAssertions } from "./assertions.ts";
import { classOf, combine, countClasses, createContextSpace } from "./contextClasses.ts";
import { finish } from "./steps.ts";
import { createToolSupply, type ToolSupply } from "./toolSupply.ts";

/** Many samples: on a machine with other work they may take their time. */
const thorough = { timeout: 240_000 };

const none: ReadonlySet<string> = new Set();
const all: ReadonlySet<string> = new Set(policyHardening.map((rule) => rule.id));
const hardenings = fc.constantFrom(none, all);

/** Channels with the contexts that a person would think of: names that the config has, and names that it has not. */
const channelKinds: { channels: Record<string, unknown>; places: PolicyContext[] }[] = [
  { channels: {}, places: [] },
  {
    channels: {
      telegram: {
        groups: {
          g: { toolsBySender: { "id:1": { deny: ["edit"] }, "name:ana": { allow: ["read"] } } },
          "*": { tools: { deny: ["nodes"] }, toolsBySender: { "e164:+49": { deny: ["canvas"] } } },
        },
      },
    },
    places: [
      { channel: "telegram" },
      ...["g", "h"].flatMap((groupId) =>
        [{}, { senderId: "1" }, { senderName: "Ana" }, { senderE164: "+49", senderName: "ana" }].map(
          (sender) => ({ channel: "telegram", groupId, ...sender }),
        ),
      ),
    ],
  },
  {
    channels: {
      whatsapp: {
        groups: { g: { tools: { deny: ["exec"] } } },
        accounts: {
          default: { groups: { g: { tools: { deny: ["canvas"] } } } },
          Work: { groups: { "*": { tools: { allow: ["read"] } } } },
        },
      },
    },
    places: [undefined, "default", "work", "plain", "stranger"].flatMap((accountId) =>
      ["g", "h"].map((groupId) => ({
        channel: "whatsapp",
        groupId,
        ...(accountId === undefined ? {} : { accountId }),
      })),
    ),
  },
  {
    channels: {
      discord: {
        guilds: {
          guild1: {
            tools: { deny: ["exec"] },
            channels: {
              general: { tools: { deny: ["read"] } },
              ops: { toolsBySender: { "username:bo": {} } },
            },
          },
          "*": { channels: { general: { tools: { allow: ["canvas"] } } } },
        },
      },
      msteams: { teams: { t1: { channels: { c1: { tools: { deny: ["message"] } } } }, "*": { tools: {} } } },
    },
    places: [
      ...[undefined, "guild1", "guild2"].flatMap((groupSpace) =>
        [
          { groupId: "9", groupChannel: "#general" },
          { groupId: "ops", senderUsername: "@bo" },
          { groupId: "9" },
        ].map((group) => ({
          channel: "discord",
          ...group,
          ...(groupSpace === undefined ? {} : { groupSpace }),
        })),
      ),
      { channel: "msteams", groupId: "c1", groupSpace: "t1" },
      { channel: "msteams", groupId: "c1", groupSpace: "t9" },
      { channel: "msteams", groupId: "c9", groupSpace: "t1" },
    ],
  },
  {
    channels: {
      slack: { channels: { "#general": { tools: { deny: ["exec"] } }, "*": { tools: { deny: ["read"] } } } },
      matrix: { rooms: { "!r:x": { tools: { deny: ["canvas"] } } } },
    },
    places: [
      { channel: "slack", groupId: "C1", groupChannel: "general" },
      { channel: "slack", groupId: "C1" },
      { channel: "matrix", groupId: "!r:x" },
      { channel: "matrix", groupId: "!s:x" },
    ],
  },
];

interface Setup {
  global?: object;
  provider?: object;
  agent?: object;
  codex?: boolean;
  kind: number;
  sandbox?: "off" | "non-main" | "all";
  maxSpawnDepth?: number;
}

/** Small configs that between them make every axis matter. */
const setups: [what: string, setup: Setup][] = [
  ["the three kinds of senders and a model key", { kind: 1, provider: { "p/m": { deny: ["read"] } } }],
  [
    "accounts, a native search and a list of one tool that not every model has",
    { kind: 2, codex: true, global: { allow: ["apply_patch"] }, sandbox: "non-main" },
  ],
  [
    "guilds, teams and models that an agent lists for apply_patch",
    { kind: 3, agent: { exec: { applyPatch: { allowModels: ["openai/n"] } } }, maxSpawnDepth: 2 },
  ],
  [
    "rooms, keys with slashes and a sandbox",
    {
      kind: 4,
      provider: { p: {}, "p/m": { allow: ["read"] }, "p/p/m": { deny: ["tts"] } },
      agent: { byProvider: { q: { deny: ["tts"] }, "p/m": { deny: ["cron"] } } },
      sandbox: "all",
    },
  ],
  [
    "profiles, a global list of models for apply_patch and a native search",
    {
      kind: 0,
      codex: true,
      global: { profile: "messaging", exec: { applyPatch: { allowModels: ["m"] } } },
      provider: { p: { profile: "minimal" } },
      agent: { deny: ["write"] },
      sandbox: "non-main",
      maxSpawnDepth: 2,
    },
  ],
];

function configOf(setup: Setup) {
  const { kind, sandbox = "off", maxSpawnDepth = 1 } = setup;
  return {
    tools: {
      ...setup.global,
      byProvider: setup.provider ?? {},
      web: { search: { openaiCodex: { enabled: setup.codex ?? false } } },
    },
    agents: {
      defaults: { sandbox: { mode: sandbox }, subagents: { maxSpawnDepth } },
      list: [{ id: "a1", tools: setup.agent ?? {} }],
    },
    channels: channelKinds[kind]?.channels ?? {},
    gateway: { tools: { allow: ["cron"], deny: ["tts"] } },
  };
}

/** What exists where, as availability says it; the sandbox sees its files read-only. */
function toolsIn(
  config: unknown,
  context: PolicyContext,
  facts: { hasImageModel?: boolean } = {},
): RegisteredTool[] {
  const { agentId, provider, model, sandboxed } = context;
  return listKnownTools(config, {
    hasImageModel: true,
    ...facts,
    workspaceAccess: "ro",
    ...(agentId === undefined ? {} : { agentId }),
    ...(provider === undefined ? {} : { provider }),
    ...(model === undefined ? {} : { model }),
    ...(sandboxed === undefined ? {} : { sandboxed }),
  });
}

const models: PolicyContext[] = [undefined, "p", "q", "z", "OpenAI", "openai-codex"].flatMap((provider) =>
  [undefined, "m", "n", "p/m", "p/p/m"].map((model) => ({
    ...(provider === undefined ? {} : { provider }),
    ...(model === undefined ? {} : { model }),
  })),
);

const roles: PolicyContext[] = [
  {},
  { subagentDepth: 1 },
  { subagentDepth: 2 },
  { subagentDepth: 3, subagentRole: "orchestrator" },
  { subagentDepth: 1, subagentRole: "leaf" },
  { subagentDepth: 1, subagentRole: "main" },
];

/** The whole product of values, axis by axis. */
function* product(places: readonly PolicyContext[], modes: readonly boolean[]): Generator<PolicyContext> {
  const where: PolicyContext[] = [{}, { channel: "voice" }, { channel: "node" }, ...places];
  for (const agentId of ["a1", "stranger"]) {
    for (const model of models) {
      for (const api of [{}, { modelApi: "openai-codex-responses" }, { hasCodexAuth: true }]) {
        for (const place of where) {
          for (const senderIsOwner of [true, false]) {
            for (const sandboxed of modes) {
              for (const role of roles) {
                for (const surface of ["model", "http"] as const) {
                  yield { agentId, ...model, ...api, ...place, senderIsOwner, sandboxed, ...role, surface };
                }
              }
            }
          }
        }
      }
    }
  }
}

describe("the classes of a config", thorough, () => {
  test.each(setups)("are all that a naive walk over the whole product of values sees: %s", (_what, setup) => {
    const config = configOf(setup);
    const modes = { off: [false], all: [true], "non-main": [false, true] }[setup.sandbox ?? "off"];
    for (const hardening of [none, all]) {
      const compiled = compilePolicy(config, { hardening });
      const lists = new Map<string, RegisteredTool[]>();
      const listOf = (context: PolicyContext) => {
        const { agentId, provider, model, sandboxed } = context;
        const key = JSON.stringify([agentId, provider, model, sandboxed]);
        const list = lists.get(key) ?? toolsIn(config, context);
        lists.set(key, list);
        return list;
      };
      const outcome = (context: PolicyContext) => {
        const { tools } = evaluatePolicy(compiled, context, listOf(context));
        return `${context.agentId === "a1" ? "a1" : "other"} ${context.surface} ${tools.join()}`;
      };
      const naive = new Set<string>();
      for (const context of product(channelKinds[setup.kind]?.places ?? [], modes))
        naive.add(outcome(context));
      const supply = createToolSupply((context) => toolsIn(config, context));
      const axes = finish(createContextSpace(compiled, supply).axes({}));
      const classes = [...combine(axes)].map(classOf);
      expect(classes.length).toBe(countClasses(axes));
      const seen = new Set(classes.map(({ context }) => outcome(context)));
      expect([...seen].sort()).toEqual([...naive].sort());
    }
  });
});

/** Every combination of what may be missing, tried one after the other. */
function isBrokenSomewhere(
  config: unknown,
  hardening: ReadonlySet<string>,
  supply: ToolSupply,
  verb: "never" | "always",
  name: string,
): boolean {
  const compiled = compilePolicy(config, { hardening });
  const classes = [...combine(finish(createContextSpace(compiled, supply).axes({})))].map(classOf);
  return classes.some(({ context, label }) => {
    const { channel } = context;
    if (verb === "always" && (label.surface === "http" || channel === "voice" || channel === "node"))
      return false;
    const doubts = [...supply.doubtsIn(context)]
      .filter(([, doubt]) => verb === "never" || doubt === "setup")
      .map(([tool]) => tool);
    for (let mask = 0; mask < 1 << doubts.length; mask += 1) {
      const missing = new Set(doubts.filter((_, bit) => (mask & (1 << bit)) !== 0));
      const { tools } = evaluatePolicy(compiled, context, supply.without(context, missing));
      if (tools.includes(name) === (verb === "never")) return true;
    }
    return false;
  });
}

describe("tools that may be missing", thorough, () => {
  const supplyOf = (config: unknown) =>
    createToolSupply(
      (context) => toolsIn(config, context, { hasImageModel: true }),
      (context) =>
        listKnownTools(config, {
          ...(context.provider === undefined ? {} : { provider: context.provider }),
          hasImageModel: false,
          hasWebSearchProvider: false,
          messageDisabled: true,
        }),
      new Set(["message"]),
    );
  const allowed = fc.array(
    fc.constantFrom(
      "image",
      "web_search",
      "message",
      "apply_patch",
      "group:media",
      "image*",
      "browser",
      "read",
    ),
    { minLength: 1, maxLength: 3 },
  );

  test("are judged as if every combination of them were tried", () => {
    fc.assert(
      fc.property(
        allowed,
        allowed,
        fc.constantFrom(undefined, "messaging", "coding"),
        hardenings,
        fc.constantFrom("never", "always"),
        fc.constantFrom("exec", "image", "web_search", "message", "pdf", "apply_patch", "read"),
        (global, agent, profile, hardening, verb, name) => {
          const config = {
            tools: { allow: global, ...(profile === undefined ? {} : { profile }) },
            agents: { list: [{ id: "a1", tools: { allow: agent } }] },
          };
          const supply = supplyOf(config);
          const [result] = checkAssertions(
            compilePolicy(config, { hardening }),
            supply,
            `${verb} *: ${name}`,
          );
          const isBroken = isBrokenSomewhere(config, hardening, supply, verb, name);
          expect(result?.kind).toBe(isBroken ? "refuted" : "proved");
          if (result?.kind !== "refuted") return;
          // The counterexample holds with the very list that its trace shows.
          const isThere = result.trace.result.tools.includes(name);
          expect(isThere).toBe(verb === "never");
        },
      ),
      { numRuns: 60 },
    );
  });

  test("one list may lose its only tool while another is there", () => {
    const config = { tools: { allow: ["image"] } };
    const [result] = checkAssertions(
      compilePolicy(config, { hardening: new Set() }),
      supplyOf(config),
      "never *: web_search",
    );
    expect(result).toMatchObject({ kind: "refuted", label: { tools: "without image" } });
  });
});

describe("conditions", () => {
  const judge = (config: unknown, line: string) => {
    const supply = createToolSupply((context) => toolsIn(config, context));
    return checkAssertions(compilePolicy(config, { hardening: new Set() }), supply, line)[0];
  };
  const groups = {
    channels: {
      slack: {
        channels: {
          "#general": { tools: { deny: ["exec"] }, toolsBySender: { "name:ana": { deny: ["read"] } } },
          "*": { tools: { deny: ["exec"] } },
        },
      },
    },
  };

  test("may name senders, groups and channels that the config does not mention", () => {
    const closed = { tools: { deny: ["exec"] } };
    for (const when of ["sender=42", "group=g", "channel=irc", "channel=irc group=g sender=42"]) {
      expect(judge({}, `never * when ${when}: exec`)?.kind, when).toBe("refuted");
      expect(judge(closed, `never * when ${when}: exec`)?.kind, when).toBe("proved");
    }
  });

  test("leave open what they do not name: a sender may have a name, a group may be called anything", () => {
    expect(judge(groups, "always * when channel=slack group=C1 sender=42: read")?.kind).toBe("refuted");
    expect(judge(groups, "always * when channel=slack group=C1 sender=42: tts")?.kind).toBe("proved");
  });

  test("tell models apart by the tools that they come with", () => {
    const refuted = judge({ tools: { allow: ["apply_patch"] } }, "never *: exec");
    expect(refuted?.kind).toBe("refuted");
    expect(judge({}, "always * when provider=openai: apply_patch")?.kind).toBe("proved");
    expect(judge({}, "always *: apply_patch")).toMatchObject({ kind: "refuted", tool: "apply_patch" });
    const listed = { tools: { exec: { applyPatch: { allowModels: ["gpt-5"] } } } };
    expect(judge(listed, "never * when provider=openai: apply_patch")?.kind).toBe("refuted");
    expect(judge(listed, "never * when provider=acme: apply_patch")?.kind).toBe("proved");
  });

  test("know that a Codex sign-in outside of the config switches its own search on", () => {
    const native = { tools: { web: { search: { openaiCodex: { enabled: true } } } } };
    const line = "always main when provider=openai-codex role=main: web_search";
    expect(judge(native, line)).toMatchObject({ kind: "refuted", context: { hasCodexAuth: true } });
    expect(judge({}, line)?.kind).toBe("proved");
  });
});
