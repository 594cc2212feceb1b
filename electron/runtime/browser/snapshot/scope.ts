/** Snapshots of a part: `selector` and `frame`, which fail at once when nothing matches. */

import { browserProblem } from "../problems.ts";
import type { Frames } from "./frames.ts";
import type { FramePlace, PageWorld } from "./pageWorld.ts";

export function nothingMatches(what: "selector" | "frame", selector: string): Error {
  const shown = JSON.stringify(selector.slice(0, 120));
  return browserProblem(
    "bad_request",
    what === "frame"
      ? `No iframe matches ${shown}. Take a snapshot of the page to see its frames.`
      : `Nothing on the page matches the selector ${shown}. Take a snapshot without it to see what is there.`,
    { data: { what } },
  );
}

/** @throws AppError INVALID_INPUT when no iframe matches, or it shows nothing */
export async function enterBySelector(
  tab: { world: PageWorld; frames: Frames },
  parent: FramePlace,
  selector: string,
): Promise<FramePlace> {
  let ref: number | null;
  try {
    ref = (await tab.world.call(parent, "frameRef", { selector })).value.ref;
  } catch (cause) {
    throw isBadSelector(cause) ? badSelector(selector) : cause;
  }
  if (ref === null) throw nothingMatches("frame", selector);
  const place = await tab.frames.enter(parent, ref, () => parent.frame.$(selector));
  if (place === null) throw nothingMatches("frame", selector);
  return place;
}

export function isBadSelector(error: unknown): boolean {
  return error instanceof Error && /not a valid selector/i.test(error.message);
}

export function badSelector(selector: string): Error {
  return browserProblem(
    "bad_request",
    `${JSON.stringify(selector.slice(0, 120))} is not a valid CSS selector.`,
  );
}
