/** How each chat channel finds the entries of a group in its config (policy §14), most specific first. */

import { asRecord, type ConfigRecord, getRecord, recordEntries } from "./configRecord.ts";
import type { GroupEntry, GroupRef } from "./groupPolicy.ts";
import { normalizeAccountId } from "./names.ts";
import type { ConfigPath, PolicyContext } from "./types.ts";

interface Lookup {
  settings: ConfigRecord;
  path: ConfigPath;
  group: GroupRef;
  context: PolicyContext;
}

/** @returns the entries whose policies apply, in order; the first that has one wins */
export function groupEntriesOf(
  settings: ConfigRecord,
  path: ConfigPath,
  group: GroupRef,
  context: PolicyContext,
): GroupEntry[] {
  const lookup: Lookup = { settings, path, group, context };
  switch (group.channel) {
    case "discord":
      return discordEntries(lookup);
    case "slack":
      return slackEntries(lookup);
    case "msteams":
      return teamsEntries(lookup);
    case "irc":
      return namedEntries(lookup, ["groups"], { fallback: true });
    case "nextcloud-talk":
      return namedEntries(lookup, ["rooms"], { fallback: true });
    case "feishu":
      return namedEntries(lookup, ["groups"], { fallback: false });
    case "matrix":
      return namedEntries(lookup, ["groups", "rooms"], { fallback: false });
    case "zalouser":
      return namedEntries(lookup, ["groups"], { fallback: false });
    default:
      return genericEntries(lookup);
  }
}

interface Located {
  map: ConfigRecord;
  path: ConfigPath;
}

/** A map of the channel that an account may replace as a whole. The account id is matched normalised. */
function accountMap({ settings, path, context }: Lookup, key: string): Located | undefined {
  const wanted = normalizeAccountId(context.accountId);
  const accounts = recordEntries(settings.accounts);
  const account =
    accounts.find(([id]) => id === wanted) ?? accounts.find(([id]) => normalizeAccountId(id) === wanted);
  const own = asRecord(account?.[1][key]);
  if (account !== undefined && own !== undefined) {
    return { map: own, path: [...path, "accounts", account[0], key] };
  }
  const shared = asRecord(settings[key]);
  return shared === undefined ? undefined : { map: shared, path: [...path, key] };
}

function entryAt(
  located: Located | undefined,
  key: string | undefined,
  senders = true,
): GroupEntry | undefined {
  if (located === undefined || key === undefined || key === "") return undefined;
  if (!Object.hasOwn(located.map, key)) return undefined;
  const record = asRecord(located.map[key]);
  return record === undefined ? undefined : { path: [...located.path, key], record, senders };
}

function present(entries: readonly (GroupEntry | undefined)[]): GroupEntry[] {
  return entries.filter((entry) => entry !== undefined);
}

function genericEntries(lookup: Lookup): GroupEntry[] {
  const groups = accountMap(lookup, "groups");
  const own = lookup.group.groupId === "*" ? undefined : entryAt(groups, lookup.group.groupId);
  return present([own, entryAt(groups, "*")]);
}

/** Channels whose entries have no sender map: exact id, then any case, then `*`. */
function namedEntries(
  lookup: Lookup,
  keys: readonly string[],
  { fallback }: { fallback: boolean },
): GroupEntry[] {
  const located = keys.map((key) => accountMap(lookup, key)).find((found) => found !== undefined);
  if (located === undefined) return [];
  const wanted = [lookup.group.groupId, lookup.context.groupChannel ?? ""].map((name) => name.toLowerCase());
  const anyCase = Object.keys(located.map).find((key) => key !== "*" && wanted.includes(key.toLowerCase()));
  const own = entryAt(located, lookup.group.groupId, false) ?? entryAt(located, anyCase, false);
  const star = entryAt(located, "*", false);
  if (fallback) return present([own, star]);
  return present([own ?? star]);
}

/** Discord and Teams slugs: lower case, leading # and @ cut, other characters become one `-`. */
function slug(name: string | undefined): string {
  return (name ?? "")
    .trim()
    .toLowerCase()
    .replace(/^[#@]+/, "")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
}

/** Slack slugs keep a few more characters. */
function slackSlug(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/\s+/g, "-")
    .replace(/[^a-z0-9#@._+-]+/g, "-")
    .replace(/-{2,}/g, "-")
    .replace(/^[-.]+|[-.]+$/g, "");
}

function discordEntries({ settings, path, group, context }: Lookup): GroupEntry[] {
  const guilds = getRecord(settings, "guilds");
  if (guilds === undefined) return [];
  const located: Located = { map: guilds, path: [...path, "guilds"] };
  const space = (context.groupSpace ?? "").trim();
  const spaceSlug = slug(space);
  const bySlugField = recordEntries(guilds).find(
    ([, guild]) => spaceSlug !== "" && typeof guild.slug === "string" && slug(guild.slug) === spaceSlug,
  )?.[0];
  const guild =
    entryAt(located, space) ??
    entryAt(located, spaceSlug) ??
    entryAt(located, bySlugField) ??
    entryAt(located, "*");
  if (guild === undefined) return [];
  const channels = asRecord(guild.record.channels);
  const nested = channels === undefined ? undefined : { map: channels, path: [...guild.path, "channels"] };
  const channelSlug = slug(context.groupChannel);
  const channel =
    entryAt(nested, group.groupId) ??
    (channelSlug === "" ? undefined : (entryAt(nested, channelSlug) ?? entryAt(nested, `#${channelSlug}`)));
  return present([channel, guild]);
}

function slackEntries(lookup: Lookup): GroupEntry[] {
  const channels = accountMap(lookup, "channels");
  const name = (lookup.context.groupChannel ?? "").replace(/^#/, "");
  const candidates = [lookup.group.groupId, name === "" ? "" : `#${name}`, name, slackSlug(name)];
  const own = candidates
    .filter((candidate) => candidate !== "*")
    .map((candidate) => entryAt(channels, candidate))
    .find((entry) => entry !== undefined);
  return present([own ?? entryAt(channels, "*")]);
}

/** A key as it stands, then as a slug, then `*`. */
function teamsMatch(located: Located | undefined, names: readonly string[]): GroupEntry | undefined {
  if (located === undefined) return undefined;
  const wanted = names.map((name) => name.trim()).filter((name) => name !== "" && name !== "*");
  const slugs = new Set(wanted.map(slug).filter((name) => name !== ""));
  const exact = wanted.map((name) => entryAt(located, name)).find((entry) => entry !== undefined);
  const slugged = Object.keys(located.map).find((key) => key !== "*" && slugs.has(slug(key)));
  return exact ?? entryAt(located, slugged) ?? entryAt(located, "*");
}

function teamsEntries({ settings, path, group, context }: Lookup): GroupEntry[] {
  const teams = getRecord(settings, "teams");
  if (teams === undefined) return [];
  const channelNames = [group.groupId, context.groupChannel ?? ""];
  const channelOf = (team: GroupEntry): GroupEntry | undefined => {
    const channels = asRecord(team.record.channels);
    return channels === undefined
      ? undefined
      : teamsMatch({ map: channels, path: [...team.path, "channels"] }, channelNames);
  };
  const located: Located = { map: teams, path: [...path, "teams"] };
  const team = teamsMatch(located, [context.groupSpace ?? ""]);
  if (team !== undefined) return present([channelOf(team), team]);
  return recordEntries(teams).flatMap(([key, record]) => {
    const candidate: GroupEntry = { path: [...located.path, key], record, senders: true };
    const channel = channelOf(candidate);
    return channel === undefined ? [] : [channel, candidate];
  });
}
