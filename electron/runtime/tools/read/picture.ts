/** A picture as the read tool shows it: upright, small enough for models, with the factor for coordinates. */

import path from "node:path";
import { AppError } from "../../../../shared/errors/index.ts";
import { sizeText, tokenEstimate } from "../../../../shared/files/index.ts";
import type { Hardening } from "../../../../shared/hardening/rules.ts";
import { pictureFacts, resultStep } from "../../../../shared/media/index.ts";
import { pictureForResult, type ShownPicture } from "../../media/pictureCodec.ts";
import { withProgress } from "../../net/slowProgress.ts";
import type { ToolCallContext, ToolResult } from "../defineTool.ts";

/** Problems of the picture itself, of which the reference says so in a text instead of failing. */
const notedKinds: ReadonlySet<unknown> = new Set(["bad_picture", "too_large", "too_many_pixels"]);

/**
 * @param given the path as the model wrote it
 * @param maxSide `agents.defaults.imageMaxDimensionPx`; absent: 1200
 * @see tools-files-web-media.md 2
 */
export async function pictureResult(
  given: string,
  bytes: Buffer,
  options: { maxSide: number | undefined; hardening: Hardening; context: ToolCallContext },
): Promise<ToolResult> {
  const { hardening, context } = options;
  const name = path.basename(given);
  let picture: ShownPicture;
  try {
    picture = await withProgress(
      context.reportProgress,
      () => `Shrinking ${name}`,
      () =>
        pictureForResult(bytes, {
          name: given,
          maxSide: options.maxSide ?? resultStep.defaultSide,
          isWhiteBehind: hardening.has("media.whiteBehind"),
          signal: context.signal,
        }),
    );
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { kind } = error.data ?? {};
    // Without a codec the file itself is shown, when models take it.
    if (kind === "no_codec" && bytes.length <= resultStep.maxBytes) return untouched(given, bytes);
    if (!notedKinds.has(kind)) throw error;
    const text = `[The picture is left out: ${error.message}]`;
    return {
      content: [{ type: "text", text }],
      details: {
        path: given,
        sizeBytes: bytes.length,
        leftOut: kind,
        tokenEstimate: tokenEstimate(text),
      },
    };
  }
  const { mimeType, width, height, original } = picture;
  const size = width === null || height === null ? "" : `, ${width} x ${height}`;
  const lines = [
    `Picture ${name}: ${mimeType}${size}, ${sizeText(picture.bytes.length)}.`,
    ...scaleNote(picture, hardening),
  ];
  const text = lines.join("\n");
  return {
    content: [
      { type: "text", text },
      { type: "image", data: picture.bytes.toString("base64"), mimeType },
    ],
    details: {
      path: given,
      mimeType,
      sizeBytes: picture.bytes.length,
      ...(width === null || height === null ? {} : { width, height }),
      ...(picture.isReencoded ? { original } : {}),
      tokenEstimate: tokenEstimate(text),
    },
  };
}

function untouched(given: string, bytes: Buffer): ToolResult {
  const mimeType = pictureFacts(bytes)?.type ?? "image/png";
  const text = `Picture ${path.basename(given)}: ${mimeType}, ${sizeText(bytes.length)}.`;
  return {
    content: [
      { type: "text", text },
      { type: "image", data: bytes.toString("base64"), mimeType },
    ],
    details: { path: given, mimeType, sizeBytes: bytes.length, tokenEstimate: tokenEstimate(text) },
  };
}

/** How a place on the shown picture is found on the file. */
function scaleNote(picture: ShownPicture, hardening: Hardening): string[] {
  const { original, firstStep } = picture;
  const shown = hardening.has("media.finalScale") ? picture : firstStep;
  const isKnown =
    shown?.width != null && shown.height != null && original.width !== null && original.height !== null;
  if (!isKnown || original.width === null || shown?.width == null) return [];
  if (shown.width === original.width && shown.height === original.height) return [];
  const factor = original.width / shown.width;
  return [
    `[The file has ${original.width} x ${original.height} pixels and is shown as ${shown.width} x ${shown.height}. Multiply coordinates by ${factor.toFixed(2)} to find them in the file.]`,
  ];
}
