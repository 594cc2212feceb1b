/** Carries out one act on one page. */

import type { ElementHandle, Page } from "playwright-core";
import { clip } from "../../../../shared/files/index.ts";
import { browserProblem } from "../problems.ts";
import { actionProblem } from "./actionProblem.ts";
import { type Act, type FillField, keyDelayMs, slowTypingMs } from "./actTypes.ts";
import type { ElementFinder, FoundElement } from "./elements.ts";
import { evaluateOn } from "./evaluate.ts";
import { optionTexts, tagNameOf } from "./pageScripts.ts";
import { waitFor } from "./waitFor.ts";
import { pause } from "./withinTime.ts";

export interface PerformContext {
  page: Page;
  finder: ElementFinder;
  signal: AbortSignal | undefined;
  evaluateEnabled: boolean;
  /**
   * Told before anything happens, for the record and for a person's consent. A throw keeps it from happening.
   * @param detail what is typed, chosen or run
   */
  before(step: Act, element: FoundElement | null, detail: string | null): Promise<void>;
  closeTab(): Promise<void>;
  resize(width: number, height: number): Promise<void>;
}

/** `text`: one line on what was done. `value`: of evaluate, JSON text; null when it gave nothing. */
export interface Performed {
  text: string;
  value: string | null;
  /** Of a batch. */
  steps?: StepResult[];
}

export interface StepResult {
  kind: string;
  ok: boolean;
  text: string;
  value: string | null;
}

/** @throws AppError with `data.kind`; nothing else */
export async function perform(act: Act, context: PerformContext): Promise<Performed> {
  const { page, finder } = context;
  switch (act.kind) {
    case "click": {
      const element = await finder.find(act.element, act.timeoutMs);
      await context.before(act, element, null);
      const { handle } = element;
      await guarded(element.label, act.timeoutMs, async () => {
        if (act.delayMs > 0) {
          await handle.hover({ timeout: act.timeoutMs });
          await pause(act.delayMs, context.signal);
        }
        const options = { button: act.button, modifiers: act.modifiers, timeout: act.timeoutMs };
        await (act.doubleClick ? handle.dblclick(options) : handle.click(options));
      });
      return done(`${act.doubleClick ? "Double-clicked" : "Clicked"} ${element.label}`);
    }
    case "type": {
      const element = await finder.find(act.element, act.timeoutMs);
      await context.before(act, element, act.text);
      const limitMs = act.timeoutMs + (act.slowly ? slowTypingMs(act.text) : 0);
      await guarded(element.label, act.timeoutMs, async () => {
        if (act.slowly) {
          await element.handle.click({ timeout: act.timeoutMs });
          await element.handle.type(act.text, { delay: keyDelayMs, timeout: limitMs });
        } else await element.handle.fill(act.text, { timeout: act.timeoutMs });
        if (act.submit) await element.handle.press("Enter", { timeout: act.timeoutMs });
      });
      const length = Array.from(act.text).length;
      return done(
        `Typed ${length} characters into ${element.label}${act.submit ? " and pressed Enter" : ""}`,
      );
    }
    case "press":
      await context.before(act, null, act.key);
      await guarded(`Key ${act.key}`, 5000, () => page.keyboard.press(act.key, { delay: act.delayMs }));
      return done(`Pressed ${clip(act.key, 60)}`);
    case "hover": {
      const element = await finder.find(act.element, act.timeoutMs);
      await context.before(act, element, null);
      await guarded(element.label, act.timeoutMs, () => element.handle.hover({ timeout: act.timeoutMs }));
      return done(`The pointer is over ${element.label}`);
    }
    case "scrollIntoView": {
      const element = await finder.find(act.element, act.timeoutMs);
      await context.before(act, element, null);
      await guarded(element.label, act.timeoutMs, () =>
        element.handle.scrollIntoViewIfNeeded({ timeout: act.timeoutMs }),
      );
      return done(`Scrolled to ${element.label}`);
    }
    case "drag": {
      const start = await finder.find(act.start, act.timeoutMs);
      const end = await finder.find(act.end, act.timeoutMs);
      await context.before(act, start, `to ${end.label}`);
      await drag(page, start, end, act.timeoutMs);
      return done(`Dragged ${start.label} to ${end.label}`);
    }
    case "select": {
      const element = await finder.find(act.element, act.timeoutMs);
      await context.before(act, element, act.values.join(", "));
      await select(element, act.values, act.timeoutMs);
      return done(`Chose ${act.values.map((value) => clip(value, 60)).join(", ")} in ${element.label}`);
    }
    case "fill":
      return fill(act, context);
    case "resize":
      await guarded("The window", 5000, () => context.resize(act.width, act.height));
      return done(`The viewport is ${act.width} × ${act.height}`);
    case "wait":
      if (act.fn !== undefined && !context.evaluateEnabled) throw evaluateDisabled();
      return done(await waitFor(page, act, context.signal));
    case "evaluate": {
      if (!context.evaluateEnabled) throw evaluateDisabled();
      const element = act.ref === undefined ? null : await finder.byRef(act.ref);
      await context.before(act, element, act.fn);
      const value = await evaluateOn(element?.handle ?? page, act.fn, act.timeoutMs, context.signal);
      return { text: element === null ? "Evaluated on the page" : `Evaluated on ${element.label}`, value };
    }
    case "close":
      await context.before(act, null, null);
      await context.closeTab();
      return done("Closed the tab");
    case "batch":
      return batch(act, context);
  }
}

