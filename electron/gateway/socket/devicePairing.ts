/**
 * Which devices are paired, with which scopes. Kept in memory: the Gateway takes only loopback connections that know
 * the operator token, and pairs those silently, so a restart costs nobody anything. A file comes with connections
 * from other machines.
 */

import { randomBytes, randomUUID } from "node:crypto";
import { hasScope, scopes as knownScopes, type Scope } from "../../../shared/rpc/index.ts";
import { digestOf, equalSecrets } from "../http/guard.ts";

export interface PairingAsk {
  deviceId: string;
  role: string;
  scopes: Scope[];
  platform: string;
  deviceFamily: string;
  nowMs: number;
}

export type PairingAnswer =
  | { ok: true; isNew: boolean }
  | { ok: false; requestId: string; reason: "scope-upgrade" | "role-upgrade" | "metadata-upgrade" };

export interface DevicePairing {
  /** Pairs an unknown device silently; a known one may never gain anything that way. */
  admit(ask: PairingAsk): PairingAnswer;
  /** @returns a token that stands for the shared secret, for this device alone */
  issueToken(deviceId: string): { deviceToken: string; issuedAtMs: number } | null;
  acceptsToken(deviceId: string, token: string): boolean;
}

interface PairedDevice {
  role: string;
  scopes: ReadonlySet<Scope>;
  platform: string;
  deviceFamily: string;
  pairedAtMs: number;
  tokenDigest: string | null;
}

const maxDevices = 1000;

export function createDevicePairing(): DevicePairing {
  const devices = new Map<string, PairedDevice>();
  return {
    admit(ask) {
      const known = devices.get(ask.deviceId);
      if (known === undefined) {
        for (const id of devices.keys()) {
          if (devices.size < maxDevices) break;
          devices.delete(id);
        }
        devices.set(ask.deviceId, {
          role: ask.role,
          scopes: new Set(ask.scopes),
          platform: ask.platform,
          deviceFamily: ask.deviceFamily,
          pairedAtMs: ask.nowMs,
          tokenDigest: null,
        });
        return { ok: true, isNew: true };
      }
      if (known.role !== ask.role) return refuse("role-upgrade");
      if (ask.scopes.some((scope) => !hasScope(known.scopes, scope))) return refuse("scope-upgrade");
      if (known.platform !== ask.platform || known.deviceFamily !== ask.deviceFamily)
        return refuse("metadata-upgrade");
      return { ok: true, isNew: false };
    },
    issueToken(deviceId) {
      const known = devices.get(deviceId);
      if (known === undefined) return null;
      const deviceToken = randomBytes(32).toString("base64url");
      known.tokenDigest = digestOf(deviceToken).toString("hex");
      return { deviceToken, issuedAtMs: known.pairedAtMs };
    },
    acceptsToken(deviceId, token) {
      const digest = devices.get(deviceId)?.tokenDigest ?? null;
      return digest !== null && equalSecrets(digestOf(token).toString("hex"), digest);
    },
  };
}

/** @returns the scopes of the list that exist; other words are ignored, as the protocol does */
export function readScopes(asked: readonly string[]): Scope[] {
  return knownScopes.filter((scope) => asked.includes(scope));
}

function refuse(reason: "scope-upgrade" | "role-upgrade" | "metadata-upgrade"): PairingAnswer {
  return { ok: false, requestId: randomUUID(), reason };
}
