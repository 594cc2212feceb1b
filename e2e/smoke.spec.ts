import { cardOn, unlocked } from "./fixtures/card.ts";
import { expect, test } from "./fixtures/test.ts";

test("asks", async ({ start }) => {
  const { desktop, agent } = await start();
  await desktop.open("/approvals");
  const outcome = agent.exec("echo hello from here");
  const card = cardOn(desktop.panel);
  await expect(card.root).toBeVisible();
  await unlocked(card);
  await card.allow.click();
  expect((await outcome).text).toContain("hello from here");
  console.log(desktop.log().split("\n").filter((l) => !/bus.cc|viz_main|object_proxy/.test(l)).join("\n"));
});
