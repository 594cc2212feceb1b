/** Which hosts and addresses of the network a page may be loaded from. Pure: DNS is the caller's. */

import ipaddr from "ipaddr.js";

export type HostVerdict =
  /** `address` is set when the host is an address literal; names still have to be resolved and checked. */
  { ok: true; host: string; address: string | null } | { ok: false; host: string; kind: HostRefusal };

export type HostRefusal = "local_name" | "private_address" | "malformed";

/** What may be connected to. The strict one is the only one that untrusted addresses are judged by. */
export interface AddressPolicy {
  checkHost(host: string): HostVerdict;
  /** @param address as a resolver gives it; true: may be connected to */
  isAllowedAddress(address: string): boolean;
}

const blockedNames: ReadonlySet<string> = new Set([
  "localhost",
  "localhost.localdomain",
  "metadata.google.internal",
]);
const blockedSuffixes = [".localhost", ".local", ".internal", ".localdomain"];

/** @returns lower case, without brackets and without the dot at the end */
export function normalizeHost(host: string): string {
  const lower = host.trim().toLowerCase();
  const bare = lower.startsWith("[") && lower.endsWith("]") ? lower.slice(1, -1) : lower;
  return bare.replace(/\.$/, "");
}

/**
 * Judges a host by its name or literal alone, before any look-up.
 * @see ssrf_hosts in the vectors
 */
export function checkHost(given: string): HostVerdict {
  const host = normalizeHost(given);
  const refuse = (kind: HostRefusal): HostVerdict => ({ ok: false, host, kind });
  if (host === "") return refuse("malformed");
  if (host.includes(":")) {
    if (!ipaddr.IPv6.isValid(host)) return refuse("malformed");
    return isPublicAddress(host) ? { ok: true, host, address: host } : refuse("private_address");
  }
  if (ipaddr.IPv4.isValidFourPartDecimal(host)) {
    return isPublicAddress(host) ? { ok: true, host, address: host } : refuse("private_address");
  }
  // Octal, hex, short and single-number spellings: resolvers disagree about them, so none is let through.
  const labels = host.split(".");
  if (/^(?:\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? "")) return refuse("malformed");
  if (labels.some((label) => label === "" || label.length > 63) || host.length > 253)
    return refuse("malformed");
  if (/[\s/\\?#@%<>^|]/.test(host)) return refuse("malformed");
  if (blockedNames.has(host) || blockedSuffixes.some((suffix) => host.endsWith(suffix))) {
    return refuse("local_name");
  }
  return { ok: true, host, address: null };
}

/** @returns false for every address that is not plainly public, and for text that is no address */
export function isPublicAddress(address: string): boolean {
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return isPublicV4(ipaddr.IPv4.parse(address));
  // A zone names a link of this computer.
  if (address.includes("%") || !ipaddr.IPv6.isValid(address)) return false;
  return isPublicV6(ipaddr.IPv6.parse(address));
}

function isPublicV4(address: ipaddr.IPv4): boolean {
  return address.range() === "unicast";
}

const globalUnicast = ipaddr.IPv6.parse("2000::");
const nat64 = ipaddr.IPv6.parse("64:ff9b::");

/** Forms that carry an IPv4 address are as public as that address. */
function isPublicV6(address: ipaddr.IPv6): boolean {
  const { parts } = address;
  const embedded = (high: number) => v4Of(parts[high] ?? 0, parts[high + 1] ?? 0);
  if (address.isIPv4MappedAddress()) return isPublicV4(address.toIPv4Address());
  // Networks without IPv4 reach IPv4 hosts through this prefix, so it cannot be refused as a whole.
  if (address.match(nat64, 96)) return isPublicV4(embedded(6));
  if (!address.match(globalUnicast, 3)) return false;
  if (parts[0] === 0x2002) return isPublicV4(embedded(1));
  // ISATAP: `0:5efe` or `200:5efe` before the IPv4 address, below any prefix.
  if ((parts[4] === 0 || parts[4] === 0x200) && parts[5] === 0x5efe) return isPublicV4(embedded(6));
  return address.range() === "unicast";
}

function v4Of(high: number, low: number): ipaddr.IPv4 {
  return new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff]);
}

/** For everything that a model, a page or a search result names. */
export const strictAddresses: AddressPolicy = { checkHost, isAllowedAddress: isPublicAddress };

/** For servers that the operator wrote into the config: a search service may run in the own network. */
export const trustedAddresses: AddressPolicy = {
  checkHost: (given) => {
    const host = normalizeHost(given);
    return { ok: true, host, address: ipaddr.isValid(host) ? host : null };
  },
  isAllowedAddress: () => true,
};

export type UrlRefusal = HostRefusal | "bad_url" | "scheme" | "credentials";

export type UrlVerdict =
  | { ok: true; url: URL; host: string; address: string | null }
  | { ok: false; kind: UrlRefusal };

const maxUrlChars = 8192;

/** Judges an address before each request, redirects included. The fragment is dropped. */
export function checkUrl(text: string, policy: AddressPolicy): UrlVerdict {
  if (text.length > maxUrlChars) return { ok: false, kind: "bad_url" };
  let url: URL;
  try {
    url = new URL(text.trim());
  } catch {
    // The only thing that the parser says is that it is no address.
    return { ok: false, kind: "bad_url" };
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") return { ok: false, kind: "scheme" };
  if (url.username !== "" || url.password !== "") return { ok: false, kind: "credentials" };
  const verdict = policy.checkHost(url.hostname);
  if (!verdict.ok) return { ok: false, kind: verdict.kind };
  url.hash = "";
  return { ok: true, url, host: verdict.host, address: verdict.address };
}
