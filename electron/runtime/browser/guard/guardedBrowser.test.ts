/** A real Chromium under a strict policy: whatever a page tries, nothing but what the policy lets out leaves. */

import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { WebSocketServer } from "ws";
import type { HostResolver } from "../../net/hostResolver.ts";
import { waitFor } from "../../storage/testFolder.ts";
import type { BrowserConnection } from "../browserTypes.ts";
import { closePage } from "../profiles/closePage.ts";
import { freePorts, startTestBrowsers, type TestBrowsers } from "../profiles/testBrowsers.ts";
import type { Dial } from "./filterProxy.ts";
import { attempts } from "./testAttempts.ts";

/** One server plays both networks; which one is asked for tells the Host header. */
let site: Server;
let sitePort = 0;
const reached: { host: string; path: string }[] = [];
const sockets = new Set<Socket>();
let rebindings = 0;
const dialled: string[] = [];
/** Body of the page at `public.test/page`. */
let pageBody = "";
let browsers: TestBrowsers;
let connection: BrowserConnection;

const secret = "inner secret";

function answer(request: IncomingMessage, response: ServerResponse): void {
  const host = (request.headers.host ?? "").split(":")[0] ?? "";
  const path = request.url ?? "";
  reached.push({ host, path });
  const url = new URL(path, `http://${host}`);
  const send = (type: string, body: string, headers: Record<string, string> = {}) =>
    response
      .writeHead(200, { "content-type": type, "access-control-allow-origin": "*", ...headers })
      .end(body);
  if (url.pathname === "/redirect") {
    response.writeHead(302, { location: url.searchParams.get("to") ?? "" }).end();
    return;
  }
  if (url.pathname === "/page")
    return void send("text/html", `<!doctype html><title>page</title>${pageBody}`);
  if (url.pathname === "/script.js") return void send("text/javascript", url.searchParams.get("code") ?? "");
  if (url.pathname === "/sw.js")
    return void send(
      "text/javascript",
      `self.addEventListener("message", async (event) => {
        let got; try { got = await (await fetch(event.data)).text(); } catch (error) { got = "refused"; }
        event.source.postMessage(got);
      });
      self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));`,
    );
  if (url.pathname === "/file")
    return void send("application/octet-stream", "bytes", {
      "content-disposition": "attachment; filename=file.bin",
    });
  send("text/html", `<title>inner</title>${secret}`);
}

/** Names of the test all live on loopback; what the guard is told about them differs. */
const resolve: HostResolver = async (host) => {
  // `open.test` is exempt, so it may be where nothing public is.
  if (host === "open.test" || host === "other.open.test") return [{ address: "127.0.0.1", family: 4 }];
  if (host === "worker.localhost") return [{ address: "127.0.0.1", family: 4 }];
  if (host === "inner.test") return [{ address: "127.0.0.1", family: 4 }];
  if (host === "rebind.test") {
    rebindings += 1;
    return [{ address: rebindings === 1 ? "203.0.114.9" : "127.0.0.1", family: 4 }];
  }
  throw new Error(`getaddrinfo ENOTFOUND ${host}`);
};

const dial: Dial = (address, port) =>
  new Promise((done, fail) => {
    dialled.push(address);
    // Nothing of a test leaves this computer.
    if (address !== "127.0.0.1") return fail(new Error("nobody answers"));
    const socket = connect({ host: address, port });
    socket.once("connect", () => done(socket));
    socket.on("error", fail);
  });

const open = (path: string) => `http://open.test:${sitePort}${path}`;
const inner = (path: string) => `http://inner.test:${sitePort}${path}`;

beforeAll(async () => {
  site = createServer(answer);
  site.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  const webSockets = new WebSocketServer({ server: site });
  webSockets.on("connection", (socket, request) => {
    reached.push({ host: (request.headers.host ?? "").split(":")[0] ?? "", path: "/socket" });
    socket.send("welcome");
  });
  await new Promise<void>((done) => site.listen(0, "127.0.0.1", done));
  sitePort = (site.address() as AddressInfo).port;
  const [cdpPort = 0] = await freePorts(1);
  browsers = await startTestBrowsers(
    {
      cdpPortRangeStart: cdpPort,
      ssrfPolicy: {
        dangerouslyAllowPrivateNetwork: false,
        allowedHostnames: ["open.test", "other.open.test", "worker.localhost"],
      },
    },
    { resolve, dial },
  );
  connection = await browsers.profiles.connect("openclaw", {});
}, 90_000);

