/** Attacks on the loopback server by programs and pages of this computer. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { silentLogger } from "../runtime/logging/logger.ts";
import { createGateway, type Gateway } from "./createGateway.ts";
import { createFakeRuntime } from "./testing/fakeRuntime.ts";

let dir: string;
let gateway: Gateway;
const children: ChildProcess[] = [];
const stubborn: net.Socket[] = [];

beforeEach(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), "sallyport-attacks-"));
  await writeFile(path.join(dir, "index.html"), "<!doctype html>");
  gateway = await createGateway({
    runtime: createFakeRuntime(),
    panelDir: dir,
    logger: silentLogger,
    host: "127.0.0.1",
    port: 0,
    version: "0.0.1",
  });
});

afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  await gateway.close();
  for (const socket of stubborn.splice(0)) socket.destroy();
  await rm(dir, { recursive: true, force: true });
});

/** Sends bytes just as they are. @returns the first line of the answer; "" when there is none */
async function raw(text: string): Promise<string> {
  const socket = net.connect(gateway.port, "127.0.0.1");
  let answer = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    answer += chunk;
    socket.end();
  });
  socket.on("error", () => {});
  socket.write(text);
  await once(socket, "close");
  return answer.split("\r\n")[0] ?? "";
}

const upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n";
const key = "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n";
const request = (target: string, host = `127.0.0.1:${gateway.port}`, more = "") =>
  `GET ${target} HTTP/1.1\r\nHost: ${host}\r\n${more}\r\n`;

describe("a request that is hostile in form", () => {
  // Without a check `new URL` throws inside the listener, and an exception there ends the process.
  it.each(["//", "http://", "http://[", "//:0", "http://a:999999/"])(
    "with the target %s is refused, also as an upgrade, and the server lives on",
    async (target) => {
      expect(await raw(request(target))).toMatch(/^HTTP\/1\.1 4\d\d /);
      expect(await raw(request(target, undefined, upgrade + key))).toMatch(/^HTTP\/1\.1 4\d\d /);
      expect(await raw(request("/health"))).toBe("HTTP/1.1 200 OK");
    },
  );

  it.each([
    "127.0.0.1.nip.io:PORT",
    "localhost.:PORT",
    "localhost.evil.example:PORT",
    "[::ffff:127.0.0.1]:PORT",
    "127.1:PORT",
    "2130706433:PORT",
    "0x7f.0.0.1:PORT",
    "user@127.0.0.1:PORT",
    "127.0.0.1:PORT, evil.example",
    "127.0.0.1:PORT@evil.example",
  ])("for the host %s is refused, also as an upgrade", async (host) => {
    const name = host.replace("PORT", String(gateway.port));
    expect(await raw(request("/health", name))).toMatch(/^HTTP\/1\.1 40[03] /);
    expect(await raw(request("/", name, upgrade + key))).toMatch(/^HTTP\/1\.1 40[03] /);
  });

  it.each(["null", "http://localhost:3000", "http://127.0.0.1.nip.io", "file://", "chrome-extension://abc"])(
    "from a page of origin %s opens no socket",
    async (origin) => {
      const more = `${upgrade}${key}Origin: ${origin}\r\n`;
      expect(await raw(request("/", undefined, more))).toMatch(/^HTTP\/1\.1 403 /);
    },
  );
});

/** Sends one request from a process that exec would have started, and keeps the connection open meanwhile. */
async function fromCommand(text: string, env: Record<string, string>): Promise<string> {
  const script = `exec 3<>/dev/tcp/127.0.0.1/${gateway.port}; printf '%s\\r\\n' "$REQUEST" >&3; cat <&3`;
  const child = spawn("bash", ["-c", script], {
    env: { PATH: process.env.PATH ?? "/usr/bin:/bin", REQUEST: text, ...env },
    stdio: ["ignore", "pipe", "ignore"],
  });
  children.push(child);
  let answer = "";
  for await (const chunk of child.stdout) {
    answer += String(chunk);
    if (/\r\n\r\n/.test(answer)) break;
  }
  return answer;
}

