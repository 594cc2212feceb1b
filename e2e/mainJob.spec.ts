/** The main job: an agent asks, the prompt shows what will run, a person answers, it runs or it does not. */

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { cardOn, unlocked } from "./fixtures/card.ts";
import { until } from "./fixtures/operator.ts";
import { askingConfig } from "./fixtures/place.ts";
import { expect, test } from "./fixtures/test.ts";

/** Short times, so that a test can see the end of a hold or of a request. */
const hastySettings = (approvals: Record<string, number>) =>
  `{ ui: { language: "en", theme: "dark" }, approvals: ${JSON.stringify(approvals)} }`;

test("the prompt shows command, programs, place, reason and rule; Allow opens after its lock and it runs", async ({
  start,
}) => {
  const { desktop, agent } = await start();
  const { panel, place, operator } = desktop;
  const answer = agent.exec("uname -s && echo 'done here'", {
    workdir: place.workDir,
    env: { STAGE: "test", API_TOKEN: "ghp_abcdefghijklmnopqrstuvwxyz0123456789" },
  });
  const card = cardOn(panel);
  await expect(card.root.getByRole("heading", { name: "Run this on your computer?" })).toBeVisible();
  const scroller = card.root.locator("[data-command-scroll]");
  await expect(scroller).toContainText("uname -s");
  await expect(scroller).toContainText("echo 'done here'");
  // Why it asks, part by part, with the program that the name resolves to.
  await expect(card.root.locator(".cmd-row.asks")).toHaveCount(2);
  await expect(scroller).toContainText("/uname");
  await expect(card.root).toContainText("main");
  await expect(card.root).toContainText(agent.sessionKey);
  await expect(card.root).toContainText("test agent");
  await expect(card.root).toContainText(place.workDir);
  await expect(card.root).toContainText("STAGE=test");
  await expect(card.root).toContainText("API_TOKEN=");
  await expect(card.root).not.toContainText("ghp_abcdefghijklmnopqrstuvwxyz0123456789");
  await expect(card.root).toContainText("gateway");
  await expect(card.root).toContainText("openclaw.json:3");
  await expect(card.root).toContainText(/expires in/);
  // The main job's bar: what runs is typed or rebuilt, and the card says which.
  await expect(card.root).toContainText(/typed, by|rebuilt/);

  const request = await operator.request();
  expect(request.segments?.map((segment) => segment.sha256)).toEqual([
    expect.stringMatching(/^[0-9a-f]{64}$/),
    expect.stringMatching(/^[0-9a-f]{64}$/),
  ]);
  await unlocked(card);
  await expect(card.lockReason).toContainText("Whole command seen");
  await card.allow.click();
  const { text, isError } = await answer;
  expect(isError).toBe(false);
  expect(text).toContain("Linux");
  expect(text).toContain("done here");
  expect(await operator.decision(request.id)).toMatchObject({
    outcome: "allowed-once",
    by: { kind: "person", principalId: "panel:panel" },
  });
  await expect(card.root).toHaveCount(0);
  const { entries } = await operator.rpc.call("ledger.list", {});
  expect(entries.map((entry) => entry.kind)).toContain("approval.decided");
  expect(await operator.rpc.call("ledger.verify", {})).toMatchObject({ ok: true });
});

test("Deny gives the agent “not executed” and no output, and nothing ran", async ({ start }) => {
  const { desktop, agent } = await start();
  const marker = path.join(desktop.place.workDir, "marker");
  const answer = agent.exec(`echo secret-output > ${marker}; echo secret-output`);
  const card = cardOn(desktop.panel);
  await card.deny.click();
  const { text, isError, details } = await answer;
  expect(isError).toBe(true);
  expect(text).toMatch(/not executed/i);
  expect(text.replace(`echo secret-output > ${marker}; echo secret-output`, "")).not.toContain(
    "secret-output",
  );
  expect(details.status).toBe("denied");
  await expect(desktop.place.read(marker)).rejects.toThrow("ENOENT");
});

