/**
 * Decodes, turns, shrinks and encodes pictures. The work runs on the threads of libuv, never on the main thread, and
 * few pictures at a time, so that files and names are still served.
 */

import { messageOf } from "../../../shared/errors/index.ts";
import { sizeText } from "../../../shared/files/index.ts";
import {
  base64Length,
  fitWithin,
  maxPixels,
  modelQualities,
  modelSides,
  type PictureFacts,
  type PictureType,
  pictureFacts,
  readFirst,
  resultStep,
  shownSize,
  sidesFor,
} from "../../../shared/media/index.ts";
import { createGate } from "./gate.ts";
import { mediaProblem } from "./problems.ts";

export interface Picture {
  bytes: Buffer;
  mimeType: string;
  /** As shown; null when not even the header says. */
  width: number | null;
  height: number | null;
  original: { mimeType: PictureType; width: number | null; height: number | null; sizeBytes: number };
  /** The bytes are not those of the source. */
  isReencoded: boolean;
}

export interface CodecOptions {
  /** For messages: what the picture is called. */
  name: string;
  /** Clear parts become white in a JPEG; otherwise black. */
  isWhiteBehind: boolean;
  signal: AbortSignal;
}

type Codec = typeof import("@napi-rs/image");
type Size = { width: number; height: number };

/** One process, one gate: decoded pictures take up to a hundred megabytes each. */
const gate = createGate(2);
let loading: Promise<Codec> | null = null;

/**
 * What a vision model gets: everything but GIF is encoded anew, which drops hidden data and bounds the size.
 * @param maxBytes of the result; a GIF over it is refused
 * @throws AppError kind not_a_picture, bad_picture, too_many_pixels, too_large, no_codec
 * @see tools-files-web-media.md 7.2
 */
export async function pictureForModel(
  bytes: Buffer,
  options: CodecOptions & { maxBytes: number },
): Promise<Picture> {
  const { name, maxBytes } = options;
  const facts = requirePicture(bytes, name);
  if (facts.type === "image/gif") {
    if (bytes.length > maxBytes) throw tooLarge(name, bytes.length, maxBytes);
    return asItIs(bytes, facts);
  }
  requirePixels(facts, name);
  return gate.run(async () => {
    const work = await openPicture(bytes, facts, options);
    const sides = sidesFor(Math.max(work.size.width, work.size.height), modelSides);
    if (facts.type === "image/png" && facts.hasAlpha) {
      for (const side of sides) {
        const png = await work.png(side);
        if (png.bytes.length <= maxBytes) return done(png, "image/png", bytes, facts);
      }
    }
    for (const side of sides) {
      const jpeg = await bestJpeg(work, side, modelQualities, maxBytes);
      if (jpeg !== null) return done(jpeg, "image/jpeg", bytes, facts);
    }
    throw tooLarge(name, bytes.length, maxBytes);
  }, options.signal);
}

export interface ShownPicture extends Picture {
  /** Size after the first of the two steps, which the reference's note names. */
  firstStep: { width: number; height: number } | null;
}

/**
 * What `read` shows: turned upright, within two limits, untouched when it already is.
 * @param maxSide `agents.defaults.imageMaxDimensionPx`
 * @throws AppError as `pictureForModel`
 * @see tools-files-web-media.md 2
 */
