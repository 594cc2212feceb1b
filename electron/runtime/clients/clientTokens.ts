/** Tokens of MCP clients: random, shown once, kept as a hash, compared in constant time. */

import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

export interface NewToken {
  token: string;
  /** SHA-256 hex; enough for a token of 256 random bits. */
  tokenHash: string;
  /** Last four characters, to tell tokens apart. */
  tokenHint: string;
}

export function createToken(): NewToken {
  const token = `spt_${randomBytes(32).toString("base64url")}`;
  return { token, tokenHash: hashToken(token), tokenHint: token.slice(-4) };
}

export function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/**
 * Looks at every stored hash, so that the time tells nothing about which one fits.
 * @returns the entry whose token this is, or null
 */
export function findByToken<T extends { tokenHash: string }>(entries: readonly T[], token: string): T | null {
  const given = createHash("sha256").update(token).digest();
  let found: T | null = null;
  for (const entry of entries) {
    const kept = Buffer.from(entry.tokenHash, "hex");
    if (kept.length === given.length && timingSafeEqual(kept, given)) found = entry;
  }
  return found;
}
