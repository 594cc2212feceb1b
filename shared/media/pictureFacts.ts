/** Type, size and orientation of a picture from its first bytes, before anything is decoded. */

export type PictureType =
  | "image/png"
  | "image/jpeg"
  | "image/gif"
  | "image/webp"
  | "image/bmp"
  | "image/avif"
  | "image/heic";

export interface PictureFacts {
  type: PictureType;
  /** As stored, before the orientation is applied; null when the header does not say. */
  size: { width: number; height: number } | null;
  /** The file has an alpha channel, used or not. */
  hasAlpha: boolean;
  /** EXIF orientation, 1 to 8; 1 when there is none. */
  orientation: number;
}

/** The header is looked for in so many bytes: photos may carry a large preview in front. */
export const pictureHeaderBytes = 1_048_576;

/** @returns null when the bytes are no picture of a known type */
export function pictureFacts(bytes: Uint8Array): PictureFacts | null {
  const head = bytes.subarray(0, pictureHeaderBytes);
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  if (starts(head, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return pngFacts(head, view);
  if (starts(head, [0xff, 0xd8, 0xff])) return jpegFacts(head, view);
  if (latin(head, 0, 4) === "GIF8") {
    const size = head.length >= 10 ? sizeOf(view.getUint16(6, true), view.getUint16(8, true)) : null;
    return { type: "image/gif", size, hasAlpha: true, orientation: 1 };
  }
  if (latin(head, 0, 4) === "RIFF" && latin(head, 8, 12) === "WEBP") return webpFacts(head, view);
  if (latin(head, 0, 2) === "BM" && head.length >= 30) {
    const size = sizeOf(view.getInt32(18, true), Math.abs(view.getInt32(22, true)));
    return { type: "image/bmp", size, hasAlpha: view.getUint16(28, true) === 32, orientation: 1 };
  }
  if (latin(head, 4, 8) === "ftyp") return isoFacts(head, view);
  return null;
}

/** @returns width and height as a viewer shows them */
export function shownSize(facts: PictureFacts): { width: number; height: number } | null {
  if (facts.size === null || facts.orientation < 5) return facts.size;
  return { width: facts.size.height, height: facts.size.width };
}

function pngFacts(head: Uint8Array, view: DataView): PictureFacts {
  const type = "image/png";
  if (head.length < 29 || latin(head, 12, 16) !== "IHDR")
    return { type, size: null, hasAlpha: false, orientation: 1 };
  const colour = head[25] ?? 0;
  let hasAlpha = colour === 4 || colour === 6;
  let orientation = 1;
  for (let at = 8; at + 8 <= head.length; ) {
    const length = view.getUint32(at);
    const name = latin(head, at + 4, at + 8);
    if (name === "IDAT" || name === "IEND") break;
    if (name === "tRNS") hasAlpha = true;
    if (name === "eXIf") orientation = tiffOrientation(head.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  return { type, size: sizeOf(view.getUint32(16), view.getUint32(20)), hasAlpha, orientation };
}

function jpegFacts(head: Uint8Array, view: DataView): PictureFacts {
  const type = "image/jpeg";
  let orientation = 1;
  for (let at = 2; at + 4 <= head.length; ) {
    if (head[at] !== 0xff) {
      at += 1;
      continue;
    }
    const marker = head[at + 1] ?? 0;
    // Fill bytes and markers without a length.
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) {
      at += 2;
      continue;
    }
    if (marker === 0xd9 || marker === 0xda) break;
    const length = view.getUint16(at + 2);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame && at + 9 <= head.length) {
      const size = sizeOf(view.getUint16(at + 7), view.getUint16(at + 5));
      return { type, size, hasAlpha: false, orientation };
    }
    if (marker === 0xe1 && latin(head, at + 4, at + 10) === "Exif\0\0") {
      orientation = tiffOrientation(head.subarray(at + 10, at + 2 + length));
    }
    at += 2 + Math.max(2, length);
  }
  return { type, size: null, hasAlpha: false, orientation };
}

function webpFacts(head: Uint8Array, view: DataView): PictureFacts {
  const facts = { type: "image/webp", orientation: 1 } as const;
  const form = latin(head, 12, 16);
  if (form === "VP8X" && head.length >= 30) {
    const width = 1 + ((head[24] ?? 0) | ((head[25] ?? 0) << 8) | ((head[26] ?? 0) << 16));
    const height = 1 + ((head[27] ?? 0) | ((head[28] ?? 0) << 8) | ((head[29] ?? 0) << 16));
    return {
      type: "image/webp",
      size: sizeOf(width, height),
      hasAlpha: ((head[20] ?? 0) & 0x10) !== 0,
      orientation: webpOrientation(head, view),
    };
  }
  if (form === "VP8L" && head.length >= 25) {
    const bits = view.getUint32(21, true);
    const size = sizeOf((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
    return { ...facts, size, hasAlpha: (bits & 0x10000000) !== 0 };
  }
  if (form === "VP8 " && head.length >= 30) {
    const size = sizeOf(view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff);
    return { ...facts, size, hasAlpha: false };
  }
  return { ...facts, size: null, hasAlpha: false };
}

function webpOrientation(head: Uint8Array, view: DataView): number {
  for (let at = 12; at + 8 <= head.length; ) {
    const length = view.getUint32(at + 4, true);
    if (latin(head, at, at + 4) === "EXIF") {
      const body = head.subarray(at + 8, at + 8 + length);
      return tiffOrientation(latin(body, 0, 6) === "Exif\0\0" ? body.subarray(6) : body);
    }
    at += 8 + length + (length % 2);
  }
  return 1;
}

/** HEIC and AVIF: boxes of the ISO base media format; `ispe` holds the size of an item, the largest is the picture. */
function isoFacts(head: Uint8Array, view: DataView): PictureFacts | null {
  const brands = latin(head, 8, Math.min(64, head.length));
  const type = /avi[fs]/.test(brands)
    ? "image/avif"
    : /hei[cxms]|hev[cxms]|mif1|msf1/.test(brands)
      ? "image/heic"
      : null;
  if (type === null) return null;
  let size: PictureFacts["size"] = null;
  for (let at = 0; at + 20 <= Math.min(head.length, 65_536); at += 1) {
    if (head[at] !== 0x69 || latin(head, at, at + 4) !== "ispe") continue;
    const found = sizeOf(view.getUint32(at + 8), view.getUint32(at + 12));
    if (found !== null && (size === null || found.width * found.height > size.width * size.height))
      size = found;
  }
  return { type, size, hasAlpha: false, orientation: 1 };
}

/** @param tiff from its byte order on */
function tiffOrientation(tiff: Uint8Array): number {
  if (tiff.length < 14) return 1;
  const isLittle = latin(tiff, 0, 2) === "II";
  const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.byteLength);
  const start = view.getUint32(4, isLittle);
  if (start + 2 > tiff.length) return 1;
  const entries = view.getUint16(start, isLittle);
  for (let index = 0; index < entries; index += 1) {
    const at = start + 2 + index * 12;
    if (at + 12 > tiff.length) break;
    if (view.getUint16(at, isLittle) !== 0x0112) continue;
    const value = view.getUint16(at + 8, isLittle);
    return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}

function sizeOf(width: number, height: number): { width: number; height: number } | null {
  return width > 0 && height > 0 ? { width, height } : null;
}

function latin(bytes: Uint8Array, from: number, to: number): string {
  return String.fromCharCode(...bytes.subarray(from, to));
}

function starts(bytes: Uint8Array, wanted: readonly number[]): boolean {
  return wanted.every((byte, index) => bytes[index] === byte);
}
