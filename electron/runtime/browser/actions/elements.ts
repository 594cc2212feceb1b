/** Finds the element that an act means, and says who it is. */

import type { ElementHandle, Page } from "playwright-core";
import { clip } from "../../../../shared/files/index.ts";
import type { SnapshotEngine } from "../browserTypes.ts";
import { browserProblem } from "../problems.ts";
import { actionProblem, isTimeout } from "./actionProblem.ts";
import type { ElementSpec } from "./actTypes.ts";
import { describeElement } from "./pageScripts.ts";

export interface FoundElement {
  handle: ElementHandle;
  /** null when it was found by a selector. */
  ref: string | null;
  role: string;
  /** Page text. */
  name: string;
  /** For messages: `button "Save" (e4)`. */
  label: string;
}

const maxNameChars = 80;

export function createElementFinder(page: Page, engine: SnapshotEngine) {
  const byRef = async (ref: string): Promise<FoundElement> => {
    const { handle, role, name } = await engine.resolve(page, ref);
    const short = bareRef(ref);
    return { handle, ref: short, role, name, label: labelOf(role, name, short) };
  };

  const bySelector = async (selector: string, timeoutMs: number): Promise<FoundElement> => {
    const locator = page.locator(selector);
    try {
      await locator.first().waitFor({ state: "attached", timeout: timeoutMs });
    } catch (error) {
      if (!isTimeout(error)) throw actionProblem(error, clip(selector, 200), timeoutMs);
      throw browserProblem(
        "nothing_matches",
        `Nothing on the page matches the selector ${clip(selector, 200)} within ${timeoutMs} ms. Take a snapshot and use a ref.`,
      );
    }
    const count = await locator.count();
    if (count > 1) {
      throw browserProblem(
        "ambiguous_selector",
        `Selector "${clip(selector, 200)}" matched ${count} elements. Take a snapshot and use the ref of the one you mean, or a narrower selector.`,
      );
    }
    const handle = await locator.elementHandle({ timeout: timeoutMs });
    const { role, name } = (await handle.evaluate(describeElement)) as { role: string; name: string };
    return { handle, ref: null, role, name, label: `${labelOf(role, name, null)} [${clip(selector, 80)}]` };
  };

  return {
    find: (spec: ElementSpec, timeoutMs: number): Promise<FoundElement> =>
      spec.by === "ref" ? byRef(spec.ref) : bySelector(spec.selector, timeoutMs),
    byRef,
  };
}

export type ElementFinder = ReturnType<typeof createElementFinder>;

/** `@e4`, `ref=e4` and `e4` are the same ref. */
export function bareRef(ref: string): string {
  return ref.trim().replace(/^(?:@|ref=)/, "");
}

function labelOf(role: string, name: string, ref: string | null): string {
  const flat = name.replace(/\s+/g, " ").trim();
  const shown = flat === "" ? "" : ` "${clip(flat, maxNameChars)}"`;
  return `${role}${shown}${ref === null ? "" : ` (${ref})`}`;
}
