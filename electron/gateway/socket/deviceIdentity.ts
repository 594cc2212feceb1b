/** Ed25519 device identity of the Gateway protocol: the text that is signed, checking it, and making one's own. */

import {
  createHash,
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  type KeyObject,
  sign,
  verify,
} from "node:crypto";
import type { ConnectDevice, ConnectParams } from "./connectSchema.ts";

/** Clocks of both ends may differ by this much. */
const maxSkewMs = 120_000;
const spkiPrefix = Buffer.from("302a300506032b6570032100", "hex");
const pkcs8Prefix = Buffer.from("302e020100300506032b657004220420", "hex");

export type DeviceVerdict =
  | { ok: true; deviceId: string }
  | { ok: false; code: string; reason: string; message: string };

/**
 * Checks that the client holds the device's key and signed exactly this connect, for this challenge.
 * @param connect as received; its scopes, role and token are part of what is signed
 * @param nonce the one that this connection was challenged with
 */
export function verifyDevice(connect: ConnectParams, nonce: string, nowMs: number): DeviceVerdict {
  const { device } = connect;
  if (device === undefined) return fail("DEVICE_AUTH_INVALID", "device-missing", "device identity required");
  const raw = decodeBase64Url(device.publicKey);
  if (raw === null || raw.length !== 32)
    return fail("DEVICE_AUTH_PUBLIC_KEY_INVALID", "device-public-key", "device public key invalid");
  if (deviceIdOf(raw) !== device.id)
    return fail("DEVICE_AUTH_DEVICE_ID_MISMATCH", "device-id-mismatch", "device identity mismatch");
  if (Math.abs(nowMs - device.signedAt) > maxSkewMs)
    return fail("DEVICE_AUTH_SIGNATURE_EXPIRED", "device-signature-stale", "device signature expired");
  if (device.nonce === "")
    return fail("DEVICE_AUTH_NONCE_REQUIRED", "device-nonce-missing", "device nonce required");
  if (device.nonce !== nonce)
    return fail("DEVICE_AUTH_NONCE_MISMATCH", "device-nonce-mismatch", "device nonce mismatch");
  const signature = decodeBase64Url(device.signature);
  const key = publicKeyOf(raw);
  const isValid =
    signature !== null &&
    key !== null &&
    [signedText(connect, device, "v3"), signedText(connect, device, "v2")].some((text) =>
      verify(null, Buffer.from(text, "utf8"), key, signature),
    );
  return isValid
    ? { ok: true, deviceId: device.id }
    : fail("DEVICE_AUTH_SIGNATURE_INVALID", "device-signature", "device signature invalid");
}

/** A key pair that signs connects. */
export interface DeviceKey {
  id: string;
  publicKey: string;
  privateKey: KeyObject;
}

/**
 * The device of our own command line. Its key follows from the operator token, so that it needs no file of its own:
 * whoever can read the token (mode 0600) is the operator, and it stays one device as long as the token lives.
 */
export function deviceKeyFromToken(token: string): DeviceKey {
  const seed = Buffer.from(hkdfSync("sha256", token, "sallyport", "command line device key", 32));
  const privateKey = createPrivateKey({
    key: Buffer.concat([pkcs8Prefix, seed]),
    format: "der",
    type: "pkcs8",
  });
  const raw = createPublicKey(privateKey).export({ format: "der", type: "spki" }).subarray(spkiPrefix.length);
  return { id: deviceIdOf(raw), publicKey: raw.toString("base64url"), privateKey };
}

/** @returns `connect` with the device block that proves the key for this challenge */
export function signConnect(
  connect: ConnectParams,
  key: DeviceKey,
  nonce: string,
  nowMs: number,
): ConnectParams {
  const unsigned: ConnectDevice = {
    id: key.id,
    publicKey: key.publicKey,
    signature: "-",
    signedAt: nowMs,
    nonce,
  };
  const signature = sign(null, Buffer.from(signedText(connect, unsigned, "v3"), "utf8"), key.privateKey);
  return { ...connect, device: { ...unsigned, signature: signature.toString("base64url") } };
}

function signedText(connect: ConnectParams, device: ConnectDevice, version: "v2" | "v3"): string {
  const { client, auth } = connect;
  const parts = [
    version,
    device.id,
    client.id,
    client.mode,
    connect.role ?? "operator",
    (connect.scopes ?? []).join(","),
    String(device.signedAt),
    auth?.token ?? auth?.deviceToken ?? auth?.bootstrapToken ?? "",
    device.nonce,
  ];
  if (version === "v3") {
    parts.push(client.platform.trim().toLowerCase(), (client.deviceFamily ?? "").trim().toLowerCase());
  }
  return parts.join("|");
}

function deviceIdOf(rawPublicKey: Buffer): string {
  return createHash("sha256").update(rawPublicKey).digest("hex");
}

function publicKeyOf(raw: Buffer): KeyObject | null {
  try {
    return createPublicKey({ key: Buffer.concat([spkiPrefix, raw]), format: "der", type: "spki" });
  } catch {
    // 32 bytes that are no point of the curve: nothing can be signed with them.
    return null;
  }
}

function decodeBase64Url(text: string): Buffer | null {
  return /^[A-Za-z0-9_-]+={0,2}$/.test(text) ? Buffer.from(text, "base64url") : null;
}

function fail(code: string, reason: string, message: string): DeviceVerdict {
  return { ok: false, code, reason, message };
}
