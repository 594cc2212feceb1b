/** The quick walk over very many contexts agrees with the engine, context by context. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compilePolicy } from "../compile.ts";
import { snapshotConfig } from "../configRecord.ts";
import { evaluatePolicy } from "../evaluate.ts";
import { policyHardening } from "../hardening.ts";
import { normalizeKey } from "../names.ts";
import { configArbitrary, entryArbitrary, toolsArbitrary } from "../testing/arbitraries.ts";
import { tracePolicy } from "../trace.ts";
import type { ConfigEdit, RegisteredTool } from "../types.ts";
import { checkAssertions } from "./assertions.ts";
import { applyEdits } from "./configEdits.ts";
import {
  classOf,
  combine,
  countClasses,
  createContextSpace,
  describeAxes,
  enumerateContexts,
} from "./contextClasses.ts";
import { finish } from "./steps.ts";
import { createClassEvaluator } from "./survivors.ts";

/** Many samples: on a machine with other work they may take their time. */
const thorough = { timeout: 120_000 };

const lists = fc.record(
  {
    allow: fc.array(entryArbitrary, { maxLength: 3 }),
    deny: fc.array(entryArbitrary, { maxLength: 3 }),
  },
  { requiredKeys: [] },
);

const wideConfig = fc
  .tuple(configArbitrary, lists, lists, lists, lists, fc.constantFrom("off", "non-main", "all"), fc.boolean())
  .map(([config, group, sender, sandbox, http, mode, codex]) => ({
    ...config,
    tools: {
      ...config.tools,
      sandbox: { tools: sandbox },
      web: { search: { openaiCodex: { enabled: codex } } },
    },
    agents: { ...config.agents, defaults: { ...config.agents.defaults, sandbox: { mode } } },
    channels: { telegram: { groups: { g: { tools: group, toolsBySender: { "id:1": sender } } } } },
    gateway: { tools: http },
  }));

/** Tools of every kind: optional ones, owner-only ones, ones that are not there, and ones beside the pipeline. */
const wideTools = fc
  .tuple(
    toolsArbitrary,
    fc.subarray<"optional" | "ownerOnly" | "mcp" | "absent">(["optional", "ownerOnly", "mcp", "absent"]),
  )
  .map(([tools, kinds]): RegisteredTool[] => [
    ...tools,
    ...(kinds.includes("optional")
      ? [{ name: "opt", owner: { kind: "plugin" as const, pluginId: "kit" }, optional: true }]
      : []),
    ...(kinds.includes("ownerOnly")
      ? [{ name: "mine", owner: { kind: "plugin" as const, pluginId: "lobster" }, ownerOnly: true }]
      : []),
    ...(kinds.includes("mcp") ? [{ name: "far", owner: { kind: "mcp" as const, serverId: "kit" } }] : []),
    ...(kinds.includes("absent")
      ? [{ name: "pdf2", owner: { kind: "core" as const }, unavailable: { reason: "no-model" } }]
      : []),
  ]);

const hardenings = fc.constantFrom<ReadonlySet<string>>(
  new Set(),
  new Set(policyHardening.map((rule) => rule.id)),
);

describe("createClassEvaluator", thorough, () => {
  test("gives the tools that the engine gives, in every class", () => {
    fc.assert(
      fc.property(wideConfig, wideTools, hardenings, (config, tools, hardening) => {
        const compiled = compilePolicy(config, { hardening });
        const evaluator = createClassEvaluator(compiled, tools);
        const axes = finish(createContextSpace(compiled).axes({}));
        const all = [...combine(axes)];
        expect(all.length).toBe(countClasses(axes));
        // A compilation and a list that nobody has looked at before.
        const fresh = compilePolicy(config, { hardening });
        const sameTools = [...tools];
        for (const parts of all) {
          const { context } = classOf(parts);
          const engine = evaluatePolicy(fresh, context, sameTools).tools;
          const names = evaluator.names(evaluator.survivors(parts));
          // Comparing by expect alone is slow for so many.
          if (names.join() !== engine.join()) expect(names, JSON.stringify(context)).toEqual(engine);
        }
      }),
      { numRuns: 12 },
    );
  });
});

