/**
 * Pictures and pages for the panel. A client names a call and a place in it, never a path; the rules for files are asked
 * each time, and what goes out is pixels.
 */

import type { SallyportContract, ToolCallSnapshot } from "../../../shared/contract/index.ts";
import { AppError } from "../../../shared/errors/index.ts";
import type { Hardening } from "../../../shared/hardening/rules.ts";
import { type NamedMedia, namedMedia } from "../../../shared/media/index.ts";
import type { Handlers } from "../../../shared/rpc/index.ts";
import type { StartedCall } from "../calls/createCalls.ts";
import { createGate } from "../media/gate.ts";
import type { PdfReader } from "../media/pdf/pdfReader.ts";
import { pictureForPanel } from "../media/pictureCodec.ts";
import { mediaProblem } from "../media/problems.ts";
import { createRenderCache } from "../media/renderCache.ts";
import { parseReference, type Sources } from "../media/sources.ts";
import { sha256Hex } from "../storage/index.ts";

export type MediaMethods = Extract<keyof SallyportContract["methods"], `media.${string}`>;

/** The calls that are still kept. */
export interface KeptCalls {
  get(toolCallId: string): StartedCall | undefined;
  snapshot(toolCallId: string): ToolCallSnapshot | undefined;
}

export interface MediaHandlersDeps {
  /** Asked when somebody looks: calls are wired after the tools. */
  calls(): KeptCalls;
  sources: Sources;
  pdf: PdfReader;
  hardening(): Hardening;
}

type Picture = Omit<Awaited<ReturnType<Handlers<SallyportContract>["media.picture"]>>, "isChanged">;
type Page = Omit<Awaited<ReturnType<Handlers<SallyportContract>["media.pdfPage"]>>, "isChanged">;

/** What the image tool loads at most, and more than a document for reading has. */
const maxBytes = { picture: 100 * 1024 * 1024, document: 64 * 1024 * 1024 };
const maxCacheChars = 24 * 1024 * 1024;

export function createMediaHandlers(
  deps: MediaHandlersDeps,
): Pick<Handlers<SallyportContract>, MediaMethods> {
  // Loaded files are large, whoever asks for how many at once.
  const gate = createGate(2);
  const pictures = createRenderCache<Picture>(maxCacheChars);
  const pages = createRenderCache<Page>(maxCacheChars);

  const find = async (toolCallId: string, index: number, kind: NamedMedia["kind"]) => {
    const call = deps.calls().snapshot(toolCallId);
    const started = deps.calls().get(toolCallId);
    if (call === undefined || started === undefined) {
      throw new AppError("NOT_FOUND", "The call is no longer kept, so its files are not shown any more.");
    }
    if (call.state.kind !== "succeeded") throw nothingThere(kind);
    const outcome = await started.outcome;
    const details = outcome.kind === "result" && !outcome.isError ? outcome.details : null;
    const media = namedMedia(call.tool, details).at(index);
    if (media === undefined || media.kind !== kind) throw nothingThere(kind);
    if (!media.isFile) {
      throw new AppError(
        "NOT_FOUND",
        `This ${kind} came from an address. Nothing of it was kept, and nothing is loaded from outside to show it.`,
      );
    }
    return { call, media };
  };

  const load = async (
    { call, media }: Awaited<ReturnType<typeof find>>,
    signal: AbortSignal,
  ): Promise<{ bytes: Buffer; key: string; name: string; isChanged: boolean }> => {
    const { agentId, sessionKey } = call;
    const options = {
      what: media.kind,
      maxBytes: maxBytes[media.kind],
      // Addresses are refused above.
      maxDownloadBytes: 0,
      accept: "",
      context: { agentId, sessionKey, signal },
    };
    const { bytes } =
      media.origin === "kept"
        ? await deps.sources.loadKept(media.reference, options)
        : await deps.sources.load(parseReference(media.reference), options);
    const isChanged = media.sizeBytes !== null && media.sizeBytes !== bytes.length;
    return { bytes, key: sha256Hex(bytes), name: media.reference, isChanged };
  };

  return {
    "media.picture": async ({ toolCallId, index }, { signal }) => {
      const found = await find(toolCallId, index, "picture");
      return gate.run(async () => {
        const { bytes, key, name, isChanged } = await load(found, signal);
        const known = pictures.get(key);
        if (known !== undefined) return { ...known, isChanged };
        const { original, width, height, ...picture } = await pictureForPanel(bytes, {
          name,
          isWhiteBehind: deps.hardening().has("media.whiteBehind"),
          signal,
        });
        const shown: Picture = {
          ...pixels(picture.bytes, picture.mimeType),
          width,
          height,
          original: { width: original.width, height: original.height, sizeBytes: original.sizeBytes },
        };
        pictures.set(key, shown, shown.data.length);
        return { ...shown, isChanged };
      }, signal);
    },
    "media.pdfPage": async ({ toolCallId, index, page }, { signal }) => {
      const found = await find(toolCallId, index, "document");
      return gate.run(async () => {
        const { bytes, key, name, isChanged } = await load(found, signal);
        const pageKey = `${key} ${page}`;
        const known = pages.get(pageKey);
        if (known !== undefined) return { ...known, isChanged };
        const shown = await drawPage(deps.pdf, bytes, { page, name, signal });
        pages.set(pageKey, shown, shown.data.length);
        return { ...shown, isChanged };
      }, signal);
    },
  };
}

async function drawPage(
  pdf: PdfReader,
  bytes: Buffer,
  { page, name, signal }: { page: number; name: string; signal: AbortSignal },
): Promise<Page> {
  const { pageCount, title, pictures, missing, cuts } = await pdf.read(bytes, {
    pages: [page],
    maxPages: 1,
    maxTextChars: 0,
    // Whatever its text: drawn.
    drawBelowChars: 1,
    isByLine: true,
    isSharp: true,
    name,
    signal,
  });
  if (missing.length > 0) {
    throw new AppError("NOT_FOUND", `There is no page ${page}: the document has ${pageCount}.`);
  }
  const [picture] = pictures;
  if (picture === undefined) {
    throw cuts.includes("drawing")
      ? mediaProblem("no_codec", "Pages cannot be drawn here: @napi-rs/canvas is not installed.")
      : mediaProblem("heavy_pdf", `Page ${page} could not be drawn within its limits of time and size.`);
  }
  const { width, height, mimeType } = picture;
  return { ...pixels(picture.bytes, mimeType), width, height, page, pageCount, title };
}

function pixels(bytes: Uint8Array, mimeType: string) {
  const known = (["image/png", "image/jpeg", "image/gif"] as const).find((type) => type === mimeType);
  if (known === undefined) throw new AppError("INTERNAL", `A picture was encoded as ${mimeType}.`);
  return {
    data: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64"),
    mimeType: known,
  };
}

function nothingThere(kind: NamedMedia["kind"]) {
  return new AppError("NOT_FOUND", `The result of this call names no such ${kind}.`);
}
