/** The matrix agrees with the answer, with itself and with the config it points into. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { listKnownTools } from "./availability.ts";
import { compilePolicy } from "./compile.ts";
import { getIn } from "./configRecord.ts";
import { evaluatePolicy } from "./evaluate.ts";
import { describeAbsence, describeReason, describeRule, explainAbsence, toolSteps } from "./explain.ts";
import { policyHardening } from "./hardening.ts";
import { httpDefaultDeny } from "./httpSurface.ts";
import { policyTraceSchema } from "./schema.ts";
import { configArbitrary, toolsArbitrary, wideContextArbitrary } from "./testing/arbitraries.ts";
import { tracePolicy } from "./trace.ts";
import type { ConfigPath, PolicyContext, RegisteredTool } from "./types.ts";

/** Many samples: on a machine with other work they may take their time. */
const thorough = { timeout: 120_000 };

const reference: ReadonlySet<string> = new Set();
const hardened: ReadonlySet<string> = new Set(policyHardening.map((rule) => rule.id));

function lookUp(config: unknown, path: ConfigPath): unknown {
  return path.reduce<unknown>(
    (value, part) =>
      typeof part === "number" ? (value as unknown[] | undefined)?.[part] : getIn(value, part),
    config,
  );
}

const core = (...names: string[]): RegisteredTool[] =>
  names.map((name) => ({ name, owner: { kind: "core" } }));

