/** A second, slow implementation of stages 1–9 for tests, written from the specification and not from the engine. */

import type { PolicyContext, RegisteredTool } from "../types.ts";

type Json = Record<string, unknown>;

const sections: Record<string, string> = {
  fs: "read write edit apply_patch",
  runtime: "exec process code_execution",
  web: "web_search web_fetch x_search",
  memory: "memory_search memory_get",
  sessions:
    "sessions_list sessions_history sessions_send sessions_spawn sessions_yield subagents session_status",
  ui: "browser canvas",
  messaging: "message",
  automation: "cron gateway",
  nodes: "nodes",
  agents: "agents_list",
  media: "image image_generate tts",
};
const notInOpenclaw = ["read", "write", "edit", "apply_patch", "exec", "process"];
const profiles: Record<string, string[]> = {
  minimal: ["session_status"],
  messaging: ["sessions_list", "sessions_history", "sessions_send", "session_status", "message"],
  coding: Object.values(sections)
    .flatMap((names) => names.split(" "))
    .filter(
      (name) => !["browser", "canvas", "message", "gateway", "nodes", "agents_list", "tts"].includes(name),
    ),
};

function normalize(name: string): string {
  const lowered = name.trim().toLowerCase();
  if (lowered === "bash") return "exec";
  return lowered === "apply-patch" ? "apply_patch" : lowered;
}

function groupMembers(name: string): string[] | undefined {
  if (name === "group:openclaw") {
    return Object.values(sections)
      .flatMap((names) => names.split(" "))
      .filter((member) => !notInOpenclaw.includes(member));
  }
  const [prefix, id, ...rest] = name.split(":");
  if (prefix !== "group" || id === undefined || rest.length > 0 || !Object.hasOwn(sections, id))
    return undefined;
  return sections[id]?.split(" ");
}

interface Tool {
  name: string;
  plugin: string | undefined;
}

interface Policy {
  allow?: string[];
  deny?: string[];
}

function hitsName(entries: readonly string[], name: string): boolean {
  return entries.some((entry) => {
    if (!entry.includes("*")) return entry === name;
    const source = entry
      .split("*")
      .map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
      .join(".*");
    return new RegExp(`^${source}$`, "s").test(name);
  });
}

function expand(list: readonly string[], entering: readonly Tool[]): string[] {
  return list.map(normalize).flatMap((entry) => {
    if (entry === "") return [];
    const plugins = entering.filter((tool) => tool.plugin !== undefined);
    if (entry === "group:plugins") return plugins.length === 0 ? [entry] : plugins.map((tool) => tool.name);
    const own = plugins.filter((tool) => tool.plugin === entry);
    return own.length > 0 ? own.map((tool) => tool.name) : (groupMembers(entry) ?? [entry]);
  });
}

function passes(policy: Policy, name: string, entering: readonly Tool[]): boolean {
  const deny = expand(policy.deny ?? [], entering);
  const allow = expand(policy.allow ?? [], entering);
  if (hitsName(deny, name) || (name === "apply_patch" && hitsName(deny, "write"))) return false;
  if (allow.length === 0 || hitsName(allow, name)) return true;
  return name === "apply_patch" && hitsName(allow, "write");
}

function isStripped(allow: readonly string[] | undefined, entering: readonly Tool[]): boolean {
  const entries = (allow ?? []).map(normalize).filter((entry) => entry !== "");
  if (entries.length === 0) return false;
  const core = entering.filter((tool) => tool.plugin === undefined).map((tool) => tool.name);
  return !entries.some(
    (entry) => entry === "*" || (groupMembers(entry) ?? [entry]).some((member) => core.includes(member)),
  );
}

const listOf = (value: unknown): string[] | undefined =>
  Array.isArray(value) ? (value as string[]) : undefined;
const at = (value: unknown, ...keys: string[]): unknown =>
  keys.reduce<unknown>((current, key) => (current as Json | undefined)?.[key], value);

function pick(scope: unknown): Policy | undefined {
  const allow = listOf(at(scope, "allow"));
  const also = listOf(at(scope, "alsoAllow")) ?? [];
  const deny = listOf(at(scope, "deny"));
  const picked: Policy = {};
  if (deny !== undefined) picked.deny = deny;
  if (allow !== undefined)
    picked.allow = also.length === 0 ? allow : [...(allow.length === 0 ? ["*"] : allow), ...also];
  else if (also.length > 0) picked.allow = ["*", ...also];
  return picked.allow === undefined && picked.deny === undefined ? undefined : picked;
}

