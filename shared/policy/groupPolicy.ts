/** Stage 7: which policy a group, a channel or a sender brings along (policy §14). */

import { asRecord, type ConfigRecord, getRecord } from "./configRecord.ts";
import { groupEntriesOf } from "./groupChannels.ts";
import { matchSender, type SenderFacts } from "./senderPolicy.ts";
import { cutThread, groupOfSessionKey } from "./sessionKeys.ts";
import type { ConfigPath, PolicyContext } from "./types.ts";

/** One group, channel, team or guild entry that may carry `tools` and `toolsBySender`. */
export interface GroupEntry {
  path: ConfigPath;
  record: ConfigRecord;
  /** Some channels have no sender maps. */
  senders: boolean;
}

/** The group a run belongs to, from the context, its session key or its parent's. */
export interface GroupRef {
  channel: string;
  groupId: string;
}

/** The chosen policy object with its place, and the ones that it replaces. */
export interface GroupPolicyChoice {
  path: ConfigPath;
  record: ConfigRecord;
  replaced: readonly { path: ConfigPath; record: ConfigRecord; bySender: boolean }[];
}

/** @returns undefined when no group or no channel is known */
export function resolveGroup(context: PolicyContext): GroupRef | undefined {
  const own = groupOfSessionKey(context.sessionKey);
  const parent = groupOfSessionKey(context.spawnedBy);
  const channel = (context.channel ?? own?.channel ?? parent?.channel ?? "").trim().toLowerCase();
  const rawId = (context.groupId ?? own?.groupId ?? parent?.groupId ?? "").trim();
  const groupId = cutThread(rawId, channel);
  return channel === "" || groupId === "" ? undefined : { channel, groupId };
}

/** Finds the group policy of a context. The first that exists wins alone; policies replace each other, never merge. */
export function chooseGroupPolicy(config: unknown, context: PolicyContext): GroupPolicyChoice | undefined {
  const group = resolveGroup(context);
  if (group === undefined) return undefined;
  const settings = getRecord(config, "channels", group.channel);
  if (settings === undefined) return undefined;
  const entries = groupEntriesOf(settings, ["channels", group.channel], group, context);
  const found = entries.flatMap((entry) => policiesOf(entry, context));
  const [winner, ...replaced] = found;
  return winner === undefined ? undefined : { path: winner.path, record: winner.record, replaced };
}

function policiesOf(
  entry: GroupEntry,
  sender: SenderFacts,
): { path: ConfigPath; record: ConfigRecord; bySender: boolean }[] {
  const found: { path: ConfigPath; record: ConfigRecord; bySender: boolean }[] = [];
  const match = entry.senders ? matchSender(entry.record.toolsBySender, sender) : undefined;
  if (match !== undefined) {
    found.push({ path: [...entry.path, "toolsBySender", match.key], record: match.policy, bySender: true });
  }
  const tools = asRecord(entry.record.tools);
  if (tools !== undefined) found.push({ path: [...entry.path, "tools"], record: tools, bySender: false });
  return found;
}
