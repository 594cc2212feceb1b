/** What answers by itself, and who may not ask: allowlist entries, a rule over a burst, a paused agent. */

import { readFile, writeFile } from "node:fs/promises";
import { openGallery } from "./fixtures/gallery.ts";
import { until } from "./fixtures/operator.ts";
import { expect, test } from "./fixtures/test.ts";

test.describe.configure({ timeout: 180_000 });

const size = { width: 1280, height: 800 };
const config = `{
  tools: { profile: "coding", exec: { security: "allowlist", ask: "on-miss" } },
  agents: { list: [{ id: "main", default: true }, { id: "helper" }] },
}
`;
const approvals = JSON.stringify({
  version: 1,
  agents: {
    "*": { allowlist: [{ pattern: "/opt/tools/*" }, { pattern: "rg" }] },
    main: {
      allowlist: [
        { pattern: "/usr/bin/uname" },
        { pattern: "/usr/bin/env" },
        {
          pattern: "/opt/tools/build",
          lastUsedAt: 1_700_000_000_000,
          lastUsedCommand: "/opt/tools/build --all",
        },
      ],
    },
  },
});

test("the allowlist: read, removed with two presses, added again, added by hand, unreadable", async ({
  start,
}) => {
  const { desktop, agent } = await start({ config, approvals }, size);
  const { panel, operator, place } = desktop;
  const gallery = await openGallery(desktop);
  expect((await agent.exec("uname -s")).isError).toBe(false);
  await desktop.open("/approvals/grants");
  await panel.getByRole("tab", { name: /^Allowlist/ }).click();
  const row = (pattern: string) =>
    panel.getByRole("row").filter({ has: panel.locator(".entry-pattern", { hasText: pattern }) });
  await expect(row("/usr/bin/uname")).toContainText("1 time since the start", { timeout: 20_000 });
  await expect(row("/usr/bin/uname")).toContainText("uname -s");
  await expect(row("/opt/tools/build")).toContainText("/opt/tools/* already covers it");
  await expect(row("rg")).toContainText("never matches: write the whole path of the program");
  await expect(row("/usr/bin/env")).toContainText("env can start any other program");
  await gallery.take("approvals-allowlist");
  await gallery.takeNarrow("approvals-allowlist");

  // By keyboard: the first press asks, the second removes, and the way back has the focus.
  await row("/usr/bin/uname").getByRole("button").focus();
  await panel.keyboard.press("Enter");
  await expect(row("/usr/bin/uname").getByRole("button")).toHaveText("Press again to remove");
  await gallery.take("approvals-allowlist-remove");
  await row("/usr/bin/uname").getByRole("button").focus();
  if ((await row("/usr/bin/uname").getByRole("button").textContent()) === "Remove")
    await panel.keyboard.press("Enter");
  await expect(row("/usr/bin/uname").getByRole("button")).toHaveText("Press again to remove");
  await panel.keyboard.press("Enter");
  const undo = panel.getByRole("button", { name: "Add again" });
  await expect(undo).toBeFocused();
  await expect(row("/usr/bin/uname")).toHaveCount(0);
  await panel.keyboard.press("Enter");
  await expect(row("/usr/bin/uname")).toContainText("by hand");

  const add = panel.getByRole("form", { name: "Add entry" });
  await add.getByRole("textbox", { name: "Program" }).fill("/bin/*");
  await expect(add).toContainText("covers every program in the folder");
  await gallery.take("approvals-allowlist-add");
  await add.getByRole("button", { name: "Add entry" }).click();
  expect(await readFile(place.paths.approvals, "utf8")).not.toContain("/bin/*");
  await add.getByRole("textbox", { name: "Program" }).fill("/usr/bin/df");
  await expect(add).toContainText("Nothing found against it.");
  await panel.keyboard.press("Enter");
  await expect(row("/usr/bin/df")).toContainText("by hand");

  await writeFile(place.paths.approvals, "{ broken");
  await expect(panel.locator(".error-state")).toContainText("exec-approvals.json cannot be read.");
  await expect(panel.getByRole("form")).toHaveCount(0);
  await gallery.take("approvals-allowlist-broken");
  expect(await readFile(place.paths.approvals, "utf8")).toBe("{ broken");
  const { entries } = await operator.rpc.call("ledger.list", { limit: 100 });
  expect(entries.map((entry) => entry.kind)).toEqual(
    expect.arrayContaining(["allowlist.added", "allowlist.removed"]),
  );
  expect(gallery.overflows()).toEqual([]);
});