describe("tracePolicy", thorough, () => {
  test("agrees with evaluatePolicy, counts right and points to places that exist", () => {
    fc.assert(
      fc.property(
        configArbitrary,
        wideContextArbitrary,
        toolsArbitrary,
        fc.constantFrom(reference, hardened),
        (config, context, tools, hardening) => {
          const compiled = compilePolicy(config, { hardening });
          const trace = tracePolicy(compiled, context, tools);
          expect(trace.result).toEqual(evaluatePolicy(compiled, context, tools));
          expect(trace.rows.map((row) => row.name)).toEqual(tools.map((tool) => tool.name));
          expect(trace.rows.filter((row) => row.verdict.kind === "kept").map((row) => row.name)).toEqual(
            trace.result.tools,
          );
          const ids = trace.rules.map((rule) => rule.id);
          expect(new Set(ids).size).toBe(ids.length);
          for (const rule of trace.rules) {
            if (rule.configPath !== null && rule.list !== "pre-filter") {
              expect(lookUp(config, rule.configPath), describeRule(rule)).toBeDefined();
            }
          }
          trace.columns.forEach((column, index) => {
            const stage = trace.result.stages.find((candidate) => candidate.column === column.id);
            expect(column.state === "active" && column.number !== undefined).toBe(stage !== undefined);
            const cells = trace.rows.map((row) => row.cells[index]);
            const removed = cells.filter(
              (cell) => cell?.effect === "removed" || cell?.effect === "absent",
            ).length;
            expect(column.removed).toBe(removed);
            if (stage !== undefined) {
              expect(column.survivors).toBe(stage.surviving.length);
              expect(removed).toBe(stage.removed.length);
              expect(column.label).toBe(stage.label);
            }
            for (const cell of cells) {
              if (cell?.effect !== "removed" || column.id === "http") continue;
              const [first] = cell.ruleIds ?? [];
              expect(ids).toContain(first);
            }
          });
        },
      ),
      { numRuns: 500 },
    );
  });

  test("fits its wire schema", () => {
    const compiled = compilePolicy(
      { tools: { profile: "coding", deny: ["exec"] } },
      { hardening: reference },
    );
    const trace = tracePolicy(compiled, { sandboxed: true }, core("read", "exec", "cron"));
    expect(policyTraceSchema.parse(trace)).toEqual(trace);
  });

  test("shows a removed tool, what would also remove it, and an allow that cannot bring it back", () => {
    const config = {
      tools: { profile: "minimal" },
      agents: { list: [{ id: "a1", tools: { allow: ["exec", "session_status"], deny: ["read"] } }] },
    };
    const compiled = compilePolicy(config, { hardening: reference });
    const trace = tracePolicy(
      compiled,
      { agentId: "a1", senderIsOwner: true },
      core("read", "exec", "session_status"),
    );
    const effects = (name: string) =>
      trace.rows.find((row) => row.name === name)?.cells.map((cell) => cell.effect);
    const at = (id: string) => trace.columns.findIndex((column) => column.id === id);
    expect(effects("exec")?.[at("profile")]).toBe("removed");
    expect(effects("exec")?.[at("agent")]).toBe("withoutEffect");
    expect(effects("read")?.[at("agent")]).toBe("wouldRemove");
    expect(effects("session_status")?.[at("agent")]).toBe("kept");
    expect(effects("session_status")?.[at("group")]).toBe("skipped");
    expect(effects("read")?.[at("http")]).toBe("absent");
  });

  test("names the rule, its place and the loser of a cell where deny and allow meet", () => {
    const config = {
      agents: { list: [{ id: "b" }, { id: "a1", tools: { alsoAllow: ["write"], deny: ["write"] } }] },
    };
    const compiled = compilePolicy(config, { hardening: reference });
    const trace = tracePolicy(compiled, { agentId: "a1" }, core("write", "apply_patch"));
    const step = toolSteps(trace, "apply_patch")?.find((candidate) => candidate.column === "agent");
    expect(step?.cell).toMatchObject({ effect: "removed", why: { code: "denied-through-write" } });
    expect(step?.rules.map((rule) => rule.configPath)).toEqual([
      ["agents", "list", 1, "tools", "deny", 0],
      ["agents", "list", 1, "tools", "alsoAllow"],
    ]);
  });

  test("shows a dropped list as a ring on every tool that passes it", () => {
    const tools: RegisteredTool[] = [
      ...core("read"),
      { name: "browser", owner: { kind: "plugin", pluginId: "browser" } },
    ];
    const config = { tools: { allow: ["browser"] } };
    const open = tracePolicy(compilePolicy(config, { hardening: reference }), {}, tools);
    const column = open.columns.findIndex((candidate) => candidate.id === "global");
    expect(open.columns[column]?.failsOpen).toBe(true);
    expect(open.rows.map((row) => row.cells[column]?.effect)).toEqual(["failsOpen", "failsOpen"]);
    const strict = tracePolicy(compilePolicy(config, { hardening: hardened }), {}, tools);
    expect(strict.columns[column]?.failsOpen).toBe(false);
    expect(strict.rows.map((row) => row.cells[column]?.effect)).toEqual(["removed", "kept"]);
  });

  test("says why a tool is not there, in the order of HTTP on that surface", () => {
    const tools: RegisteredTool[] = [
      { name: "image", owner: { kind: "core" }, unavailable: { reason: "no-image-model" } },
      ...core("exec", "cron", "agents_list"),
    ];
    const context: PolicyContext = { surface: "http", senderIsOwner: true };
    const trace = tracePolicy(compilePolicy({}, { hardening: reference }), context, tools);
    expect(trace.rows.map((row) => row.verdict)).toEqual([
      { kind: "absent", reason: "no-image-model" },
      { kind: "absent", reason: "not-on-surface", params: { surface: "http" } },
      { kind: "removed", column: "http" },
      { kind: "kept" },
    ]);
    expect(trace.columns.slice(-2).map((column) => column.id)).toEqual(["owner-only", "http"]);
    expect(trace.rows[2]?.cells.at(-1)?.why).toEqual({
      code: "http-default-deny",
      params: { threat: "persistence-and-reach" },
    });
  });

  test("gives each tool that HTTP withholds by default its threat as the reason", () => {
    const tools = [...httpDefaultDeny.keys()].map(
      (name): RegisteredTool => ({ name, owner: { kind: "plugin", pluginId: "kit" } }),
    );
    const context: PolicyContext = { surface: "http", senderIsOwner: true };
    const trace = tracePolicy(compilePolicy({}, { hardening: reference }), context, tools);
    expect(trace.result.tools).toEqual([]);
    expect(trace.rows.map((row) => [row.name, row.cells.at(-1)?.why])).toEqual(
      [...httpDefaultDeny].map(([name, threat]) => [name, { code: "http-default-deny", params: { threat } }]),
    );
    expect(new Set(httpDefaultDeny.values()).size).toBe(4);
  });

  test("says when an entry reaches a tool through its plugin, a pattern or a group", () => {
    const tools: RegisteredTool[] = [
      ...core("read", "cron"),
      { name: "kit_one", owner: { kind: "plugin", pluginId: "kit" } },
    ];
    const compiled = compilePolicy({ tools: { deny: ["kit", "cr*", "group:fs"] } }, { hardening: reference });
    const trace = tracePolicy(compiled, { senderIsOwner: true }, tools);
    const column = trace.columns.findIndex((candidate) => candidate.id === "global");
    expect(trace.rows.map((row) => row.cells[column]?.why?.code)).toEqual([
      "denied-by-group",
      "denied-by-pattern",
      "denied-by-plugin",
    ]);
  });

  test("keeps what a model entry or the agent replaces as rules without effect", () => {
    const config = {
      tools: {
        profile: "coding",
        byProvider: { acme: { deny: ["exec"] }, "acme/m": { deny: ["read"] } },
      },
      agents: {
        list: [
          { id: "a1", tools: { profile: "full" } },
          { id: "a2", tools: { profile: "messaging" } },
        ],
      },
    };
    const compiled = compilePolicy(config, { hardening: reference });
    const trace = tracePolicy(
      compiled,
      { agentId: "a2", provider: "acme", model: "m" },
      core("read", "exec"),
    );
    const lost = trace.rules.filter((rule) => rule.lostTo !== undefined);
    expect(lost.map((rule) => [rule.path, rule.lostTo?.why.code])).toEqual([
      ["tools.profile", "replaced-by-agent"],
      ["tools.byProvider.acme.deny[0]", "replaced-by-model-entry"],
    ]);
  });
});

