/** The command line that a managed browser is started with. Pure. */

export interface LaunchSettings {
  cdpPort: number;
  userDataDir: string;
  isHeadless: boolean;
  noSandbox: boolean;
  /** The shell's own Chromium: it has no mode without windows, but may hide them. */
  isEmbedded: boolean;
  platform: NodeJS.Platform;
  /** `http://127.0.0.1:<port>` of the filtering proxy; null when nothing is filtered. */
  proxyUrl: string | null;
  extraArgs: readonly string[];
}

/** Features that a guarded profile does without: each is a way to the network that no proxy sees. */
const unguardedFeatures = [
  "DnsOverHttps",
  "AsyncDns",
  "WebRtcHideLocalIpsWithMdns",
  "NetworkTimeServiceQuerying",
];

/**
 * Flags in the order of the reference, then those of the guard, then the person's own.
 * A guarded profile ignores own flags that would lead around the proxy.
 * @see browser.md 7
 */
export function launchArgs(settings: LaunchSettings): string[] {
  const isGuarded = settings.proxyUrl !== null;
  const disabledFeatures = ["Translate", "MediaRouter", ...(isGuarded ? unguardedFeatures : [])];
  return [
    `--remote-debugging-port=${settings.cdpPort}`,
    `--user-data-dir=${settings.userDataDir}`,
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    `--disable-features=${disabledFeatures.join(",")}`,
    "--disable-session-crashed-bubble",
    "--hide-crash-restore-bubble",
    "--password-store=basic",
    ...(settings.isHeadless
      ? settings.isEmbedded
        ? ["--hidden-windows", "--disable-gpu"]
        : ["--headless=new", "--disable-gpu"]
      : []),
    ...(settings.noSandbox ? ["--no-sandbox", "--disable-setuid-sandbox"] : []),
    ...(settings.platform === "linux" ? ["--disable-dev-shm-usage"] : []),
    ...(settings.proxyUrl === null ? [] : guardArgs(settings.proxyUrl)),
    ...settings.extraArgs.filter((arg) => !isGuarded || !leadsAroundProxy(arg)),
    // Else a new window opens the vendor's start page.
    "about:blank",
  ];
}

function guardArgs(proxyUrl: string): string[] {
  return [
    `--proxy-server=${proxyUrl}`,
    // Without it Chromium goes to loopback addresses directly.
    "--proxy-bypass-list=<-loopback>",
    "--disable-quic",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--dns-prefetch-disable",
    "--no-pings",
    "--disable-extensions",
  ];
}

const aroundProxy: ReadonlySet<string> = new Set([
  "proxy-server",
  "proxy-bypass-list",
  "proxy-pac-url",
  "proxy-auto-detect",
  "no-proxy-server",
  "host-resolver-rules",
  "host-rules",
  "enable-quic",
  "origin-to-force-quic-on",
  "force-webrtc-ip-handling-policy",
  "webrtc-ip-handling-policy",
  "disable-features",
  "enable-features",
  "load-extension",
  "user-data-dir",
  "remote-debugging-port",
  "remote-debugging-pipe",
  "remote-debugging-address",
]);

/** True for a flag that a guarded profile must not get from the config. */
export function leadsAroundProxy(arg: string): boolean {
  const name = /^-{1,2}([^=]+)/.exec(arg.trim())?.[1]?.toLowerCase() ?? "";
  // A word without dashes is an address that would be opened unseen.
  return name === "" || aroundProxy.has(name);
}

/** A window needs a display; only Linux runs without one. */
export function hasDisplay(
  platform: NodeJS.Platform,
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  if (platform !== "linux") return true;
  return (env.DISPLAY ?? "") !== "" || (env.WAYLAND_DISPLAY ?? "") !== "";
}
