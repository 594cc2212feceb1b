/** Try it: the whole loop by clicks on a first run, without any agent or key, and no rule left behind. */

import { cardOn, unlocked } from "./fixtures/card.ts";
import { expect, test } from "./fixtures/test.ts";

test("on a first run, Try it shows the loop: list, ask, allow, process, hidden tool, clean-up", async ({
  newPlace,
  launch,
}) => {
  const place = await newPlace({ config: null, settings: null });
  const { panel, operator } = await launch(place);
  const tryout = panel.getByRole("region", { name: "Try it without an agent" });
  await tryout.getByRole("button", { name: "Try it" }).click();
  const card = cardOn(panel);
  await expect(card.root).toContainText("uname -a");
  await expect(card.root).toContainText("tryout");
  // The scripted agent leaves no rule behind, so none is offered.
  await expect(card.always).toHaveCount(0);
  await expect(card.root).toContainText(/Always is not offered/);
  await unlocked(card);
  await card.allow.click();
  // The background process asks like everything else.
  await expect(card.root).toContainText("echo tick");
  await unlocked(card);
  await card.allow.click();
  const steps = tryout.getByRole("listitem");
  await expect(steps).toHaveCount(5);
  await expect(steps.nth(0)).toContainText("exec");
  await expect(steps.nth(1)).toContainText("Linux");
  await expect(steps.nth(3)).toContainText("Unknown tool: gateway");
  await expect(steps.nth(4)).toContainText("done", { timeout: 15_000 });
  for (const index of [0, 1, 2, 3]) await expect(steps.nth(index)).toContainText("done");
  await expect(tryout.getByRole("button", { name: "Try again" })).toBeVisible();

  expect((await operator.rpc.call("app.status", {})).runningProcesses).toBe(0);
  await expect(place.read(place.paths.config)).rejects.toThrow("ENOENT");
  const approvals = await place.read(place.paths.approvals).catch(() => "");
  expect(approvals).not.toContain("tryout");
  const { clients } = await operator.rpc.call("clients.list", {});
  expect(clients).toEqual([]);
  const { agents } = await operator.rpc.call("policy.contexts", {});
  expect(agents.map((agent) => agent.id)).not.toContain("tryout");
});

test("a denied Try it says so step by step, and stopping it ends what it started", async ({
  newPlace,
  launch,
}) => {
  const { panel, operator } = await launch(await newPlace({ config: null, settings: null }));
  const tryout = panel.getByRole("region", { name: "Try it without an agent" });
  await tryout.getByRole("button", { name: "Try it" }).click();
  const card = cardOn(panel);
  await expect(card.root).toContainText("uname -a");
  await card.deny.click();
  await expect(card.root).toContainText("echo tick");
  const { id } = await operator.request();
  await operator.rpc.call("tryout.stop", {});
  expect(await operator.decision(id)).toMatchObject({ outcome: "cancelled" });
  await expect(tryout.getByRole("listitem").nth(1)).toContainText("denied");
  expect((await operator.rpc.call("app.status", {})).runningProcesses).toBe(0);
});
