/** Bad input from files, agents and the machine: each is a clear error, and nothing is lost. */

import { createServer } from "node:net";
import { cardOn } from "./fixtures/card.ts";
import { launchHeadless } from "./fixtures/headless.ts";
import { until } from "./fixtures/operator.ts";
import { askingConfig } from "./fixtures/place.ts";
import { electronPath, headlessEntry, rootDir, sandboxFlags } from "./fixtures/programs.ts";
import { run } from "./fixtures/run.ts";
import { expect, test } from "./fixtures/test.ts";

const brokenConfig = `{
  // a comment that must survive
  tools: { profile: "coding", exec: { security: "full" } }
  gateway: { port: 0 },
}
`;

test("a config that is broken at start: line and column, stricter defaults, file untouched, mended live", async ({
  start,
}) => {
  const { desktop, agent } = await start({ config: brokenConfig });
  const { panel, operator, place } = desktop;
  const banner = panel.getByRole("alert").or(panel.locator(".banners")).filter({
    hasText: "The config cannot be read. Running on stricter defaults.",
  });
  await expect(banner.first()).toBeVisible();
  await expect(banner.first()).toContainText("4:3");
  expect(await agent.toolNames()).toEqual([]);
  await expect(agent.exec("echo no")).rejects.toThrow("Unknown tool: exec");
  const { config } = await operator.rpc.call("app.status", {});
  expect(config).toMatchObject({ state: "broken", problems: [{ line: 4, column: 3 }] });
  expect(await place.read(place.paths.config)).toBe(brokenConfig);
  // An edit over the wire cannot overwrite what could not be read.
  await expect(
    operator.rpc.call("config.setPath", { path: "tools.profile", value: "minimal" }),
  ).rejects.toThrow();
  expect(await place.read(place.paths.config)).toBe(brokenConfig);

  await place.writeConfig(askingConfig);
  await until(
    async () => ((await agent.toolNames()).includes("exec") ? true : undefined),
    "the mended config to count",
  );
  await expect(banner).toHaveCount(0);
});

test("a config that breaks while running: the last good one stays and exec always asks", async ({
  start,
}) => {
  const { desktop, agent } = await start({
    config: `{ tools: { profile: "coding", exec: { security: "allowlist", ask: "on-miss" } } }`,
    approvals: `{ "version": 1, "agents": { "main": { "allowlist": [{ "pattern": "/usr/bin/uname" }] } } }`,
  });
  const { panel, place, operator } = desktop;
  expect((await agent.exec("uname")).isError).toBe(false);
  await place.writeConfig(brokenConfig);
  await expect(panel.getByText("The config cannot be read. Running on stricter defaults.")).toBeVisible();
  expect(await agent.toolNames()).toContain("exec");
  const answer = agent.exec("uname");
  const card = cardOn(panel);
  await expect(card.root).toContainText("uname");
  await card.deny.click();
  expect((await answer).isError).toBe(true);
  expect((await operator.rpc.call("app.status", {})).config.state).toBe("broken");
});

test("an approvals file that cannot be read acts as deny, is shown, and is never overwritten", async ({
  start,
}) => {
  const broken = `{ "version": 1, "agents": { "main": { "allowlist": [ { "pattern": "/usr/bin/uname" `;
  const { desktop, agent } = await start({ approvals: broken });
  const { panel, place, operator } = desktop;
  await expect(panel.getByText(/The approvals file cannot be read/)).toBeVisible();
  const { text, isError } = await agent.exec("uname");
  expect(isError).toBe(true);
  expect(text).toMatch(/not executed|denied/i);
  await expect(operator.rpc.call("exec.approvals.allowlistAdd", { pattern: "/bin/ls" })).rejects.toThrow();
  expect(await place.read(place.paths.approvals)).toBe(broken);
  expect((await operator.rpc.call("app.status", {})).approvalsFile).toMatchObject({ state: "broken" });
});

test("settings that cannot be read leave the app usable on defaults, and the file as it was", async ({
  newPlace,
  launch,
}) => {
  const place = await newPlace({ settings: `{ ui: { theme: "purple" } }` });
  const desktop = await launch(place);
  await expect(desktop.panel.getByText(/A setting of Sallyport cannot be read/)).toBeVisible();
  expect(await place.read(place.paths.settings)).toBe(`{ ui: { theme: "purple" } }`);
});

test("unknown tools, hidden tools and bad arguments each get their own clear answer", async ({ start }) => {
  const { agent } = await start();
  await expect(agent.call("no_such_tool", {})).rejects.toThrow("Unknown tool: no_such_tool");
  await expect(agent.call("constructor", {})).rejects.toThrow("Unknown tool: constructor");
  // In the catalog, but hidden: word for word the same answer.
  await expect(agent.call("browser", { action: 7 })).rejects.toThrow("Unknown tool: browser");
  const invalid = await agent.call("exec", { command: 5, timeout: "soon" });
  expect(invalid).toMatchObject({ isError: true, details: { status: "invalid" } });
  expect(invalid.text).toContain("- command:");
  const empty = await agent.exec("   ");
  expect(empty).toMatchObject({ isError: true, text: expect.stringContaining("Provide a command") });
  const nowhere = await agent.call("process", { action: "poll", sessionId: "none" });
  expect(nowhere.text).toMatch(/none/);
});

