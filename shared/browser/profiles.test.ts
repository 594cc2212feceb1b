import { describe, expect, test } from "vitest";
import { browserConfigOf, browserConfigSchema } from "./configSchema.ts";
import {
  isNewProfileName,
  nextColor,
  nextPort,
  normalizeColor,
  parseCdpUrl,
  portRangeStart,
  profilePalette,
  profilesOf,
  reconcileReason,
  shownCdpUrl,
} from "./profiles.ts";

describe("the profiles of a config", () => {
  test("are openclaw and user when nothing is written", () => {
    const [managed, user] = profilesOf({}, 18_789);
    expect(managed).toMatchObject({
      name: "openclaw",
      kind: "managed",
      isDefault: true,
      isInConfig: false,
      cdpPort: 18_800,
      color: "#FF4500",
      attachOnly: false,
    });
    expect(user).toMatchObject({ name: "user", kind: "existing", isDefault: false, attachOnly: true });
    expect(user?.color).toBe("#00AA00");
  });

  test("take their kind from driver and address", () => {
    const profiles = profilesOf(
      {
        defaultProfile: "grid",
        profiles: {
          here: { cdpUrl: "http://127.0.0.1:19222", color: "abcdef" },
          grid: { cdpUrl: "wss://grid.example/x?token=t", color: "#123456" },
          socket: { cdpUrl: "ws://127.0.0.1:9222/devtools/browser/x", color: "#123456" },
          mine: { driver: "existing-session", cdpPort: 9222, color: "#123456" },
        },
      },
      18_789,
    );
    const of = (name: string) => profiles.find((one) => one.name === name);
    expect(of("here")).toMatchObject({ kind: "managed", cdpPort: 19_222, color: "#ABCDEF" });
    expect(of("grid")).toMatchObject({ kind: "remote", cdpPort: null, attachOnly: true, isDefault: true });
    expect(of("socket")).toMatchObject({ kind: "remote" });
    expect(of("mine")).toMatchObject({ kind: "existing", cdpPort: 9222 });
    expect(of("openclaw")).toMatchObject({ isDefault: false });
  });

  test("follow the old single address, and the global switches", () => {
    expect(profilesOf({ cdpUrl: "http://localhost:9333", attachOnly: true }, 18_789)[0]).toMatchObject({
      name: "openclaw",
      kind: "managed",
      cdpPort: 9333,
      attachOnly: true,
    });
    expect(profilesOf({ cdpUrl: "https://far.example:1" }, 18_789)[0]).toMatchObject({ kind: "remote" });
  });

  test("that changed say why their browser must not be used further", () => {
    const [before] = profilesOf({}, 18_789);
    const [now] = profilesOf({ cdpPortRangeStart: 20_000 }, 18_789);
    if (before === undefined || now === undefined) throw new Error("no profile");
    expect(reconcileReason(before, now)).toBe("cdpPort changed");
    expect(reconcileReason(before, before)).toBeNull();
  });
});

describe("names, ports and colours", () => {
  test.each(["a", "work-2", "0", "a".repeat(64)])("%s is a name", (name) => {
    expect(isNewProfileName(name)).toBe(true);
  });
  test.each(["", "-a", "A", "a_b", "a b", "a/../b", "..", "__proto__", "a".repeat(65)])(
    "%j is no name",
    (name) => {
      expect(isNewProfileName(name)).toBe(false);
    },
  );

  test("the lowest free port of a hundred is taken", () => {
    expect(portRangeStart({}, 18_789)).toBe(18_800);
    expect(nextPort([18_800, 18_802], 18_800)).toBe(18_801);
    expect(
      nextPort(
        Array.from({ length: 100 }, (_, index) => 18_800 + index),
        18_800,
      ),
    ).toBeNull();
  });

  test("colours are given in their order, and begin again", () => {
    expect(nextColor(["#ff4500"])).toBe("#0066CC");
    expect(nextColor(profilePalette)).toBe("#FF4500");
    expect(nextColor([...profilePalette, "#ABCDEF"])).toBe("#0066CC");
    expect(normalizeColor(" 0066cc ")).toBe("#0066CC");
    expect(normalizeColor("red")).toBeNull();
  });

  test("addresses are shown without what is secret in them", () => {
    expect(shownCdpUrl("https://u:p@host:1/x?token=abc")).not.toMatch(/abc|u:p/);
    expect(shownCdpUrl("http://127.0.0.1:18800")).toBe("http://127.0.0.1:18800");
    expect(parseCdpUrl("ftp://x")).toBeNull();
    expect(parseCdpUrl("wss://x")?.port).toBe(443);
  });
});

describe("the config schema", () => {
  test.each([
    { enable: true },
    { ssrfPolicy: { allowPrivateNetworks: false } },
    { profiles: { a: { color: "#123456" } } },
    { profiles: { a: { cdpPort: 1, color: "red" } } },
    { profiles: { A: { cdpPort: 1, color: "#123456" } } },
    { cdpPortRangeStart: 65_500 },
  ])("refuses %j", (browser) => {
    expect(browserConfigSchema.safeParse(browser).success).toBe(false);
  });

  test("what cannot be read switches the browser off", () => {
    expect(browserConfigOf({ browser: { ssrfPolicy: "strict" } })).toEqual({ enabled: false });
    expect(browserConfigOf({})).toEqual({});
  });
});
