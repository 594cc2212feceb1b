/** Brings a picture to a size that models and windows take, and draws the refs of a snapshot on it. */

import type { Transformer as TransformerOf } from "@napi-rs/image";
import { browserProblem } from "../problems.ts";

export interface Picture {
  bytes: Buffer;
  mimeType: "image/png" | "image/jpeg";
  width: number;
  height: number;
}

const maxBytes = 5 * 1024 * 1024;
const sides = [2000, 1800, 1600, 1400, 1200, 1000, 800] as const;
const qualities = [85, 75, 65, 55, 45, 35] as const;

/** Loaded when the first picture is made: most sessions need none. */
async function transformer(bytes: Buffer): Promise<TransformerOf> {
  const { Transformer } = await import("@napi-rs/image");
  return new Transformer(bytes);
}

/**
 * At most `maxSide` pixels on each side and 5 MiB. A picture that fits is given back as it is; any other becomes a JPEG.
 * @throws AppError when nothing makes it small enough
 */
export async function normalizePicture(bytes: Buffer, maxSide = 2000): Promise<Picture> {
  const { width, height } = await (await transformer(bytes)).metadata();
  const isJpeg = bytes[0] === 0xff;
  const longest = Math.max(width, height);
  if (longest <= maxSide && bytes.length <= maxBytes) {
    return { bytes, mimeType: isJpeg ? "image/jpeg" : "image/png", width, height };
  }
  const tries = [
    ...new Set([Math.min(maxSide, longest), ...sides.filter((side) => side < Math.min(maxSide, longest))]),
  ];
  for (const side of tries) {
    const scale = Math.min(1, side / longest);
    const size = {
      width: Math.max(1, Math.round(width * scale)),
      height: Math.max(1, Math.round(height * scale)),
    };
    for (const quality of qualities) {
      const image = await transformer(bytes);
      if (scale < 1) image.resize(size.width, size.height);
      const made = await image.jpeg(quality);
      if (made.length <= maxBytes) return { bytes: made, mimeType: "image/jpeg", ...size };
    }
  }
  throw browserProblem(
    "failed",
    "The picture is too large even at the lowest quality. Take one of a part: give ref or element.",
  );
}

export interface Box {
  ref: string;
  x: number;
  y: number;
  width: number;
  height: number;
}

export const maxLabels = 150;
const labelColor = "#ffb020";

/** Draws a frame and the ref of each box; boxes are in pixels of the picture. The page itself is not touched. */
export async function drawLabels(picture: Picture, boxes: readonly Box[]): Promise<Picture> {
  const { createCanvas, loadImage } = await import("@napi-rs/canvas");
  const canvas = createCanvas(picture.width, picture.height);
  const context = canvas.getContext("2d");
  context.drawImage(await loadImage(picture.bytes), 0, 0);
  context.lineWidth = 2;
  context.font = "12px sans-serif";
  context.textBaseline = "top";
  for (const { ref, x, y, width, height } of boxes.slice(0, maxLabels)) {
    context.strokeStyle = labelColor;
    context.strokeRect(x, y, width, height);
    const labelWidth = context.measureText(ref).width + 6;
    const top = y >= 16 ? y - 16 : y;
    context.fillStyle = labelColor;
    context.fillRect(x, top, labelWidth, 16);
    context.fillStyle = "#1a1a1a";
    context.fillText(ref, x + 3, top + 2);
  }
  const bytes = canvas.toBuffer("image/jpeg", 85);
  return { bytes, mimeType: "image/jpeg", width: picture.width, height: picture.height };
}