test("Deny with note carries the note to the agent and into the history", async ({ start }) => {
  const { desktop, agent } = await start();
  const answer = agent.exec("git push origin main");
  const card = cardOn(desktop.panel);
  await card.denyWithNote.click();
  await expect(card.note).toBeFocused();
  await card.note.fill("Push to a fork instead.\nThen ask again.");
  await card.sendNote.click();
  const { text, isError } = await answer;
  expect(isError).toBe(true);
  expect(text).toContain("Push to a fork instead.");
  expect(text).toContain("Then ask again.");
  await desktop.open("/approvals/history");
  const row = desktop.panel.getByRole("row", { name: /git push origin main/ });
  await expect(row).toContainText("denied");
  await expect(row).toContainText("Push to a fork instead.");
});

test("Always stores what it shows, and the second call runs without a prompt", async ({ start }) => {
  const { desktop, agent } = await start();
  const { place, operator } = desktop;
  const first = agent.exec("uname -m");
  const card = cardOn(desktop.panel);
  const request = await operator.request();
  if (request.always.kind !== "offered") throw new Error("always is not offered");
  const [stored] = request.always.stores;
  await unlocked(card);
  await card.always.click();
  await card.root.getByRole("radio", { name: /exec-approvals\.json/ }).check();
  await expect(card.root.getByRole("region", { name: /Allow always/ })).toContainText(stored?.pattern ?? "?");
  await card.saveAlways.click();
  expect((await first).isError).toBe(false);
  expect(await operator.decision(request.id)).toMatchObject({
    outcome: "allowed-always",
    stored: [{ pattern: stored?.pattern, agentId: "main" }],
  });
  const file = JSON.parse(await place.read(place.paths.approvals));
  expect(file.agents.main.allowlist).toEqual([expect.objectContaining({ pattern: stored?.pattern })]);

  const second = await agent.exec("uname -r");
  expect(second.isError).toBe(false);
  expect((await operator.rpc.call("approvals.list", {})).pending).toEqual([]);
  const { entries } = await operator.rpc.call("ledger.list", {});
  expect(entries.filter((entry) => entry.kind === "approval.requested")).toHaveLength(1);
});

test("a request that nobody answers expires, is recorded as expired and not as a denial", async ({
  start,
}) => {
  const { desktop, agent } = await start({ settings: hastySettings({ requestLifetimeMs: 1500 }) });
  const { panel, operator } = desktop;
  const answer = agent.exec("echo too late");
  const card = cardOn(panel);
  await expect(card.root).toBeVisible();
  const request = await operator.request();
  const { text, isError } = await answer;
  expect(isError).toBe(true);
  expect(text).toMatch(/not executed/i);
  expect(text).not.toMatch(/denied by/i);
  expect(await operator.decision(request.id)).toMatchObject({ outcome: "expired", by: { kind: "expiry" } });
  await expect(card.root).toHaveCount(0);
  await expect(panel.getByText("The last request expired", { exact: false })).toBeVisible();
  await desktop.open("/approvals/history");
  await expect(panel.getByRole("row", { name: /echo too late/ })).toContainText("expired");
});

test("an answer after holdMs is fetched with approval_wait, which is listed only meanwhile", async ({
  start,
}) => {
  const { desktop, agent } = await start({ settings: hastySettings({ holdMs: 300 }) });
  expect(await agent.toolNames()).not.toContain("approval_wait");
  const held = await agent.exec("echo fetched later");
  expect(held.details).toMatchObject({ status: "approval-pending", command: "echo fetched later" });
  expect(held.text).toMatch(/Not executed yet/);
  expect(await agent.toolNames()).toContain("approval_wait");
  const { approvalId } = held.details;
  const fetched = agent.call("approval_wait", { approvalId, waitMs: 30_000 });
  const card = cardOn(desktop.panel);
  await unlocked(card);
  await card.allow.click();
  expect(await fetched).toMatchObject({ isError: false, text: expect.stringContaining("fetched later") });
  await until(
    async () => ((await agent.toolNames()).includes("approval_wait") ? undefined : true),
    "approval_wait to leave the list",
  );
});