export async function pictureForResult(
  bytes: Buffer,
  options: CodecOptions & { maxSide: number },
): Promise<ShownPicture> {
  const { name, maxSide } = options;
  const facts = requirePicture(bytes, name);
  if (facts.type === "image/gif") {
    // It may move, and there is no encoder for it: as it is, or not at all.
    if (bytes.length > resultStep.maxBytes) throw tooLarge(name, bytes.length, resultStep.maxBytes);
    return { ...asItIs(bytes, facts), firstStep: shownSize(facts) };
  }
  requirePixels(facts, name);
  const size = shownSize(facts);
  const isUsual = facts.type === "image/png" || facts.type === "image/jpeg" || facts.type === "image/webp";
  const longest = size === null ? Number.POSITIVE_INFINITY : Math.max(size.width, size.height);
  const isLight = base64Length(bytes.length) < readFirst.maxBase64Bytes;
  if (isUsual && facts.orientation === 1 && longest <= Math.min(readFirst.side, maxSide) && isLight) {
    return { ...asItIs(bytes, facts), firstStep: size };
  }
  return gate.run(async () => {
    const work = await openPicture(bytes, facts, options);
    // When the second step shrinks further anyway, only the size of the first one matters.
    const firstSize = fitWithin(work.size, readFirst.side);
    const isDecidedHere = Math.max(firstSize.width, firstSize.height) <= maxSide;
    const first = isDecidedHere ? await firstStep(work, name, bytes.length) : null;
    if (first !== null && first.bytes.length <= resultStep.maxBytes) {
      return { ...done(first, first.mimeType, bytes, facts), firstStep: sizeOnly(first) };
    }
    const reached = first ?? firstSize;
    const start = Math.min(maxSide, Math.max(reached.width, reached.height));
    for (const side of sidesFor(start, [start, ...resultStep.sides])) {
      const jpeg = await bestJpeg(work, side, resultStep.qualities, resultStep.maxBytes);
      if (jpeg !== null) return { ...done(jpeg, "image/jpeg", bytes, facts), firstStep: sizeOnly(reached) };
    }
    throw tooLarge(name, bytes.length, resultStep.maxBytes);
  }, options.signal);
}

const panelMaxBytes = 3 * 1024 * 1024;

/**
 * What a person looks at in the panel: new pixels, upright, with sharp edges where the file has them. A GIF stays as it
 * is, because the panel's sandboxed process is the better place to decode it.
 * @throws AppError as `pictureForModel`
 */
export async function pictureForPanel(bytes: Buffer, options: CodecOptions): Promise<Picture> {
  const { name } = options;
  const facts = requirePicture(bytes, name);
  requirePixels(facts, name);
  if (facts.type === "image/gif") {
    if (bytes.length > panelMaxBytes) throw tooLarge(name, bytes.length, panelMaxBytes);
    return asItIs(bytes, facts);
  }
  return gate.run(async () => {
    const work = await openPicture(bytes, facts, options);
    for (const side of sidesFor(Math.max(work.size.width, work.size.height), modelSides)) {
      const png = facts.type === "image/png" ? await work.png(side) : null;
      if (png !== null && png.bytes.length <= panelMaxBytes) return done(png, "image/png", bytes, facts);
      const jpeg = await bestJpeg(work, side, modelQualities, panelMaxBytes);
      if (jpeg !== null) return done(jpeg, "image/jpeg", bytes, facts);
    }
    throw tooLarge(name, bytes.length, panelMaxBytes);
  }, options.signal);
}

async function firstStep(work: OpenPicture, name: string, sizeBytes: number) {
  const isSmall = (encoded: Encoded) => base64Length(encoded.bytes.length) < readFirst.maxBase64Bytes;
  for (let side = Math.min(readFirst.side, Math.max(work.size.width, work.size.height)); side >= 1; ) {
    const png = await work.png(side);
    if (isSmall(png)) return { ...png, mimeType: "image/png" };
    for (const quality of readFirst.qualities) {
      const jpeg = await work.jpeg(side, quality);
      if (isSmall(jpeg)) return { ...jpeg, mimeType: "image/jpeg" };
    }
    side = Math.floor(side * readFirst.shrink);
  }
  throw tooLarge(name, sizeBytes, readFirst.maxBase64Bytes);
}

/** @returns the first quality that fits; null when not even the last one does, which is looked at second */
async function bestJpeg(
  work: OpenPicture,
  side: number,
  qualities: readonly number[],
  maxBytes: number,
): Promise<Encoded | null> {
  const [best = 80, ...others] = qualities;
  const first = await work.jpeg(side, best);
  if (first.bytes.length <= maxBytes) return first;
  const least = await work.jpeg(side, others.at(-1) ?? best);
  if (least.bytes.length > maxBytes) return null;
  for (const quality of others.slice(0, -1)) {
    const jpeg = await work.jpeg(side, quality);
    if (jpeg.bytes.length <= maxBytes) return jpeg;
  }
  return least;
}

