/** What a client learns when it is connected: version, methods, events, limits. */

import { protocolVersion } from "../../../shared/rpc/index.ts";
import { operatorScopes, type Runtime } from "../../runtime/runtimeTypes.ts";
import { servedContract } from "../gatewayContract.ts";
import { socketLimits } from "../wsTransport.ts";

/** Payload of `hello-ok` but for `type` and `auth`, which the handshake adds. */
export async function helloPayload(
  deps: { runtime: Runtime; version: string; startedAtMs: number; clock: { nowMs(): number } },
  connectionId: string,
): Promise<Record<string, unknown>> {
  const status = await deps.runtime.handlers["app.status"](
    {},
    {
      principal: { kind: "operator", id: "gateway", scopes: operatorScopes, approvalSurface: false },
      signal: new AbortController().signal,
      connectionId,
    },
  );
  return {
    protocol: protocolVersion,
    server: { version: deps.version, connId: connectionId },
    features: {
      methods: Object.keys(servedContract.methods),
      events: [...Object.keys(servedContract.events), "connect.challenge", "tick", "shutdown"],
    },
    snapshot: {
      presence: [],
      health: { ok: true },
      stateVersion: { presence: 0, health: 0 },
      uptimeMs: deps.clock.nowMs() - deps.startedAtMs,
      configPath: status.config.path,
      stateDir: status.stateDir,
      sessionDefaults: {
        defaultAgentId: "main",
        mainKey: "main",
        mainSessionKey: "agent:main:main",
        scope: "per-sender",
      },
      authMode: "token",
    },
    policy: {
      maxPayload: socketLimits.maxPayloadBytes,
      maxBufferedBytes: socketLimits.maxBufferedBytes,
      tickIntervalMs: socketLimits.tickIntervalMs,
    },
  };
}
