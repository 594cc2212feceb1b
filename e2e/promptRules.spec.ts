/** The rules that make the prompt safe to click (A2–A5, A15), each met on purpose. */

import type { Page } from "@playwright/test";
import { type Card, cardOn, unlocked } from "./fixtures/card.ts";
import type { Operator } from "./fixtures/operator.ts";
import { expect, test } from "./fixtures/test.ts";

const stillWaits = async (operator: Operator, count = 1) => {
  const { pending } = await operator.rpc.call("approvals.list", {});
  expect(pending).toHaveLength(count);
};

/** Longer than any view is high, every line of it harmless. */
const longCommand = Array.from({ length: 200 }, (_, index) => `echo line-${index}`).join("\n");

async function isAllowLocked(card: Card): Promise<boolean> {
  return (await card.allow.getAttribute("aria-disabled")) === "true";
}

test("A2: focus begins on Deny, so Enter on arrival denies and never approves", async ({ start }) => {
  const { desktop, agent } = await start();
  const answer = agent.exec("echo enter");
  const card = cardOn(desktop.panel);
  await expect(card.deny).toBeFocused();
  const { id } = await desktop.operator.request();
  await desktop.panel.keyboard.press("Enter");
  expect((await answer).isError).toBe(true);
  expect(await desktop.operator.decision(id)).toMatchObject({ outcome: "denied", by: { kind: "person" } });
});

test("A2: Escape denies the request on screen and no other; a held key does not reach the next", async ({
  start,
}) => {
  const { desktop, agent } = await start();
  const { panel, operator } = desktop;
  const first = agent.exec("echo first");
  await operator.pending(1);
  const second = agent.exec("echo second");
  const [one, two] = await operator.pending(2);
  const card = cardOn(panel);
  await expect(card.deny).toBeFocused();
  await panel.keyboard.down("Escape");
  expect((await first).isError).toBe(true);
  await expect(card.root).toHaveAttribute("data-approval-id", two?.id ?? "");
  // The key is still down: its repeats belong to the request that has left.
  await panel.keyboard.down("Escape");
  await panel.keyboard.down("Escape");
  await panel.keyboard.up("Escape");
  await stillWaits(operator);
  expect(await operator.decision(one?.id ?? "")).toMatchObject({ outcome: "denied" });
  await card.deny.click();
  expect((await second).isError).toBe(true);
});

test("A2: clicks outside, closing the main window and going to the tray decide nothing", async ({
  start,
}) => {
  const { desktop, agent } = await start();
  const { app, panel, operator } = desktop;
  const answer = agent.exec("echo outside");
  const card = cardOn(panel);
  await expect(card.root).toBeVisible();
  await panel.getByRole("contentinfo").click();
  await panel
    .locator("header")
    .first()
    .click({ position: { x: 5, y: 5 } });
  await panel.getByRole("heading", { name: "Approvals", level: 2 }).click();
  await stillWaits(operator);
  const close = () =>
    app.evaluate(({ BrowserWindow }) => {
      const [window] = BrowserWindow.getAllWindows();
      window?.close();
      return window?.isVisible();
    });
  expect(await close()).toBe(false);
  await stillWaits(operator);
  // Starting the app again brings the window back, with the request.
  await app.evaluate(({ app: electron }) => void electron.emit("second-instance"));
  await expect
    .poll(() => app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isVisible()))
    .toBe(true);
  await unlocked(card);
  await card.allow.click();
  expect((await answer).isError).toBe(false);
});

test("A3: Allow is locked for 1.5 s with the reason beside it, while Deny is live at once", async ({
  start,
}) => {
  const { desktop, agent } = await start();
  const { panel, operator } = desktop;
  const answer = agent.exec("echo locked");
  const card = cardOn(panel);
  await card.root.waitFor();
  const shownAtMs = Date.now();
  expect(await isAllowLocked(card)).toBe(true);
  await expect(card.lockReason).toContainText(/Unlocks in \d\.\d s/);
  const described = await card.allow.getAttribute("aria-describedby");
  await expect(card.root.locator(`[id="${described}"]`)).toContainText("Unlocks in");
  await expect(card.deny).toHaveAttribute("aria-disabled", "false");
  // Pressing it all the same does nothing.
  await card.allow.click({ force: true });
  await panel.keyboard.press("Control+Shift+Enter");
  await stillWaits(operator);
  await unlocked(card);
  expect(Date.now() - shownAtMs).toBeGreaterThan(1200);
  await card.allow.click();
  expect((await answer).text).toContain("locked");
});