afterAll(async () => {
  await browsers?.dispose();
  for (const socket of sockets) socket.destroy();
  site.close();
});

let page: Page;
beforeEach(async () => {
  reached.length = 0;
  pageBody = "";
  const old = connection.context.pages();
  page = await connection.context.newPage();
  await Promise.all(old.map(closePage));
});

const openHosts = ["open.test", "other.open.test", "worker.localhost"];
const innerReached = () => reached.filter(({ host }) => !openHosts.includes(host));

/** Waits until the guard has refused an address that starts so, and nothing of it was asked for. */
async function refused(start: string): Promise<void> {
  await waitFor(
    () => browsers.guard.blocked.list("openclaw").some(({ url }) => url.startsWith(start)),
    45_000,
  );
  expect(innerReached()).toEqual([]);
}

async function neverShown(): Promise<void> {
  for (const one of connection.context.pages())
    for (const frame of one.frames()) {
      const text = await frame.evaluate(() => document.documentElement.textContent).catch(() => "");
      expect(text).not.toContain(secret);
    }
}

const uniqueInner = (() => {
  let count = 0;
  return () => {
    count += 1;
    return inner(`/secret-${count}`);
  };
})();

test("the profile is held by the proxy, and an exempt host opens", async () => {
  expect(connection.guardedBy).toBe("proxy");
  pageBody = "<h1>open</h1>";
  await page.goto(open("/page"));
  expect(await page.textContent("h1")).toBe("open");
  expect(reached).toContainEqual({ host: "open.test", path: "/page" });
});

describe("what a page tries", () => {
  test.each(attempts)("%s does not get inside", async (_name, body) => {
    const target = uniqueInner();
    pageBody = body(target);
    await page.goto(open("/page"), { waitUntil: "commit" });
    await refused(target);
    await neverShown();
  });

  test.each(attempts)("%s works where the policy allows it", async (name, body) => {
    const target = `http://other.open.test:${sitePort}/benign-${encodeURIComponent(name)}`;
    pageBody = body(target);
    await page.goto(open("/page"), { waitUntil: "commit" });
    await waitFor(
      () => reached.some(({ host, path }) => host === "other.open.test" && target.endsWith(path)),
      45_000,
    );
  });
});

describe("what the model tries", () => {
  test("a redirect from an open page to a private one ends on no page of it", async () => {
    const target = uniqueInner();
    await page.goto(open(`/redirect?to=${encodeURIComponent(target)}`)).catch(() => null);
    await refused(target);
    await neverShown();
  });

  test("location set by evaluate", async () => {
    await page.goto(open("/page"));
    const target = uniqueInner();
    await page.evaluate((url) => {
      location.href = url;
    }, target);
    await refused(target);
    await neverShown();
  });

  test("a pop-up opened by evaluate", async () => {
    await page.goto(open("/page"));
    const target = uniqueInner();
    await page.evaluate((url) => void window.open(url), target);
    await refused(target);
    await neverShown();
  });

  test("a download", async () => {
    const target = uniqueInner();
    pageBody = `<a id="a" href="${target}" download>get</a>`;
    await page.goto(open("/page"));
    await page.click("#a");
    await refused(target);
  });

  test("a download from where it may", async () => {
    pageBody = `<a id="a" href="${open("/file")}" download>get</a>`;
    await page.goto(open("/page"));
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("#a")]);
    expect(await download.failure()).toBeNull();
  });

  test.each([
    ["a decimal number", () => `http://2130706433:${sitePort}/d`],
    ["hexadecimal", () => `http://0x7f.1:${sitePort}/h`],
    ["a short form", () => `http://127.1:${sitePort}/s`],
    ["a mapped address", () => `http://[::ffff:127.0.0.1]:${sitePort}/m`],
    ["an IPv6 loopback", () => `http://[::1]:${sitePort}/6`],
    ["localhost", () => `http://localhost:${sitePort}/l`],
    ["a name below localhost", () => `http://a.localhost:${sitePort}/l`],
    ["a secure address", () => `https://127.0.0.1:${sitePort}/t`],
  ])("loopback as %s", async (_name, address) => {
    const target = address();
    expect((await browsers.guard.judgeNavigation(target)).verdict).toBe("blocked");
    const shown = new URL(target);
    const before = browsers.guard.blocked.list("openclaw").length;
    await page.goto(target).catch(() => null);
    await waitFor(() =>
      browsers.guard.blocked
        .list("openclaw")
        .slice(before)
        .some(({ url }) => new URL(url).host === shown.host),
    );
    expect(innerReached()).toEqual([]);
  });

  test.each(["file:///etc/passwd", "data:text/html,x", "view-source:http://a.test/", "chrome://version/"])(
    "%s is not opened",
    async (url) => {
      expect(await browsers.guard.judgeNavigation(url)).toMatchObject({
        verdict: "blocked",
        kind: "unsupported-protocol",
      });
    },
  );

  test("a name that resolves to something else the second time", async () => {
    rebindings = 0;
    dialled.length = 0;
    const target = `http://rebind.test:${sitePort}/`;
    // Judged public, and connected to just that address.
    await page.goto(target).catch(() => null);
    expect(dialled[0]).toBe("203.0.114.9");
    // The second answer is judged anew, before anything is connected to.
    await page.goto(target).catch(() => null);
    expect(dialled).not.toContain("127.0.0.1");
    await refused(target);
    await neverShown();
  });
});

