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
const otherAccount = "any-other-account";

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
    ...accountPlaces(settings, focus),
    ...spacePlaces(asRecord(settings.guilds), focus),
    ...spacePlaces(asRecord(settings.teams), focus),
  ];
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
function accountPlaces(settings: ConfigRecord, focus: ContextFocus): GroupCandidate[] {
  const keys = ["groups", "rooms", "channels"] as const;
  const namesOf = (owner: ConfigRecord) => keys.flatMap((key) => Object.keys(asRecord(owner[key]) ?? {}));
  const accounts = recordEntries(settings.accounts);
  const names = new Set([settings, ...accounts.map(([, account]) => account)].flatMap(namesOf));
  names.delete("*");
  // Who names no account is on the default one; any other that has no entry sees what the channel says.
  const strangers = accounts.length === 0 ? [] : [otherAccount];
  return [undefined, ...accounts.map(([id]) => id), ...strangers].flatMap((accountId) => {
    const account = accountId === undefined ? {} : { accountId };
    const suffix = accountId === undefined ? "" : ` (account ${accountId})`;
    return roomPlaces(names, focus).map(({ label, context }) => ({
      label: `${label}${suffix}`,
      context: { ...account, ...context },
    }));
  });
}

/** Discord guilds and teams: a space with channels inside. */
function spacePlaces(spaces: ConfigRecord | undefined, focus: ContextFocus): GroupCandidate[] {
  if (spaces === undefined) return [];
  const entries = recordEntries(spaces);
  const channelNames = new Set(entries.flatMap(([, space]) => Object.keys(asRecord(space.channels) ?? {})));
  channelNames.delete("*");
  const spaceNames = [...entries.map(([name]) => name).filter((name) => name !== "*"), "any-other-space"];
  return spaceNames.flatMap((groupSpace) =>
    roomPlaces(channelNames, focus).map(({ label, context }) => ({
      label: `${groupSpace} ${label}`,
      context: { groupSpace, ...context },
    })),
  );
}

/** Some channels look for the id, some for the name: an entry is reached by either, and both may be known. */
function roomPlaces(names: ReadonlySet<string>, { groupId }: ContextFocus): GroupCandidate[] {
  const rooms: GroupCandidate[] = [...names, otherGroup].map((name) => ({
    label: name,
    context: { groupId: name, groupChannel: name },
  }));
  if (groupId === undefined) return rooms;
  return [
    ...rooms,
    { label: groupId, context: { groupId } },
    ...[...names].map((name) => ({
      label: `${groupId} named ${name}`,
      context: { groupId, groupChannel: name },
    })),
  ];
}

/** One sender per key of any sender map, and one that no key names; a sender that is asked about may be any of them. */
function senderCandidates(settings: ConfigRecord, { senderId }: ContextFocus): GroupCandidate[] {
  const senders: GroupCandidate[] = [{ label: "", context: {} }];
  for (const key of senderKeys(settings, 0)) {
    const parsed = parseSenderKey(key);
    if (parsed === undefined) continue;
    const field = (
      { id: "senderId", e164: "senderE164", username: "senderUsername", name: "senderName" } as const
    )[parsed.field];
    senders.push({ label: ` from ${key}`, context: { [field]: parsed.value } });
  }
  if (senderId === undefined) return senders;
  return [
    ...senders,
    ...senders
      .filter(({ context }) => context.senderId === undefined)
      .map(({ label, context }) => ({
        label: ` from ${senderId}${label === "" ? "" : ` and${label.replace(" from", "")}`}`,
        context: { ...context, senderId },
      })),
  ];
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
