/** A small JPEG of what a tab shows now, straight from the browser. */

import { withinTime } from "../actions/withinTime.ts";
import { type Tab, whenOwnSize, whileNudged } from "../tabs/tab.ts";

export interface SmallPicture {
  base64: string;
  width: number;
  height: number;
}

const widthPx = 320;
const quality = 55;
const sourceQuality = 75;
/** A tab in the background of a window may draw nothing at all. */
const limitMs = 8000;

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
  await whenOwnSize(tab);
  // Neither clip nor scale: for those Chromium gives the page another viewport for a moment, and live views show it.
  const { data } = await whileNudged(tab, () =>
    tab.cdp.send("Page.captureScreenshot", { format: "jpeg", quality: sourceQuality }),
  );
  const bytes = Buffer.from(data, "base64");
  const { Transformer } = await import("@napi-rs/image");
  const { width, height } = await new Transformer(bytes).metadata();
  const scale = Math.min(1, widthPx / Math.max(1, width));
  const size = {
    width: Math.max(1, Math.round(width * scale)),
    height: Math.max(1, Math.round(height * scale)),
  };
  const image = new Transformer(bytes);
  if (scale < 1) image.resize(size.width, size.height);
  const small = await image.jpeg(quality);
  return { base64: small.toString("base64"), ...size };
}