/**
 * Opens a connection that never ends by itself, and waits until the server has what it sends.
 * @param answer what the server says to the first part; empty: nothing
 * @param rest sent after that answer
 */
async function openStubborn({ first = "", answer = "", rest = "" }): Promise<net.Socket> {
  const socket = net.connect({ port: gateway.port, host: "127.0.0.1", allowHalfOpen: true });
  stubborn.push(socket);
  socket.on("error", () => {});
  await once(socket, "connect");
  if (first !== "") socket.write(first);
  // A connection that came later has been answered: this one has been taken before it.
  if (answer === "") expect(await raw(request("/health"))).toBe("HTTP/1.1 200 OK");
  else expect(String((await once(socket, "data"))[0])).toContain(answer);
  // From here on it neither reads nor closes.
  socket.pause();
  if (rest !== "") socket.write(rest);
  return socket;
}

describe("a connection that never ends", () => {
  const opened = upgrade + key;
  const cases: { what: string; parts: () => { first?: string; answer?: string; rest?: string } }[] = [
    { what: "says nothing", parts: () => ({}) },
    { what: "stops in its headers", parts: () => ({ first: `GET / HTTP/1.1\r\nHost: 127.0.0.1` }) },
    {
      what: "stops in its body",
      parts: () => ({ first: request("/mcp", undefined, "Content-Length: 9\r\n").replace("GET", "POST") }),
    },
    {
      what: "keeps its end open after a refused upgrade",
      parts: () => ({ first: request("/no", undefined, opened), answer: " 404 " }),
    },
    {
      what: "goes on sending after a refused upgrade",
      parts: () => ({
        first: request("/no", undefined, opened),
        answer: " 404 ",
        rest: "x".repeat(1_000_000),
      }),
    },
    {
      what: "is a socket that answers no close",
      parts: () => ({ first: request("/ws", undefined, opened), answer: " 101 " }),
    },
  ];

  it.each(cases)("that $what does not keep the Gateway from closing", { timeout: 15_000 }, async (one) => {
    await openStubborn(one.parts());
    await gateway.close();
    await expect(fetch(`${gateway.url}/health`)).rejects.toThrow();
  });

  it("is ended some time after a refused upgrade, however long it goes on sending", async () => {
    const socket = await openStubborn({ first: request("/no", undefined, opened), answer: " 404 " });
    socket.resume();
    const goOn = () => {
      if (!socket.destroyed) socket.write("x");
      return socket.destroyed;
    };
    await expect.poll(goOn, { timeout: 30_000 }).toBe(true);
  });

  it("is let go of when it closes its end, also with unread bytes behind a refused upgrade", {
    timeout: 15_000,
  }, async () => {
    const socket = await openStubborn({
      first: request("/no", undefined, opened),
      answer: " 404 ",
      rest: "x",
    });
    socket.resume().end();
    await once(socket, "close");
    await gateway.close();
  });
});

describe.runIf(process.platform === "linux")("a command of an agent", () => {
  const marked = { SALLYPORT_EXEC_ID: "1" };

  it("that finds the URL of the panel first gets no session from it", async () => {
    const target = gateway.panelUrl().slice(gateway.url.length);
    const answer = await fromCommand(request(target), marked);
    expect(answer).toMatch(/^HTTP\/1\.1 403 /);
    expect(answer).not.toMatch(/set-cookie/i);
  });

  it("that reads a browser's cookie opens no panel with it, while the browser does", async () => {
    const entered = await fetch(gateway.panelUrl(), { redirect: "manual" });
    const cookie = String(entered.headers.get("set-cookie")).split(";")[0] ?? "";
    const home = String(entered.headers.get("location"));
    const more = `${upgrade}${key}Origin: http://127.0.0.1:${gateway.port}\r\nCookie: ${cookie}\r\n`;
    expect(await fromCommand(request(`${home}ws`, undefined, more), marked)).toMatch(/^HTTP\/1\.1 403 /);
    expect(await fromCommand(request(`${home}ws`, undefined, more), {})).toMatch(/^HTTP\/1\.1 101 /);
  });
});
