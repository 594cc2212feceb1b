/** toolsBySender maps of group policies (policy §14): id, e164, username, name, then `*`. */

import { asRecord, type ConfigRecord } from "./configRecord.ts";
import type { PolicyContext } from "./types.ts";

type SenderField = "id" | "e164" | "username" | "name";

export type SenderFacts = Pick<PolicyContext, "senderId" | "senderE164" | "senderUsername" | "senderName">;

interface SenderKey {
  field: SenderField;
  value: string;
  /** Without prefix: deprecated, matched as id only. */
  legacy: boolean;
}

/** Reads a key of a sender map; undefined for `*` and for keys without a value. */
export function parseSenderKey(rawKey: string): SenderKey | undefined {
  const key = rawKey.trim();
  if (key === "" || key === "*") return undefined;
  const [, prefix, rest] = /^(id|e164|username|name):(.*)$/is.exec(key) ?? [];
  const field = (prefix?.toLowerCase() ?? "id") as SenderField;
  const legacy = prefix === undefined;
  const lowered = (rest ?? key).trim().toLowerCase();
  const value = legacy || field === "username" ? lowered.replace(/^@/, "") : lowered;
  return value === "" ? undefined : { field, value, legacy };
}

/** The values that a sender can be matched by, in order of precedence. */
function senderCandidates(sender: SenderFacts): { field: SenderField; value: string }[] {
  const clean = (value: string | undefined) => (value ?? "").trim().toLowerCase();
  const id = clean(sender.senderId);
  const candidates: { field: SenderField; value: string }[] = [
    { field: "id", value: id },
    { field: "id", value: id.replace(/^@/, "") },
    { field: "e164", value: clean(sender.senderE164) },
    { field: "username", value: clean(sender.senderUsername).replace(/^@/, "") },
    { field: "name", value: clean(sender.senderName) },
  ];
  return candidates.filter((candidate) => candidate.value !== "");
}

/**
 * Finds the entry for a sender. Of duplicate keys the first wins; an entry that is not an object is ignored.
 * @returns the raw key and the policy, or undefined when nobody matches and there is no `*`
 */
export function matchSender(
  toolsBySender: unknown,
  sender: SenderFacts,
): { key: string; policy: ConfigRecord } | undefined {
  const map = asRecord(toolsBySender);
  if (map === undefined) return undefined;
  const entries = new Map<string, { key: string; policy: ConfigRecord }>();
  for (const [key, value] of Object.entries(map)) {
    const policy = asRecord(value);
    if (policy === undefined) continue;
    const parsed = parseSenderKey(key);
    const slot =
      key.trim() === "*" ? "*" : parsed === undefined ? undefined : `${parsed.field}:${parsed.value}`;
    if (slot !== undefined && !entries.has(slot)) entries.set(slot, { key, policy });
  }
  for (const { field, value } of senderCandidates(sender)) {
    const hit = entries.get(`${field}:${value}`);
    if (hit !== undefined) return hit;
  }
  return entries.get("*");
}