describe("compiling an edit on top of an earlier compilation", thorough, () => {
  const places: (string | number)[][] = [
    ["tools", "deny"],
    ["tools", "allow"],
    ["tools", "alsoAllow"],
    ["tools", "profile"],
    ["tools", "byProvider", "acme"],
    ["tools", "subagents", "tools", "allow"],
    ["tools", "sandbox", "tools", "deny"],
    ["agents", "list", 0, "tools", "deny"],
    ["agents", "list", 0, "tools", "alsoAllow"],
    ["agents", "list", 0, "tools", "byProvider", "acme/m1"],
    ["channels", "telegram", "groups", "g", "tools", "deny"],
    ["channels", "telegram", "groups", "g", "toolsBySender", "id:1"],
    ["gateway", "tools", "allow"],
    ["plugins", "enabled"],
  ];
  const valueFor = (path: readonly (string | number)[], entries: string[]): unknown => {
    const last = path.at(-1);
    if (last === "profile") return "messaging";
    if (last === "enabled") return false;
    return last === "acme" || last === "acme/m1" || last === "id:1" ? { deny: entries } : entries;
  };

  test("gives the same traces as compiling everything again", () => {
    fc.assert(
      fc.property(
        wideConfig,
        wideTools,
        hardenings,
        fc.constantFrom(...places),
        fc.array(entryArbitrary, { maxLength: 3 }),
        (config, tools, hardening, path, entries) => {
          const saved = snapshotConfig(config);
          const earlier = compilePolicy(saved, { hardening });
          const classes = enumerateContexts(earlier).filter((_, index) => index % 23 === 0);
          for (const { context } of classes) tracePolicy(earlier, context, tools);
          const edit: ConfigEdit = { op: "set", path, value: valueFor(path, entries) };
          const edited = applyEdits(saved, [edit]);
          const quick = compilePolicy(edited, { hardening, earlier });
          const whole = compilePolicy(applyEdits(config, [edit]), { hardening });
          for (const { context } of classes) {
            expect(tracePolicy(quick, context, tools)).toEqual(tracePolicy(whole, context, [...tools]));
          }
        },
      ),
      { numRuns: 12 },
    );
  });

  test("leaves the snapshot alone and shares what was not edited", () => {
    const saved = snapshotConfig({ tools: { deny: ["a"] }, agents: { list: [{ id: "x" }] } }) as {
      tools: unknown;
      agents: unknown;
    };
    const edited = snapshotConfig(
      applyEdits(saved, [{ op: "set", path: ["tools", "deny"], value: [] }]),
    ) as typeof saved;
    expect(edited.agents).toBe(saved.agents);
    expect(edited.tools).toEqual({ deny: [] });
    expect(saved.tools).toEqual({ deny: ["a"] });
  });
});

