/** The browser over the real Gateway: a scripted agent over MCP, a person at the terminal, and the contract. */

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectGateway } from "../../gateway/gatewayClient.ts";
import { type Headless, startHeadless } from "../../headless/startHeadless.ts";
import { freePorts, testBrowserConfig } from "../../runtime/browser/profiles/testBrowsers.ts";
import { silentLogger } from "../../runtime/logging/logger.ts";
import { type CliHarness, createCliHarness } from "../testing/cliHarness.ts";

const pages = path.join(process.env.VECTORS_DIR ?? "e2e/vectors", "browser/pages");

let cli: CliHarness;
let headless: Headless;
let site: Server;
let siteUrl = "";
let client: Client;
let rpc: Awaited<ReturnType<typeof connectGateway>>;
let calls = 0;

beforeAll(async () => {
  site = createServer((request, response) => {
    const name = path.basename(new URL(request.url ?? "/", "http://site").pathname);
    readFile(path.join(pages, name)).then(
      (page) => response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(page),
      () => response.writeHead(404).end("nothing here"),
    );
  });
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  cli = await createCliHarness();
  await mkdir(cli.stateDir, { recursive: true });
  const [port] = await freePorts(1);
  const config = {
    tools: { allow: ["browser"] },
    browser: testBrowserConfig({ cdpPortRangeStart: Math.min(port ?? 20_000, 65_000) }),
  };
  // Written by a person, with a comment that has to survive.
  await writeFile(path.join(cli.stateDir, "openclaw.json"), `// mine\n${JSON.stringify(config, null, 2)}\n`);
  headless = await startHeadless({
    env: cli.env,
    homeDir: cli.homeDir,
    port: 0,
    panelDir: null,
    version: "0.0.1",
    logger: silentLogger,
  });
  const { gateway, runtime } = headless;
  rpc = await connectGateway({
    address: "127.0.0.1",
    port: gateway.port,
    token: runtime.gatewaySettings().operatorToken,
    version: "0.0.1",
  });
  const made = await rpc.call("clients.create", { name: "tester", agentId: "main" });
  client = new Client({ name: "tester", version: "1" });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${gateway.url}/mcp`), {
      requestInit: { headers: { Authorization: `Bearer ${made.token}` } },
    }),
  );
}, 120_000);

afterAll(async () => {
  await client?.close();
  rpc?.close();
  await headless?.dispose();
  await new Promise((resolve) => site.close(resolve));
  await cli?.cleanUp();
}, 60_000);

const long = { timeout: 90_000 };

async function browser(args: Record<string, unknown>): Promise<string> {
  calls += 1;
  const result = (await client.callTool({ name: "browser", arguments: args })) as CallToolResult;
  const text = result.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  if (result.isError === true) throw new Error(text);
  return text;
}

/** The ref that stands before a name in the dense text: `[e3:textbox 姓名]`. */
function refOf(text: string, name: string): string {
  const at = text.indexOf(name);
  const ref = /\b(e\d+)\b(?!.*\be\d+\b)/s.exec(text.slice(0, Math.max(at, 0)))?.[1];
  if (ref === undefined) throw new Error(`no ref before ${name} in\n${text}`);
  return ref;
}

describe("a scripted agent over MCP", long, () => {
  it("fills the conference registration in five calls or fewer", async () => {
    calls = 0;
    // A small page comes with going there.
    const page = await browser({ action: "open", url: `${siteUrl}/conference-registration-zh.html` });
    const done = await browser({
      action: "act",
      request: {
        kind: "batch",
        actions: [
          {
            kind: "fill",
            fields: [
              { ref: refOf(page, "姓名"), value: "王小明" },
              { ref: refOf(page, "邮箱"), value: "xm@example.cn" },
              { ref: refOf(page, "第二天"), type: "radio", value: true },
              { ref: refOf(page, "参加工作坊"), type: "checkbox", value: true },
            ],
          },
          { kind: "click", ref: refOf(page, "下一页") },
        ],
      },
    });
    expect(done).toContain("2 of 2 steps done");
    const state = await browser({
      action: "act",
      kind: "evaluate",
      fn: "() => [xm.value, yx.value, d1.checked, d2.checked, ws.checked].join()",
    });
    expect(state).toContain("王小明,xm@example.cn,false,true,true");
    expect(calls).toBeLessThanOrEqual(5);
  });
});

describe("a person at the terminal", long, () => {
  it("sees profiles, tabs, pages and what the agent did", async () => {
    const status = await cli.run(["browser", "status"]);
    expect(status.stdout).toMatch(/^openclaw {2}\(managed, default\).*running/);
    expect((await cli.run(["browser", "tabs"])).stdout).toContain("conference-registration-zh.html");
    expect((await cli.run(["browser", "snapshot"])).stdout).toContain("姓名");
    const film = await cli.run(["browser", "film"]);
    expect(film.stdout).toMatch(/tester {2}open/);
    expect(film.stdout).toMatch(/tester {2}batch/);
  });

  it("acts by hand, takes pictures, and gets JSON on request", async () => {
    const page = JSON.parse((await cli.run(["browser", "snapshot", "--json"])).stdout) as {
      refs: { ref: string; name: string | null }[];
    };
    const ref = page.refs.find((each) => each.name?.includes("姓名") === true)?.ref ?? "";
    const typed = await cli.run(["browser", "act", "type", ref, "李雷", "--json"]);
    expect(JSON.parse(typed.stdout)).toMatchObject({ events: [] });
    const value = await cli.run(["browser", "act", "evaluate", "document.getElementById('xm').value"]);
    expect(value.stdout).toContain("李雷");
    const shot = await cli.run(["browser", "screenshot", "page.png"]);
    expect(shot.code).toBe(0);
    const bytes = await readFile(path.join(cli.homeDir, "page.png"));
    expect(bytes.subarray(1, 4).toString()).toBe("PNG");
  });

  it("goes elsewhere and back, and reads the records", async () => {
    const gone = await cli.run(["browser", "navigate", `${siteUrl}/missing.html`]);
    expect(gone.stdout).toContain("/missing.html");
    expect((await cli.run(["browser", "requests"])).stdout).toMatch(/missing\.html document 404/);
    expect((await cli.run(["browser", "console"])).code).toBe(0);
    expect((await cli.run(["browser", "navigate", "back"])).stdout).toContain(
      "conference-registration-zh.html",
    );
  });

  it("creates, resets and deletes a profile; deleting wants a yes", async () => {
    const made = await cli.run(["browser", "create-profile", "work", "--color", "#0066CC"]);
    expect(made.stdout).toMatch(/^work {2}\(managed\) {2}#0066CC/);
    const config = await readFile(path.join(cli.stateDir, "openclaw.json"), "utf8");
    expect(config).toMatch(/^\/\/ mine/);
    expect(config).toContain("work");
    expect((await cli.run(["browser", "reset-profile", "work", "--yes"])).stdout).toContain(
      "no data on disk",
    );
    expect((await cli.run(["browser", "delete-profile", "work"])).code).toBe(2);
    expect((await cli.run(["browser", "delete-profile", "work", "--yes"])).code).toBe(0);
    expect((await cli.run(["browser", "profiles"])).stdout).not.toContain("work");
    expect((await cli.run(["browser", "start", "--profile", "nobody"])).stderr).toMatch(/openclaw/);
  });
});

describe("the contract", long, () => {
  it("gives a picture with boxes in its own pixels", async () => {
    await rpc.call("browser.snapshot", {});
    const shot = await rpc.call("browser.screenshot", { withBoxes: true });
    expect(shot.boxes.length).toBeGreaterThan(3);
    for (const box of shot.boxes) {
      expect(box.x + box.width).toBeLessThanOrEqual(shot.width + 1);
      expect(box.y).toBeLessThanOrEqual(shot.height);
    }
  });

  it("sends frames while someone looks, acknowledged and in order, and ends with the tab", async () => {
    const frames: { castId: string; seq: number; base64: string }[] = [];
    const ended: string[] = [];
    rpc.on("browser.frame", (frame) => void frames.push(frame));
    rpc.on("browser.screencastEnded", ({ castId }) => void ended.push(castId));
    const tab = await rpc.call("browser.open", { url: `${siteUrl}/checkbox-radio-states.html` });
    const { castId } = await rpc.call("browser.screencast.start", { targetId: tab.targetId, maxFps: 10 });
    await rpc.call("browser.act", {
      targetId: tab.targetId,
      request: {
        kind: "evaluate",
        fn: "() => { let n = 0; window.ticking = setInterval(() => { document.body.style.background = 'hsl(' + (n += 40) + ', 80%, 80%)' }, 50) }",
      },
    });
    await expect.poll(() => frames.length, { timeout: 20_000 }).toBeGreaterThan(2);
    expect(frames.map((frame) => frame.seq)).toEqual(frames.map((_, index) => index + 1));
    expect(Buffer.from(frames[0]?.base64 ?? "", "base64").subarray(0, 2)).toEqual(Buffer.from([0xff, 0xd8]));
    await rpc.call("browser.close", { targetId: tab.targetId });
    await expect.poll(() => ended, { timeout: 10_000 }).toContain(castId);
  });

  it("explains the guard and sets it strict by one edit that keeps comments", async () => {
    expect(await rpc.call("browser.guard.explain", { url: "http://10.0.0.1/", ssrfPolicy: null })).toEqual({
      verdict: "allowed",
    });
    expect(
      await rpc.call("browser.guard.explain", {
        url: "http://evil.test/",
        ssrfPolicy: { allowPrivateNetwork: false },
        dns: { "evil.test": ["10.0.0.5"] },
        env: {},
      }),
    ).toMatchObject({ verdict: "blocked", kind: "resolves-to-private" });
    expect(await rpc.call("browser.setStrict", { strict: true })).toMatchObject({ mode: "strict" });
    expect((await cli.run(["browser", "explain", "http://127.0.0.1/"])).code).toBe(1);
    await expect(browser({ action: "open", url: siteUrl })).rejects.toThrow(/private|special/i);
    expect(await readFile(path.join(cli.stateDir, "openclaw.json"), "utf8")).toMatch(/^\/\/ mine/);
    expect((await cli.run(["browser", "strict", "off"])).stdout).toContain("trusted");
  });

  it("keeps a person's hand on the browser: agents wait until it is given back", async () => {
    await cli.run(["browser", "take-over"]);
    await expect(browser({ action: "open", url: siteUrl })).rejects.toThrow(/taken over/);
    await cli.run(["browser", "give-back"]);
    expect(await browser({ action: "open", url: `${siteUrl}/headings.html` })).toContain("open: done");
  });

  it("takes the tool away when the browser is switched off, and says why", async () => {
    await rpc.call("config.setPath", { path: "browser.enabled", value: false });
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).not.toContain("browser");
    expect(await rpc.call("browser.profiles", {})).toMatchObject({ disabledBecause: "browser.enabled" });
    const { stdout } = await cli.run(["browser", "profiles"]);
    expect(stdout).toMatch(/^Agents have no browser\. browser\.enabled turns it off\.$/m);
    await rpc.call("config.setPath", { path: "browser.enabled", value: true });
    expect((await client.listTools()).tools.map((tool) => tool.name)).toContain("browser");
  });
});
