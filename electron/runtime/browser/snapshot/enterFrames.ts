/** Goes into the frames that a snapshot of a document shows, within bounds. */

import { messageOf } from "../../../../shared/errors/index.ts";
import type { TabState } from "./createSnapshotEngine.ts";
import type { FramePlace } from "./pageWorld.ts";
import { resolveInPlace } from "./resolveRef.ts";
import { enterBySelector } from "./scope.ts";

const MAX_FRAMES = 40;
const MAX_FRAME_DEPTH = 6;

/** Counts frames of one snapshot. */
export interface FrameBudget {
  left: number;
}

export function frameBudget(): FrameBudget {
  return { left: MAX_FRAMES };
}

export type Entered<Value> = { kind: "read"; value: Value } | { kind: "left"; why: string };

/** Reads what stands behind one `<iframe>`; a frame that cannot be read does not fail the page. */
export async function readFrame<Value>(
  tab: TabState,
  parent: FramePlace,
  ref: number,
  depth: number,
  budget: FrameBudget,
  read: (place: FramePlace) => Promise<Value>,
): Promise<Entered<Value>> {
  if (budget.left <= 0 || depth >= MAX_FRAME_DEPTH) return { kind: "left", why: "too many frames" };
  budget.left -= 1;
  try {
    const place = await tab.frames.enter(parent, ref, async () => {
      const { handle } = await resolveInPlace(tab.world, parent, { prefix: parent.prefix, number: ref });
      return handle;
    });
    if (place === null) return { kind: "left", why: "the frame shows no document" };
    return { kind: "read", value: await read(place) };
  } catch (error) {
    // A frame may go, crash or hang while its page is fine; its place in the text says so.
    return { kind: "left", why: `the frame could not be read: ${messageOf(error).slice(0, 120)}` };
  }
}

/** Scope of a snapshot: the main frame, or the one that a CSS selector names. */
export async function startPlace(tab: TabState, frameSelector: string | undefined): Promise<FramePlace> {
  const main = await tab.world.main();
  if (frameSelector === undefined) return main;
  return enterBySelector(tab, main, frameSelector);
}
