/** A real Chromium that was only attached to, under a strict policy: its requests are stopped one by one. */

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { WebSocketServer } from "ws";
import { waitFor } from "../../storage/testFolder.ts";
import type { BrowserConnection } from "../browserTypes.ts";
import { closePage } from "../profiles/closePage.ts";
import { freePorts, startTestBrowsers, type TestBrowsers } from "../profiles/testBrowsers.ts";
import { attempts } from "./testAttempts.ts";

let site: Server;
let sitePort = 0;
const reached: string[] = [];
let pageBody = "";
let host: TestBrowsers;
let browsers: TestBrowsers;
let connection: BrowserConnection;
let page: Page;
let count = 0;

const openUrl = (path: string) => `http://open.localhost:${sitePort}${path}`;
const innerUrl = () => {
  count += 1;
  return `http://127.0.0.1:${sitePort}/secret-${count}`;
};

beforeAll(async () => {
  site = createServer((request, response) => {
    const hostName = (request.headers.host ?? "").split(":")[0] ?? "";
    const url = new URL(request.url ?? "", `http://${hostName}`);
    reached.push(`${hostName}${url.pathname}`);
    if (url.pathname === "/redirect")
      return void response.writeHead(302, { location: url.searchParams.get("to") ?? "" }).end();
    const body = url.pathname === "/page" ? `<!doctype html><title>page</title>${pageBody}` : "inner secret";
    response.writeHead(200, { "content-type": "text/html", "access-control-allow-origin": "*" }).end(body);
  });
  new WebSocketServer({ server: site }).on("connection", (_socket, request) => {
    reached.push(`${(request.headers.host ?? "").split(":")[0]}/socket`);
  });
  await new Promise<void>((done) => site.listen(0, "127.0.0.1", done));
  sitePort = (site.address() as AddressInfo).port;
  const [port = 0, ownPort = 0] = await freePorts(2);
  host = await startTestBrowsers({
    cdpPortRangeStart: port,
    // Pages given anew have no address for Chromium, and all sites of this test are on loopback.
    extraArgs: ["--disable-features=LocalNetworkAccessChecks"],
  });
  await host.profiles.connect("openclaw", {});
  browsers = await startTestBrowsers(
    {
      cdpPortRangeStart: ownPort,
      profiles: { grid: { cdpUrl: `http://127.0.0.1:${port}`, attachOnly: true, color: "00AA00" } },
      ssrfPolicy: {
        allowPrivateNetwork: false,
        allowedHostnames: ["open.localhost", "other.open.localhost"],
      },
    },
    { resolve: async () => [{ address: "127.0.0.1", family: 4 }] },
  );
  connection = await browsers.profiles.connect("grid", {});
}, 90_000);

afterAll(async () => {
  await browsers?.dispose();
  await host?.dispose();
  site.close();
  site.closeAllConnections();
});

beforeEach(async () => {
  reached.length = 0;
  pageBody = "";
  const old = connection.context.pages();
  page = await connection.context.newPage();
  await Promise.all(old.map(closePage));
});

const innerReached = () => reached.filter((one) => one.startsWith("127.0.0.1"));

async function refused(target: string): Promise<void> {
  await waitFor(() => browsers.guard.blocked.list("grid").some(({ url }) => url.startsWith(target)), 45_000);
  expect(innerReached()).toEqual([]);
}

test("the profile is held by interception", () => {
  expect(connection.guardedBy).toBe("interception");
});

describe("what a page tries", () => {
  test.each(attempts)("%s does not get inside", async (_name, body) => {
    const target = innerUrl();
    pageBody = body(target);
    await page.goto(openUrl("/page"), { waitUntil: "commit" });
    await refused(target);
  });

  test("the same works where the policy allows it", async () => {
    const target = `http://other.open.localhost:${sitePort}/benign`;
    pageBody = `<iframe src="${target}-frame"></iframe><script>fetch("${target}-fetch");
      new Worker(URL.createObjectURL(new Blob(['importScripts("${target}-worker")'])))</script>`;
    await page.goto(openUrl("/page"), { waitUntil: "commit" });
    for (const part of ["frame", "fetch", "worker"])
      await waitFor(() => reached.includes(`other.open.localhost/benign-${part}`), 45_000);
  });

  test("a pop-up and a location that a script sets do not get inside", async () => {
    await page.goto(openUrl("/page"));
    const popUp = innerUrl();
    await page.evaluate((url) => void window.open(url), popUp);
    await refused(popUp);
    const target = innerUrl();
    await page.evaluate((url) => {
      location.href = url;
    }, target);
    await refused(target);
  });

  test("a WebSocket opens nowhere, from a page, a frame or a worker", async () => {
    pageBody = `<script>
      const socket = 'try { const made = new WebSocket("ws://127.0.0.1:${sitePort}/"); made.onopen = () => tell("open"); made.onerror = () => tell("refused"); } catch { tell("refused"); }';
      const inPage = new Promise((tell) => new Function("tell", socket)(tell));
      const inFrame = new Promise((tell) => {
        const frame = document.head.appendChild(document.createElement("iframe"));
        new frame.contentWindow.Function("tell", socket)(tell);
      });
      const inWorker = new Promise((tell) => {
        new Worker(URL.createObjectURL(new Blob(["const tell = (x) => postMessage(x);" + socket]))).onmessage = (event) => tell(event.data);
      });
      const outcome = Promise.all([inPage, inFrame, inWorker]);
    </script>`;
    await page.goto(openUrl("/page"));
    expect(await page.evaluate("outcome")).toEqual(["refused", "refused", "refused"]);
    expect(innerReached()).toEqual([]);
    await page.goto("about:blank");
    expect(await page.evaluate("typeof WebSocket")).toBe("undefined");
  });
});

test("the connection ends when requests can no longer be held", async () => {
  await host.profiles.stop("openclaw");
  expect(await connection.closed).not.toBe("");
  expect(browsers.profiles.connection("grid")).toBeNull();
});