test("another client cannot fetch an approval that is not its own", async ({ start, connect }) => {
  const { desktop, agent } = await start({ settings: hastySettings({ holdMs: 200 }) });
  const other = await connect(desktop.operator, { name: "other agent" });
  const held = await agent.exec("echo mine");
  expect(await other.toolNames()).not.toContain("approval_wait");
  await expect(other.call("approval_wait", { approvalId: held.details.approvalId })).rejects.toThrow(
    "Unknown tool: approval_wait",
  );
});

test("a renderer that dies while a request waits comes back and shows it again", async ({ start }) => {
  const { desktop, agent } = await start();
  const { app, panel, operator } = desktop;
  const answer = agent.exec("echo survived");
  const card = cardOn(panel);
  await expect(card.root).toBeVisible();
  const request = await operator.request();
  await app.evaluate(({ BrowserWindow }) => {
    for (const window of BrowserWindow.getAllWindows()) window.webContents.forcefullyCrashRenderer();
  });
  // The driver has given the page up for dead, so the main process is asked about it.
  const inPage = <T>(code: string): Promise<T | null> =>
    app.evaluate(async ({ BrowserWindow }, script) => {
      const contents = BrowserWindow.getAllWindows()[0]?.webContents;
      if (contents === undefined || contents.isCrashed() || contents.isLoading()) return null;
      // What was asked of the dying page is never answered.
      const given = new Promise((resolve) => setTimeout(resolve, 500, null));
      return Promise.race([contents.executeJavaScript(script).catch(() => null), given]);
    }, code) as Promise<T | null>;
  const shownId = `document.querySelector("[data-approval-id]")?.dataset.approvalId`;
  await expect.poll(() => inPage<string>(shownId)).toBe(request.id);
  expect((await operator.request()).digest).toBe(request.digest);
  const allow = `[...document.querySelectorAll("article button")].find((b) => b.textContent.startsWith("Allow once"))`;
  await expect.poll(() => inPage<string>(`${allow}.getAttribute("aria-disabled")`)).toBe("false");
  const at = await inPage<{ x: number; y: number }>(
    `(({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 }))(${allow}.getBoundingClientRect())`,
  );
  await app.evaluate(({ BrowserWindow }, point) => {
    const place = { x: Math.round(point?.x ?? 0), y: Math.round(point?.y ?? 0) };
    const contents = BrowserWindow.getAllWindows()[0]?.webContents;
    for (const type of ["mouseDown", "mouseUp"] as const) {
      contents?.sendInputEvent({ type, ...place, button: "left", clickCount: 1 });
    }
  }, at);
  expect((await answer).text).toContain("survived");
});

test("a retry of the same command joins the request that waits", async ({ start }) => {
  const { desktop, agent } = await start();
  const { panel, operator } = desktop;
  const first = agent.exec("echo once");
  const { id } = await operator.request();
  const second = agent.exec("echo once");
  const third = agent.exec("echo once");
  const card = cardOn(panel);
  await expect(card.root).toContainText("asked 3 times");
  const joined = await operator.request();
  expect(joined).toMatchObject({ id, joinedCount: 3 });
  await unlocked(card);
  await card.allow.click();
  for (const answer of await Promise.all([first, second, third])) {
    expect(answer).toMatchObject({ isError: false, text: expect.stringContaining("once") });
  }
});

test("63 requests at once stay usable: grouped, denied by group, the odd one left for its own look", async ({
  start,
}) => {
  const { desktop, agent } = await start();
  const { panel, operator } = desktop;
  await desktop.open("/approvals");
  const answers = [
    ...Array.from({ length: 62 }, (_, index) => agent.exec(`head -n 1 /etc/hosts-${index}`)),
    agent.exec("uname -a"),
  ];
  await operator.pending(63);
  await expect(panel.getByText("63 waiting in 2 groups")).toBeVisible();
  const before = Date.now();
  await panel.getByRole("button", { name: "Deny 62" }).click();
  for (const answer of await Promise.all(answers.slice(0, 62))) expect(answer.isError).toBe(true);
  // Measured loosely: 62 decisions, each on record before anyone acts on it.
  expect(Date.now() - before).toBeLessThan(10_000);
  const card = cardOn(panel);
  await expect(card.root).toContainText("uname -a");
  await unlocked(card);
  await card.allow.click();
  expect((await answers.at(-1))?.text).toContain("Linux");
});

