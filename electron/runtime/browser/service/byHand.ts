/** Mouse and keys of a person on the live view. */

import type { BrowserInput } from "../../../../shared/contract/index.ts";
import { actionProblem } from "../actions/actionProblem.ts";
import { withinTime } from "../actions/withinTime.ts";
import { browserProblem } from "../problems.ts";
import type { Tab } from "../tabs/tab.ts";

const mouseTypes = { down: "mousePressed", up: "mouseReleased", move: "mouseMoved" } as const;

const answerLimitMs = 5000;

/** @throws AppError busy_page when the page does not take it, bad_request for an unknown key */
export function inputByHand(tab: Tab, input: BrowserInput): Promise<void> {
  return withinTime(give(tab, input), {
    timeoutMs: answerLimitMs,
    onTimeout: () => browserProblem("busy_page", "The page does not answer to mouse and keys now."),
  });
}

async function give({ page, cdp }: Tab, input: BrowserInput): Promise<void> {
  switch (input.kind) {
    case "mouse":
      await cdp.send("Input.dispatchMouseEvent", {
        type: mouseTypes[input.type],
        x: input.x,
        y: input.y,
        button: input.type === "move" ? "none" : input.button,
        clickCount: input.clickCount,
      });
      return;
    case "wheel":
      await page.mouse.move(input.x, input.y);
      await page.mouse.wheel(input.deltaX, input.deltaY);
      return;
    case "key":
      await page.keyboard.press(input.key).catch((error: unknown) => {
        throw actionProblem(error, `Key ${input.key}`, 5000);
      });
      return;
    case "text":
      await page.keyboard.insertText(input.text);
  }
}