test("A3: a long command must have been seen to its end before Allow opens", async ({ start }) => {
  const { desktop, agent } = await start();
  const { panel, operator } = desktop;
  const answer = agent.exec(longCommand);
  const card = cardOn(panel);
  const scroller = card.root.locator("[data-command-scroll]");
  await expect(card.root.getByText(/more lines\. Scroll to the end to unlock Allow\./)).toBeVisible();
  await expect(card.lockReason).toHaveText("Unlocks after the last line was seen");
  expect(await isAllowLocked(card)).toBe(true);
  await card.allow.click({ force: true });
  await panel.keyboard.press("Control+Shift+Enter");
  await stillWaits(operator);
  // The facts and the bar stay in place while the command scrolls.
  await expect(card.deny).toBeInViewport();
  await expect(card.allow).toBeInViewport();
  await scroller.focus();
  await panel.keyboard.press("PageDown");
  expect(await isAllowLocked(card)).toBe(true);
  await panel.keyboard.press("End");
  await unlocked(card);
  await expect(card.lockReason).toContainText("Whole command seen");
  await card.allow.click();
  const { text, isError } = await answer;
  expect(isError).toBe(false);
  expect(text).toContain("line-199");
});

test("A1, A3: a command of 10 kB in one line is shown whole and wraps", async ({ start }) => {
  const { desktop, agent } = await start();
  const command = `echo ${"0123456789abcdef".repeat(640)}`;
  const answer = agent.exec(command);
  const card = cardOn(desktop.panel);
  const scroller = card.root.locator("[data-command-scroll]");
  await expect(scroller).toContainText(command.slice(-64));
  const { scrollWidth, clientWidth } = await scroller.evaluate((element) => ({
    scrollWidth: element.scrollWidth,
    clientWidth: element.clientWidth,
  }));
  expect(scrollWidth).toBeLessThanOrEqual(clientWidth);
  // A screen reader's way to the end counts too.
  await card.root.getByRole("button", { name: "End of the command" }).focus();
  await unlocked(card);
  await card.deny.click();
  expect((await answer).isError).toBe(true);
});

test("A4: a prompt that arrives while somebody types takes neither focus nor text", async ({ start }) => {
  const { desktop, agent } = await start();
  const { panel, operator } = desktop;
  await desktop.open("/approvals/history");
  const field = panel.getByRole("searchbox");
  await field.click();
  const typing = panel.keyboard.type("the quick brown fox jumps over the lazy dog", { delay: 25 });
  const answer = agent.exec("echo while typing");
  await operator.request();
  await typing;
  await panel.keyboard.press("Enter");
  await panel.keyboard.press("Control+Shift+Enter");
  await expect(field).toBeFocused();
  await expect(field).toHaveValue("the quick brown fox jumps over the lazy dog");
  await expect(panel.getByRole("link", { name: /Approvals/ }).first()).toContainText("1");
  await stillWaits(operator);
  await operator.rpc.call("approvals.resolve", { id: (await operator.request()).id, decision: "deny" });
  expect((await answer).isError).toBe(true);
});

test("A4: the note of one request is kept while another arrives", async ({ start }) => {
  const { desktop, agent } = await start();
  const { panel, operator } = desktop;
  const first = agent.exec("echo noted");
  const card = cardOn(panel);
  await card.denyWithNote.click();
  await panel.keyboard.type("not now ");
  const second = agent.exec("echo later");
  await operator.pending(2);
  await panel.keyboard.type("and not here");
  await panel.keyboard.press("Enter");
  await panel.keyboard.press("Control+Shift+Enter");
  await expect(card.note).toBeFocused();
  await expect(card.note).toHaveValue(/^not now and not here\n/);
  await stillWaits(operator, 2);
  await card.sendNote.click();
  expect((await first).text).toContain("not now and not here");
  await expect(card.root).toContainText("echo later");
  await expect(card.note).toHaveCount(0);
  await card.deny.click();
  expect((await second).isError).toBe(true);
});