test("an allow with a stale or missing digest is refused and says so; deny needs none", async ({ start }) => {
  const { desktop, agent } = await start();
  const { rpc, request, decision } = desktop.operator;
  const answer = agent.exec("echo digest");
  const { id, digest } = await request();
  const flipped = `${digest.startsWith("0") ? "1" : "0"}${digest.slice(1)}`;
  await expect(
    rpc.call("approvals.resolve", { id, decision: "allow-once", digest: flipped }),
  ).rejects.toThrow(/changed after it was shown/);
  await expect(rpc.call("approvals.resolve", { id, decision: "allow-once" })).rejects.toThrow(/digest/);
  await expect(rpc.call("exec.approval.resolve", { id, decision: "allow-always" })).rejects.toThrow(/digest/);
  await rpc.call("approvals.resolve", { id: id.slice(0, 8), decision: "deny" });
  expect(await decision(id)).toMatchObject({ outcome: "denied" });
  expect((await answer).isError).toBe(true);
  await expect(rpc.call("approvals.resolve", { id, decision: "allow-once", digest })).rejects.toThrow(
    /no longer waits/,
  );
});

test("a click on a request that was decided elsewhere changes nothing and says so", async ({ start }) => {
  const { desktop, agent } = await start();
  const { panel, operator } = desktop;
  const answer = agent.exec("echo elsewhere");
  const request = await operator.request();
  const card = cardOn(panel);
  await unlocked(card);
  // The panel hears of nothing from now on, so that it still shows what no longer waits.
  await desktop.app.evaluate(({ BrowserWindow }) => {
    for (const { webContents } of BrowserWindow.getAllWindows()) {
      const send = webContents.send.bind(webContents);
      webContents.send = (channel: string, ...args: unknown[]) => {
        if (!String(args[0]).includes('"type":"event"')) send(channel, ...args);
      };
    }
  });
  await operator.rpc.call("approvals.resolve", { id: request.id, decision: "deny" });
  expect((await answer).isError).toBe(true);
  await card.allow.click();
  await expect(card.root.getByRole("alert")).toContainText("no longer waits");
  expect(await operator.decision(request.id)).toMatchObject({ outcome: "denied" });
});

test("a program that changes between the decision's picture and the run is not run", async ({ start }) => {
  const { desktop, agent } = await start();
  const { panel, place } = desktop;
  const script = path.join(place.workDir, "tool.sh");
  await writeFile(script, "#!/bin/sh\necho original\n", { mode: 0o755 });
  const answer = agent.exec(script);
  const card = cardOn(panel);
  await unlocked(card);
  await writeFile(script, "#!/bin/sh\necho replaced\n", { mode: 0o755 });
  await card.allow.click();
  const { text, isError } = await answer;
  expect(isError).toBe(true);
  expect(text).toMatch(/changed/);
  expect(text).not.toContain("replaced");
});

test("the config's comments survive, and exec without process still runs to the end", async ({ start }) => {
  const { desktop, agent } = await start({
    config: askingConfig.replace('ask: "on-miss" }', 'ask: "on-miss" }, deny: ["process"]'),
  });
  expect(await agent.toolNames()).not.toContain("process");
  const answer = agent.exec("sleep 0.2; echo finished", { background: true });
  const card = cardOn(desktop.panel);
  await unlocked(card);
  await card.allow.click();
  expect((await answer).text).toContain("finished");
  expect(await desktop.place.read(desktop.place.paths.config)).toContain("// kept by hand");
});
