/** How channels find the policy of a group and of a sender. */

import { describe, expect, test } from "vitest";
import { chooseGroupPolicy } from "./groupPolicy.ts";
import { groupOfSessionKey } from "./sessionKeys.ts";
import type { PolicyContext } from "./types.ts";

const deny = (name: string) => ({ deny: [name] });

function chosen(channels: unknown, context: PolicyContext): unknown {
  const choice = chooseGroupPolicy({ channels }, context);
  return choice === undefined ? undefined : (choice.record.deny as string[])[0];
}

describe("session keys", () => {
  test.each([
    ["agent:main:whatsapp:group:77", { channel: "whatsapp", groupId: "77" }],
    ["agent:main:subagent:slack:channel:c1", { channel: "slack", groupId: "c1" }],
    ["slack:channel:C1:thread:17.1", { channel: "slack", groupId: "C1" }],
    ["agent:main:telegram:group:-1:topic:4", { channel: "telegram", groupId: "-1" }],
    ["agent:main:matrix:group:!a:b", { channel: "matrix", groupId: "!a:b" }],
    ["agent:main:main", undefined],
    ["agent:main:whatsapp:dm:1", undefined],
    ["", undefined],
  ])("%s names the group %j", (key, expected) => {
    expect(groupOfSessionKey(key)).toEqual(expected);
  });
});

