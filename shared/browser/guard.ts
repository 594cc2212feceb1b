/** Judges the addresses a browser may go to: `browser.ssrfPolicy` in, a verdict with its kind out. Pure: DNS is the caller's. */

import type { Hardening } from "../hardening/rules.ts";
import { isPublicAddress, normalizeHost } from "../web/hostRules.ts";
import type { SsrfPolicyConfig } from "./configSchema.ts";
import { isSpecialAddress } from "./specialAddresses.ts";

export type GuardKind =
  | "url-required"
  | "invalid-url"
  | "unsupported-protocol"
  | "proxy-env-strict"
  | "hostname-not-in-allowlist"
  | "private-or-special-host"
  | "resolves-to-private"
  | "dns-error"
  | "dns-empty";

export interface GuardRefusal {
  verdict: "blocked";
  kind: GuardKind;
  message: string;
  url: string;
}

/** What to do with an address: decided, or to be decided by what its name resolves to. */
export type UrlJudgement =
  | { kind: "allowed" }
  | { kind: "refused"; refusal: GuardRefusal }
  | { kind: "resolve"; host: string; judge(addresses: readonly string[]): GuardRefusal | null };

/** `browser.ssrfPolicy` after defaults, in the words of the config. */
export interface EffectivePolicy {
  dangerouslyAllowPrivateNetwork?: true;
  allowedHostnames?: string[];
  hostnameAllowlist?: string[];
  /** Cannot be configured for the browser; callers inside may set it. */
  allowRfc2544BenchmarkRange?: boolean;
}

/** What the checks need, prepared once per config. */
export interface GuardPolicy {
  isStrict: boolean;
  /** Exact names that skip the private checks. */
  allowedHosts: ReadonlySet<string>;
  /** null: no list, so every name may be asked for. */
  allowlist: { exact: ReadonlySet<string>; suffixes: readonly string[] } | null;
  /** 198.18.0.0/15 counts as public. */
  isBenchmarkOpen: boolean;
}

/**
 * Private networks are allowed unless one of the two keys says false and none says true.
 * @param written undefined or null when nothing is configured
 * @see browser.md 13, policy resolution
 */
export function effectivePolicy(written: SsrfPolicyConfig | null | undefined): EffectivePolicy {
  const switches = [written?.allowPrivateNetwork, written?.dangerouslyAllowPrivateNetwork];
  const isStrict = switches.includes(false) && !switches.includes(true);
  const allowedHostnames = trimmed(written?.allowedHostnames);
  const hostnameAllowlist = trimmed(written?.hostnameAllowlist);
  return {
    ...(isStrict ? {} : { dangerouslyAllowPrivateNetwork: true }),
    ...(allowedHostnames.length === 0 ? {} : { allowedHostnames }),
    ...(hostnameAllowlist.length === 0 ? {} : { hostnameAllowlist }),
  };
}

function trimmed(list: readonly string[] | undefined): string[] {
  return (list ?? []).map((entry) => entry.trim()).filter((entry) => entry !== "");
}

export function guardPolicy(policy: EffectivePolicy): GuardPolicy {
  const entries = (policy.hostnameAllowlist ?? [])
    .map(normalizeHost)
    // A list that consists of these is no list.
    .filter((entry) => entry !== "*" && entry !== "*." && entry !== "");
  const suffixes = entries.filter((entry) => entry.startsWith("*.")).map((entry) => entry.slice(1));
  return {
    isStrict: policy.dangerouslyAllowPrivateNetwork !== true,
    allowedHosts: new Set((policy.allowedHostnames ?? []).map(normalizeHost)),
    allowlist:
      entries.length === 0
        ? null
        : { exact: new Set(entries.filter((entry) => !entry.startsWith("*."))), suffixes },
    isBenchmarkOpen: policy.allowRfc2544BenchmarkRange === true,
  };
}

/** False when nothing can be refused but for its protocol: then requests need not be held. */
export function holdsRequests(policy: GuardPolicy): boolean {
  return policy.isStrict || policy.allowlist !== null;
}

const proxyVariables: ReadonlySet<string> = new Set(["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"]);

/** A proxy would resolve names itself, out of the guard's sight. `NO_PROXY` does not lift that. */
export function hasProxyVariable(env: Readonly<Record<string, string | undefined>>): boolean {
  return Object.entries(env).some(
    ([name, value]) => proxyVariables.has(name.toUpperCase()) && (value ?? "").trim() !== "",
  );
}

export interface GuardContext {
  policy: GuardPolicy;
  /** The environment that the browser is started with. */
  env: Readonly<Record<string, string | undefined>>;
  hardening: Hardening;
}