export function evaluateDisabled() {
  return browserProblem(
    "evaluate_disabled",
    "Running scripts on pages is switched off (browser.evaluateEnabled is false). Use snapshot, click, type and wait for text instead.",
  );
}

const done = (text: string): Performed => ({ text, value: null });

async function guarded(what: string, timeoutMs: number, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw actionProblem(error, what, timeoutMs);
  }
}

async function batch(act: Extract<Act, { kind: "batch" }>, context: PerformContext): Promise<Performed> {
  const steps: StepResult[] = [];
  for (const step of act.actions) {
    try {
      const { text, value } = await perform(step, context);
      steps.push({ kind: step.kind, ok: true, text, value });
    } catch (error) {
      if (context.signal?.aborted === true) throw error;
      const problem = actionProblem(error, step.kind, 0);
      steps.push({ kind: step.kind, ok: false, text: problem.message, value: null });
      if (act.stopOnError || isOver(problem.data?.kind)) break;
    }
  }
  const failed = steps.filter((step) => !step.ok).length;
  const skipped = act.actions.length - steps.length;
  const parts = [
    `${steps.length - failed} of ${act.actions.length} steps done`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} not tried`] : []),
  ];
  return { text: parts.join(", "), value: null, steps };
}

/** Going on makes no sense. */
function isOver(kind: unknown): boolean {
  return kind === "tab_closed" || kind === "page_crashed" || kind === "browser_dead" || kind === "paused";
}

/** In order, and the first failure says which fields were filled before it. */
async function fill(act: Extract<Act, { kind: "fill" }>, context: PerformContext): Promise<Performed> {
  const { fields, droppedFields: dropped, timeoutMs } = act;
  const filled: string[] = [];
  for (const field of fields) {
    let label = field.ref;
    try {
      const element = await context.finder.byRef(field.ref);
      label = element.label;
      await context.before(act, element, field.value === undefined ? "" : String(field.value));
      await fillField(element, field, timeoutMs);
    } catch (error) {
      const problem = actionProblem(error, label, timeoutMs);
      const rest = fields.length - filled.length - 1;
      const before =
        filled.length === 0 ? "No field was filled before it" : `Filled before it: ${filled.join(", ")}`;
      throw browserProblem(
        "failed",
        `${problem.message} ${before}${rest > 0 ? `; ${rest} not tried` : ""}.`,
        {
          cause: problem,
          data: { ...problem.data, filled: filled.length, problem: problem.data?.kind },
        },
      );
    }
    filled.push(label);
  }
  const left = dropped === 0 ? "" : ` ${dropped} without a ref were left out.`;
  return done(`Filled ${filled.join(", ")}.${left}`);
}

async function fillField(element: FoundElement, field: FillField, timeoutMs: number): Promise<void> {
  const { handle } = element;
  if (field.type === "checkbox" || field.type === "radio") {
    const wanted = [true, 1, "1", "true"].some((value) => value === field.value);
    await handle.setChecked(wanted, { timeout: timeoutMs });
    return;
  }
  const text = field.value === undefined ? "" : String(field.value);
  const tag = await handle.evaluate(tagNameOf);
  if (tag === "SELECT") await select(element, [text], timeoutMs);
  else await handle.fill(text, { timeout: timeoutMs });
}

const shownOptions = 30;

/** Says at once which options there are instead of waiting for one that never comes. */
async function select(element: FoundElement, values: readonly string[], timeoutMs: number): Promise<void> {
  const { handle, label } = element;
  // A page that fills its list from the network gets a moment.
  const patienceMs = Math.min(timeoutMs, 1500);
  try {
    await handle.selectOption([...values], { timeout: patienceMs });
  } catch (error) {
    const problem = actionProblem(error, label, timeoutMs);
    if (problem.data?.kind !== "no_option") throw problem;
    const options = await optionsOf(handle);
    const more = options.length > shownOptions ? ` and ${options.length - shownOptions} more` : "";
    const list = options.slice(0, shownOptions).map((option) => JSON.stringify(clip(option, 80)));
    throw browserProblem(
      "no_option",
      `${label} has no option ${values.map((value) => JSON.stringify(clip(value, 80))).join(", ")}. It has: ${list.join(", ") || "none"}${more}.`,
      { cause: error },
    );
  }
}

async function optionsOf(handle: ElementHandle): Promise<string[]> {
  return (await handle.evaluate(optionTexts)) as string[];
}

/** With real mouse moves, so that both kinds of dragging on pages work. */
async function drag(page: Page, start: FoundElement, end: FoundElement, timeoutMs: number): Promise<void> {
  await guarded(start.label, timeoutMs, async () => {
    await start.handle.hover({ timeout: timeoutMs });
    await page.mouse.down();
  });
  try {
    await guarded(end.label, timeoutMs, async () => {
      await end.handle.scrollIntoViewIfNeeded({ timeout: timeoutMs });
      const box = await end.handle.boundingBox();
      if (box === null) throw browserProblem("not_visible", `${end.label} is not visible.`);
      const x = box.x + box.width / 2;
      const y = box.y + box.height / 2;
      // Pages begin a drag with the first moves; one jump is not seen as dragging.
      await page.mouse.move(x, y, { steps: 6 });
      await page.mouse.move(x, y);
    });
  } finally {
    await page.mouse.up();
  }
}
