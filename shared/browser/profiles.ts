/** Which browser profiles there are, with every default filled in: names, ports, colours. Pure. */

import type { BrowserConfig, BrowserProfileConfig } from "./configSchema.ts";

export const managedProfileName = "openclaw";
/** The person's own running browser. */
export const userProfileName = "user";

export const profilePortCount = 100;
const maxNameLength = 64;

/** In the order in which new profiles get them. */
export const profilePalette = [
  "#FF4500",
  "#0066CC",
  "#00AA00",
  "#9933FF",
  "#FF6699",
  "#00CCCC",
  "#FF9900",
  "#6666FF",
  "#CC3366",
  "#339966",
] as const;
const defaultColor = "#FF4500";
const userColor = "#00AA00";

/** Everything about a profile that the config tells; folders are the caller's. */
export interface ProfileFacts {
  name: string;
  kind: "managed" | "remote" | "existing";
  isDefault: boolean;
  isInConfig: boolean;
  /** On loopback; null for remote profiles, and for existing ones that are found by their own port file. */
  cdpPort: number | null;
  cdpUrl: string | null;
  /** `#RRGGBB`, upper case. */
  color: string;
  /** As configured, only for existing browsers; `~` not yet expanded. */
  userDataDir: string | null;
  attachOnly: boolean;
}

/** A name that a new profile may have; older configs may hold others. */
export function isNewProfileName(name: string): boolean {
  return name.length <= maxNameLength && /^[a-z0-9][a-z0-9-]*$/.test(name);
}

/** First of the 100 ports of debugging endpoints: control port = gateway + 2, its range begins 9 above. */
export function portRangeStart(config: BrowserConfig, gatewayPort: number): number {
  return config.cdpPortRangeStart ?? Math.min(gatewayPort + 2 + 9, 65_535 - (profilePortCount - 1));
}

/** @returns upper case with `#`; null for what is no colour of six hex digits */
export function normalizeColor(color: string | undefined): string | null {
  const match = /^#?([0-9a-f]{6})$/i.exec(color?.trim() ?? "");
  return match?.[1] === undefined ? null : `#${match[1].toUpperCase()}`;
}

/** The first unused colour; when all are taken, they begin again. */
export function nextColor(used: Iterable<string>): string {
  const taken = [...used].map((color) => color.toUpperCase());
  const free = profilePalette.find((color) => !taken.includes(color));
  return free ?? profilePalette[taken.length % profilePalette.length] ?? defaultColor;
}

/** @returns the lowest port of the range that no profile has; null when all are taken */
export function nextPort(used: Iterable<number>, rangeStart: number): number | null {
  const taken = new Set(used);
  for (let port = rangeStart; port < rangeStart + profilePortCount; port += 1) {
    if (!taken.has(port)) return port;
  }
  return null;
}

export interface CdpAddress {
  /** http, https, ws or wss. */
  url: URL;
  port: number;
  isLoopback: boolean;
}

/** @returns null for what is no address of a debugging endpoint */
export function parseCdpUrl(text: string): CdpAddress | null {
  let url: URL;
  try {
    url = new URL(text.trim());
  } catch {
    // The parser says no more than that it is no address.
    return null;
  }
  if (!["http:", "https:", "ws:", "wss:"].includes(url.protocol)) return null;
  const isSecure = url.protocol === "https:" || url.protocol === "wss:";
  const port = url.port === "" ? (isSecure ? 443 : 80) : Number(url.port);
  return { url, port, isLoopback: isLoopbackHost(url.hostname) };
}

/** For people, logs and models: without a password, and without the values of a query, which may be a token. */
export function shownCdpUrl(text: string): string {
  const address = parseCdpUrl(text);
  if (address === null) return "(no valid address)";
  const url = new URL(address.url);
  url.username = "";
  url.password = "";
  for (const name of [...url.searchParams.keys()]) url.searchParams.set(name, "…");
  url.hash = "";
  // As written: an address without a path stays one.
  return url.href.replace(/\/$/, "");
}

export function isLoopbackHost(host: string): boolean {
  const bare = host.toLowerCase().replace(/^\[|\]$/g, "");
  return bare === "localhost" || bare === "::1" || /^127(?:\.\d{1,3}){3}$/.test(bare);
}

/**
 * All profiles: the configured ones in their order, and the two built-in ones.
 * @param gatewayPort decides about the port range
 */
export function profilesOf(config: BrowserConfig, gatewayPort: number): ProfileFacts[] {
  const rangeStart = portRangeStart(config, gatewayPort);
  const configured = new Map(Object.entries(config.profiles ?? {}));
  const defaultName = config.defaultProfile?.trim() || managedProfileName;
  const facts: ProfileFacts[] = [];
  const add = (name: string, written: BrowserProfileConfig, isInConfig: boolean) =>
    facts.push({ ...factsOf(name, written, config), isInConfig, isDefault: name === defaultName });

  const legacyUrl = config.cdpUrl?.trim() ?? "";
  const legacy = legacyUrl === "" ? { cdpPort: rangeStart } : { cdpUrl: legacyUrl };
  const color = normalizeColor(config.color) ?? defaultColor;
  if (!configured.has(managedProfileName)) add(managedProfileName, { ...legacy, color }, false);
  if (!configured.has(userProfileName))
    add(userProfileName, { driver: "existing-session", attachOnly: true, color: userColor }, false);
  for (const [name, written] of configured) add(name, written, true);
  return facts;
}

function factsOf(
  name: string,
  written: BrowserProfileConfig,
  config: BrowserConfig,
): Omit<ProfileFacts, "isInConfig" | "isDefault"> {
  const address = written.cdpUrl === undefined ? null : parseCdpUrl(written.cdpUrl);
  const cdpUrl = written.cdpUrl?.trim() || null;
  const common = { name, color: normalizeColor(written.color) ?? defaultColor };
  const cdpPort = written.cdpPort ?? (address?.isLoopback === true ? address.port : null);
  if (written.driver === "existing-session") {
    const userDataDir = written.userDataDir?.trim() || null;
    return { ...common, kind: "existing", cdpPort, cdpUrl, userDataDir, attachOnly: true };
  }
  // An address that we cannot serve ourselves is somebody else's, on this machine too.
  const isOurs =
    cdpUrl === null ||
    (address?.isLoopback === true &&
      address.url.protocol === "http:" &&
      address.url.username === "" &&
      address.url.pathname === "/" &&
      address.url.search === "");
  if (!isOurs)
    return { ...common, kind: "remote", cdpPort: null, cdpUrl, userDataDir: null, attachOnly: true };
  return {
    ...common,
    kind: "managed",
    cdpPort,
    cdpUrl: cdpPort === null ? cdpUrl : `http://127.0.0.1:${cdpPort}`,
    userDataDir: null,
    attachOnly: written.attachOnly ?? config.attachOnly ?? false,
  };
}

/** @returns why a browser that runs under `before` must not be used as `now`; null when it may */
export function reconcileReason(before: ProfileFacts, now: ProfileFacts): string | null {
  if (before.kind !== now.kind) return "the kind of the profile changed";
  if (before.cdpPort !== now.cdpPort) return "cdpPort changed";
  if (before.cdpUrl !== now.cdpUrl) return "cdpUrl changed";
  if (before.attachOnly !== now.attachOnly) return "attachOnly changed";
  if (before.userDataDir !== now.userDataDir) return "userDataDir changed";
  return null;
}
