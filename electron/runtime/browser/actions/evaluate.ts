/** Runs a script of the agent's on a page, within a time and a size. */

import type { ElementHandle, Page } from "playwright-core";
import { messageOf } from "../../../../shared/errors/index.ts";
import { clip } from "../../../../shared/files/index.ts";
import { browserProblem } from "../problems.ts";
import { actionProblem } from "./actionProblem.ts";
import { callIfFunction, inPage } from "./inPage.ts";
import { withinTime } from "./withinTime.ts";

/** The two take the same text, but their types do not agree on one signature. */
function run(subject: Page | ElementHandle, source: string): Promise<unknown> {
  const called = inPage(callIfFunction(source));
  return "mainFrame" in subject ? subject.evaluate(called, undefined) : subject.evaluate(called, undefined);
}

/** Characters of a result; more is cut by the tool with a note. */
const maxValueChars = 1_000_000;

/**
 * @param fn source of a function, called with the element when there is one, or an expression; promises are awaited
 * @returns JSON text; null when it gave nothing
 * @throws AppError evaluate_failed with the script's own error, busy_page when it did not end
 */
export async function evaluateOn(
  subject: Page | ElementHandle,
  fn: string,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  const limitMs = Math.max(1000, timeoutMs - 500);
  let value: unknown;
  try {
    value = await withinTime<unknown>(run(subject, fn), {
      timeoutMs: limitMs,
      signal,
      onTimeout: () =>
        browserProblem(
          "busy_page",
          `The script did not end within ${limitMs} ms. It may wait for something that never comes, or the page is busy.`,
        ),
    });
  } catch (error) {
    const problem = actionProblem(error, "The script", limitMs);
    if (problem.data?.kind !== "failed") throw problem;
    const own = messageOf(error).replace(/^[a-zA-Z]+\.evaluate: /, "");
    throw browserProblem(
      "evaluate_failed",
      `Invalid evaluate function: ${clip(own.split("\n    at ")[0] ?? own, 1000)}`,
      {
        cause: error,
      },
    );
  }
  if (value === undefined) return null;
  const text = JSON.stringify(value, (_key, item: unknown) =>
    typeof item === "bigint" ? String(item) : item,
  );
  return text === undefined ? null : clip(text, maxValueChars);
}
