/** Speech for a person: a text is spoken offline, the recording plays in the panel, and nothing comes from an address. */

import { chromium, type Page } from "@playwright/test";
import { chromiumPath, sandboxFlags } from "./fixtures/programs.ts";
import { expect, test } from "./fixtures/test.ts";

/** Plays what the settings say on request, by keyboard, and moves in it. */
async function hearASentence(panel: Page): Promise<void> {
  await panel.evaluate(() => {
    location.hash = "#/settings";
  });
  const speech = panel.getByRole("region", { name: "Speech" });
  await expect(speech).toContainText("Texts stay on this computer.");
  await speech.getByRole("button", { name: "Say something" }).click();
  await expect(speech).toContainText("Spoken by: This computer", { timeout: 30_000 });
  const play = speech.getByRole("button", { name: "Play the recording" });
  await play.focus();
  await panel.keyboard.press("Enter");
  const slider = speech.getByRole("slider", { name: "Position in the recording" });
  await expect(slider).toBeEnabled();
  const { source, seconds } = await speech.locator("audio").evaluate((audio: HTMLAudioElement) => ({
    source: audio.src,
    seconds: audio.duration,
  }));
  expect(source).toMatch(/^blob:/);
  expect(seconds).toBeGreaterThan(0.5);
  // It moves by itself, however slow this machine is; at its end the button says Play again.
  await expect
    .poll(() =>
      speech.locator("audio").evaluate((audio: HTMLAudioElement) => audio.played.length > 0 || audio.ended),
    )
    .toBe(true);
  await expect(play).toBeVisible({ timeout: 30_000 });
  await slider.focus();
  await panel.keyboard.press("ArrowRight");
  await expect(slider).toHaveAttribute("aria-valuetext", /^0:0\d of 0:0\d$/);
  await expect(speech.getByRole("alert")).toHaveCount(0);
}

test("a sentence is spoken offline and played in the app's window", async ({ newPlace, launch }) => {
  const { panel } = await launch(await newPlace());
  await hearASentence(panel);
});

test("and in an ordinary browser, from bytes alone", async ({ newPlace, launchWithoutWindow, later }) => {
  const { panelUrl } = await launchWithoutWindow(await newPlace());
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: sandboxFlags });
  later(() => browser.close());
  const page = await browser.newPage();
  const problems: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(message.text());
  });
  await page.goto(panelUrl ?? "");
  await hearASentence(page);
  expect(problems).toEqual([]);
});
