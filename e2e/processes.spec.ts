/** A background server that the agent starts: watched in the terminal view, polled, and ended with its whole tree. */

import { cardOn, unlocked } from "./fixtures/card.ts";
import { until } from "./fixtures/operator.ts";
import { expect, test } from "./fixtures/test.ts";

/** Unbuffered, so that the log comes line by line; a shell around it makes a tree of more than one process. */
const serverCommand = "echo starting; python3 -u -m http.server 0 --bind 127.0.0.1; echo stopped";

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

test("a background server: live log in its terminal, output for process poll, kill ends the tree", async ({
  start,
}) => {
  const { desktop, agent } = await start();
  const { panel, operator } = desktop;
  const started = agent.exec(serverCommand, { background: true });
  const card = cardOn(panel);
  await unlocked(card);
  await card.allow.click();
  const { details } = await started;
  expect(details).toMatchObject({ status: "running", sessionId: expect.any(String) });
  const { sessionId } = details;

  const polled = await until(async () => {
    const { text } = await agent.call("process", { action: "log", sessionId });
    return /port (\d+)/.exec(text)?.[1];
  }, "the server's port in its log");
  const response = await fetch(`http://127.0.0.1:${polled}/marker-for-the-log`);
  expect(response.status).toBe(404);

  await desktop.open("/processes");
  const tile = panel.getByRole("region", { name: /^Terminal of/ });
  await expect(tile.locator(".xterm-rows")).toContainText("Serving HTTP on 127.0.0.1");
  await expect(tile.locator(".xterm-rows")).toContainText("marker-for-the-log");
  // Live: a request that comes while somebody watches appears by itself.
  await fetch(`http://127.0.0.1:${polled}/second-look`);
  await expect(tile.locator(".xterm-rows")).toContainText("second-look");
  const { processes } = await operator.rpc.call("processes.list", {});
  const process = processes[0];
  expect(process).toMatchObject({ agentId: "main", state: { kind: "running" } });
  expect(process?.treeSize).toBeGreaterThanOrEqual(2);

  const poll = await agent.call("process", { action: "poll", sessionId });
  expect(poll.text).toContain("marker-for-the-log");
  const listed = await agent.call("process", { action: "list" });
  expect(listed.text).toContain(String(sessionId));

  await agent.call("process", { action: "kill", sessionId });
  await until(() => (isAlive(process?.pid ?? -1) ? undefined : true), "the shell to end");
  await until(
    () =>
      fetch(`http://127.0.0.1:${polled}/`).then(
        () => undefined,
        () => true,
      ),
    "the server to stop listening",
  );
  await expect(tile.getByRole("button", { name: /End tree/ })).toHaveCount(0);
});

test("a person ends a tree from the terminal view, and input reaches a program in a terminal", async ({
  start,
}) => {
  const { desktop, agent } = await start({
    config: `{ tools: { profile: "coding", exec: { security: "allowlist", ask: "on-miss" } } }`,
  });
  const { panel } = desktop;
  const started = agent.exec("read line; echo got:$line; sleep 300", { background: true, pty: true });
  const card = cardOn(panel);
  await unlocked(card);
  await card.allow.click();
  const { sessionId } = (await started).details;
  await desktop.open("/processes");
  const tile = panel.getByRole("region", { name: /^Terminal of/ });
  await tile.locator("textarea").focus();
  await panel.keyboard.type("typed by hand\n");
  await expect(tile.locator(".xterm-rows")).toContainText("got:typed by hand");
  await tile.getByRole("button", { name: /^End tree/ }).click();
  await panel
    .getByRole("dialog")
    .getByRole("button", { name: /^End tree/ })
    .click();
  await expect(tile).toContainText(/ended by|exit/);
  const { text } = await agent.call("process", { action: "poll", sessionId });
  expect(text).toContain("got:typed by hand");
});

test("quitting ends what runs; a process that outlives a crash is listed with adopt or end", async ({
  newPlace,
  launch,
  connect,
}) => {
  const place = await newPlace();
  const first = await launch(place);
  const agent = await connect(first.operator);
  const start = async (command: string) => {
    const started = agent.exec(command, { background: true });
    await first.operator.allow(await first.operator.request());
    await started;
    const { processes } = await first.operator.rpc.call("processes.list", {});
    return processes.find((process) => process.command === command)?.pid ?? -1;
  };
  const orderly = await start("sleep 301");
  expect(isAlive(orderly)).toBe(true);
  await first.close();
  expect(isAlive(orderly)).toBe(false);

  const second = await launch(place);
  const other = await connect(second.operator, { name: "second agent" });
  const started = other.exec("sleep 302", { background: true });
  await second.operator.allow(await second.operator.request());
  await started;
  const [left] = (await second.operator.rpc.call("processes.list", {})).processes;
  process.kill(second.pid, "SIGKILL");
  await until(() => (isAlive(second.pid) ? undefined : true), "the app to die");
  expect(isAlive(left?.pid ?? -1)).toBe(true);

  const third = await launch(place);
  await third.open("/processes");
  const survivor = third.panel.getByText("sleep 302").first();
  await expect(survivor).toBeVisible();
  await expect(third.panel.getByText(/1 survivor/).first()).toBeVisible();
  await third.panel
    .getByRole("button", { name: /^End tree/ })
    .first()
    .click();
  await third.panel
    .getByRole("dialog")
    .getByRole("button", { name: /^End tree/ })
    .click();
  await until(() => (isAlive(left?.pid ?? -1) ? undefined : true), "the survivor to end");
});
