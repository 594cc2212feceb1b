/** Where policy is stricter or saner than the reference, by name. */

import type { HardeningRule } from "../hardening/rules.ts";

export const policyHardening: readonly HardeningRule[] = [
  {
    id: "policy.strictLists",
    reference:
      "An allow list or profile that names no core tool of this run is dropped, so it restricts nothing; patterns and plugin names do not count as naming core tools.",
    sallyport:
      "Allow lists and profiles restrict exactly as written: an entry counts when it names any present tool, core or plugin, by name, group or pattern, and a list of unknown names lets nothing through.",
    source: "policy.md §10",
  },
  {
    id: "policy.unknownProfile",
    reference: "A profile word that is not one of the four means no limit at all.",
    sallyport: "An unknown profile word limits to the minimal profile.",
    source: "policy.md §6",
  },
  {
    id: "policy.mcpThroughPipeline",
    reference: "Tools of MCP servers are appended behind the pipeline, so no stage can remove them.",
    sallyport:
      "Tools of MCP servers enter the pipeline as plugin tools, with the server's name as plugin id; on HTTP they do not exist. A server whose name is that of a tool, a group or a plugin is not meant by it in allow lists, so that it cannot take over an entry; deny entries of that name deny both.",
    source: "policy.md §15",
    isAlwaysOn: true,
  },
  {
    id: "policy.skillDispatchThroughPipeline",
    reference: "A skill command that is dispatched to a tool passes only the owner filter.",
    sallyport: "A skill command that is dispatched to a tool passes the same pipeline as a model's call.",
    source: "policy.md §15",
    isAlwaysOn: true,
  },
  {
    id: "policy.httpListsNormalised",
    reference:
      "Names in gateway.tools.deny are compared letter by letter, so `Exec`, groups and patterns deny nothing.",
    sallyport: "Names in gateway.tools.deny are normalised, and groups, plugin ids and patterns work there.",
    source: "policy.md §15",
  },
  {
    id: "policy.providerModelKeys",
    reference:
      "For a model id with a slash, byProvider looks only for that id, so a key `<provider>/<model>` never applies.",
    sallyport:
      "For a model id with a slash, an entry under `<provider>/<model>` counts as well: beside the entry that OpenClaw finds, never in its place, so a tool has to pass both.",
    source: "policy.md §7",
  },
  {
    id: "policy.httpSubagentDepth",
    reference: "On HTTP a sub-agent session of any depth counts as depth 1 when no depth is stored.",
    sallyport: "On HTTP the deeper of the stored depth and the depth that the session key shows counts.",
    source: "policy.md §9",
  },
  {
    id: "policy.toolNameConflicts",
    reference:
      "Plugins are checked for name conflicts against some core tools only, and with exact spelling, so a plugin can take the name exec, and one with the id exec is what an allow entry exec means.",
    sallyport:
      "A plugin tool with the normalised name of any other present tool is left out, and so is a whole plugin whose id is the name of a core tool or of a group.",
    source: "policy.md §11",
  },
  {
    id: "policy.pluginIdNotTool",
    reference:
      "A deny entry that equals a loaded plugin's id denies that plugin's tools and no longer the tool of that name.",
    sallyport: "Such a deny entry denies both.",
    source: "policy.md §11",
  },
  {
    id: "policy.sandboxDenyAdds",
    reference:
      "A written deny list of the sandbox takes the place of the built-in one, and the agent's of the global one, so adding an entry can bring other tools.",
    sallyport:
      "Deny lists of the sandbox add up: the agent's, the global and the built-in one. An entry of the built-in one is lifted by naming it in allow or alsoAllow.",
    source: "policy.md §9",
  },
  {
    id: "policy.sandboxSelfVisibility",
    reference: "A sandboxed session gets session visibility tree even where self is configured.",
    sallyport: "The sandbox clamp can only narrow: self stays self.",
    source: "policy.md §16",
  },
];