test("a pop-up opens where the policy allows it", async () => {
  await page.goto(open("/page"));
  const target = `http://other.open.test:${sitePort}/pop-up`;
  await page.evaluate((url) => void window.open(url), target);
  await waitFor(() => reached.some(({ path }) => path === "/pop-up"), 45_000);
});

test("a service worker fetches what the policy allows, and nothing else", async () => {
  await page.goto(`http://worker.localhost:${sitePort}/page`);
  const viaWorker = (target: string) =>
    page.evaluate(async (url) => {
      await navigator.serviceWorker.register("/sw.js");
      const { active } = await navigator.serviceWorker.ready;
      return new Promise<string>((done) => {
        navigator.serviceWorker.onmessage = (event) => done(String(event.data));
        active?.postMessage(url);
      });
    }, target);
  expect(await viaWorker(open("/benign"))).toContain(secret);
  const target = uniqueInner();
  // The guard's own answer has no permission to be read across origins.
  expect(await viaWorker(target)).toBe("refused");
  await refused(target);
});

test("who does not know the credentials gets nothing from the proxy", async () => {
  const text = await readFile(`/proc/${pidOf()}/cmdline`, "utf8");
  const proxyUrl = /--proxy-server=(http:\/\/127\.0\.0\.1:\d+)/.exec(text)?.[1] ?? "";
  const port = Number(new URL(proxyUrl).port);
  const status = (method: string, path: string) =>
    new Promise<number | undefined>((done, fail) => {
      const asked = request({ host: "127.0.0.1", port, method, path, agent: false });
      asked.on("response", (got) => {
        got.resume();
        done(got.statusCode);
      });
      asked.on("connect", (got, socket) => {
        socket.destroy();
        done(got.statusCode);
      });
      asked.on("error", fail);
      asked.end();
    });
  // It is not asked for a password either: a browser that lost its own would wait for ever. It may be logged in anew.
  expect(await status("GET", open("/page"))).toBe(403);
  expect([403, 407]).toContain(await status("CONNECT", `open.test:${sitePort}`));
  expect(reached).toEqual([]);
});

function pidOf(): number {
  const state = browsers.profiles.state("openclaw");
  if (state.kind !== "running" || state.pid === null) throw new Error("the browser does not run");
  return state.pid;
}

describe("sockets", () => {
  const socket = (host: string) =>
    page.evaluate(
      (url) =>
        new Promise<string>((done) => {
          const made = new WebSocket(url);
          made.onmessage = (event) => done(String(event.data));
          made.onerror = () => done("refused");
        }),
      `ws://${host}:${sitePort}/socket`,
    );

  test("a WebSocket reaches what the policy allows, and nothing else", async () => {
    await page.goto(open("/page"));
    expect(await socket("open.test")).toBe("welcome");
    expect(await socket("inner.test")).toBe("refused");
    expect(await socket("127.0.0.1")).toBe("refused");
    expect(innerReached()).toEqual([]);
  });

  test("WebRTC sends nothing past the proxy", async () => {
    await page.goto(open("/page"));
    const candidates = await page.evaluate(async () => {
      const peer = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:3478" }] });
      peer.createDataChannel("x");
      const found: string[] = [];
      const done = new Promise<void>((resolve) => {
        peer.onicecandidate = (event) => {
          if (event.candidate === null) resolve();
          else if (event.candidate.candidate !== "") found.push(event.candidate.candidate);
        };
      });
      await peer.setLocalDescription(await peer.createOffer());
      await done;
      return found.filter((text) => / udp /i.test(text));
    });
    expect(candidates).toEqual([]);
  });
});
