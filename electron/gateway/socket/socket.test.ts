import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { silentLogger } from "../../runtime/logging/logger.ts";
import { createGateway, type Gateway } from "../createGateway.ts";
import { connectGateway } from "../gatewayClient.ts";
import { createFakeRuntime, type FakeRuntime, operatorToken } from "../testing/fakeRuntime.ts";
import type { ConnectParams } from "./connectSchema.ts";
import { type DeviceKey, deviceKeyFromToken, signConnect } from "./deviceIdentity.ts";

type Frame = Record<string, unknown> & { payload?: Record<string, unknown>; error?: Record<string, unknown> };

let runtime: FakeRuntime;
let gateway: Gateway;
let dir: string;
const sockets: WebSocket[] = [];

beforeEach(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), "sallyport-socket-"));
  await writeFile(path.join(dir, "index.html"), "<!doctype html>");
  runtime = createFakeRuntime();
  gateway = await createGateway({
    runtime,
    panelDir: dir,
    logger: silentLogger,
    host: "127.0.0.1",
    port: 0,
    version: "0.0.1",
  });
});

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.terminate();
  await gateway.close();
  await rm(dir, { recursive: true, force: true });
});

interface Peer {
  socket: WebSocket;
  next(): Promise<Frame>;
  send(value: unknown): void;
  closed: Promise<{ code: number; reason: string }>;
}

/** Opens a socket whose frames are read one by one. */
async function open(target = "/", headers: Record<string, string> = {}): Promise<Peer> {
  const socket = new WebSocket(`ws://127.0.0.1:${gateway.port}${target}`, { headers });
  sockets.push(socket);
  const frames: Frame[] = [];
  const readers: ((frame: Frame) => void)[] = [];
  socket.on("message", (data) => {
    const frame = JSON.parse(String(data)) as Frame;
    const reader = readers.shift();
    if (reader === undefined) frames.push(frame);
    else reader(frame);
  });
  const closed = once(socket, "close").then(([code, reason]) => ({
    code: Number(code),
    reason: String(reason),
  }));
  await once(socket, "open");
  return {
    socket,
    closed,
    next: () => {
      const frame = frames.shift();
      return frame === undefined ? new Promise((resolve) => readers.push(resolve)) : Promise.resolve(frame);
    },
    send: (value) => socket.send(typeof value === "string" ? value : JSON.stringify(value)),
  };
}

function params(change: Partial<ConnectParams> = {}): ConnectParams {
  return {
    minProtocol: 3,
    maxProtocol: 3,
    client: { id: "gateway-client", version: "1", platform: "linux", mode: "backend" },
    role: "operator",
    scopes: ["operator.read", "operator.approvals"],
    auth: { token: operatorToken },
    ...change,
  };
}

async function shake(connect: ConnectParams, key: DeviceKey | null, change: Record<string, unknown> = {}) {
  const peer = await open();
  const challenge = await peer.next();
  const nonce = String(challenge.payload?.nonce);
  const signed = key === null ? connect : signConnect(connect, key, nonce, Date.now());
  const device = signed.device === undefined ? {} : { device: { ...signed.device, ...change } };
  peer.send({ type: "req", id: "r1", method: "connect", params: { ...signed, ...device } });
  return { peer, answer: await peer.next() };
}

function newKey(): DeviceKey {
  return deviceKeyFromToken(
    generateKeyPairSync("ed25519").publicKey.export({ format: "pem", type: "spki" }).toString(),
  );
}

async function upgradeStatus(target: string, headers: Record<string, string>): Promise<number> {
  const socket = new WebSocket(`ws://127.0.0.1:${gateway.port}${target}`, { headers });
  socket.on("error", () => {});
  const [, response] = (await once(socket, "unexpected-response")) as [
    unknown,
    { statusCode: number; destroy(): void },
  ];
  response.destroy();
  return response.statusCode;
}

