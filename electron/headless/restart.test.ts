/** A restart within the process of the headless program, asked for over HTTP and decided by an operator. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { nodeTarget } from "../dev/build/targets.mjs";
import { connectGateway } from "../gateway/gatewayClient.ts";
import { readGatewayFile } from "../runtime/storage/index.ts";

const rootDir = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const token = "a-token-of-this-test-0123456789";
let outDir: string;
let homeDir: string;
let stateDir: string;
let child: ChildProcess;
let said: string;

beforeAll(async () => {
  // Below the project, so that the native modules are found.
  await mkdir(path.join(rootDir, "node_modules/.cache"), { recursive: true });
  outDir = await mkdtemp(path.join(rootDir, "node_modules/.cache/sallyport-restart-"));
  const target = nodeTarget(rootDir, outDir);
  if (target === null) throw new Error("nothing to build");
  const input = { headless: path.join(rootDir, "electron/headless/index.ts") };
  const rolldownOptions = { ...target.build?.rolldownOptions, input };
  await build({ ...target, build: { ...target.build, rolldownOptions } });
  await mkdir(path.join(outDir, "renderer"));
  await writeFile(path.join(outDir, "renderer/index.html"), "<!doctype html><title>Sallyport</title>");
}, 120_000);
afterAll(() => rm(outDir, { recursive: true, force: true }));

beforeEach(async () => {
  homeDir = await mkdtemp(path.join(os.tmpdir(), "sallyport-restart-"));
  stateDir = path.join(homeDir, ".openclaw");
  await mkdir(stateDir, { mode: 0o700 });
  const config = { gateway: { auth: { token }, tools: { allow: ["gateway"] } } };
  await writeFile(path.join(stateDir, "openclaw.json"), JSON.stringify(config));
  // Whoever comes may answer: an operator connection is not there all the time in this test.
  await writeFile(path.join(stateDir, "sallyport.json5"), "{ gateway: { waitForOperator: true } }");
});
afterEach(async () => {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill("SIGKILL");
    await once(child, "exit");
  }
  await rm(homeDir, { recursive: true, force: true });
});

async function start(): Promise<{ url: string; port: number; pid: number; panelUrl: string }> {
  said = "";
  child = spawn(process.execPath, [path.join(outDir, "headless/index.js"), "--port", "0", "--json"], {
    cwd: homeDir,
    env: { PATH: process.env.PATH ?? "", HOME: homeDir },
    stdio: ["ignore", "pipe", "pipe"],
  });
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => {
      said += chunk.toString();
    });
  await expect.poll(() => said, { timeout: 30_000 }).toMatch(/\n/);
  return JSON.parse(said.split("\n")[0] ?? "");
}

async function invoke(url: string, args: Record<string, unknown>) {
  const answer = await fetch(`${url}/tools/invoke`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ tool: "gateway", args }),
  });
  const body = (await answer.json()) as {
    result?: { details: Record<string, unknown> };
    error?: { message: string };
  };
  return { status: answer.status, body };
}

const operator = (port: number) =>
  connectGateway({ address: "127.0.0.1", port, token, version: "0.0.0-test", timeoutMs: 5000 });

/** Allows the one request that waits. */
async function allow(port: number): Promise<void> {
  const rpc = await operator(port);
  try {
    const pending = async () => (await rpc.call("approvals.list", {})).pending;
    await expect.poll(async () => (await pending()).length, { timeout: 10_000 }).toBe(1);
    const [request] = await pending();
    if (request === undefined) throw new Error("nothing waits");
    expect(request.kind).toBe("restart");
    await rpc.call("approvals.resolve", { id: request.id, decision: "allow-once", digest: request.digest });
  } finally {
    rpc.close();
  }
}

it("answers again on the same port, in the same process, and reports what was left for it", async () => {
  const { url, port, pid, panelUrl } = await start();
  const entered = await fetch(panelUrl, { redirect: "manual" });
  const panel = {
    url: new URL(entered.headers.get("location") ?? "", url),
    cookie: entered.headers.get("set-cookie")?.split(";")[0] ?? "",
  };
  const openPanel = async () =>
    (await fetch(panel.url, { headers: { cookie: panel.cookie, "sec-fetch-site": "same-origin" } })).status;
  expect(await openPanel()).toBe(200);
  const before = await operator(port);
  const closed = new Promise<void>((resolve) => before.onClose(() => resolve()));

  const answer = invoke(url, { action: "restart", delayMs: 0, reason: "test", note: "carry on" });
  await allow(port);
  expect(await answer).toMatchObject({
    status: 200,
    body: { result: { details: { ok: true, pid, signal: "SIGUSR1", mode: "emit", coalesced: false } } },
  });
  // The old Gateway is gone when its connections are.
  await closed;
  await expect
    .poll(async () => (await readGatewayFile(path.join(stateDir, "sallyport-gateway.json"))).kind, {
      timeout: 20_000,
    })
    .toBe("running");
  const after = await operator(port);
  try {
    const status = await after.call("gateway.status", {});
    expect(status).toMatchObject({ pid, port });
    const { entries } = await after.call("ledger.list", { limit: 200 });
    expect(entries.find(({ kind }) => kind === "app.restarted")).toMatchObject({
      callerId: "system",
      data: {
        pid,
        requests: [{ by: "http", sessionKey: "agent:main:main", reason: "test", note: "carry on" }],
      },
    });
    expect(await readdir(stateDir)).not.toContain("sallyport-restart.json");
    // A browser that is in the panel stays in it.
    expect(await openPanel()).toBe(200);
  } finally {
    after.close();
  }
  // A second one has to keep its distance from the first.
  const second = invoke(url, { action: "restart", delayMs: 0 });
  await allow(port);
  const { details } = (await second).body.result ?? {};
  expect(details?.cooldownMsApplied).toBeGreaterThan(0);

  child.kill("SIGTERM");
  const [code] = await once(child, "exit");
  expect(code).toBe(0);
  expect(await readdir(stateDir)).not.toContain("sallyport-gateway.json");
}, 120_000);

it("ends with a reason when it cannot come back, and gives the state directory free", async () => {
  const { url, port } = await start();
  const before = await operator(port);
  // Takes the port in the moment in which nobody has it.
  const thief = net.createServer();
  const stolen = new Promise<void>((resolve) => {
    const steal = () => thief.listen(port, "127.0.0.1");
    thief.on("error", () => setImmediate(steal));
    thief.on("listening", () => resolve());
    before.onClose(steal);
  });
  const answer = invoke(url, { action: "restart", delayMs: 0 });
  await allow(port);
  expect((await answer).status).toBe(200);
  const ended = once(child, "exit");
  await stolen;
  const [code] = await ended;
  thief.close();
  expect(code).toBe(1);
  expect(said).toMatch(/could not start again: Port \d+ on 127.0.0.1 is taken/);
}, 120_000);
