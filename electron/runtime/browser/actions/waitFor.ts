/** Waits for what an agent names: time, text, an element, an address, a load state, a condition. */

import type { Page } from "playwright-core";
import { messageOf } from "../../../../shared/errors/index.ts";
import { clip } from "../../../../shared/files/index.ts";
import { browserProblem } from "../problems.ts";
import { actionProblem, isTimeout } from "./actionProblem.ts";
import type { WaitAct } from "./actTypes.ts";
import { callIfFunction, inPage } from "./inPage.ts";
import { pause, withinTime } from "./withinTime.ts";

/** In a tab in the background no frames are drawn, so conditions are looked at by time. */
const pollMs = 100;

/**
 * All conditions one after the other, each with its own limit.
 * @returns one line on what was waited for
 * @throws AppError slow_page that names the condition which did not come true
 */
export async function waitFor(page: Page, act: WaitAct, signal: AbortSignal | undefined): Promise<string> {
  const { timeoutMs } = act;
  const waited: string[] = [];
  const step = async (what: string, failure: string, work: () => Promise<unknown>) => {
    const slow = () => browserProblem("slow_page", `${failure} within ${timeoutMs} ms.`);
    try {
      await withinTime(work(), { timeoutMs: timeoutMs + 500, signal, onTimeout: slow });
    } catch (error) {
      throw isTimeout(error) ? slow() : actionProblem(error, what, timeoutMs);
    }
    waited.push(what);
  };
  const timeout = timeoutMs;

  if (act.timeMs !== undefined) {
    await pause(act.timeMs, signal);
    waited.push(`${act.timeMs} ms`);
  }
  if (act.text !== undefined) {
    const { text } = act;
    await step(`text ${quoted(text)}`, `The text ${quoted(text)} did not appear`, () =>
      page.getByText(text).first().waitFor({ state: "visible", timeout }),
    );
  }
  if (act.textGone !== undefined) {
    const { textGone } = act;
    await step(`end of text ${quoted(textGone)}`, `The text ${quoted(textGone)} did not go away`, () =>
      page.getByText(textGone).first().waitFor({ state: "hidden", timeout }),
    );
  }
  if (act.selector !== undefined) {
    const { selector } = act;
    await step(`selector ${clip(selector, 100)}`, `Nothing visible matched ${clip(selector, 100)}`, () =>
      page.locator(selector).first().waitFor({ state: "visible", timeout }),
    );
  }
  if (act.url !== undefined) {
    const { url } = act;
    await step(`address ${clip(url, 100)}`, `The address did not become ${clip(url, 200)}`, () =>
      page.waitForURL(url, { timeout, waitUntil: "commit" }),
    );
  }
  if (act.loadState !== undefined) {
    const { loadState } = act;
    await step(`load state ${loadState}`, `The page did not reach ${loadState}`, () =>
      page.waitForLoadState(loadState, { timeout }),
    );
  }
  if (act.fn !== undefined) {
    const { fn } = act;
    await step("the condition", "The condition did not become true", () =>
      untilTrue(page, fn, timeout, signal),
    );
  }
  return `Waited for ${waited.join(", ")}`;
}

/** Promises are awaited, and a document that is replaced meanwhile is asked anew. */
async function untilTrue(
  page: Page,
  fn: string,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const condition = inPage(callIfFunction(fn));
  const untilMs = performance.now() + timeoutMs;
  for (;;) {
    try {
      if (await page.evaluate(condition, undefined)) return;
    } catch (error) {
      if (!/Execution context was destroyed|Cannot find context/i.test(messageOf(error))) throw error;
    }
    if (performance.now() > untilMs) {
      throw Object.assign(new Error("the condition did not become true"), { name: "TimeoutError" });
    }
    await pause(pollMs, signal);
  }
}

function quoted(text: string): string {
  return JSON.stringify(clip(text, 100));
}