describe("texts of rules and reasons", () => {
  test("a rule that stands for a whole list says that it restricts, not that it lists the tool", () => {
    const compiled = compilePolicy({ tools: { profile: "coding" } }, { hardening: reference });
    const trace = tracePolicy(compiled, { senderIsOwner: true, surface: "model" }, core("read", "browser"));
    const step = toolSteps(trace, "browser")?.find(({ column }) => column === "profile");
    const [rule] = step?.rules ?? [];
    expect(rule === undefined ? "" : describeRule(rule)).toBe(
      'tools.profile "coding": only what the profile coding lists gets through',
    );
  });

  test.each([
    ["not-built", {}, "this version does not have it"],
    ["disabled-in-config", { path: "browser.enabled" }, "browser.enabled turns it off"],
    ["not-on-surface", { surface: "http" }, "the http surface does not offer it"],
    ["moon-phase", {}, "it is not there (moon-phase)"],
    ["constructor", {}, "it is not there (constructor)"],
    [undefined, {}, "it is not there"],
  ])("a tool that is not there because of %s says so in words", (reason, params, text) => {
    expect(describeAbsence(reason, params)).toBe(text);
    if (reason !== undefined && reason !== "not-on-surface")
      expect(describeReason({ code: "unavailable", params: { ...params, reason } })).toBe(text);
    expect(describeReason({ code: "unavailable" })).toBe("it is not there");
  });

  test("every reason that the availability rules give has words", () => {
    const facts = [
      { modelSupportsTools: false },
      { trigger: "memory" },
      { hasAgentDir: false, messageDisabled: true },
      { hasWebSearchProvider: false, provider: "x" },
      {},
    ];
    const configs = [{}, { plugins: { enabled: false } }, { browser: { enabled: false } }];
    const reasons = facts.flatMap((fact) =>
      configs.flatMap((config) =>
        listKnownTools(config, fact).flatMap(({ unavailable }) => unavailable ?? []),
      ),
    );
    expect(reasons.length).toBeGreaterThan(0);
    for (const { reason, params } of reasons) {
      expect(describeAbsence(reason, params)).not.toContain(reason);
      expect(explainAbsence(reason, params)).toMatch(/^[^{}]+[.]$/);
    }
  });
});
