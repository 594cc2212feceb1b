/** The desktop shell: tray, hidden windows, kept window state, an orderly end, and commands without a window. */

import { existsSync } from "node:fs";
import path from "node:path";
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
  const marker = path.join(place.workDir, "marker");
  void agent.exec(`echo late > ${marker}`);
  await operator.pending(1);
  process.kill(pid, "SIGTERM");
  await until(() => (isAlive(pid) ? undefined : true), "the app to end");
  expect(isAlive(processes[0]?.pid ?? -1)).toBe(false);
  expect(existsSync(marker)).toBe(false);
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

test("the tray counts what waits, in the language of the settings", async ({ start }) => {
  const { desktop, agent } = await start({ settings: `{ ui: { language: "zh-CN" } }` });
  const { app, operator } = desktop;
  await app.evaluate(({ Tray }) => {
    // A tray item cannot be read back, so what is written to it is kept.
    const written: string[] = [];
    (globalThis as unknown as { written: string[] }).written = written;
    const { setToolTip } = Tray.prototype;
    Tray.prototype.setToolTip = function (text: string) {
      written.push(text);
      setToolTip.call(this, text);
    };
  });
  const tips = () => app.evaluate(() => (globalThis as unknown as { written: string[] }).written);
  const answer = agent.exec("echo counted");
  const request = await operator.request();
  await expect.poll(tips).toEqual([expect.stringMatching(/1 个请求等待审批/)]);
  await expect(cardOn(desktop.panel).root).toContainText("仅此一次允许");
  await operator.rpc.call("approvals.resolve", { id: request.id, decision: "deny" });
  expect((await answer).isError).toBe(true);
  await expect.poll(async () => (await tips()).length).toBe(2);
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
