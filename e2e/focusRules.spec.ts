/** A4 with a real window manager: the prompt's own window shows itself and leaves the focus where it was. */

import type { Page } from "@playwright/test";
import { type Card, cardOn, unlocked } from "./fixtures/card.ts";
import type { Desktop } from "./fixtures/desktop.ts";
import { expect, test } from "./fixtures/test.ts";
import { startManagedDisplay } from "./fixtures/windowManager.ts";

const raising = `{ ui: { language: "en", theme: "light", attention: "raise" } }`;

/** Another app's window: a second Sallyport on a place of its own, with the caret in a text field. */
async function openOtherApp(other: Desktop) {
  await other.open("/approvals/history");
  const field = other.panel.getByRole("searchbox");
  await field.click();
  await other.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.focus());
  await expect.poll(() => hasFocus(other.panel)).toBe(true);
  return field;
}

/**
 * The driver makes every page believe that it has the focus; here the truth counts. Switching that on and off again
 * in a session of our own takes it from the page for good.
 */
async function withRealFocus(desktop: Desktop, page: Page): Promise<void> {
  const session = await desktop.app.context().newCDPSession(page);
  for (const enabled of [true, false]) await session.send("Emulation.setFocusEmulationEnabled", { enabled });
}

const hasFocus = (page: Page) => page.evaluate(() => document.hasFocus());

const approvalWindowState = (desktop: Desktop) =>
  desktop.app.evaluate(({ BrowserWindow }) => {
    const window = BrowserWindow.getAllWindows().find((one) =>
      one.webContents.getURL().includes("approval-window"),
    );
    return { isVisible: window?.isVisible() ?? false, isFocused: window?.isFocused() ?? false };
  });

/** Where the middle of a button is on the screen. */
async function onScreen(desktop: Desktop, card: Card): Promise<[number, number]> {
  const box = await card.allow.boundingBox();
  const bounds = await desktop.app.evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows()
      .find((one) => one.webContents.getURL().includes("approval-window"))
      ?.getContentBounds(),
  );
  if (box === null || bounds === undefined) throw new Error("Allow is not on screen");
  return [Math.round(bounds.x + box.x + box.width / 2), Math.round(bounds.y + box.y + box.height / 2)];
}

test("the approval window shows without taking the focus, and the click that activates it does nothing else", async ({
  newPlace,
  launch,
  connect,
  later,
}) => {
  const display = await startManagedDisplay();
  later(() => display.stop());
  const desktop = await launch(await newPlace({ settings: raising }), { env: display.env });
  const other = await launch(await newPlace(), { env: display.env });
  const agent = await connect(desktop.operator);
  await withRealFocus(other, other.panel);
  const field = await openOtherApp(other);
  await display.type("half a sen");

  const answer = agent.exec("echo raised");
  const prompt = await desktop.approvalWindow();
  const card = cardOn(prompt);
  await withRealFocus(desktop, prompt);
  await expect(card.root).toContainText("echo raised");
  await expect.poll(() => approvalWindowState(desktop)).toEqual({ isVisible: true, isFocused: false });
  expect(await hasFocus(other.panel)).toBe(true);
  expect(await hasFocus(prompt)).toBe(false);
  await display.type("tence ");
  await display.press("Return", "space", "ctrl+shift+Return");
  await expect(field).toHaveValue("half a sentence  ");
  await unlocked(card);
  expect((await desktop.operator.request()).command).toBe("echo raised");

  // The first click only brings the window to the front.
  const [x, y] = await onScreen(desktop, card);
  await display.clickAt(x, y);
  await expect.poll(() => approvalWindowState(desktop)).toEqual({ isVisible: true, isFocused: true });
  expect((await desktop.operator.request()).command).toBe("echo raised");
  await expect.poll(() => isQuietOver(prompt)).toBe(true);
  // Beside the first place: two presses on one spot would be a double click, which never counts.
  await display.clickAt(x - 30, y);
  expect((await answer).text).toContain("raised");
  await expect.poll(() => approvalWindowState(desktop)).toMatchObject({ isVisible: false });
});

/** The page ignores presses for a moment after it got the focus; two frames and that moment have passed then. */
async function isQuietOver(page: Page): Promise<boolean> {
  const startedAtMs = Date.now();
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 300)));
  return Date.now() - startedAtMs >= 300;
}

test("closing the approval window denies the request it shows, and the next one shows it again", async ({
  newPlace,
  launch,
  connect,
  later,
}) => {
  const display = await startManagedDisplay();
  later(() => display.stop());
  const desktop = await launch(await newPlace({ settings: raising }), { env: display.env });
  const { app, operator } = desktop;
  const agent = await connect(operator);
  await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close());
  const first = agent.exec("echo closed");
  await operator.pending(1);
  const second = agent.exec("echo kept");
  await operator.pending(2);
  const card = cardOn(await desktop.approvalWindow());
  await expect(card.root).toContainText("echo closed");
  await expect.poll(() => approvalWindowState(desktop)).toMatchObject({ isVisible: true });
  await app.evaluate(({ BrowserWindow }) => {
    const windows = BrowserWindow.getAllWindows();
    windows.find((one) => one.webContents.getURL().includes("approval-window"))?.close();
  });
  expect((await first).isError).toBe(true);
  expect((await operator.request()).command).toBe("echo kept");
  expect(await approvalWindowState(desktop)).toMatchObject({ isVisible: false });
  const third = agent.exec("echo again");
  await expect.poll(() => approvalWindowState(desktop)).toMatchObject({ isVisible: true, isFocused: false });
  await expect(card.root).toContainText("echo kept");
  await card.deny.click();
  expect((await second).isError).toBe(true);
  await expect(card.root).toContainText("echo again");
  await card.deny.click();
  expect((await third).isError).toBe(true);
});