test("a burst: a rule is previewed, read and saved; the agent is paused and resumed", async ({
  start,
  connect,
}) => {
  const { desktop, agent } = await start({ config, approvals }, size);
  const { panel, operator } = desktop;
  const gallery = await openGallery(desktop);
  const helper = await connect(operator, { name: "helper client", agentId: "helper" });
  const burst = [
    ...Array.from({ length: 10 }, (_, index) => agent.exec(`echo commit ${index}`)),
    agent.exec("echo commit 3 extra"),
    agent.exec("ls -l /srv"),
    ...Array.from({ length: 2 }, (_, index) => helper.exec(`echo commit ${index}`)),
  ];
  const pending = await operator.pending(14);
  await expect(panel.getByText(/14 waiting in/)).toBeVisible();
  await expect(panel.getByText(/^A rule would answer 10 of these/)).toBeVisible();
  await gallery.take("approvals-burst-acts");
  await panel.getByRole("button", { name: "Preview rule" }).click();
  const rule = panel.getByRole("region", { name: "Preview of a rule" });
  await expect(rule).toContainText("It would cover 10 of 14 waiting requests:");
  await expect(rule).toContainText("4 would still ask:");
  await expect(rule).toContainText("another agent (helper)");
  await expect(rule).toContainText("extra is one word more");
  const save = rule.getByRole("button", { name: /and save rule$/ });
  await expect(save).toHaveAttribute("aria-disabled", "true");
  await gallery.take("approvals-rule");
  await gallery.takeNarrow("approvals-rule");
  // Some rows are still folded: nothing is allowed that was not shown.
  expect((await operator.pending()).length).toBe(14);
  await rule
    .getByRole("button", { name: /^\d+ more$/ })
    .first()
    .click();
  for (const row of await rule.locator(".rule-row .cmd-end").all()) await row.scrollIntoViewIfNeeded();
  await expect(save).toHaveAttribute("aria-disabled", "false", { timeout: 20_000 });
  await gallery.take("approvals-rule-open");
  await expect(save).toHaveText("Allow 10 and save rule");
  await save.click();
  await until(async () => {
    const left = (await operator.rpc.call("approvals.list", {})).pending;
    return left.length === 4 ? left : undefined;
  }, "the ten covered requests were answered");
  const answers = await Promise.all(burst.slice(0, 10));
  expect(answers.every((answer) => !answer.isError)).toBe(true);
  // The rule answers the next one by itself.
  expect((await agent.exec("echo commit later")).isError).toBe(false);
  const covered = pending.filter(
    ({ command, agentId }) => /^echo commit \d$/.test(command) && agentId === "main",
  );
  const outcomes = await Promise.all(covered.map(async ({ id }) => (await operator.decision(id)).outcome));
  // The rule was saved with one of them; the others that were ticked ran once.
  expect(outcomes.sort()).toEqual(["allowed-always", ...Array.from({ length: 9 }, () => "allowed-once")]);

  await operator.rpc.call("approvals.pauseAgent", { agentId: "helper" });
  await expect(panel.getByRole("region", { name: "Agent helper is paused" })).toBeVisible();
  const denied = await helper.exec("echo commit 9");
  expect(denied.isError).toBe(true);
  expect(denied.text).toContain("paused by the operator");
  await desktop.open("/processes");
  const banner = panel.getByRole("region", { name: "Agent helper is paused" });
  await expect(banner).toContainText("1 was denied.");
  await gallery.take("approvals-paused");
  await gallery.takeNarrow("approvals-paused");
  expect((await operator.pending()).length).toBe(4);
  await banner.getByRole("button", { name: "Resume helper" }).click();
  await expect(banner).toHaveCount(0);
  for (const { id } of await operator.pending()) {
    await operator.rpc.call("approvals.resolve", { id, decision: "deny" });
  }
  await Promise.all(burst);
  const { entries } = await operator.rpc.call("ledger.list", { limit: 200 });
  expect(entries.map((entry) => entry.kind)).toEqual(
    expect.arrayContaining(["agent.paused", "agent.resumed", "grant.created"]),
  );
  expect(gallery.overflows()).toEqual([]);
});
