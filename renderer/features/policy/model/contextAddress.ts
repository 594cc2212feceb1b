/** Translates between a policy context and the query part of an address, so that a link lands on a state. */

import type { PolicyContext } from "../../../../shared/policy/types.ts";

/** Text fields of a context and their short names in an address. */
const textFields = [
  ["agent", "agentId"],
  ["session", "sessionKey"],
  ["provider", "provider"],
  ["model", "model"],
  ["api", "modelApi"],
  ["channel", "channel"],
  ["group", "groupId"],
  ["room", "groupChannel"],
  ["space", "groupSpace"],
  ["account", "accountId"],
  ["sender", "senderId"],
  ["senderName", "senderName"],
  ["senderUsername", "senderUsername"],
  ["senderE164", "senderE164"],
] as const satisfies readonly (readonly [string, keyof PolicyContext])[];

const subagentRoles = ["main", "orchestrator", "leaf"] as const;

/** @returns a query string without the question mark, fields in a fixed order; empty for an empty context */
export function contextToSearch(context: PolicyContext): string {
  const params = new URLSearchParams();
  for (const [short, field] of textFields) {
    const value = context[field];
    if (value !== undefined && value !== "") params.set(short, value);
  }
  if (context.senderIsOwner !== undefined) params.set("owner", context.senderIsOwner ? "1" : "0");
  if (context.sandboxed !== undefined) params.set("sandbox", context.sandboxed ? "1" : "0");
  if (context.subagentDepth !== undefined && context.subagentDepth > 0)
    params.set("depth", String(context.subagentDepth));
  // Only counterexamples have these: a role that the depth would not give, a sign-in outside of the config.
  if (context.subagentRole !== undefined) params.set("role", context.subagentRole);
  if (context.hasCodexAuth === true) params.set("codex", "1");
  if (context.surface !== undefined && context.surface !== "model") params.set("surface", context.surface);
  return params.toString();
}

/** Reads a query string; what is not understood is left out, so an old link still opens. */
export function searchToContext(search: string): PolicyContext {
  const params = new URLSearchParams(search);
  const context: PolicyContext = {};
  for (const [short, field] of textFields) {
    const value = params.get(short);
    if (value !== null && value !== "") context[field] = value;
  }
  const owner = params.get("owner");
  if (owner === "1" || owner === "0") context.senderIsOwner = owner === "1";
  const sandbox = params.get("sandbox");
  if (sandbox === "1" || sandbox === "0") context.sandboxed = sandbox === "1";
  const depth = Number(params.get("depth") ?? "");
  if (Number.isInteger(depth) && depth > 0 && depth <= 20) context.subagentDepth = depth;
  const role = subagentRoles.find((known) => known === params.get("role"));
  if (role !== undefined) context.subagentRole = role;
  if (params.get("codex") === "1") context.hasCodexAuth = true;
  const surface = params.get("surface");
  if (surface === "mcp" || surface === "http") context.surface = surface;
  return context;
}

/** @returns `provider/model`, `provider`, or null when no model is known */
export function modelLabel(context: PolicyContext): string | null {
  if (!context.provider) return null;
  return context.model ? `${context.provider}/${context.model}` : context.provider;
}
