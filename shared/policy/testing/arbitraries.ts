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
      "opt",
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
const profileArbitrary = fc.constantFrom("minimal", "coding", "messaging", "full", "codng");

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
    fc.dictionary(
      fc.constantFrom("acme", "acme/m1", " ACME/M2 ", "org/x", "acme/org/x", "org/org/x"),
      providerArbitrary,
      { maxKeys: 3 },
    ),
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

const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

/** The places that the second implementation does not know: groups, senders, sandboxes, HTTP. */
export const wholeConfigArbitrary = fc
  .tuple(
    configArbitrary,
    fc.record(
      { tools: listsArbitrary, toolsBySender: fc.dictionary(fc.constantFrom("id:1", "*"), listsArbitrary) },
      { requiredKeys: [] },
    ),
    optional(listsArbitrary),
    optional(listsArbitrary),
    fc.record({ allow: listArbitrary, deny: listArbitrary }, { requiredKeys: [] }),
    // Keys that mean the same model, or a part of it.
    fc.dictionary(fc.constantFrom("acme/org/x", "org/x", "acme"), providerArbitrary, { maxKeys: 3 }),
  )
  .map(([config, group, sandbox, agentSandbox, http, byProvider]) => {
    const [first, ...others] = config.agents.list;
    const sandboxOf = (lists: typeof sandbox) => (lists === undefined ? {} : { sandbox: { tools: lists } });
    return {
      tools: {
        ...config.tools,
        ...sandboxOf(sandbox),
        byProvider: { ...config.tools.byProvider, ...byProvider },
      },
      agents: {
        ...config.agents,
        list: [{ id: "a1", tools: { ...(first?.tools ?? {}), ...sandboxOf(agentSandbox) } }, ...others],
      },
      channels: { telegram: { groups: { g: group, "*": { tools: { deny: ["tts"] } } } } },
      gateway: { tools: http },
    };
  });

/** Any context, its session key, its stored role and its group included. */
export const wholeContextArbitrary: fc.Arbitrary<PolicyContext> = fc
  .tuple(
    wideContextArbitrary,
    fc.record(
      {
        sessionKey: fc.constantFrom(
          "agent:a1:main",
          "agent:a1:subagent:x",
          "subagent:x",
          "agent:a1:subagent:x:subagent:y",
        ),
        subagentRole: fc.constantFrom("main" as const, "orchestrator" as const, "leaf" as const),
        spawnDepth: fc.constantFrom(0, 1, 2, -1),
        groupId: fc.constantFrom("g", "h"),
        senderId: fc.constantFrom("1", "2"),
      },
      { requiredKeys: [] },
    ),
    fc.boolean(),
    fc.boolean(),
  )
  .map(([{ subagentDepth, ...context }, more, hasDepth, hasSlash]) => ({
    ...context,
    ...(hasSlash ? { provider: "acme", model: "org/x" } : {}),
    ...(hasDepth && subagentDepth !== undefined ? { subagentDepth } : {}),
    ...more,
  }));

const serverIds = ["read", "session_status", " Bash ", "browser", "kit", "far", "group:plugins"];
const strangers: RegisteredTool[] = [
  { name: "opt", owner: { kind: "plugin", pluginId: "kit" }, optional: true },
  { name: "mine", owner: { kind: "plugin", pluginId: "lobster" }, ownerOnly: true },
  { name: "exec_more", owner: { kind: "plugin", pluginId: "exec" } },
  { name: "Read", owner: { kind: "plugin", pluginId: "lobster" } },
  { name: "chat_login", owner: { kind: "channel" } },
  ...serverIds.map(
    (serverId): RegisteredTool => ({ name: `${serverId}__rm`, owner: { kind: "mcp", serverId } }),
  ),
];

/** Tools of every kind: optional ones, ones for the owner, and plugins and servers with the names of others. */
export const wholeToolsArbitrary = fc
  .tuple(toolsArbitrary, fc.subarray(strangers))
  .map(([tools, others]) => [...tools, ...others]);