describe("group policies", () => {
  test("an account's groups replace those of the channel, by normalised account id", () => {
    const channels = {
      whatsapp: {
        groups: { "9": { tools: deny("a") } },
        accounts: { Work: { groups: { "9": { tools: deny("b") } } } },
      },
    };
    expect(chosen(channels, { channel: "WhatsApp", groupId: "9", accountId: "WORK" })).toBe("b");
    expect(chosen(channels, { channel: "whatsapp", groupId: "9" })).toBe("a");
  });

  test("a sender entry beats the group's tools, and so does the star among senders", () => {
    const group = {
      tools: deny("tools"),
      toolsBySender: {
        "name:Ana": deny("name"),
        "ID:7": deny("id"),
        "id:7": deny("second"),
        "*": deny("star"),
      },
    };
    const channels = { telegram: { groups: { "1": group } } };
    const context: PolicyContext = { channel: "telegram", groupId: "1" };
    expect(chosen(channels, { ...context, senderId: "7", senderName: "ana" })).toBe("id");
    expect(chosen(channels, { ...context, senderName: " ANA " })).toBe("name");
    expect(chosen(channels, context)).toBe("star");
  });

  describe("channels with rules of their own", () => {
    const entries = {
      "Team A": { tools: deny("own"), toolsBySender: { "id:7": deny("sender") } },
      bare: {},
      "*": { tools: deny("star"), toolsBySender: { "*": deny("anybody") } },
    };

    test.each([
      // An entry without tools: only some fall back to the star.
      { channel: "feishu", key: "groups", fallsBack: false },
      { channel: "matrix", key: "groups", fallsBack: false },
      { channel: "matrix", key: "rooms", fallsBack: false },
      { channel: "zalouser", key: "groups", fallsBack: false },
      { channel: "nextcloud-talk", key: "rooms", fallsBack: true },
      { channel: "irc", key: "groups", fallsBack: true },
    ])(
      "$channel: the entry in any case, no sender maps, star as $fallsBack",
      ({ channel, key, fallsBack }) => {
        const at = (groupId: string, more: PolicyContext = {}) =>
          chosen({ [channel]: { [key]: entries } }, { channel, groupId, senderId: "7", ...more });
        expect(at("Team A")).toBe("own");
        expect(at("team a")).toBe("own");
        expect(at("55", { groupChannel: "TEAM A" })).toBe("own");
        expect(at("unknown")).toBe("star");
        expect(at("bare")).toBe(fallsBack ? "star" : undefined);
      },
    );

    test("none of them looks into the map of another, but for the generic rule", () => {
      for (const channel of ["feishu", "zalouser", "irc"])
        expect(chosen({ [channel]: { rooms: entries } }, { channel, groupId: "Team A" })).toBeUndefined();
      const talk = { "nextcloud-talk": { groups: entries } };
      expect(chosen(talk, { channel: "nextcloud-talk", groupId: "Team A" })).toBeUndefined();
      // Names compare exactly there, and senders count.
      const generic = (groupId: string) =>
        chosen({ signal: { groups: entries } }, { channel: "signal", groupId, senderId: "7" });
      expect(generic("Team A")).toBe("sender");
      expect(generic("team a")).toBe("anybody");
    });

    test("an account's rooms take the place of the channel's", () => {
      const channels = {
        "nextcloud-talk": { rooms: entries, accounts: { work: { rooms: { x: { tools: deny("work") } } } } },
      };
      const context: PolicyContext = { channel: "nextcloud-talk", accountId: "work" };
      expect(chosen(channels, { ...context, groupId: "x" })).toBe("work");
      expect(chosen(channels, { ...context, groupId: "Team A" })).toBeUndefined();
    });
  });

  test("discord looks at the channel, then at the guild, by id, slug or star", () => {
    const guild = {
      slug: "Acme Corp",
      tools: deny("guild"),
      channels: { general: { tools: deny("channel") } },
    };
    const at = (guilds: unknown, context: PolicyContext) =>
      chosen({ discord: { guilds } }, { channel: "discord", groupId: "5", ...context });
    expect(at({ "1": guild }, { groupSpace: "acme-corp", groupChannel: "#General" })).toBe("channel");
    expect(at({ "1": guild }, { groupSpace: "1", groupChannel: "#other" })).toBe("guild");
    expect(at({ "*": guild }, { groupSpace: "2" })).toBe("guild");
    expect(at({ "1": guild }, { groupSpace: "2" })).toBeUndefined();
  });

  test("slack falls to the star only when no own entry exists", () => {
    const channels = { slack: { channels: { "#dev": {}, "*": { tools: deny("star") } } } };
    expect(chosen(channels, { channel: "slack", groupId: "c1", groupChannel: "dev" })).toBeUndefined();
    expect(chosen(channels, { channel: "slack", groupId: "c1", groupChannel: "ops" })).toBe("star");
  });

  test("teams looks at channel and team, and searches all teams when none matches", () => {
    const teams = { t1: { tools: deny("team"), channels: { c1: { tools: deny("channel") } } } };
    const at = (context: PolicyContext) => chosen({ msteams: { teams } }, { channel: "msteams", ...context });
    expect(at({ groupId: "c1", groupSpace: "t1" })).toBe("channel");
    expect(at({ groupId: "c2", groupSpace: "t1" })).toBe("team");
    expect(at({ groupId: "c1", groupSpace: "elsewhere" })).toBe("channel");
    expect(at({ groupId: "c2", groupSpace: "elsewhere" })).toBeUndefined();
  });

  test("irc falls back to the star's tools, matrix does not, and neither has sender maps", () => {
    const groups = { "#own": { toolsBySender: { "*": deny("sender") } }, "*": { tools: deny("star") } };
    const at = (channel: string, groupId: string) => chosen({ [channel]: { groups } }, { channel, groupId });
    expect(at("irc", "#own")).toBe("star");
    expect(at("matrix", "#own")).toBeUndefined();
    expect(at("matrix", "#new")).toBe("star");
  });

  test("without a group or a channel nothing applies", () => {
    const channels = { whatsapp: { groups: { "*": { tools: deny("a") } } } };
    expect(chosen(channels, { channel: "whatsapp" })).toBeUndefined();
    expect(chosen(channels, { groupId: "1" })).toBeUndefined();
    expect(chosen(channels, { spawnedBy: "agent:main:whatsapp:group:1" })).toBe("a");
  });
});
