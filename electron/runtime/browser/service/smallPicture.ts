/** A small JPEG of what a tab shows now, straight from the browser. */

import { withinTime } from "../actions/withinTime.ts";
import type { Tab } from "../tabs/tab.ts";

export interface SmallPicture {
  base64: string;
  width: number;
  height: number;
}

const widthPx = 320;
const quality = 55;
/** A tab in the background of a window may draw nothing at all. */
const limitMs = 2000;

/** @returns null when the tab cannot be drawn now */
export async function smallPicture(tab: Tab): Promise<SmallPicture | null> {
  try {
    return await withinTime(take(tab), {
      timeoutMs: limitMs,
      onTimeout: () => new Error("no picture in time"),
    });
  } catch {
    // The page is going, hidden or busy: a strip of pictures may have a gap.
    return null;
  }
}

async function take(tab: Tab): Promise<SmallPicture> {
  const { cssVisualViewport: view } = await tab.cdp.send("Page.getLayoutMetrics");
  const scale = Math.min(1, widthPx / Math.max(1, view.clientWidth));
  const { data } = await tab.cdp.send("Page.captureScreenshot", {
    format: "jpeg",
    quality,
    clip: { x: view.pageX, y: view.pageY, width: view.clientWidth, height: view.clientHeight, scale },
  });
  return {
    base64: data,
    width: Math.round(view.clientWidth * scale),
    height: Math.round(view.clientHeight * scale),
  };
}