interface Encoded extends Size {
  bytes: Buffer;
}

interface OpenPicture {
  /** Upright. */
  size: Size;
  png(side: number): Promise<Encoded>;
  jpeg(side: number, quality: number): Promise<Encoded>;
}

/** Decodes once per size: qualities start from the shrunk picture. */
async function openPicture(
  bytes: Buffer,
  facts: PictureFacts,
  { name, isWhiteBehind, signal }: CodecOptions,
): Promise<OpenPicture> {
  const codec = await loadCodec();
  const { Transformer, ResizeFit, FastResizeFilter, CompressionType, FilterType } = codec;
  // The boxes of AVIF and HEIC may turn the picture: only decoding tells its size.
  const isPlain = facts.type !== "image/avif" && facts.type !== "image/heic";
  const fromHeader = isPlain ? shownSize(facts) : null;
  const { size, orientation } =
    fromHeader === null
      ? await measured(codec, bytes, name)
      : { size: fromHeader, orientation: facts.orientation };
  const kept = new Map<string, Promise<Buffer>>();
  const once = (key: string, make: () => Promise<Buffer>) => {
    const made = kept.get(key) ?? make();
    kept.set(key, made);
    return made;
  };
  const guarded = async (make: () => Promise<Buffer>): Promise<Buffer> => {
    signal.throwIfAborted();
    try {
      return await make();
    } catch (cause) {
      throw mediaProblem(
        "bad_picture",
        `${name} cannot be decoded: it is damaged or of a kind that is not read here (${facts.type}). Give another file, PNG or JPEG for instance.`,
        { cause, data: { reason: messageOf(cause).slice(0, 200) } },
      );
    }
  };
  const resize = (picture: InstanceType<Codec["Transformer"]>, from: Size, to: Size) =>
    from.width === to.width && from.height === to.height
      ? picture
      : picture.fastResize({ ...to, fit: ResizeFit.Fill, filter: FastResizeFilter.Lanczos3 });
  const quickly = { compressionType: CompressionType.Fast, filterType: FilterType.Sub };
  // The first size that is asked for is the largest: the others are made from it, not from the source again.
  let base: { size: Size; bytes: Promise<Buffer> } | null = null;
  const shrunk = (target: Size): Promise<Buffer> => {
    base ??= {
      size: target,
      bytes: guarded(() => resize(new Transformer(bytes).rotate(orientation), size, target).png(quickly)),
    };
    const { size: baseSize, bytes: largest } = base;
    if (baseSize.width === target.width && baseSize.height === target.height) return largest;
    return once(`fast ${target.width}`, async () => {
      const from = await largest;
      return guarded(() => resize(new Transformer(from), baseSize, target).png(quickly));
    });
  };
  const final = (target: Size) =>
    once(`png ${target.width}`, async () => {
      const from = await shrunk(target);
      return guarded(() =>
        new Transformer(from).png({
          compressionType: CompressionType.Default,
          filterType: FilterType.Adaptive,
        }),
      );
    });
  /** Without clear parts. */
  const flat = (target: Size) =>
    facts.hasAlpha && isWhiteBehind
      ? once(`flat ${target.width}`, async () => {
          const top = await shrunk(target);
          return guarded(() => {
            const white = Buffer.alloc(target.width * target.height * 4, 255);
            return Transformer.fromRgbaPixels(white, target.width, target.height)
              .overlay(top, 0, 0)
              .png({ compressionType: CompressionType.Fast });
          });
        })
      : shrunk(target);
  return {
    size,
    async png(side) {
      const target = fitWithin(size, side);
      return { ...target, bytes: await final(target) };
    },
    async jpeg(side, quality) {
      const target = fitWithin(size, side);
      const source = await flat(target);
      return { ...target, bytes: await guarded(() => new Transformer(source).jpeg(quality)) };
    },
  };
}