test("A5: no single key allows; the chord allows once and stores nothing", async ({ start }) => {
  const { desktop, agent } = await start();
  const { panel, operator, place } = desktop;
  const answer = agent.exec("uname -n");
  const card = cardOn(panel);
  await unlocked(card);
  await card.always.click();
  for (const button of [card.allow, card.saveAlways]) {
    for (const key of ["Enter", "Space"]) {
      await button.focus();
      await panel.keyboard.press(key);
    }
  }
  for (const key of ["a", "y", "Control+Enter", "Shift+Enter", "Alt+a"]) {
    await card.root.focus();
    await panel.keyboard.press(key);
  }
  await stillWaits(operator);
  const { id } = await operator.request();
  await card.deny.focus();
  await panel.keyboard.press("Control+Shift+Enter");
  expect((await answer).isError).toBe(false);
  expect(await operator.decision(id)).toMatchObject({ outcome: "allowed-once", stored: [] });
  const file: unknown = await place.read(place.paths.approvals).then(JSON.parse, () => null);
  expect(JSON.stringify(file)).not.toContain("uname");
});

test("A8: deciding brings the next to the same place, with a fresh lock", async ({ start }) => {
  const { desktop, agent } = await start();
  const { panel, operator } = desktop;
  const first = agent.exec("echo one");
  await operator.pending(1);
  const second = agent.exec("echo two");
  await operator.pending(2);
  const card = cardOn(panel);
  await expect(card.root).toContainText("echo one");
  await unlocked(card);
  const place = await card.allow.boundingBox();
  if (place === null) throw new Error("Allow is not on screen");
  const middle = [place.x + place.width / 2, place.y + place.height / 2] as const;
  await panel.mouse.dblclick(...middle);
  expect((await first).text).toContain("one");
  // The second press of a double click lands on the next request and must not count.
  await expect(card.root).toContainText("echo two");
  await stillWaits(operator);
  await expect(card.lockReason).toContainText(/Unlocks/);
  await card.deny.click();
  expect((await second).isError).toBe(true);
});

test("A15: characters that hide or deceive are shown by name, and what runs is untouched", async ({
  start,
}) => {
  const { desktop, agent } = await start();
  const { panel } = desktop;
  const hostile = "a\u200Bb\u202Ec\u00A0d\u001B[31me";
  const answer = agent.exec(`printf %s '${hostile}' | od -An -tx1; gіt --version`);
  const card = cardOn(panel);
  const scroller = card.root.locator("[data-command-scroll]");
  for (const code of ["U+200B", "U+202E", "U+00A0", "U+001B"]) await expect(scroller).toContainText(code);
  // Nothing of the raw control text reaches the screen.
  const raw = await scroller.evaluate((element) => element.textContent);
  expect(raw).not.toMatch(/[\u200B\u202E\u001B]/);
  await expect(card.root).toContainText("Look-alike letters.");
  await expect(card.root).toContainText(/Cyrillic/);
  await unlocked(card);
  await card.allow.click();
  const { text } = await answer;
  const bytes = text.replace(/\s+/g, " ");
  expect(bytes).toContain("61 e2 80 8b 62 e2 80 ae 63 c2 a0 64 1b 5b 33 31 6d 65");
});

test("the prompt reads well: heading, command, facts, and buttons that say what they do", async ({
  start,
}) => {
  const { desktop, agent } = await start();
  const { panel } = desktop;
  const answer = agent.exec("uname -s");
  const card = cardOn(panel);
  await unlocked(card);
  await expect(card.root).toMatchAriaSnapshot(`
    - article "Run this on your computer?":
      - button "Deny"
      - button "Deny with note"
      - heading "Run this on your computer?" [level=2]
      - button "Copy"
      - group /Command, 8 characters/:
        - button "End of the command"
      - term: Runs as
      - term: Host
      - term: Folder
      - term: Programs
      - term: Env added
      - term: Rule
      - button "Allow once"
  `);
  await expect(panel.getByRole("status").filter({ hasText: "Allow is unlocked." })).toHaveCount(1);
  expect(await tabOrder(panel)).toEqual(["Deny", "Deny with note", "Copy", "Command", "End", "Allow once"]);
  await card.deny.click();
  expect((await answer).isError).toBe(true);
});

/** What Tab reaches from Deny on, by the first words of each name, up to Allow. */
async function tabOrder(panel: Page): Promise<string[]> {
  const known = ["Deny with note", "Deny", "Copy", "Command", "End", "Allow once"];
  const names: string[] = [];
  await cardOn(panel).deny.focus();
  for (let step = 0; step < 20 && names.at(-1) !== "Allow once"; step += 1) {
    const name = await panel.evaluate(() => {
      const element = document.activeElement;
      return element?.getAttribute("aria-label") ?? element?.textContent ?? "";
    });
    const found = known.find((word) => name.startsWith(word));
    if (found !== undefined) names.push(found);
    await panel.keyboard.press("Tab");
  }
  return names;
}
