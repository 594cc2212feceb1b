import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createManualClock } from "../../runtime/clock.ts";
import { silentLogger } from "../../runtime/logging/logger.ts";
import { createGateway, type Gateway } from "../createGateway.ts";
import { createFakeRuntime, type FakeRuntime } from "../testing/fakeRuntime.ts";
import { equalSecrets } from "./guard.ts";
import { createPanelSessions } from "./panelSessions.ts";

interface Answer {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: string;
}

let dir: string;
let runtime: FakeRuntime;
let gateway: Gateway;

beforeEach(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), "sallyport-gateway-"));
  const panelDir = path.join(dir, "panel");
  await mkdir(path.join(panelDir, "assets"), { recursive: true });
  await writeFile(path.join(panelDir, "index.html"), "<!doctype html><title>panel</title>");
  await writeFile(path.join(panelDir, "assets/app.js"), "export {}");
  await writeFile(path.join(dir, "secret.txt"), "secret");
  await symlink(path.join(dir, "secret.txt"), path.join(panelDir, "leak.txt"));
  runtime = createFakeRuntime();
  gateway = await open(panelDir);
});

afterEach(async () => {
  await gateway.close();
  await rm(dir, { recursive: true, force: true });
});

function open(panelDir: string | null, port = 0): Promise<Gateway> {
  return createGateway({
    runtime,
    panelDir,
    logger: silentLogger,
    host: "127.0.0.1",
    port,
    version: "0.0.1",
  });
}

function ask(target: string, options: http.RequestOptions = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = http.request(
      { host: "127.0.0.1", port: gateway.port, path: target, agent: false, ...options },
      (response) => {
        let body = "";
        response.setEncoding("utf8");
        response.on("data", (chunk) => {
          body += chunk;
        });
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
        );
      },
    );
    request.on("error", reject);
    request.end();
  });
}

/** Walks through the one-time URL as a browser does. */
async function enter(): Promise<{ home: string; cookie: string }> {
  const first = await ask(gateway.panelUrl().slice(gateway.url.length));
  expect(first.status).toBe(303);
  const cookie = String(first.headers["set-cookie"]?.[0]).split(";")[0] ?? "";
  return { home: String(first.headers.location), cookie };
}

describe("Host and Origin", () => {
  it.each(["evil.example", "evil.example:80", "127.0.0.1", "127.0.0.1.evil.example", "0.0.0.0"])(
    "refuses a request for host %s",
    async (host) => {
      expect((await ask("/health", { headers: { host } })).status).toBe(403);
    },
  );

  it.each(["127.0.0.1", "localhost", "[::1]"])("answers under %s with the right port", async (name) => {
    expect((await ask("/health", { headers: { host: `${name}:${gateway.port}` } })).status).toBe(200);
    expect((await ask("/health", { headers: { host: `${name}:1` } })).status).toBe(403);
  });

  it.each(["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1"])(
    "refuses a request from origin %s",
    async (origin) => {
      expect((await ask("/health", { headers: { origin } })).status).toBe(403);
      expect((await ask("/mcp", { method: "POST", headers: { origin } })).status).toBe(403);
    },
  );

  it("refuses what another site embeds", async () => {
    const headers = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" };
    expect((await ask("/health", { headers })).status).toBe(403);
  });

  it("sets the base headers on every answer", async () => {
    for (const target of ["/health", "/nothing", "/"]) {
      const { headers } = await ask(target);
      expect(headers["x-content-type-options"]).toBe("nosniff");
      expect(headers["referrer-policy"]).toBe("no-referrer");
      expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'");
    }
  });
});

describe("panel session", () => {
  it("exchanges a one-time token once and serves the panel below an unguessable path", async () => {
    const url = gateway.panelUrl().slice(gateway.url.length);
    const first = await ask(url);
    const setCookie = String(first.headers["set-cookie"]?.[0]);
    expect(setCookie).toMatch(/HttpOnly; SameSite=Strict/);
    expect(setCookie).toContain(`Path=${first.headers.location}`);
    expect((await ask(url)).status).toBe(401);

    const cookie = setCookie.split(";")[0] ?? "";
    const home = String(first.headers.location);
    const page = await ask(home, { headers: { cookie } });
    expect(page.status).toBe(200);
    expect(page.headers["content-security-policy"]).toMatch(/default-src 'none'; script-src 'self';/);
    expect(page.headers["content-security-policy"]).toContain("; media-src blob:;");
    expect((await ask(`${home}assets/app.js`, { headers: { cookie } })).headers["content-type"]).toMatch(
      /javascript/,
    );
  });

  it("tells a browser without a session how to get one", async () => {
    const { home } = await enter();
    for (const target of ["/", home, "/?token=wrong", `${home}assets/app.js`]) {
      const answer = await ask(target);
      expect(answer.status).toBe(401);
      expect(answer.body).toContain("sallyport gateway panel-url");
    }
  });

  it("does not take the cookie of one session for another's path", async () => {
    const one = await enter();
    const other = await enter();
    expect((await ask(one.home, { headers: { cookie: other.cookie } })).status).toBe(401);
    expect((await ask(one.home, { headers: { cookie: `${other.cookie}; ${one.cookie}` } })).status).toBe(200);
  });

  it("keeps the token of a HEAD request usable", async () => {
    const url = gateway.panelUrl().slice(gateway.url.length);
    expect((await ask(url, { method: "HEAD" })).status).toBe(401);
    expect((await ask(url)).status).toBe(303);
  });

  it("forgets a one-time token after ten minutes", () => {
    const clock = createManualClock();
    const sessions = createPanelSessions({ port: 1, clock });
    const late = sessions.issueOneTimeToken();
    clock.advance(10 * 60_000);
    expect(sessions.exchange(late)).toBeNull();
    expect(sessions.exchange(sessions.issueOneTimeToken())).not.toBeNull();
  });
});

describe("panel files", () => {
  it.each([
    "..%2f..%2fsecret.txt",
    "leak.txt",
    "%2e%2e/secret.txt",
    "..%5c..%5csecret.txt",
    "%00.js",
    "%zz.js",
  ])("serves nothing outside the folder: %s", async (file) => {
    const { home, cookie } = await enter();
    const answer = await ask(`${home}${file}`, { headers: { cookie } });
    expect(answer.status).not.toBe(200);
    expect(answer.body).not.toContain("secret\n");
  });

  it("takes only GET and HEAD", async () => {
    const { home, cookie } = await enter();
    expect((await ask(home, { method: "POST", headers: { cookie } })).status).toBe(405);
  });

  it("says so when the Gateway serves no panel", async () => {
    await gateway.close();
    gateway = await open(null);
    expect((await ask("/")).body).toContain("serves no panel");
    expect(() => gateway.panelUrl()).toThrow(/serves no panel/);
  });
});

describe("port and life", () => {
  it("names a taken port and does not move to another", async () => {
    await expect(open(null, gateway.port)).rejects.toMatchObject({
      code: "UNAVAILABLE",
      message: expect.stringContaining(`Port ${gateway.port}`),
    });
  });

  it("reports its state and may be closed twice", async () => {
    await Promise.all([gateway.close(), gateway.close()]);
    expect(runtime.gatewayStates).toEqual(["listening", "off"]);
  });
});

it("compares secrets of any length and never takes an empty one", () => {
  expect(equalSecrets("abc", "abc")).toBe(true);
  expect(equalSecrets("abc", "abcd")).toBe(false);
  expect(equalSecrets("", "")).toBe(false);
});