function entryFor(scope: unknown, provider: string, model: string | undefined): unknown {
  const wanted = [
    model?.includes("/") ? model : model === undefined ? undefined : `${provider}/${model}`,
    provider,
  ];
  const entries = Object.entries((at(scope, "byProvider") as Json | undefined) ?? {});
  for (const key of wanted) {
    const hits = entries.filter(([raw]) => raw.trim().toLowerCase() === key);
    if (key !== undefined && hits.length > 0) return hits.at(-1)?.[1];
  }
  return undefined;
}

const subagentAlways = [
  "gateway",
  "agents_list",
  "whatsapp_login",
  "session_status",
  "cron",
  "sessions_send",
];
const subagentLeaf = ["subagents", "sessions_list", "sessions_history", "sessions_spawn"];

function subagentPolicy(config: unknown, depth: number): Policy {
  const lists = at(config, "tools", "subagents", "tools");
  const allow = listOf(at(lists, "allow"));
  const also = listOf(at(lists, "alsoAllow")) ?? [];
  const max = (at(config, "agents", "defaults", "subagents", "maxSpawnDepth") as number | undefined) ?? 1;
  const base = depth >= max ? [...subagentAlways, ...subagentLeaf] : subagentAlways;
  const lifted = [...(allow ?? []), ...also].map(normalize);
  return {
    ...(allow === undefined ? {} : { allow: [...allow, ...also] }),
    deny: [...base.filter((name) => !lifted.includes(name)), ...(listOf(at(lists, "deny")) ?? [])],
  };
}

function wholeList(agentTools: unknown, tools: unknown, agentEntry: unknown, globalEntry: unknown) {
  const extras = (first: unknown, second: unknown) =>
    listOf(at(first, "alsoAllow")) ?? listOf(at(second, "alsoAllow")) ?? [];
  const has = (key: string) => at(agentTools, key) !== undefined || at(tools, key) !== undefined;
  const implicit = [
    ...(has("exec") ? ["exec", "process"] : []),
    ...(has("fs") ? ["read", "write", "edit"] : []),
  ];
  const profileOf = (word: unknown) =>
    typeof word === "string" && Object.hasOwn(profiles, word) ? profiles[word] : undefined;
  const base = profileOf(at(agentTools, "profile") ?? at(tools, "profile"));
  const byProvider = profileOf(at(agentEntry, "profile") ?? at(globalEntry, "profile"));
  return [
    base === undefined ? undefined : { allow: [...base, ...extras(agentTools, tools), ...implicit] },
    byProvider === undefined ? undefined : { allow: [...byProvider, ...extras(agentEntry, globalEntry)] },
  ];
}

/** Covers stages 1–6 and 9, no groups, no sandbox, no optional tools; the sender is the owner. */
export function naiveTools(
  config: unknown,
  context: PolicyContext,
  registered: readonly RegisteredTool[],
): string[] {
  const entering = registered.map((tool): Tool & { original: string } => ({
    name: normalize(tool.name),
    original: tool.name,
    plugin: tool.owner.kind === "plugin" ? normalize(tool.owner.pluginId) : undefined,
  }));
  const tools = at(config, "tools");
  const agents = (at(config, "agents", "list") as Json[] | undefined) ?? [];
  const agentTools = agents.find((agent) => agent.id === context.agentId)?.tools;
  const provider = context.provider;
  const globalEntry = provider === undefined ? undefined : entryFor(tools, provider, context.model);
  const agentEntry = provider === undefined ? undefined : entryFor(agentTools, provider, context.model);
  const stripping: (Policy | undefined)[] = [
    ...wholeList(agentTools, tools, agentEntry, globalEntry),
    pick(tools),
    pick(globalEntry),
    pick(agentTools),
    pick(agentEntry),
  ];
  let current = entering;
  for (const policy of stripping) {
    if (policy === undefined) continue;
    const effective = isStripped(policy.allow, entering) ? { deny: policy.deny ?? [] } : policy;
    current = current.filter((tool) => passes(effective, tool.name, entering));
  }
  const depth = context.subagentDepth ?? 0;
  if (depth > 0) {
    const policy = subagentPolicy(config, depth);
    current = current.filter((tool) => passes(policy, tool.name, entering));
  }
  return current.map((tool) => tool.original);
}
