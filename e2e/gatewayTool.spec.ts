/** What an agent may do to the app itself: a change of the config and a restart, both decided in the panel. */

import { chromium } from "@playwright/test";
import { cardOn, unlocked } from "./fixtures/card.ts";
import type { Desktop } from "./fixtures/desktop.ts";
import { openGallery } from "./fixtures/gallery.ts";
import { connectOperator, until } from "./fixtures/operator.ts";
import { chromiumPath, sandboxFlags } from "./fixtures/programs.ts";
import { expect, test } from "./fixtures/test.ts";

const config = `{
  // kept by hand
  tools: { exec: { security: "allowlist", ask: "on-miss" } },
  gateway: { tools: { allow: ["gateway"] } },
  ui: {
    seamColor: "#112233", // the blue one
  },
}
`;

type Running = Pick<Desktop, "place" | "operator">;

async function token({ place }: Running): Promise<string> {
  const { token: found } = JSON.parse(await place.read(place.paths.gatewayFile)) as { token: string };
  return found;
}

async function invoke(running: Running, args: Record<string, unknown>) {
  const answer = await fetch(`http://127.0.0.1:${running.operator.port}/tools/invoke`, {
    method: "POST",
    headers: { authorization: `Bearer ${await token(running)}`, "content-type": "application/json" },
    body: JSON.stringify({ tool: "gateway", args }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

test("a change of the config shows its difference in the panel, and is written when a person allows it", async ({
  start,
}) => {
  const { desktop } = await start({ config });
  const raw = JSON.stringify({ ui: { seamColor: "#c8553d" }, messages: { responsePrefix: "[desk]" } });
  const answer = invoke(desktop, { action: "config.patch", raw });
  await desktop.open("/approvals");
  const card = cardOn(desktop.panel);
  await expect(card.root.getByRole("heading", { name: "Change the configuration?" })).toBeVisible();
  await expect(card.root).toContainText("wants to change the configuration");
  await expect(card.root.locator(".change-removed")).toContainText('seamColor: "#112233", // the blue one');
  await expect(card.root.locator(".change-added").first()).toContainText('seamColor: "#c8553d"');
  await expect(card.root).toContainText("gateway.configAsks");
  await expect(card.root).not.toContainText("Workspace");
  await unlocked(card);
  const gallery = await openGallery(desktop);
  await gallery.take("gateway-config-change");
  expect(gallery.overflows()).toEqual([]);
  await card.allow.click();
  expect(await answer).toMatchObject({
    status: 200,
    body: {
      ok: true,
      result: { details: { result: { changed: ["ui.seamColor", "messages.responsePrefix"] } } },
    },
  });
  const written = await desktop.place.read(desktop.place.paths.config);
  expect(written).toContain('seamColor: "#c8553d", // the blue one');
  expect(written).toContain("// kept by hand");

  const refused = await invoke(desktop, { action: "config.patch", raw: '{ tools: { allow: ["*"] } }' });
  expect(refused).toMatchObject({ status: 403, body: { error: { type: "tool_call_blocked" } } });
  expect(await desktop.place.read(desktop.place.paths.config)).toBe(written);
});

test("after a restart the panel shows again where it was, in the same process, and requests reach it", async ({
  start,
  connect,
  later,
}) => {
  const { desktop, agent } = await start({ config });
  const { panel, pid, operator } = desktop;
  const background = agent.exec("sleep 304", { background: true });
  await operator.allow(await operator.request());
  await background;

  const answer = invoke(desktop, { action: "restart", delayMs: 100, reason: "to read the settings anew" });
  await desktop.open("/approvals");
  const card = cardOn(panel);
  await expect(card.root.getByRole("heading", { name: "Restart Sallyport?" })).toBeVisible();
  await expect(card.root).toContainText("running commands that end: 1");
  await expect(card.root).toContainText("reason: to read the settings anew");
  await unlocked(card);
  const gallery = await openGallery(desktop);
  await gallery.take("gateway-restart");
  expect(gallery.overflows()).toEqual([]);
  const before = await desktop.place.read(desktop.place.paths.gatewayFile);
  const reloaded = panel.waitForEvent("load");
  await card.allow.click();
  expect(await answer).toMatchObject({
    status: 200,
    body: { result: { details: { ok: true, pid, mode: "emit" } } },
  });
  await reloaded;
  await expect(panel.getByText("Nothing waits for you.")).toBeVisible();
  expect(new URL(panel.url()).hash).toBe("#/approvals");

  // The old connections are gone with the old Gateway; the new one is where the old one was.
  const again = await until(async () => {
    const text = await desktop.place.read(desktop.place.paths.gatewayFile).catch(() => "");
    return text !== "" && text !== before ? (JSON.parse(text) as { pid: number; port: number }) : undefined;
  }, "the Gateway after the restart");
  expect(again).toMatchObject({ pid, port: operator.port });
  const second = await connectOperator(desktop.place);
  later(() => second.close());
  const status = await second.rpc.call("app.status", {});
  expect(status).toMatchObject({ runningProcesses: 0, survivors: 0 });
  const { entries } = await second.rpc.call("ledger.list", { limit: 200 });
  expect(entries.map(({ kind }) => kind)).toContain("app.restarted");

  const next = await connect(second, { name: "after" });
  const asked = next.exec("echo after the restart");
  await expect(card.root).toContainText("echo after the restart");
  await unlocked(card);
  await card.allow.click();
  expect((await asked).text).toContain("after the restart");
});

test("a browser that is in the panel comes back into it by itself after a restart", async ({
  newPlace,
  launchWithoutWindow,
  connect,
  later,
}) => {
  const place = await newPlace({ config });
  const headless = await launchWithoutWindow(place);
  const { operator, panelUrl, pid } = headless;
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: sandboxFlags });
  later(() => browser.close());
  const page = await browser.newPage();
  await page.goto(panelUrl ?? "");
  await expect(page.getByRole("contentinfo")).toContainText("Gateway 127.0.0.1");
  let loads = 0;
  page.on("load", () => {
    loads += 1;
  });

  const answer = invoke({ place, operator }, { action: "restart", delayMs: 0 });
  const card = cardOn(page);
  await expect(card.root.getByRole("heading", { name: "Restart Sallyport?" })).toBeVisible();
  const before = await place.read(place.paths.gatewayFile);
  await unlocked(card);
  await card.allow.click();
  expect(await answer).toMatchObject({ status: 200, body: { result: { details: { pid } } } });
  await until(async () => {
    const text = await place.read(place.paths.gatewayFile).catch(() => "");
    return text !== "" && text !== before ? true : undefined;
  }, "the Gateway after the restart");

  const second = await connectOperator(place);
  later(() => second.close());
  // The panel counts as a person who can be asked as soon as it is connected again.
  await expect.poll(async () => (await second.rpc.call("gateway.status", {})).panelConnections).toBe(1);
  const agent = await connect(second, { name: "after" });
  const asked = agent.exec("echo still in the panel");
  await expect(card.root).toContainText("echo still in the panel");
  await unlocked(card);
  await card.allow.click();
  expect((await asked).text).toContain("still in the panel");
  expect(loads).toBe(0);
});