describe("checkAssertions", thorough, () => {
  /** The conditions as words, for a second implementation over the classes put together. */
  const conditions = fc.subarray(
    [
      ["owner", "true"],
      ["sandboxed", "false"],
      ["role", "leaf"],
      ["surface", "http"],
      ["surface", "model"],
      ["provider", "acme"],
      ["model", "m1"],
      ["channel", "telegram"],
      ["channel", "none"],
      ["group", "g"],
      ["sender", "1"],
    ] as const,
    { maxLength: 3 },
  );

  test("finds what a plain loop over all contexts finds", () => {
    fc.assert(
      fc.property(
        wideConfig,
        wideTools,
        hardenings,
        fc.constantFrom("never", "always"),
        fc.constantFrom("*", "a1", "a2", "stranger"),
        conditions,
        fc.constantFrom("read", "exec", "kit_one", "opt"),
        (config, tools, hardening, verb, agent, when, tool) => {
          const compiled = compilePolicy(config, { hardening });
          const wanted = new Map<string, string>(when);
          const clause = [...wanted].map(([field, value]) => `${field}=${value}`).join(" ");
          const line = `${verb} ${agent}${clause === "" ? "" : ` when ${clause}`}: ${tool}`;
          const [result] = checkAssertions(compiled, tools, line);
          // Where the config lists agents, a name that is none of them is a slip and no promise.
          if (agent === "stranger" && compiled.agents.size > 0) {
            expect(result?.kind).toBe("invalid");
            return;
          }
          const meant = enumerateContexts(compiled, {
            ...(agent === "*" ? {} : { agentId: agent }),
            ...optional("provider", wanted.get("provider")),
            ...optional("model", wanted.get("model")),
            ...optional("channel", wanted.get("channel")),
            ...optional("groupId", wanted.get("group")),
            ...optional("senderId", wanted.get("sender")),
          }).filter(({ context, label }) => {
            if (agent !== "*" && context.agentId !== agent) return false;
            if (verb === "always" && !wanted.has("surface") && label.surface === "http") return false;
            const isCut = context.channel === "voice" || context.channel === "node";
            if (verb === "always" && !wanted.has("channel") && isCut) return false;
            const actual = new Map<string, string | undefined>([
              ["owner", String(label.owner)],
              ["sandboxed", String(label.sandboxed)],
              ["role", label.role],
              ["surface", label.surface],
              ["provider", context.provider],
              ["model", context.model],
              ["channel", context.channel ?? "none"],
              ["group", context.groupId ?? "none"],
              ["sender", context.senderId],
            ]);
            return [...wanted].every(([field, value]) => normalizeKey(actual.get(field)) === value);
          });
          const broken = meant.findIndex(
            ({ context }) =>
              evaluatePolicy(compiled, context, tools).tools.includes(tool) === (verb === "never"),
          );
          if (result?.kind === "refuted") {
            expect(result).toMatchObject({ contexts: broken + 1, context: meant[broken]?.context });
          } else if (result?.kind === "proved") {
            expect([broken, result.contexts]).toEqual([-1, meant.length]);
          } else {
            expect([result?.kind, meant.length]).toEqual(["invalid", 0]);
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});

function optional(key: string, value: string | undefined) {
  return value === undefined ? {} : { [key]: value };
}

describe("describeAxes", () => {
  const valuesOf = (config: unknown) => {
    const compiled = compilePolicy(config, { hardening: new Set() });
    const axes = finish(createContextSpace(compiled).axes({}));
    return new Map(describeAxes(axes).map(({ dimension, values }) => [dimension, values]));
  };

  test("names every value once, and without a comma inside", () => {
    const values = valuesOf({
      channels: { telegram: { groups: { g: { tools: {}, toolsBySender: { "id:1": {} } } } } },
    });
    expect(values.get("group")).toEqual([
      "direct",
      "direct (voice)",
      "direct (node)",
      "telegram g",
      "telegram g from id:1",
    ]);
    for (const list of values.values()) expect(new Set(list).size).toBe(list.length);
  });

  test("says that all agents are alike where the config sets none apart", () => {
    expect(valuesOf({}).get("agent")).toEqual(["any"]);
    expect(valuesOf({ agents: { list: [{ id: "a" }] } }).get("agent")).toEqual(["a", "any-other-agent"]);
  });

  test("agrees with the labels of the classes themselves", () => {
    const compiled = compilePolicy(
      {
        tools: { byProvider: { p: {}, "q/m": {} } },
        agents: { list: [{ id: "a", sandbox: { mode: "all" } }] },
      },
      { hardening: new Set() },
    );
    const classes = enumerateContexts(compiled);
    for (const { dimension, values } of describeAxes(finish(createContextSpace(compiled).axes({})))) {
      expect(new Set(values)).toEqual(new Set(classes.map(({ label }) => String(label[dimension]))));
    }
  });
});
