/** Addresses that count as private or special, range by range as the reference has them. Pure. */

import ipaddr from "ipaddr.js";

const blockedV4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
].map((range) => ipaddr.IPv4.parseCIDR(range));

const ranges6 = (ranges: readonly string[]) => ranges.map((range) => ipaddr.IPv6.parseCIDR(range));

/** Special uses that the reference leaves open although they lie inside a blocked range. */
const openV6 = ranges6(["2001:3::/32", "2001:4:112::/48", "2001:10::/28", "2001:30::/28"]);
const blockedV6 = ranges6([
  "::/128",
  "::1/128",
  "fe80::/10",
  "fec0::/10",
  "fc00::/7",
  "ff00::/8",
  "100::/64",
  "2001:2::/48",
  "2001:20::/28",
  "2001:db8::/32",
  "3fff::/20",
  "2001::/23",
]);

const unspecified = ranges6(["::/128", "::1/128"]);
/** Ranges whose last 32 bits are an IPv4 address. */
const lowEmbedding = ranges6(["::ffff:0:0/96", "::/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48"]);
const sixToFour = ranges6(["2002::/16"]);
const teredo = ranges6(["2001::/32"]);

/**
 * @param address as a resolver or a URL gives it, without brackets
 * @returns true also for text that is no address
 * @see browser.md 13
 */
export function isSpecialAddress(address: string): boolean {
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return isSpecialV4(ipaddr.IPv4.parse(address));
  // A zone names a link of this computer.
  if (address.includes("%") || !ipaddr.IPv6.isValid(address)) return true;
  return isSpecialV6(ipaddr.IPv6.parse(address));
}

function isSpecialV4(address: ipaddr.IPv4): boolean {
  return blockedV4.some((range) => address.match(range));
}

type Range6 = [ipaddr.IPv6, number];

function isSpecialV6(address: ipaddr.IPv6): boolean {
  const isIn = (ranges: readonly Range6[]) => ranges.some((range) => address.match(range));
  const part = (index: number) => address.parts[index] ?? 0;
  const v4At = (index: number) => v4Of(part(index), part(index + 1));
  if (isIn(unspecified)) return true;
  if (isIn(lowEmbedding)) return isSpecialV4(v4At(6));
  if (isIn(sixToFour)) return isSpecialV4(v4At(1));
  if (isIn(teredo)) return isSpecialV4(v4Of(part(6) ^ 0xffff, part(7) ^ 0xffff));
  const isIsatap = (part(4) === 0 || part(4) === 0x200) && part(5) === 0x5efe;
  if (isIsatap && isSpecialV4(v4At(6))) return true;
  return isIn(blockedV6) && !isIn(openV6);
}

function v4Of(high: number, low: number): ipaddr.IPv4 {
  return new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff]);
}
