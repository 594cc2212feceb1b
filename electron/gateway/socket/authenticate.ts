/** Decides what a `connect` request may do: pure but for the pairing store, so that every refusal can be tested. */

import { AppError } from "../../../shared/errors/index.ts";
import { type FrameError, protocolVersion, type Scope } from "../../../shared/rpc/index.ts";
import { equalSecrets } from "../http/guard.ts";
import type { ConnectParams } from "./connectSchema.ts";
import { verifyDevice } from "./deviceIdentity.ts";
import { type DevicePairing, readScopes } from "./devicePairing.ts";

export interface ConnectFacts {
  connect: ConnectParams;
  /** The nonce of this connection's challenge. */
  nonce: string;
  nowMs: number;
  operatorToken: string;
  /** The connection comes from a page of our own origin, or null when it comes from no browser. */
  origin: string | null;
  pairing: DevicePairing;
}

export type ConnectVerdict =
  | {
      ok: true;
      role: "operator";
      scopes: ReadonlySet<Scope>;
      deviceId: string | null;
      issued: { deviceToken: string; issuedAtMs: number } | null;
    }
  | { ok: false; error: FrameError; closeCode: number };

/** Checks protocol, role, secret and device, in the order in which OpenClaw reports them. */
export function authenticateConnect(facts: ConnectFacts): ConnectVerdict {
  const { connect, pairing } = facts;
  if (connect.minProtocol > protocolVersion || connect.maxProtocol < protocolVersion) {
    return refuse("INVALID_REQUEST", "protocol mismatch", { expectedProtocol: protocolVersion }, 1002);
  }
  const role = connect.role ?? "operator";
  if (role === "node") return refuse("INVALID_REQUEST", "nodes cannot connect to this version of Sallyport");
  if (role !== "operator") return refuse("INVALID_REQUEST", "invalid role");

  const { token, deviceToken, password, bootstrapToken } = connect.auth ?? {};
  const hasSecret = [token, deviceToken, password, bootstrapToken].some((secret) => secret !== undefined);
  if (!hasSecret && connect.device === undefined) {
    return refuse("NOT_PAIRED", "device identity required", { code: "DEVICE_IDENTITY_REQUIRED" });
  }
  let deviceId: string | null = null;
  if (connect.device !== undefined) {
    const verdict = verifyDevice(connect, facts.nonce, facts.nowMs);
    if (!verdict.ok) {
      return refuse("INVALID_REQUEST", verdict.message, { code: verdict.code, reason: verdict.reason });
    }
    deviceId = verdict.deviceId;
  }
  const secretProblem = checkSecret(facts, deviceId);
  if (secretProblem !== null) return secretProblem;

  // A shared secret alone connects and may ask for health, nothing more: scopes belong to a device.
  if (deviceId === null) return { ok: true, role, scopes: new Set(), deviceId: null, issued: null };

  const scopes = readScopes(connect.scopes ?? []);
  if (
    facts.origin !== null &&
    !["openclaw-control-ui", "webchat-ui", "webchat"].includes(connect.client.id)
  ) {
    return refuse("INVALID_REQUEST", "origin not allowed", { code: "CONTROL_UI_ORIGIN_NOT_ALLOWED" });
  }
  const answer = pairing.admit({
    deviceId,
    role,
    scopes,
    platform: connect.client.platform.trim().toLowerCase(),
    deviceFamily: (connect.client.deviceFamily ?? "").trim().toLowerCase(),
    nowMs: facts.nowMs,
  });
  if (!answer.ok) {
    return refuse("NOT_PAIRED", "pairing required", {
      code: "PAIRING_REQUIRED",
      requestId: answer.requestId,
      reason: answer.reason,
    });
  }
  const issued = answer.isNew ? pairing.issueToken(deviceId) : null;
  return { ok: true, role, scopes: new Set(scopes), deviceId, issued };
}

function checkSecret(facts: ConnectFacts, deviceId: string | null): ConnectVerdict | null {
  const { token, deviceToken } = facts.connect.auth ?? {};
  if (facts.operatorToken === "") {
    throw new AppError(
      "INTERNAL",
      "The Gateway has no operator token, so that nobody can connect. Restart it.",
    );
  }
  if (token !== undefined && equalSecrets(token, facts.operatorToken)) return null;
  if (deviceToken !== undefined && deviceId !== null && facts.pairing.acceptsToken(deviceId, deviceToken))
    return null;
  if (token === undefined && deviceToken === undefined) {
    return refuseAuth("AUTH_TOKEN_MISSING", "token_missing", "gateway token missing", {
      canRetryWithDeviceToken: false,
      recommendedNextStep: "update_auth_configuration",
    });
  }
  if (token === undefined) {
    return refuseAuth("AUTH_DEVICE_TOKEN_MISMATCH", "device_token_mismatch", "device token mismatch", {
      canRetryWithDeviceToken: false,
      recommendedNextStep: "update_auth_credentials",
    });
  }
  const canRetryWithDeviceToken = deviceId !== null && deviceToken === undefined;
  return refuseAuth(
    "AUTH_TOKEN_MISMATCH",
    "token_mismatch",
    "gateway token mismatch (set gateway.remote.token to match gateway.auth.token)",
    {
      canRetryWithDeviceToken,
      recommendedNextStep: canRetryWithDeviceToken ? "retry_with_device_token" : "update_auth_credentials",
    },
  );
}

function refuseAuth(
  code: string,
  authReason: string,
  message: string,
  next: { canRetryWithDeviceToken: boolean; recommendedNextStep: string },
): ConnectVerdict {
  return refuse("INVALID_REQUEST", `unauthorized: ${message}`, { code, authReason, ...next });
}

function refuse(
  code: string,
  message: string,
  details?: Record<string, unknown>,
  closeCode = 1008,
): ConnectVerdict {
  return {
    ok: false,
    error: { code, message, ...(details === undefined ? {} : { details }) },
    closeCode,
  };
}