/** For the rare header that does not say: decodes, within the memory limit of the codec. */
async function measured(
  codec: Codec,
  bytes: Buffer,
  name: string,
): Promise<{ size: Size; orientation: number }> {
  let found: { width: number; height: number; orientation?: number };
  try {
    found = await new codec.Transformer(bytes).metadata(true);
  } catch (cause) {
    throw mediaProblem(
      "bad_picture",
      `${name} cannot be decoded: it is damaged or of a kind that is not read here. Give another file, PNG or JPEG for instance.`,
      { cause },
    );
  }
  const { width, height, orientation = 1 } = found;
  if (width * height > maxPixels) throw tooManyPixels(name, width, height);
  return { size: orientation < 5 ? { width, height } : { width: height, height: width }, orientation };
}

/** Loaded at the first picture: a program without the codec still starts. */
async function loadCodec(): Promise<Codec> {
  loading ??= import("@napi-rs/image");
  try {
    return await loading;
  } catch (cause) {
    loading = null;
    throw mediaProblem("no_codec", "Pictures cannot be decoded here: @napi-rs/image is not installed.", {
      cause,
    });
  }
}

function requirePicture(bytes: Buffer, name: string): PictureFacts {
  const facts = pictureFacts(bytes);
  if (facts !== null) return facts;
  throw mediaProblem(
    "not_a_picture",
    `${name} is no picture (${kindOf(bytes)}). Give a PNG, JPEG, WebP or GIF.`,
    {
      data: { sizeBytes: bytes.length },
    },
  );
}

function requirePixels(facts: PictureFacts, name: string): void {
  const { size } = facts;
  if (size !== null && size.width * size.height > maxPixels)
    throw tooManyPixels(name, size.width, size.height);
}

function tooManyPixels(name: string, width: number, height: number) {
  return mediaProblem(
    "too_many_pixels",
    `${name} has ${width} x ${height} pixels; at most ${maxPixels / 1_000_000} million are decoded. Give a smaller copy.`,
    { data: { width, height, maxPixels } },
  );
}

function tooLarge(name: string, sizeBytes: number, maxBytes: number) {
  return mediaProblem(
    "too_large",
    `${name} has ${sizeText(sizeBytes)} and does not fit into ${sizeText(maxBytes)}, the most that is sent. Give a smaller copy.`,
    { data: { sizeBytes, maxBytes } },
  );
}

/** @returns what the bytes look like, for a message */
export function kindOf(bytes: Uint8Array): string {
  if (bytes.length === 0) return "the file is empty";
  const head = Buffer.from(bytes.subarray(0, 512)).toString("latin1");
  if (head.includes("%PDF-")) return "a PDF document; use the pdf tool";
  if (/^\s*<(?:!doctype|html)/i.test(head)) return "an HTML page";
  if (/<svg[\s>]/i.test(head)) return "an SVG drawing, which is text";
  if (head.startsWith("PK")) return "an archive or an office document";
  return bytes.subarray(0, 4096).includes(0) ? "unknown binary data" : "text";
}

function asItIs(bytes: Buffer, facts: PictureFacts): Picture {
  return { bytes, mimeType: facts.type, ...originalOf(bytes, facts), isReencoded: false };
}

function done(encoded: Encoded, mimeType: string, source: Buffer, facts: PictureFacts): Picture {
  const { width, height, bytes } = encoded;
  return { ...originalOf(source, facts), bytes, mimeType, width, height, isReencoded: true };
}

function originalOf(bytes: Buffer, facts: PictureFacts) {
  const { width = null, height = null } = shownSize(facts) ?? {};
  return { width, height, original: { mimeType: facts.type, width, height, sizeBytes: bytes.length } };
}

function sizeOnly({ width, height }: Size): Size {
  return { width, height };
}
