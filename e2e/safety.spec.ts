/** The safety baseline: every window, page and channel of the app, and what each must refuse. */

import { statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { cardOn } from "./fixtures/card.ts";
import type { Desktop } from "./fixtures/desktop.ts";
import { connectWith } from "./fixtures/impostor.ts";
import { rootDir } from "./fixtures/programs.ts";
import { expect, test } from "./fixtures/test.ts";

const raising = `{ ui: { language: "en", attention: "raise" } }`;

/** Both kinds of window that the app knows, open at once. */
async function openEveryWindow(desktop: Desktop, ask: () => Promise<unknown>) {
  await desktop.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close());
  const answer = ask();
  const prompt = await desktop.approvalWindow();
  await expect(cardOn(prompt).root).toBeVisible();
  return { answer, prompt };
}

test("every window is sandboxed, isolated, without Node, and shows our scheme only", async ({ start }) => {
  const { desktop, agent } = await start({ settings: raising });
  const { prompt, answer } = await openEveryWindow(desktop, () => agent.exec("echo windows"));
  const all = await desktop.app.evaluate(({ webContents }) =>
    webContents.getAllWebContents().map((contents) => {
      // The preferences in force, not those that somebody asked for.
      const { getLastWebPreferences } = contents as unknown as {
        getLastWebPreferences(): Record<string, unknown>;
      };
      return {
        type: contents.getType(),
        url: contents.getURL(),
        preferences: getLastWebPreferences.call(contents),
      };
    }),
  );
  expect(all).toHaveLength(2);
  for (const { type, url, preferences } of all) {
    expect(type).toBe("window");
    expect(url).toMatch(/^sallyport:\/\/panel\/index\.html#/);
    expect(preferences).toMatchObject({
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      nodeIntegrationInSubFrames: false,
      webviewTag: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
    });
    expect(preferences.experimentalFeatures ?? false).toBe(false);
  }
  for (const page of [desktop.panel, prompt]) {
    const world = await page.evaluate(() => {
      const scope = globalThis as unknown as Record<string, unknown>;
      return {
        names: ["require", "process", "module", "Buffer", "electron", "global"].filter(
          (name) => name in scope,
        ),
        bridge: Object.keys(scope.sallyport as object),
        transport: Object.keys((scope.sallyport as { transport: object }).transport).sort(),
      };
    });
    expect(world).toEqual({ names: [], bridge: ["transport"], transport: ["onClose", "onMessage", "send"] });
  }
  await cardOn(prompt).deny.click();
  await answer;
});

test("the content policy is strict, and scripts that are not ours do not run", async ({ start }) => {
  const { panel } = (await start()).desktop;
  const { policy, outside } = await panel.evaluate(async () => {
    const own = await fetch("sallyport://panel/index.html");
    const status = async (path: string) => (await fetch(`sallyport://panel/${path}`)).status;
    return {
      policy: own.headers.get("content-security-policy"),
      outside: [
        await status("..%2f..%2fpackage.json"),
        await status("%2e%2e/%2e%2e/package.json"),
        await status("..%5c..%5cpackage.json"),
        await status("assets/../../main/index.js"),
        await status("%00"),
      ],
    };
  });
  expect(policy).toContain("default-src 'none'");
  expect(policy).toMatch(/script-src 'self'(;|$)/);
  expect(policy).not.toContain("unsafe-eval");
  // Sound may come from bytes of the page's own, and from no address.
  expect(policy).toMatch(/media-src blob:(;|$)/);
  expect(outside).toEqual([404, 404, 404, 404, 404]);
  const ran = await panel.evaluate(async () => {
    const scope = globalThis as unknown as { ran?: string };
    const add = (fill: (script: HTMLScriptElement) => void) => {
      const script = document.createElement("script");
      fill(script);
      document.body.append(script);
    };
    add((script) => (script.textContent = "globalThis.ran = 'inline'"));
    add((script) => (script.src = "data:text/javascript,globalThis.ran='data'"));
    const image = document.createElement("img");
    image.setAttribute("onerror", "globalThis.ran = 'handler'");
    image.src = "data:,x";
    document.body.append(image);
    const link = document.createElement("a");
    link.href = "javascript:globalThis.ran='link'";
    document.body.append(link);
    link.click();
    await new Promise((resolve) => setTimeout(resolve, 300));
    return scope.ran ?? "nothing";
  });
  expect(ran).toBe("nothing");
  // Asked from a timer: what the driver evaluates itself is exempt from the policy.
  const evaluated = await panel.evaluate(
    () =>
      new Promise<string>((resolve) => {
        setTimeout(() => {
          try {
            resolve(String(new Function("return 'evaluated'")()));
          } catch (error) {
            resolve(String(error));
          }
        });
      }),
  );
  expect(evaluated).toMatch(/unsafe-eval|Content Security Policy/);
});

test("no navigation, no new window, no download, no permission, nothing from the network", async ({
  start,
  later,
}) => {
  const { desktop } = await start();
  const { app, panel } = desktop;
  const hits: string[] = [];
  const server = await serve((url) => hits.push(url));
  later(() => void server.close());
  const elsewhere = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = panel.url();
  await panel.evaluate(async (address) => {
    const quietly = (act: () => unknown) => {
      try {
        act();
      } catch {
        // A refusal by throwing is as good as any.
      }
    };
    quietly(() => window.open(`${address}/opened`));
    quietly(() => window.open("sallyport://panel/index.html"));
    const link = Object.assign(document.createElement("a"), { href: `${address}/link`, target: "_blank" });
    document.body.append(link);
    link.click();
    const form = Object.assign(document.createElement("form"), { action: `${address}/form`, method: "post" });
    document.body.append(form);
    quietly(() => form.submit());
    const frame = Object.assign(document.createElement("iframe"), { src: `${address}/frame` });
    document.body.append(frame);
    document.body.append(Object.assign(document.createElement("img"), { src: `${address}/image` }));
    await fetch(`${address}/fetch`).catch(() => null);
    quietly(() => new WebSocket(address.replace("http", "ws")));
    quietly(() => navigator.sendBeacon(`${address}/beacon`));
    quietly(() => window.location.assign(`${address}/navigated`));
    quietly(() => window.location.assign("file:///etc/passwd"));
    await new Promise((resolve) => setTimeout(resolve, 500));
  }, elsewhere);
  expect(hits).toEqual([]);
  expect(panel.url()).toBe(url);
  expect(await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(1);
  const granted = await panel.evaluate(async () => {
    const outcome = async (name: string, ask: () => Promise<unknown>) =>
      ask().then(
        () => [name],
        () => [],
      );
    return (
      await Promise.all([
        outcome("camera", () => navigator.mediaDevices.getUserMedia({ video: true })),
        outcome("microphone", () => navigator.mediaDevices.getUserMedia({ audio: true })),
        outcome("screen", () => navigator.mediaDevices.getDisplayMedia({ video: true })),
        outcome("place", () => new Promise((yes, no) => navigator.geolocation.getCurrentPosition(yes, no))),
        outcome("clipboard", () => navigator.clipboard.readText()),
        outcome("notification", async () => {
          if ((await Notification.requestPermission()) !== "granted") throw new Error("denied");
        }),
      ])
    ).flat();
  });
  expect(granted).toEqual([]);
  expect(await panel.evaluate(() => navigator.clipboard.writeText("copied").then(() => "written"))).toBe(
    "written",
  );
});

function serve(onHit: (url: string) => void): Promise<Server> {
  const server = createServer((request, response) => {
    onHit(request.url ?? "");
    response.end("<script>globalThis.ran = 'network'</script>");
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

test("frames that are malformed, too long or not in the contract are refused, and the app goes on", async ({
  start,
}) => {
  const { desktop } = await start();
  const { panel, operator } = desktop;
  const answers = await panel.evaluate(async () => {
    const { transport } = (
      globalThis as unknown as {
        sallyport: {
          transport: {
            send(frame: unknown): void;
            onMessage(listener: (frame: unknown) => void): () => void;
          };
        };
      }
    ).sallyport;
    const heard: { id?: string; ok?: boolean; error?: { code?: string } }[] = [];
    const off = transport.onMessage((frame) => heard.push(frame as (typeof heard)[number]));
    const ask = (id: string, method: string, params: unknown) =>
      transport.send({ type: "req", id, method, params });
    for (const frame of [null, 1, "text", [], {}, { type: "req" }, { type: "req", id: {}, method: 7 }]) {
      transport.send(frame);
    }
    ask("x-unknown", "no.such.method", {});
    ask("x-proto", "__proto__", {});
    ask("x-constructor", "constructor", {});
    ask("x-input", "approvals.resolve", { id: 5, decision: "allow-once" });
    ask("x-extra", "ui.settings.set", { theme: "purple" });
    ask("x-good", "health", {});
    await new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        if (!heard.some((frame) => frame.id === "x-good")) return;
        clearInterval(timer);
        resolve();
      }, 20);
    });
    transport.send("x".repeat(9_000_000));
    off();
    return heard.filter((frame) => frame.id?.startsWith("x-") === true);
  });
  const outcomes = Object.fromEntries(
    answers.map(({ id, ok, error }) => [id, ok === true ? "ok" : error?.code]),
  );
  expect(outcomes["x-good"]).toBe("ok");
  for (const id of ["x-unknown", "x-proto", "x-constructor", "x-input", "x-extra"]) {
    expect(outcomes[id], id).toMatch(/INVALID|NOT_FOUND|UNKNOWN/);
  }
  expect(await operator.rpc.call("health", {})).toMatchObject({ ok: true });
  await expect(panel.getByRole("contentinfo")).toBeVisible();
});

test("only our own main frame is heard: a forged sender gets no connection and decides nothing", async ({
  start,
}) => {
  const { desktop, agent } = await start();
  const { app, operator } = desktop;
  const answer = agent.exec("echo forged");
  const request = await operator.request();
  const reached = await app.evaluate(
    async ({ BrowserWindow, ipcMain }, { id, digest, preload }) => {
      const heard: string[] = [];
      // A page of another origin with our preload: as if a window had been led astray.
      const stray = new BrowserWindow({
        show: false,
        webPreferences: { preload, sandbox: true, contextIsolation: true },
      });
      stray.webContents.on("will-navigate", () => {});
      await stray.loadURL("data:text/html,<title>stray</title>").catch(() => null);
      const frame = JSON.stringify({
        type: "req",
        id: "forged",
        method: "approvals.resolve",
        params: { id, digest, decision: "allow-once" },
      });
      const spy = stray.webContents.send.bind(stray.webContents);
      stray.webContents.send = (channel: string, ...args: unknown[]) => {
        heard.push(channel);
        spy(channel, ...args);
      };
      await stray.webContents
        .executeJavaScript(`typeof sallyport === "object" && sallyport.transport.send(${frame}), true`)
        .catch(() => null);
      // The real window's contents, but a frame that is not its main frame or not our page.
      const [panel] = BrowserWindow.getAllWindows().filter((one) => one !== stray);
      const forge = (senderFrame: unknown) =>
        ipcMain.emit("sallyport:frame", { sender: panel?.webContents, senderFrame }, frame);
      forge(null);
      forge({ url: "https://example.org/", parent: null });
      forge({ url: "sallyport://panel/index.html", parent: null });
      forge({ url: "sallyport://panel.example.org/", parent: null });
      await new Promise((resolve) => setTimeout(resolve, 300));
      stray.destroy();
      return heard;
    },
    { id: request.id, digest: request.digest, preload: path.join(rootDir, "out", "preload", "index.cjs") },
  );
  expect(reached).toEqual([]);
  expect((await operator.request()).id).toBe(request.id);
  expect(desktop.log()).toContain("ipc.refused");
  await operator.rpc.call("approvals.resolve", { id: request.id, decision: "deny" });
  expect((await answer).isError).toBe(true);
});

test("an agent cannot answer: not by MCP, not by the Gateway with its own token, not by a command", async ({
  start,
}) => {
  const { desktop, agent } = await start();
  const { operator } = desktop;
  const answer = agent.exec("echo mine to decide");
  const { id, digest } = await operator.request();
  await expect(agent.call("approvals.resolve", { id, digest, decision: "allow-once" })).rejects.toThrow(
    "Unknown tool: approvals.resolve",
  );
  expect(await connectWith(operator.port, agent.token)).toMatch(/refused|UNAUTHENTICATED|token/i);
  const own = await agent.exec(`sallyport approvals resolve ${id} allow-once`);
  expect(own).toMatchObject({ isError: true, text: expect.stringContaining("Only a person may do that") });
  expect((await operator.request()).id).toBe(id);
  await operator.rpc.call("approvals.resolve", { id, decision: "deny" });
  expect((await answer).isError).toBe(true);
});

test("the Gateway refuses other origins and hosts, and files of the state directory are private", async ({
  start,
}) => {
  const { desktop, agent } = await start();
  const { mcpUrl, port } = desktop.operator;
  const post = (headers: Record<string, string>) =>
    fetch(mcpUrl, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
    });
  expect((await post({})).status).toBe(401);
  expect((await post({ authorization: "Bearer nonsense" })).status).toBe(401);
  const authorization = `Bearer ${agent.token}`;
  expect((await post({ authorization, origin: "https://example.org" })).status).toBe(403);
  const health = await fetch(`http://localhost:${port}/health`);
  expect(health.status).toBe(200);
  const { gatewayFile, operatorToken, settings, database } = desktop.place.paths;
  for (const file of [gatewayFile, operatorToken, settings, database]) {
    expect(statSync(file).mode & 0o077, file).toBe(0);
  }
});