describe("handshake", () => {
  it("challenges, then says hello with methods, events and limits", async () => {
    const peer = await open();
    expect(await peer.next()).toMatchObject({
      event: "connect.challenge",
      payload: { nonce: expect.any(String), ts: expect.any(Number) },
    });
    const { answer } = await shake(params(), newKey());
    expect(answer).toMatchObject({
      type: "res",
      id: "r1",
      ok: true,
      payload: {
        type: "hello-ok",
        protocol: 3,
        server: { version: "0.0.1", connId: expect.any(String) },
        snapshot: { authMode: "token" },
        auth: {
          role: "operator",
          scopes: ["operator.read", "operator.approvals"],
          deviceToken: expect.any(String),
        },
        policy: { maxPayload: 26214400, maxBufferedBytes: 52428800, tickIntervalMs: 30000 },
      },
    });
    expect(answer.payload?.features).toMatchObject({ methods: expect.arrayContaining(["approvals.list"]) });
  });

  it("refuses a first request that is not connect", async () => {
    const peer = await open();
    await peer.next();
    peer.send({ type: "req", id: "r1", method: "health", params: {} });
    const message = "invalid handshake: first request must be connect";
    expect(await peer.next()).toEqual({
      type: "res",
      id: "r1",
      ok: false,
      error: { code: "INVALID_REQUEST", message },
    });
    expect(await peer.closed).toEqual({ code: 1008, reason: message });
  });

  it.each([
    ["not JSON", "hello", 1000],
    ["not a request", JSON.stringify({ type: "event", event: "x" }), 1008],
    ["too large", "x".repeat(70_000), 1009],
  ])("closes on a first frame that is %s", async (_name, text, code) => {
    const peer = await open();
    await peer.next();
    peer.send(text);
    expect((await peer.closed).code).toBe(code);
  });

  it("refuses unknown fields, client ids and protocols", async () => {
    for (const change of [{ extra: 1 }, { client: { ...params().client, id: "mine" } }]) {
      const { answer, peer } = await shake({ ...params(), ...change } as unknown as ConnectParams, null);
      expect(answer.error?.message).toMatch(/^invalid connect params: at \//);
      expect((await peer.closed).code).toBe(1008);
    }
    const { answer, peer } = await shake(params({ minProtocol: 4, maxProtocol: 5 }), null);
    expect(answer.error).toEqual({
      code: "INVALID_REQUEST",
      message: "protocol mismatch",
      details: { expectedProtocol: 3 },
    });
    expect((await peer.closed).code).toBe(1002);
  });

  it("asks for a device when there is neither secret nor device", async () => {
    const { answer } = await shake(params({ auth: undefined }), null);
    expect(answer.error).toMatchObject({ code: "NOT_PAIRED", details: { code: "DEVICE_IDENTITY_REQUIRED" } });
  });

  it("refuses a wrong token and says what to do next", async () => {
    const wrong = params({ auth: { token: "bad" } });
    expect((await shake(wrong, newKey())).answer.error?.details).toEqual({
      code: "AUTH_TOKEN_MISMATCH",
      authReason: "token_mismatch",
      canRetryWithDeviceToken: true,
      recommendedNextStep: "retry_with_device_token",
    });
    expect((await shake(wrong, null)).answer.error?.details).toMatchObject({
      canRetryWithDeviceToken: false,
      recommendedNextStep: "update_auth_credentials",
    });
    expect((await shake(params({ auth: {} }), newKey())).answer.error?.details).toMatchObject({
      code: "AUTH_TOKEN_MISSING",
    });
  });

  it.each([
    ["another nonce", { nonce: "stale" }, "DEVICE_AUTH_NONCE_MISMATCH"],
    ["no nonce", { nonce: "" }, "DEVICE_AUTH_NONCE_REQUIRED"],
    ["an old signature", { signedAt: 1 }, "DEVICE_AUTH_SIGNATURE_EXPIRED"],
    ["a changed time", { signedAt: Date.now() + 5 }, "DEVICE_AUTH_SIGNATURE_INVALID"],
    ["a forged signature", { signature: "A".repeat(86) }, "DEVICE_AUTH_SIGNATURE_INVALID"],
    ["another id", { id: "0".repeat(64) }, "DEVICE_AUTH_DEVICE_ID_MISMATCH"],
    ["a short key", { publicKey: "AAAA" }, "DEVICE_AUTH_PUBLIC_KEY_INVALID"],
  ])("refuses a device with %s", async (_name, change, code) => {
    expect((await shake(params(), newKey(), change)).answer.error?.details).toMatchObject({ code });
  });

  it("lets a shared secret without a device ask for health and nothing else", async () => {
    const { peer, answer } = await shake(params({ scopes: ["operator.admin"] }), null);
    expect(answer.ok).toBe(true);
    peer.send({ type: "req", id: "r2", method: "health" });
    expect(await peer.next()).toMatchObject({ id: "r2", ok: true, payload: { status: "live" } });
    peer.send({ type: "req", id: "r3", method: "approvals.list" });
    expect((await peer.next()).error?.message).toBe("missing scope: operator.approvals");
  });

  it("never widens the scopes of a paired device silently", async () => {
    const key = newKey();
    expect((await shake(params({ scopes: ["operator.read"] }), key)).answer.ok).toBe(true);
    const { answer } = await shake(params({ scopes: ["operator.read", "operator.admin"] }), key);
    expect(answer.error).toMatchObject({
      code: "NOT_PAIRED",
      details: { code: "PAIRING_REQUIRED", reason: "scope-upgrade" },
    });
  });

  it("takes a device token instead of the shared secret, from its own device only", async () => {
    const key = newKey();
    const first = await shake(params(), key);
    const deviceToken = String(
      (first.answer.payload?.auth as { deviceToken?: string } | undefined)?.deviceToken,
    );
    expect((await shake(params({ auth: { deviceToken } }), key)).answer.ok).toBe(true);
    expect((await shake(params({ auth: { deviceToken } }), newKey())).answer.error?.details).toMatchObject({
      code: "AUTH_DEVICE_TOKEN_MISMATCH",
    });
  });

  it("refuses nodes and unknown roles", async () => {
    expect((await shake(params({ role: "node" }), newKey())).answer.error?.message).toMatch(
      /nodes cannot connect/,
    );
    expect((await shake(params({ role: "king" }), newKey())).answer.error?.message).toBe("invalid role");
  });

  it("keeps the socket open after a malformed frame", async () => {
    const { peer } = await shake(params(), newKey());
    peer.send("{ not json");
    expect((await peer.next()).error).toMatchObject({ code: "INVALID_REQUEST" });
    peer.send({ type: "req", id: "r2", method: "approvals.list" });
    expect(await peer.next()).toMatchObject({ id: "r2", ok: true });
  });
});

describe("who may open a socket", () => {
  const foreign: Record<string, string>[] = [
    { host: "evil.example" },
    { origin: "http://evil.example" },
    { origin: "null" },
  ];
  it.each(foreign)("refuses an upgrade with %o", async (headers) => {
    expect(await upgradeStatus("/", headers)).toBe(403);
  });

  it("lets the panel in by cookie and own origin, as approval surface that attends", async () => {
    const entered = await fetch(gateway.panelUrl(), { redirect: "manual" });
    const cookie = String(entered.headers.get("set-cookie")).split(";")[0] ?? "";
    const target = `${entered.headers.get("location")}ws`;
    const origin = gateway.url;
    expect(await upgradeStatus(target, { cookie })).toBe(401);
    expect(await upgradeStatus(target, { origin })).toBe(401);
    expect(await upgradeStatus("/panel/unknown/ws", { origin, cookie })).toBe(401);
    const panel = await open(target, { origin, cookie });
    panel.send({ type: "req", id: "1", method: "approvals.list" });
    expect(await panel.next()).toMatchObject({ id: "1", ok: true });
    expect(runtime.attending.size).toBe(1);
    panel.socket.close();
    await expect.poll(() => runtime.attending.size).toBe(0);
  });

  it("refuses the thirty-third socket that has not shaken hands", async () => {
    for (let n = 0; n < 32; n += 1) await open();
    expect(await upgradeStatus("/", {})).toBe(503);
  });
});

describe("our own client", () => {
  const options = () => ({ address: "127.0.0.1", port: gateway.port, token: operatorToken, version: "1" });

  it("connects with every scope, again and again", async () => {
    for (let n = 0; n < 2; n += 1) {
      const rpc = await connectGateway(options());
      expect(await rpc.call("gateway.status", {})).toMatchObject({
        port: gateway.port,
        operatorConnections: 1,
      });
      expect((await rpc.call("gateway.panelUrl", {})).url).toContain("?token=");
      rpc.close();
      await new Promise<void>((resolve) => rpc.onClose(resolve));
      await expect.poll(() => runtime.attending.size).toBe(0);
      await new Promise((resolve) => setImmediate(resolve));
    }
  });

  it("counts as a person only after it attends, until it leaves", async () => {
    const rpc = await connectGateway(options());
    expect(runtime.attending.size).toBe(0);
    await rpc.call("approvals.attend", {});
    expect(runtime.attending.size).toBe(1);
    rpc.close();
    await expect.poll(() => runtime.attending.size).toBe(0);
  });

  it("says what is wrong when nobody listens or the token is not right", async () => {
    await expect(connectGateway({ ...options(), token: "other" })).rejects.toMatchObject({
      code: "UNAUTHENTICATED",
    });
    const { port } = gateway;
    await gateway.close();
    await expect(connectGateway({ ...options(), port })).rejects.toMatchObject({
      code: "UNAVAILABLE",
      message: expect.stringContaining("sallyport gateway run"),
    });
  });

  it("is told when the Gateway ends", async () => {
    const rpc = await connectGateway(options());
    const closed = new Promise<void>((resolve) => rpc.onClose(resolve));
    await gateway.close();
    await closed;
  });
});
