/** What a session key says by its form: agent, sub-agent, group, depth. */

import { normalizeAgentId } from "./names.ts";

/** The parts of `agent:<id>:<rest>`; undefined for every other key. */
export function parseAgentSessionKey(
  sessionKey: string | undefined,
): { agentId: string; rest: string } | undefined {
  const match = /^agent:([^:]+):(.+)$/is.exec((sessionKey ?? "").trim());
  const [, id, rest] = match ?? [];
  return id === undefined || rest === undefined ? undefined : { agentId: normalizeAgentId(id), rest };
}

/**
 * Which agent a run belongs to (policy §5): explicit id if non-blank, else by session key, else none.
 * A key that is not `agent:<id>:<rest>` belongs to `main`.
 */
export function resolveAgentId(
  agentId: string | undefined,
  sessionKey: string | undefined,
): string | undefined {
  if (agentId !== undefined && agentId.trim() !== "") return normalizeAgentId(agentId);
  if (sessionKey === undefined || sessionKey.trim() === "") return undefined;
  return parseAgentSessionKey(sessionKey)?.agentId ?? "main";
}

/** A sub-agent key starts with `subagent:`, itself or after `agent:<id>:`. */
export function isSubagentSessionKey(sessionKey: string | undefined): boolean {
  const key = (sessionKey ?? "").trim().toLowerCase();
  return key.startsWith("subagent:") || (parseAgentSessionKey(key)?.rest.startsWith("subagent:") ?? false);
}

/** The number of `:subagent:` in the key. */
export function subagentDepthOfKey(sessionKey: string | undefined): number {
  return (sessionKey ?? "").toLowerCase().split(":subagent:").length - 1;
}

/** Group and channel that a session key names, with thread (and telegram topic) suffixes cut off. */
export function groupOfSessionKey(
  sessionKey: string | undefined,
): { channel: string; groupId: string } | undefined {
  const raw = (sessionKey ?? "").trim();
  if (raw === "") return undefined;
  let parts = raw.split(":").filter((part) => part !== "");
  if (parts[0]?.toLowerCase() === "agent") parts = parts.slice(2);
  if (parts[0]?.toLowerCase() === "subagent") parts = parts.slice(1);
  const channel = parts[0]?.trim().toLowerCase();
  const kind = parts[1]?.toLowerCase();
  if (channel === undefined || channel === "" || (kind !== "group" && kind !== "channel")) return undefined;
  const groupId = cutThread(parts.slice(2).join(":"), channel).trim();
  return groupId === "" ? undefined : { channel, groupId };
}

/** Cuts a `:thread:` suffix, for telegram also `:topic:`. The last marker counts. */
export function cutThread(groupId: string, channel: string): string {
  const markers = channel === "telegram" ? [":thread:", ":topic:"] : [":thread:"];
  const lowered = groupId.toLowerCase();
  const at = Math.max(...markers.map((marker) => lowered.lastIndexOf(marker)));
  return at > 0 ? groupId.slice(0, at) : groupId;
}
