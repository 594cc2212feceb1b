/** Random configs, contexts and tools for property tests. */

import fc from "fast-check";
import { catalogTools, toolGroups } from "../catalog.ts";
import type { PolicyContext, RegisteredTool } from "../types.ts";

const pluginTools: RegisteredTool[] = [
  { name: "lobster", owner: { kind: "plugin", pluginId: "lobster" } },
  { name: "kit_one", owner: { kind: "plugin", pluginId: "kit" } },
  { name: "kit_two", owner: { kind: "plugin", pluginId: "Kit" } },
];

const allTools: RegisteredTool[] = [
  ...catalogTools.map(
    (tool): RegisteredTool => ({
      name: tool.id,
      owner: tool.pluginId === undefined ? { kind: "core" } : { kind: "plugin", pluginId: tool.pluginId },
    }),
  ),
  { name: "pdf", owner: { kind: "core" } },
  ...pluginTools,
];

/** Any sub-list of the known tools, core before plugin tools. */
export const toolsArbitrary = fc.subarray(allTools, { minLength: 1 });

export const entryArbitrary = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...allTools.map((tool) => tool.name)) },
  { weight: 2, arbitrary: fc.constantFrom(...toolGroups.keys(), "group:plugins", "group:nope") },
  { weight: 2, arbitrary: fc.constantFrom("*", "**", "sessions_*", "*_search", "web*ch", "*e*", "kit_*") },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "kit",
      "memory-core",
      "bash",
      "Apply-Patch",
      " Exec ",
      "ghost",
      "",
      " ",
      "web-search",
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom("constructor", "__proto__", "toString", "hasOwnProperty") },
);

const listArbitrary = fc.array(entryArbitrary, { maxLength: 5 });
const profileArbitrary = fc.constantFrom("minimal", "coding", "messaging", "full");

const listsArbitrary = fc.record(
  { allow: listArbitrary, alsoAllow: listArbitrary, deny: listArbitrary },
  { requiredKeys: [] },
);

const providerArbitrary = fc
  .tuple(listsArbitrary, fc.option(profileArbitrary, { nil: undefined }))
  .map(([lists, profile]) => ({ ...lists, ...(profile === undefined ? {} : { profile }) }));

const scopeArbitrary = fc
  .tuple(
    providerArbitrary,
    fc.dictionary(fc.constantFrom("acme", "acme/m1", " ACME/M2 ", "org/x"), providerArbitrary, {
      maxKeys: 2,
    }),
    fc.record({ exec: fc.constant({}), fs: fc.constant({}) }, { requiredKeys: [] }),
  )
  .map(([scope, byProvider, sections]) => ({ ...scope, ...sections, byProvider }));

export const configArbitrary = fc
  .tuple(
    scopeArbitrary,
    scopeArbitrary,
    fc.option(listsArbitrary, { nil: undefined }),
    fc.integer({ min: 1, max: 3 }),
  )
  .map(([tools, agentTools, subagents, maxSpawnDepth]) => ({
    tools: { ...tools, ...(subagents === undefined ? {} : { subagents: { tools: subagents } }) },
    agents: {
      defaults: { subagents: { maxSpawnDepth } },
      list: [{ id: "a1", tools: agentTools }, { id: "a2" }],
    },
  }));

/** The part of contexts that the second implementation covers. */
export const contextArbitrary: fc.Arbitrary<PolicyContext> = fc
  .record({
    agentId: fc.constantFrom("a1", "a2"),
    provider: fc.constantFrom(undefined, "acme", "org"),
    model: fc.constantFrom(undefined, "m1", "m2", "org/x"),
    subagentDepth: fc.constantFrom(0, 1, 2),
  })
  .map((context) => ({ ...context, senderIsOwner: true, surface: "model" as const }));

/** Any context, with owner, sandbox, channel and surface too. */
export const wideContextArbitrary: fc.Arbitrary<PolicyContext> = fc
  .tuple(
    contextArbitrary,
    fc.record({
      senderIsOwner: fc.constantFrom(true, false, undefined),
      sandboxed: fc.boolean(),
      channel: fc.constantFrom(undefined, "voice", "node", "telegram"),
      surface: fc.constantFrom("model" as const, "mcp" as const, "http" as const),
    }),
  )
  .map(([context, more]) => ({ ...context, ...more }));
