/** Contexts that reach each group, channel, team and sender entry of a chat channel's config. */

import { asRecord, type ConfigRecord, recordEntries } from "../configRecord.ts";
import { parseSenderKey } from "../senderPolicy.ts";
import type { PolicyContext } from "../types.ts";
import type { ContextFocus } from "./contextClasses.ts";

export interface GroupCandidate {
  label: string;
  context: PolicyContext;
}

const otherGroup = "any-other-group";

/**
 * One by one, because places times senders can be very many.
 * @param settings the channel's part of the config
 */
export function* groupCandidates(
  channel: string,
  settings: ConfigRecord,
  focus: ContextFocus,
): Generator<GroupCandidate> {
  if (channel === "") return;
  const places = [
    ...accountPlaces(settings),
    ...spacePlaces(asRecord(settings.guilds)),
    ...spacePlaces(asRecord(settings.teams)),
  ];
  if (focus.groupId !== undefined) places.push({ label: focus.groupId, context: { groupId: focus.groupId } });
  const senders = senderCandidates(settings, focus);
  const known = new Set<string>();
  for (const place of places) {
    for (const sender of senders) {
      const context = { ...place.context, ...sender.context };
      const key = JSON.stringify(context);
      if (known.has(key)) continue;
      known.add(key);
      yield { label: `${place.label}${sender.label}`, context };
    }
  }
}

/** Channels that keep their groups in one map, which an account may replace. */
function accountPlaces(settings: ConfigRecord): GroupCandidate[] {
  const keys = ["groups", "rooms", "channels"] as const;
  const namesOf = (owner: ConfigRecord) => keys.flatMap((key) => Object.keys(asRecord(owner[key]) ?? {}));
  const accounts = recordEntries(settings.accounts);
  const names = new Set([settings, ...accounts.map(([, account]) => account)].flatMap(namesOf));
  names.delete("*");
  const places: GroupCandidate[] = [];
  for (const accountId of [undefined, ...accounts.map(([id]) => id)]) {
    const account = accountId === undefined ? {} : { accountId };
    const suffix = accountId === undefined ? "" : ` (account ${accountId})`;
    for (const name of [...names, otherGroup]) {
      // Some channels look for the id, some for the name: the entry is reached by either.
      places.push({ label: `${name}${suffix}`, context: { ...account, groupId: name, groupChannel: name } });
    }
  }
  return places;
}

/** Discord guilds and teams: a space with channels inside. */
function spacePlaces(spaces: ConfigRecord | undefined): GroupCandidate[] {
  if (spaces === undefined) return [];
  const entries = recordEntries(spaces);
  const channelNames = new Set(entries.flatMap(([, space]) => Object.keys(asRecord(space.channels) ?? {})));
  channelNames.delete("*");
  const spaceNames = [...entries.map(([name]) => name).filter((name) => name !== "*"), "any-other-space"];
  return spaceNames.flatMap((groupSpace) =>
    [...channelNames, otherGroup].map((name) => ({
      label: `${groupSpace} ${name}`,
      context: { groupSpace, groupId: name, groupChannel: name },
    })),
  );
}

/** One sender per key of any sender map, and one that no key names. */
function senderCandidates(settings: ConfigRecord, focus: ContextFocus): GroupCandidate[] {
  const senders: GroupCandidate[] = [{ label: "", context: {} }];
  for (const key of senderKeys(settings, 0)) {
    const parsed = parseSenderKey(key);
    if (parsed === undefined) continue;
    const field = (
      { id: "senderId", e164: "senderE164", username: "senderUsername", name: "senderName" } as const
    )[parsed.field];
    senders.push({ label: ` from ${key}`, context: { [field]: parsed.value } });
  }
  if (focus.senderId !== undefined) {
    senders.push({ label: ` from ${focus.senderId}`, context: { senderId: focus.senderId } });
  }
  return senders;
}

function senderKeys(value: ConfigRecord, depth: number): Set<string> {
  const keys = new Set<string>();
  if (depth > 6) return keys;
  for (const [key, item] of recordEntries(value)) {
    if (key === "toolsBySender") for (const sender of Object.keys(item)) keys.add(sender);
    else for (const sender of senderKeys(item, depth + 1)) keys.add(sender);
  }
  return keys;
}