const blockedNames: ReadonlySet<string> = new Set([
  "localhost",
  "localhost.localdomain",
  "metadata.google.internal",
]);
const blockedSuffixes = [".localhost", ".local", ".internal"];

/** Before an address is opened. @see browser.md 13 */
export function judgeUrl(given: string, context: GuardContext): UrlJudgement {
  const text = given.trim();
  if (text === "") return refused("url-required", "url is required", given);
  const url = parseUrl(text);
  if (url === null) return refused("invalid-url", `Invalid URL: ${shorten(text)}`, given);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    // Only the plain empty page, so that nothing rides on its query or fragment.
    if (url.href === "about:blank" && text === "about:blank") return { kind: "allowed" };
    return refused(
      "unsupported-protocol",
      `Navigation blocked: unsupported protocol "${url.protocol}"`,
      given,
    );
  }
  if (context.policy.isStrict && hasProxyVariable(context.env))
    return refused(
      "proxy-env-strict",
      "Navigation blocked: a proxy is set in the environment (HTTP_PROXY, HTTPS_PROXY or ALL_PROXY), and a strict browser.ssrfPolicy cannot be held behind it. Unset it for Sallyport.",
      given,
    );
  return judgeHost(url.hostname, context, given);
}

/** Only the host, for what comes without a whole address: sockets, and the targets of a proxy. */
export function judgeHost(hostname: string, context: GuardContext, url: string): UrlJudgement {
  const { policy } = context;
  const host = normalizeHost(hostname);
  if (host === "") return refused("invalid-url", `Invalid URL: ${shorten(url)}`, url);
  if (policy.allowlist !== null && !isListed(host, policy.allowlist))
    return refused("hostname-not-in-allowlist", `Blocked hostname (not in allowlist): ${shorten(host)}`, url);
  const isExempt = !policy.isStrict || policy.allowedHosts.has(host);
  if (!isExempt && isPrivateHost(host, context))
    return refused(
      "private-or-special-host",
      `Blocked: ${shorten(host)} is a private, internal or special-use host or address (browser.ssrfPolicy is strict)`,
      url,
    );
  return {
    kind: "resolve",
    host,
    judge: (addresses) => {
      if (addresses.length === 0)
        return refusal("dns-empty", `The name ${shorten(host)} has no address`, url);
      if (isExempt || addresses.every((address) => isOpenAddress(address, context))) return null;
      return refusal(
        "resolves-to-private",
        `Blocked: ${shorten(host)} resolves to a private, internal or special-use address (browser.ssrfPolicy is strict)`,
        url,
      );
    },
  };
}

/** After an address was opened: what is no web page (error pages, `about:srcdoc`, data) has not left the browser. */
export function judgeArrival(given: string, context: GuardContext): UrlJudgement {
  const url = parseUrl(given.trim());
  const isWeb = url?.protocol === "http:" || url?.protocol === "https:";
  return isWeb ? judgeUrl(given, context) : { kind: "allowed" };
}

export function dnsRefusal(host: string, url: string): GuardRefusal {
  return refusal("dns-error", `The name ${shorten(host)} cannot be resolved. Check the address.`, url);
}

function isListed(host: string, list: { exact: ReadonlySet<string>; suffixes: readonly string[] }): boolean {
  return list.exact.has(host) || list.suffixes.some((suffix) => host.endsWith(suffix) && host !== suffix);
}

function isPrivateHost(host: string, context: GuardContext): boolean {
  if (blockedNames.has(host) || blockedSuffixes.some((suffix) => host.endsWith(suffix))) return true;
  const isLiteral = host.includes(":") || /^\d{1,3}(?:\.\d{1,3}){3}$/.test(host);
  return isLiteral && !isOpenAddress(host, context);
}

function isOpenAddress(address: string, { policy, hardening }: GuardContext): boolean {
  if (policy.isBenchmarkOpen && /^198\.(?:18|19)\.\d{1,3}\.\d{1,3}$/.test(address)) return true;
  if (isSpecialAddress(address)) return false;
  return !hardening.has("browser.guardPublicOnly") || isPublicAddress(address);
}

function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    // The parser says no more than that it is no address.
    return null;
  }
}

function refusal(kind: GuardKind, message: string, url: string): GuardRefusal {
  return { verdict: "blocked", kind, message, url };
}

function refused(kind: GuardKind, message: string, url: string): UrlJudgement {
  return { kind: "refused", refusal: refusal(kind, message, url) };
}

/** Hosts and addresses come from pages and models. */
function shorten(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`;
}
