/** Laws of the pipeline over random configs, contexts and tools. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compilePolicy } from "./compile.ts";
import { evaluatePolicy } from "./evaluate.ts";
import { policyHardening } from "./hardening.ts";
import {
  configArbitrary,
  contextArbitrary,
  entryArbitrary,
  toolsArbitrary,
  wideContextArbitrary,
} from "./testing/arbitraries.ts";
import { naiveTools } from "./testing/naiveEngine.ts";
import type { PolicyContext, RegisteredTool } from "./types.ts";

/** Many samples: on a machine with other work they may take their time. */
const thorough = { timeout: 120_000 };

const reference: ReadonlySet<string> = new Set();
const hardened: ReadonlySet<string> = new Set(policyHardening.map((rule) => rule.id));
const presets = [reference, hardened];
const runs = { numRuns: 400 };

function toolsFor(
  config: unknown,
  context: PolicyContext,
  tools: readonly RegisteredTool[],
  hardening = reference,
) {
  return evaluatePolicy(compilePolicy(config, { hardening }), context, tools).tools;
}

describe("the pipeline", thorough, () => {
  test("gives what a naive second implementation of the spec gives", () => {
    fc.assert(
      fc.property(configArbitrary, contextArbitrary, toolsArbitrary, (config, context, tools) => {
        expect(toolsFor(config, context, tools)).toEqual(naiveTools(config, context, tools));
      }),
      { numRuns: 3000 },
    );
  });

  test("never brings a tool back in a later stage, on either preset", () => {
    fc.assert(
      fc.property(configArbitrary, wideContextArbitrary, toolsArbitrary, (config, context, tools) => {
        for (const hardening of presets) {
          const { stages, tools: end } = evaluatePolicy(compilePolicy(config, { hardening }), context, tools);
          let before = new Set(tools.map((tool) => tool.name));
          for (const stage of stages) {
            for (const name of stage.surviving) expect(before.has(name)).toBe(true);
            for (const name of stage.removed) expect(stage.surviving).not.toContain(name);
            before = new Set(stage.surviving);
          }
          for (const name of end) expect(before.has(name)).toBe(true);
        }
      }),
      runs,
    );
  });

  test("lets deny beat allow in the same object", () => {
    fc.assert(
      fc.property(
        toolsArbitrary,
        fc.array(entryArbitrary, { maxLength: 4 }),
        wideContextArbitrary,
        (tools, allow, context) => {
          for (const { name } of tools) {
            const config = { tools: { allow: [...allow, name], deny: [name] } };
            for (const hardening of presets)
              expect(toolsFor(config, context, tools, hardening)).not.toContain(name);
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  test("never adds a tool when a deny entry is added", () => {
    fc.assert(
      fc.property(
        configArbitrary,
        wideContextArbitrary,
        toolsArbitrary,
        entryArbitrary,
        fc.boolean(),
        (config, context, tools, entry, atAgent) => {
          const scope = (value: { deny?: string[] | undefined }) => ({
            ...value,
            deny: [...(value.deny ?? []), entry],
          });
          const [first, ...others] = config.agents.list;
          const narrower = atAgent
            ? {
                ...config,
                agents: {
                  ...config.agents,
                  list: [{ ...first, tools: scope(first?.tools ?? {}) }, ...others],
                },
              }
            : { ...config, tools: scope(config.tools) };
          for (const hardening of presets) {
            const before = toolsFor(config, context, tools, hardening);
            for (const name of toolsFor(narrower, context, tools, hardening)) expect(before).toContain(name);
          }
        },
      ),
      runs,
    );
  });

  test("does not care about the order of list entries", () => {
    const reversed = (value: unknown): unknown => {
      if (Array.isArray(value)) {
        return value.every((item) => typeof item === "string") ? value.toReversed() : value.map(reversed);
      }
      if (typeof value !== "object" || value === null) return value;
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, reversed(item)]));
    };
    fc.assert(
      fc.property(configArbitrary, wideContextArbitrary, toolsArbitrary, (config, context, tools) => {
        for (const hardening of presets) {
          expect(toolsFor(reversed(config), context, tools, hardening)).toEqual(
            toolsFor(config, context, tools, hardening),
          );
        }
      }),
      runs,
    );
  });

  test("lets the hardened preset allow at most what the reference allows", () => {
    fc.assert(
      fc.property(configArbitrary, wideContextArbitrary, toolsArbitrary, (config, context, tools) => {
        const wide = toolsFor(config, context, tools, reference);
        for (const name of toolsFor(config, context, tools, hardened)) expect(wide).toContain(name);
      }),
      runs,
    );
  });

  test("keeps answering for the same list of tools after the list was changed", () => {
    const tools: RegisteredTool[] = [{ name: "read", owner: { kind: "core" } }];
    const compiled = compilePolicy({ tools: { deny: ["exec"] } }, { hardening: reference });
    expect(evaluatePolicy(compiled, {}, tools).tools).toEqual(["read"]);
    tools.push({ name: "exec", owner: { kind: "core" } }, { name: "write", owner: { kind: "core" } });
    expect(evaluatePolicy(compiled, {}, tools).tools).toEqual(["read", "write"]);
  });

  test("is not reached by changes of the config after compiling", () => {
    const config = { tools: { deny: ["exec"] } };
    const tools: RegisteredTool[] = [{ name: "exec", owner: { kind: "core" } }];
    const compiled = compilePolicy(config, { hardening: reference });
    config.tools.deny.length = 0;
    expect(evaluatePolicy(compiled, {}, tools).tools).toEqual([]);
  });
});

describe("hostile names", () => {
  const hostile = ["constructor", "__proto__", "toString", "prototype", "hasOwnProperty"];
  const tools: RegisteredTool[] = [
    { name: "read", owner: { kind: "core" } },
    ...hostile.map((name): RegisteredTool => ({ name, owner: { kind: "plugin", pluginId: name } })),
  ];

  test.each(hostile)("treats %s as an ordinary unknown name in a list", (name) => {
    const compiled = compilePolicy({ tools: { allow: ["read", name] } }, { hardening: reference });
    const result = evaluatePolicy(compiled, {}, tools.slice(0, 1));
    expect(result.tools).toEqual(["read"]);
    expect(result.warnings).toEqual([
      { stage: "tools.allow", kind: "unknown", stripped: false, entries: [name.toLowerCase()] },
    ]);
  });

  test.each(hostile)("treats %s as an ordinary name of tools, agents, providers and groups", (name) => {
    const config = JSON.parse(
      `{"tools":{"byProvider":{"${name}":{"deny":["${name}"]}}},"agents":{"list":[{"id":"${name}","tools":{"deny":["read"]}}]},
        "channels":{"${name}":{"groups":{"${name}":{"tools":{"deny":["*"]}}}}}}`,
    );
    const compiled = compilePolicy(config, { hardening: reference });
    expect(evaluatePolicy(compiled, { provider: name, senderIsOwner: true }, tools).tools).not.toContain(
      name,
    );
    expect(evaluatePolicy(compiled, { agentId: name }, tools).tools).not.toContain("read");
    expect(evaluatePolicy(compiled, { channel: name, groupId: name }, tools).tools).toEqual(
      name === name.toLowerCase() ? [] : tools.map((tool) => tool.name),
    );
    expect(evaluatePolicy(compiled, { channel: "telegram", groupId: name }, tools).tools).toHaveLength(
      tools.length,
    );
  });
});
