/** The digest of what a prompt shows: a click is valid only for exactly this content (A6). */

import { createHash } from "node:crypto";
import type { ApprovalRequest } from "../../../shared/contract/index.ts";

/** Changes while a request waits, and says nothing about what would run. */
type NotShownAsFact = "digest" | "joinedCount";

/**
 * @returns SHA-256 hex over the canonical JSON of the request without its digest and its join counter
 */
export function digestOf(request: Omit<ApprovalRequest, NotShownAsFact>): string {
  return digestOfValue(request);
}

/** @returns SHA-256 hex over the canonical JSON of a value; it must not be nested too deep for the stack */
export function digestOfValue(value: unknown): string {
  return createHash("sha256").update(canonicalJson(value)).digest("hex");
}

/** JSON with sorted keys and without `undefined`: equal values give equal text. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(",")}}`;
  }
  return JSON.stringify(value) ?? "null";
}
