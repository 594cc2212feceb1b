/** Reads from config and environment what the HTTP APIs of the Gateway ask of their callers. */

import { asRecord, getIn, getString } from "../../shared/policy/configRecord.ts";
import type { HttpSettings, RateLimit } from "./runtimeTypes.ts";

/**
 * @param operatorToken the token in force: from the config, the environment or the state directory
 * @see gateway-sessions-nodes.md §5
 */
export function httpSettingsOf(
  config: unknown,
  env: Readonly<Record<string, string>>,
  operatorToken: string,
): HttpSettings {
  return {
    auth: authOf(config, env, operatorToken),
    rateLimit: rateLimitOf(getIn(config, "gateway", "auth", "rateLimit")),
    strictTransportSecurity:
      getString(config, "gateway", "http", "securityHeaders", "strictTransportSecurity") ?? null,
  };
}

function authOf(
  config: unknown,
  env: Readonly<Record<string, string>>,
  operatorToken: string,
): HttpSettings["auth"] {
  const password = [getString(config, "gateway", "auth", "password"), env.OPENCLAW_GATEWAY_PASSWORD].find(
    (value) => value !== undefined && value.trim() !== "",
  );
  const mode =
    getString(config, "gateway", "auth", "mode")?.trim() ?? (password === undefined ? "token" : "password");
  switch (mode) {
    case "none":
      return { kind: "open" };
    case "token":
      return { kind: "secret", secret: operatorToken };
    case "password":
      return password === undefined ? { kind: "closed", mode } : { kind: "secret", secret: password };
    default:
      // A proxy on loopback is refused by the reference too; an unknown word must not open anything.
      return { kind: "closed", mode };
  }
}

function rateLimitOf(value: unknown): RateLimit | null {
  const block = asRecord(value);
  if (block === undefined) return null;
  return {
    maxAttempts: positive(block.maxAttempts, 10),
    windowMs: positive(block.windowMs, 60_000),
    lockoutMs: positive(block.lockoutMs, 300_000),
    exemptLoopback: block.exemptLoopback !== false,
  };
}

function positive(value: unknown, fallback: number): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : fallback;
}
