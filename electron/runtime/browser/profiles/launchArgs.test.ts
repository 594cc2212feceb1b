import { describe, expect, test } from "vitest";
import { browserEnv } from "./browserEnv.ts";
import { hasDisplay, type LaunchSettings, launchArgs } from "./launchArgs.ts";

const settings: LaunchSettings = {
  cdpPort: 18_800,
  userDataDir: "/state/browser/openclaw/user-data",
  isHeadless: false,
  noSandbox: false,
  isEmbedded: false,
  platform: "darwin",
  proxyUrl: null,
  extraArgs: [],
};

describe("the command line", () => {
  test("has the flags in their order", () => {
    expect(launchArgs(settings)).toEqual([
      "--remote-debugging-port=18800",
      "--user-data-dir=/state/browser/openclaw/user-data",
      "--no-first-run",
      "--no-default-browser-check",
      "--disable-sync",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-features=Translate,MediaRouter",
      "--disable-session-crashed-bubble",
      "--hide-crash-restore-bubble",
      "--password-store=basic",
      "about:blank",
    ]);
    const full = launchArgs({
      ...settings,
      isHeadless: true,
      noSandbox: true,
      platform: "linux",
      extraArgs: ["--lang=de"],
    });
    expect(full.slice(11)).toEqual([
      "--headless=new",
      "--disable-gpu",
      "--no-sandbox",
      "--disable-setuid-sandbox",
      "--disable-dev-shm-usage",
      "--lang=de",
      "about:blank",
    ]);
  });

  test("of a guarded profile leads through the proxy, whatever the config adds", () => {
    const args = launchArgs({
      ...settings,
      proxyUrl: "http://127.0.0.1:5",
      extraArgs: [
        "--proxy-server=direct://",
        "--NO-PROXY-SERVER",
        "-proxy-pac-url=x",
        "--host-resolver-rules=MAP * 127.0.0.1",
        "--disable-features=x",
        "http://inner/",
        "--lang=de",
      ],
    });
    expect(args.filter((arg) => /prox(?:y|ied)/.test(arg.toLowerCase()))).toEqual([
      "--proxy-server=http://127.0.0.1:5",
      "--proxy-bypass-list=<-loopback>",
      "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
      "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    ]);
    expect(args).toContain("--disable-quic");
    expect(args.slice(-2)).toEqual(["--lang=de", "about:blank"]);
    expect(args.filter((arg) => /resolver|inner/.test(arg))).toEqual([]);
  });
});

test("the environment of a guarded browser names no proxy", () => {
  const env = { PATH: "/bin", https_proxy: "http://p:1", ELECTRON_RUN_AS_NODE: "1" };
  expect(browserEnv(env, "proxy")).toEqual({ PATH: "/bin" });
  expect(browserEnv(env, "none")).toEqual({ PATH: "/bin", https_proxy: "http://p:1" });
});

test("only Linux can be without a display", () => {
  expect(hasDisplay("linux", {})).toBe(false);
  expect(hasDisplay("linux", { WAYLAND_DISPLAY: "wayland-0" })).toBe(true);
  expect(hasDisplay("darwin", {})).toBe(true);
});
