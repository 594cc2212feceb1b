/** Locks an address out for a while after too many wrong secrets (gateway-sessions-nodes.md §5). */

import type { Clock } from "../../runtime/clock.ts";
import type { RateLimit } from "../../runtime/runtimeTypes.ts";

export interface AuthLimiter {
  /** @returns how long the address stays locked out, or null when it may try */
  lockedForMs(address: string, limit: RateLimit | null): number | null;
  /** Counts a wrong secret. A missing one is no attempt. */
  failed(address: string, limit: RateLimit | null): void;
  succeeded(address: string): void;
}

interface Bucket {
  attemptsAtMs: number[];
  lockedUntilMs: number;
}

/** An attacker with many addresses must not fill the memory; the oldest is forgotten first. */
const maxBuckets = 4096;

export function createAuthLimiter({ clock }: { clock: Clock }): AuthLimiter {
  const buckets = new Map<string, Bucket>();
  return {
    lockedForMs(address, limit) {
      if (limit === null || isExempt(address, limit)) return null;
      const leftMs = (buckets.get(address)?.lockedUntilMs ?? 0) - clock.nowMs();
      return leftMs > 0 ? leftMs : null;
    },
    failed(address, limit) {
      if (limit === null || isExempt(address, limit)) return;
      const nowMs = clock.nowMs();
      const recent = (buckets.get(address)?.attemptsAtMs ?? []).filter(
        (atMs) => nowMs - atMs < limit.windowMs,
      );
      const attemptsAtMs = [...recent, nowMs];
      const isFull = attemptsAtMs.length >= limit.maxAttempts;
      buckets.delete(address);
      // The attempt that reaches the limit is still answered as a wrong secret; the next one is locked out.
      buckets.set(address, {
        attemptsAtMs: isFull ? [] : attemptsAtMs,
        lockedUntilMs: isFull ? nowMs + limit.lockoutMs : 0,
      });
      const oldest = buckets.keys().next().value;
      if (buckets.size > maxBuckets && oldest !== undefined) buckets.delete(oldest);
    },
    succeeded: (address) => {
      buckets.delete(address);
    },
  };
}

function isExempt(address: string, limit: RateLimit): boolean {
  return limit.exemptLoopback && /^(127\.|::1$|::ffff:127\.)/.test(address);
}
