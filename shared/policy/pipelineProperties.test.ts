/** Laws of the pipeline over random configs, contexts and tools. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compilePolicy } from "./compile.ts";
import { valueAt } from "./configRecord.ts";
import { applyEdits } from "./debug/configEdits.ts";
import { evaluatePolicy } from "./evaluate.ts";
import { policyHardening } from "./hardening.ts";
import {
  configArbitrary,
  contextArbitrary,
  entryArbitrary,
  toolsArbitrary,
  wholeConfigArbitrary,
  wholeContextArbitrary,
  wholeToolsArbitrary,
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

  const denyPlaces: (string | number)[][] = [
    ["tools"],
    ["tools", "byProvider", "acme"],
    ["tools", "byProvider", "org/x"],
    ["tools", "subagents", "tools"],
    ["tools", "sandbox", "tools"],
    ["agents", "list", 0, "tools"],
    ["agents", "list", 0, "tools", "sandbox", "tools"],
    ["channels", "telegram", "groups", "g", "tools"],
    ["gateway", "tools"],
  ];

  test("never adds a tool when a deny entry is added, but for the sandbox of the reference", () => {
    fc.assert(
      fc.property(
        wholeConfigArbitrary,
        wholeContextArbitrary,
        wholeToolsArbitrary,
        entryArbitrary,
        fc.constantFrom(...denyPlaces),
        (config, context, tools, entry, place) => {
          // A new object may take the place of another one; an entry in one that is there must not.
          const isReplacing = place.includes("byProvider") || place.includes("channels");
          if (isReplacing && valueAt(config, place) === undefined) return;
          const deny = valueAt(config, [...place, "deny"]);
          const narrower = applyEdits(config, [
            { op: "set", path: [...place, "deny"], value: [...(Array.isArray(deny) ? deny : []), entry] },
          ]);
          for (const hardening of presets) {
            // There a written list takes the place of the built-in one (policy §9).
            if (hardening === reference && place.includes("sandbox")) continue;
            const before = toolsFor(config, context, tools, hardening);
            for (const name of toolsFor(narrower, context, tools, hardening)) expect(before).toContain(name);
          }
        },
      ),
      { numRuns: 700 },
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
      fc.property(
        wholeConfigArbitrary,
        wholeContextArbitrary,
        wholeToolsArbitrary,
        (config, context, tools) => {
          // A plugin with the id of a core tool takes its entries in the reference; here they mean the tool, as written.
          const honest = tools.filter(({ owner }) => owner.kind !== "plugin" || owner.pluginId !== "exec");
          const wide = new Set([
            ...toolsFor(config, context, tools, reference),
            ...toolsFor(config, context, honest, reference),
          ]);
          for (const name of toolsFor(config, context, tools, hardened)) expect(wide).toContain(name);
        },
      ),
      { numRuns: 1500 },
    );
  });

  test.each(policyHardening.map((rule) => rule.id))("lets %s alone allow at most that, too", (rule) => {
    fc.assert(
      fc.property(
        wholeConfigArbitrary,
        wholeContextArbitrary,
        wholeToolsArbitrary,
        (config, context, tools) => {
          const honest = tools.filter(({ owner }) => owner.kind !== "plugin" || owner.pluginId !== "exec");
          const wide = new Set([
            ...toolsFor(config, context, tools, reference),
            ...toolsFor(config, context, honest, reference),
          ]);
          for (const name of toolsFor(config, context, tools, new Set([rule]))) expect(wide).toContain(name);
        },
      ),
      { numRuns: 60 },
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
