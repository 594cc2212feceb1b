/** For tests: real pictures, drawn here. */

import { createCanvas } from "@napi-rs/canvas";
import { pictureFacts } from "../../../../shared/media/index.ts";

export interface PictureWish {
  width: number;
  height: number;
  /** Speckles that compress badly; 0: a plain picture with one red corner. */
  speckles?: number;
  /** Leaves the right half clear. */
  isClear?: boolean;
}

/** A red square in the top left corner, white (or clear) elsewhere. */
function draw({ width, height, speckles = 0, isClear = false }: PictureWish) {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext("2d");
  if (!isClear) {
    context.fillStyle = "#fff";
    context.fillRect(0, 0, width, height);
  }
  let seed = 7;
  const next = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed / 2_147_483_648;
  };
  for (let count = 0; count < speckles; count += 1) {
    context.fillStyle = `rgb(${Math.floor(next() * 255)} ${Math.floor(next() * 255)} ${Math.floor(next() * 255)})`;
    context.fillRect(next() * width, next() * height, 3, 3);
  }
  context.fillStyle = "#f00";
  context.fillRect(0, 0, Math.ceil(width / 4), Math.ceil(height / 4));
  return canvas;
}

/** With an alpha channel, as canvases have it. */
export const alphaPng = (wish: PictureWish): Buffer => draw(wish).toBuffer("image/png");

/** Without one. */
export async function opaquePng(wish: PictureWish): Promise<Buffer> {
  const { Transformer } = await import("@napi-rs/image");
  return new Transformer(await jpeg({ ...wish })).png();
}

/** @param orientation EXIF, 1 to 8; absent: no EXIF at all */
export async function jpeg(wish: PictureWish, orientation?: number): Promise<Buffer> {
  const plain = await draw(wish).encode("jpeg", 90);
  return orientation === undefined ? plain : withOrientation(plain, orientation);
}

export const webp = (wish: PictureWish): Promise<Buffer> => draw(wish).encode("webp", 90);

/** One pixel that moves nowhere, with as many bytes as wanted. */
export function gif(sizeBytes = 0): Buffer {
  const one = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");
  return Buffer.concat([one, Buffer.alloc(Math.max(0, sizeBytes - one.length))]);
}

function withOrientation(plain: Buffer, orientation: number): Buffer {
  const body = Buffer.concat([Buffer.from("Exif\0\0", "latin1"), tiffWith(orientation)]);
  const head = Buffer.from([0xff, 0xe1, 0, 0]);
  head.writeUInt16BE(body.length + 2, 2);
  return Buffer.concat([plain.subarray(0, 2), head, body, plain.subarray(2)]);
}

/** Smallest EXIF that says how the picture stands. */
function tiffWith(orientation: number): Buffer {
  const tiff = Buffer.alloc(26);
  tiff.write("II*\0", 0, "latin1");
  tiff.writeUInt32LE(8, 4);
  tiff.writeUInt16LE(1, 8);
  tiff.writeUInt16LE(0x0112, 10);
  tiff.writeUInt16LE(3, 12);
  tiff.writeUInt32LE(1, 14);
  tiff.writeUInt16LE(orientation, 18);
  return tiff;
}

export function pngWithOrientation(plain: Buffer, orientation: number): Buffer {
  const body = Buffer.concat([Buffer.from("eXIf", "latin1"), tiffWith(orientation)]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(body.length - 4, 0);
  frame.writeUInt32BE(crc32(body), 4);
  // Right behind the header chunk.
  return Buffer.concat([
    plain.subarray(0, 33),
    frame.subarray(0, 4),
    body,
    frame.subarray(4),
    plain.subarray(33),
  ]);
}

function crc32(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/** @param plain in the extended form, as pictures with alpha are written */
export function webpWithOrientation(plain: Buffer, orientation: number): Buffer {
  const tiff = tiffWith(orientation);
  const head = Buffer.alloc(8);
  head.write("EXIF", 0, "latin1");
  head.writeUInt32LE(tiff.length, 4);
  const whole = Buffer.concat([extended(plain), head, tiff]);
  whole.writeUInt32LE(whole.length - 8, 4);
  whole[20] = (whole[20] ?? 0) | 0x08;
  return whole;
}

function extended(plain: Buffer): Buffer {
  if (plain.subarray(12, 16).toString("latin1") === "VP8X") return Buffer.from(plain);
  // A lossless or lossy picture without extras gets the chunk that announces them.
  const size = pictureFacts(plain)?.size ?? { width: 1, height: 1 };
  const chunk = Buffer.alloc(18);
  chunk.write("VP8X", 0, "latin1");
  chunk.writeUInt32LE(10, 4);
  chunk.writeUIntLE(size.width - 1, 12, 3);
  chunk.writeUIntLE(size.height - 1, 15, 3);
  return Buffer.concat([plain.subarray(0, 12), chunk, plain.subarray(12)]);
}

/** A PNG that claims a size in its header; its pixels are missing. */
export function hollowPng(width: number, height: number): Buffer {
  const bytes = Buffer.from(alphaPng({ width: 1, height: 1 }));
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}

/** @returns red, green, blue at a place of an encoded picture */
export async function pixelAt(bytes: Buffer, x: number, y: number): Promise<[number, number, number]> {
  const { loadImage } = await import("@napi-rs/canvas");
  const image = await loadImage(bytes);
  const canvas = createCanvas(image.width, image.height);
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  const [red = 0, green = 0, blue = 0] = context.getImageData(x, y, 1, 1).data;
  return [red, green, blue];
}
