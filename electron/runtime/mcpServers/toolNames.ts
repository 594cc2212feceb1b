/** Names of servers and their tools as agents and policy know them (gateway-sessions-nodes.md §25). */

export const nameSeparator = "__";
const maxServerChars = 30;
const maxNameChars = 64;

/**
 * What the names of a server's tools begin with, and what stands for the server in policy lists.
 * @param taken ids of earlier entries, lower case; the new one is added
 */
export function serverIdFor(name: string, taken: Set<string>): string {
  const base = safePart(name, "mcp").slice(0, maxServerChars);
  return firstFree(taken, (suffix) => base.slice(0, Math.max(1, maxServerChars - suffix.length)) + suffix);
}

/**
 * @param taken names that are given away, lower case, because policy does not tell case apart; the new one is added
 * @returns `<server>__<tool>`, at most 64 characters, with `-2`, `-3`, … behind it when the name is taken
 */
export function toolNameFor(serverId: string, remoteName: string, taken: Set<string>): string {
  const prefix = serverId + nameSeparator;
  const room = Math.max(1, maxNameChars - prefix.length);
  const base = safePart(remoteName, "tool").slice(0, room);
  return firstFree(taken, (suffix) => prefix + base.slice(0, Math.max(1, room - suffix.length)) + suffix);
}

function safePart(raw: string, fallback: string): string {
  // Names of a server may be very long; only the first characters can matter.
  const safe = raw
    .slice(0, 4 * maxNameChars)
    .trim()
    .replace(/[^A-Za-z0-9_-]/g, "-");
  return safe === "" ? fallback : safe;
}

function firstFree(taken: Set<string>, make: (suffix: string) => string): string {
  for (let count = 1; ; count += 1) {
    const candidate = make(count === 1 ? "" : `-${count}`);
    const key = candidate.toLowerCase();
    if (taken.has(key)) continue;
    taken.add(key);
    return candidate;
  }
}
