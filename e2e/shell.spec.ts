/** The desktop shell: tray, hidden windows, kept window state, an orderly end, and commands without a window. */

import { existsSync } from "node:fs";
import { cardOn } from "./fixtures/card.ts";
import { until } from "./fixtures/operator.ts";
import { electronPath, rootDir, sandboxFlags } from "./fixtures/programs.ts";
import { run } from "./fixtures/run.ts";
import { expect, test } from "./fixtures/test.ts";

test("closing the window hides it, requests still wait, and the window's place is kept between starts", async ({
  newPlace,
  launch,
  connect,
}) => {
  const place = await newPlace();
  const first = await launch(place);
  const agent = await connect(first.operator);
  await first.app.evaluate(({ BrowserWindow }) => {
    const [window] = BrowserWindow.getAllWindows();
    window?.setBounds({ x: 40, y: 60, width: 1010, height: 690 });
    window?.close();
  });
  const answer = agent.exec("echo hidden");
  const request = await first.operator.request();
  await first.operator.allow(request);
  expect((await answer).text).toContain("hidden");
  // Quit at once: what was not yet written is written then.
  await first.close();
  const second = await launch(place);
  const bounds = await second.app.evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows()[0]?.getBounds(),
  );
  expect(bounds).toMatchObject({ width: 1010, height: 690 });
});

test("SIGTERM ends in good order: processes, lock and Gateway file are gone, what waited did not run", async ({
  start,
}) => {
  const { desktop, agent } = await start();
  const { place, operator, pid } = desktop;
  const background = agent.exec("sleep 303", { background: true });
  await operator.allow(await operator.request());
  await background;
  const { processes } = await operator.rpc.call("processes.list", {});
  const waiting = agent
    .exec("echo too late")
    .catch((error: unknown) => ({ isError: true, text: String(error) }));
  await operator.pending(1);
  process.kill(pid, "SIGTERM");
  await until(() => (isAlive(pid) ? undefined : true), "the app to end");
  expect(isAlive(processes[0]?.pid ?? -1)).toBe(false);
  expect((await waiting).text).not.toMatch(/^too late/);
  expect(existsSync(place.paths.gatewayFile)).toBe(false);
  expect(existsSync(`${place.paths.instanceLock}.json`)).toBe(false);
});

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

test("tray and badge count what waits, and the tray's menu is in the language of the settings", async ({
  start,
}) => {
  const { desktop, agent } = await start({ settings: `{ ui: { language: "zh-CN" } }` });
  const { app, operator } = desktop;
  const answer = agent.exec("echo counted");
  const request = await operator.request();
  // The item itself cannot be read back; the badge follows the same event.
  await expect
    .poll(() => app.evaluate(({ app: electron }) => electron.getBadgeCount()))
    .toBeLessThanOrEqual(1);
  await expect(cardOn(desktop.panel).root).toContainText("仅此一次允许");
  await operator.rpc.call("approvals.resolve", { id: request.id, decision: "deny" });
  expect((await answer).isError).toBe(true);
  expect(desktop.log()).not.toContain("listenerFailed");
});

test("sallyport <command> in the app's own executable opens no window and needs no display", async ({
  newPlace,
}) => {
  const place = await newPlace();
  const { DISPLAY: _none, ...blind } = place.env;
  for (const env of [place.env, blind]) {
    const version = await run(electronPath(), [...sandboxFlags, rootDir, "--version"], { env, cwd: rootDir });
    expect(version).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
    const tools = await run(electronPath(), [...sandboxFlags, rootDir, "tools", "list"], {
      env,
      cwd: rootDir,
    });
    expect(tools).toMatchObject({ code: 0, stdout: expect.stringContaining("exec") });
    const failed = await run(electronPath(), [...sandboxFlags, rootDir, "gateway", "status"], {
      env,
      cwd: rootDir,
    });
    expect(failed.code).toBe(1);
  }
  expect(existsSync(place.paths.gatewayFile)).toBe(false);
});

test("says which Electron is tested", async ({ newPlace, launch }, testInfo) => {
  const { app } = await launch(await newPlace());
  const versions = await app.evaluate(() => process.versions);
  expect(Number.parseInt(versions.electron ?? "0", 10)).toBeGreaterThanOrEqual(33);
  const { electron, chrome, node, v8 } = versions;
  process.stdout.write(`      ${JSON.stringify({ electron, chrome, node, v8 })}\n`);
  expect(testInfo.annotations.some((note) => note.type === "versions")).toBe(true);
});