test("a second start shows the first one's window and says so", async ({ newPlace, launch }) => {
  const place = await newPlace();
  const first = await launch(place);
  await first.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close());
  const second = await run(electronPath(), [...sandboxFlags, rootDir], { env: place.env, cwd: rootDir });
  expect(second.code).toBe(0);
  expect(second.stdout).toContain("Sallyport already runs on this state directory.");
  await expect
    .poll(() => first.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isVisible()))
    .toBe(true);
  expect(await first.operator.rpc.call("health", {})).toMatchObject({ ok: true });
});

test("a start beside a headless one on the same state directory is refused, both ways round", async ({
  newPlace,
  launch,
  launchWithoutWindow,
}) => {
  const place = await newPlace();
  const headless = await launchWithoutWindow(place);
  const said = await run(electronPath(), [...sandboxFlags, rootDir], {
    env: place.env,
    cwd: rootDir,
    // The dialog waits for a person; the sentence is on stderr at once.
    endWhen: (text) => text.includes("sallyport: Sallyport already runs"),
  });
  expect(said.stderr).toContain(place.stateDir);
  expect(await headless.operator.rpc.call("health", {})).toMatchObject({ ok: true });
  await headless.close();
  await launch(place);
  const refused = await run(process.execPath, [headlessEntry, "--json"], { env: place.env, cwd: rootDir });
  expect(refused.code).toBe(3);
  expect(refused.stderr).toContain("Sallyport already runs");
});

test("a port in use: the app goes on without its Gateway and says why; headless ends with the reason", async ({
  newPlace,
  later,
}) => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", () => resolve()));
  later(() => void taken.close());
  const address = taken.address();
  const port = String(typeof address === "object" ? address?.port : "");
  const place = await newPlace();
  const headless = await run(process.execPath, [headlessEntry, "--json"], {
    env: { ...place.env, OPENCLAW_GATEWAY_PORT: port },
    cwd: rootDir,
  });
  expect(headless.code).toBe(1);
  expect(headless.stderr).toContain(`Port ${port} on 127.0.0.1 is taken by another program`);

  const { _electron } = await import("@playwright/test");
  const app = await _electron.launch({
    executablePath: electronPath(),
    args: [...sandboxFlags, rootDir],
    env: { ...place.env, OPENCLAW_GATEWAY_PORT: port },
    cwd: rootDir,
  });
  later(() => app.close());
  const panel = await app.firstWindow();
  await expect(panel.getByRole("contentinfo")).toContainText(`Gateway off: Port ${port}`);
});

test("without a display npm start runs the same runtime headless and prints a URL that opens the panel once", async ({
  newPlace,
}) => {
  const place = await newPlace();
  const { DISPLAY: _none, ...env } = place.env;
  const started = await run(process.execPath, ["electron/dev/start.mjs"], {
    env: { ...env, npm_config_offline: "true" },
    cwd: rootDir,
    timeoutMs: 50_000,
    endWhen: (text) => text.includes("Ctrl+C ends it"),
  });
  const said = started.stdout + started.stderr;
  expect(said).toContain("There is no display.");
  expect(said).toMatch(/Panel, opens once within ten minutes: http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]+/);
});

test("commands in a terminal fail with a sentence and an exit code, not with a stack", async ({
  newPlace,
}) => {
  const place = await newPlace({ config: brokenConfig });
  const sallyport = (...args: string[]) =>
    run(process.execPath, ["electron/cli/bin.mjs", ...args], { env: place.env, cwd: rootDir });
  const invalid = await sallyport("config", "validate");
  expect(invalid.code).not.toBe(0);
  expect(invalid.stdout + invalid.stderr).toContain("4:3");
  const unknown = await sallyport("no-such-command");
  expect(unknown.code).not.toBe(0);
  expect(unknown.stderr).toContain("no-such-command");
  const nobody = await sallyport("approvals", "pending");
  expect(nobody.code).not.toBe(0);
  for (const { stdout, stderr } of [invalid, unknown, nobody]) {
    expect(stdout + stderr).not.toMatch(/\n\s+at .*\.(js|ts|mjs):\d+/);
  }
});

test("headless on a broken config starts, and its tools are gone until it is mended", async ({
  newPlace,
  later,
}) => {
  const place = await newPlace({ config: brokenConfig });
  const headless = await launchHeadless(place);
  later(async () => void (await headless.close()));
  expect((await headless.operator.rpc.call("app.status", {})).config.state).toBe("broken");
});
