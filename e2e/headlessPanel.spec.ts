/** The same panel from the headless Gateway in an ordinary browser: a URL that works once, and a decision there. */

import { chromium } from "@playwright/test";
import { cardOn, unlocked } from "./fixtures/card.ts";
import { chromiumPath, sandboxFlags } from "./fixtures/programs.ts";
import { expect, test } from "./fixtures/test.ts";

test("the printed URL opens the panel once, a request is approved in it, and others stay out", async ({
  newPlace,
  launchWithoutWindow,
  connect,
  later,
}) => {
  const headless = await launchWithoutWindow(await newPlace());
  const { operator, panelUrl } = headless;
  const agent = await connect(operator);
  // Nobody looks yet: the request is refused with the reason and the way out.
  const unseen = await agent.exec("echo nobody");
  expect(unseen).toMatchObject({ isError: true });
  expect(unseen.text).toMatch(/not executed/i);

  const browser = await chromium.launch({ executablePath: chromiumPath(), args: sandboxFlags });
  later(() => browser.close());
  const page = await browser.newPage();
  const problems: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(`${message.text()} ${message.location().url}`);
  });
  page.on("pageerror", (error) => problems.push(error.message));
  await page.goto(panelUrl ?? "");
  await expect(page.getByRole("contentinfo")).toContainText("Gateway 127.0.0.1");
  expect(page.url()).not.toContain("token=");

  const answer = agent.exec("echo from the browser");
  const card = cardOn(page);
  await expect(card.root).toContainText("echo from the browser");
  await unlocked(card);
  await card.allow.click();
  expect((await answer).text).toContain("from the browser");
  const { recent } = await operator.rpc.call("approvals.list", {});
  expect(recent[0]).toMatchObject({ outcome: "allowed-once", by: { kind: "person" } });
  expect(problems).toEqual([]);

  // A reload keeps the session; the URL itself is spent, in this browser and in any other.
  await page.reload();
  await expect(page.getByRole("contentinfo")).toContainText("Gateway 127.0.0.1");
  const stranger = await (await browser.newContext()).newPage();
  const again = await stranger.goto(panelUrl ?? "");
  expect(again?.status()).toBe(401);
  await expect(stranger.locator("body")).toContainText("used already");
  const stolen = await stranger.goto(page.url().split("#")[0] ?? "");
  expect(stolen?.status()).toBe(401);
});

test("an operator in the terminal counts as a person who can be asked", async ({
  newPlace,
  launchWithoutWindow,
  connect,
}) => {
  const { operator } = await launchWithoutWindow(await newPlace());
  await operator.rpc.call("approvals.attend", {});
  const agent = await connect(operator);
  const answer = agent.exec("echo attended");
  await operator.allow(await operator.request());
  expect((await answer).text).toContain("attended");
});
