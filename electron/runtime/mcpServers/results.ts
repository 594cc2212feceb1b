/** What a foreign tool gave back, as our tools give it: text marked as untrusted, pictures checked, the rest named. */

import { z } from "zod";
import { clip, sizeText } from "../../../shared/files/index.ts";
import { pictureFacts } from "../../../shared/media/index.ts";
import { neutralizeMarkers, wrapUntrusted } from "../../../shared/web/index.ts";
import type { ToolContent, ToolResult } from "../tools/defineTool.ts";
import { plainLine, withoutUnseen } from "./plainText.ts";

/** Loose: a block that this product does not know is named, not refused. */
export const callResultSchema = z.looseObject({
  content: z.array(z.looseObject({ type: z.string() })).default([]),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  isError: z.boolean().optional(),
});
export type RawCallResult = z.infer<typeof callResultSchema>;
type Block = RawCallResult["content"][number];

/** Characters of all text blocks together; the budget of the call path is larger and counts as well. */
const maxTextChars = 100_000;
const maxBlocks = 200;
const maxImages = 16;
const maxImageChars = 8 * 1024 * 1024;
const maxStructuredChars = 64 * 1024;
const maxStructuredDepth = 32;
const imageTypes: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** @param about names the server and the tool, for details */
export function toToolResult(raw: RawCallResult, about: { server: string; tool: string }): ToolResult {
  const pieces: ({ kind: "text"; text: string } | { kind: "note"; text: string })[] = [];
  const images: ToolContent[] = [];
  for (const block of raw.content.slice(0, maxBlocks)) {
    if (block.type === "text") pieces.push({ kind: "text", text: textOf(block, "text") });
    else if (block.type === "image") {
      const image = images.length < maxImages ? imageOf(block) : "one more picture than may be shown";
      if (typeof image === "string") pieces.push({ kind: "note", text: image });
      else images.push(image);
    } else pieces.push({ kind: "note", text: noteOf(block) });
  }
  if (raw.content.length > maxBlocks)
    pieces.push({ kind: "note", text: `${raw.content.length - maxBlocks} more blocks` });
  const isError = raw.isError === true;
  const text = pieces
    .map((piece) => (piece.kind === "text" ? piece.text : `[Not passed on: ${piece.text}]`))
    .join("\n");
  return {
    content: [
      ...(text === "" && images.length > 0 ? [] : [{ type: "text" as const, text: wrapped(text, isError) }]),
      ...images,
    ],
    details: {
      status: isError ? "error" : "ok",
      ...about,
      ...structuredOf(raw.structuredContent),
    },
    ...(isError ? { isError: true } : {}),
  };
}

/** @returns the text between the markers of untrusted content */
export function wrapped(text: string, isError: boolean): string {
  const clean = withoutUnseen(clip(text, maxTextChars));
  if (clean.trim() === "") return isError ? "The tool failed and gave no reason." : "The tool gave no text.";
  const cut = text.length > maxTextChars ? `\n[Cut here: ${text.length - maxTextChars} more characters]` : "";
  return wrapUntrusted(clean + cut, { source: "External", withWarning: false }).text.trimStart();
}

function textOf(block: Block, key: string): string {
  const value = block[key];
  return typeof value === "string" ? value : "";
}

/** @returns the picture, or what it was instead */
function imageOf(block: Block): ToolContent | string {
  const data = textOf(block, "data");
  const claimed = plainLine(textOf(block, "mimeType"), 60);
  if (data.length > maxImageChars) return `a picture of ${sizeText((data.length * 3) / 4)}, too large`;
  if (data === "" || data.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(data))
    return "a picture that is no base64";
  // The first bytes decide, not what the server says.
  const type = pictureFacts(Buffer.from(data.slice(0, 64 * 1024), "base64"))?.type;
  if (type === undefined || !imageTypes.has(type))
    return `a picture of an unknown kind (${claimed || "no type"})`;
  return { type: "image", data, mimeType: type };
}

function noteOf(block: Block): string {
  const mimeType = plainLine(textOf(block, "mimeType"), 60);
  const typed = mimeType === "" ? "" : ` (${mimeType})`;
  if (block.type === "audio") return `sound${typed}, ${sizeText((textOf(block, "data").length * 3) / 4)}`;
  if (block.type === "resource_link") {
    const name = plainLine(textOf(block, "name"), 120);
    return `a link to a resource${typed}: ${plainLine(textOf(block, "uri"), 300)}${name === "" ? "" : `, ${name}`}`;
  }
  if (block.type === "resource") return resourceNote(block.resource);
  return `a block of the type ${plainLine(block.type, 40)}`;
}

function resourceNote(value: unknown): string {
  const resource = z
    .looseObject({
      uri: z.string().default(""),
      mimeType: z.string().default(""),
      text: z.string().optional(),
      blob: z.string().optional(),
    })
    .safeParse(value);
  if (!resource.success) return "a resource that cannot be read";
  const { uri, mimeType, text, blob } = resource.data;
  const size = text === undefined ? ((blob?.length ?? 0) * 3) / 4 : Buffer.byteLength(text);
  const typed = mimeType === "" ? "" : ` (${plainLine(mimeType, 60)})`;
  return `a resource${typed}, ${sizeText(size)}: ${plainLine(uri, 300)}`;
}

/** Some clients show details to the model: no text in them may look like the end of what is marked as untrusted. */
function cleanText(text: string): string {
  return neutralizeMarkers(withoutUnseen(text));
}

/** Kept in details as the server gave it, as long as it is small and shallow; its texts are cleaned. */
function structuredOf(value: Record<string, unknown> | undefined): Record<string, unknown> {
  if (value === undefined) return {};
  let chars = 0;
  let isTooMuch = false;
  const clean = (item: unknown, depth: number): unknown => {
    if (chars > maxStructuredChars || depth > maxStructuredDepth) isTooMuch = true;
    if (isTooMuch) return null;
    if (typeof item === "string") {
      chars += item.length;
      return chars > maxStructuredChars ? null : cleanText(item);
    }
    chars += 6;
    if (Array.isArray(item)) return item.map((one) => clean(one, depth + 1));
    if (typeof item !== "object" || item === null) return item;
    return Object.fromEntries(
      Object.entries(item).map(([key, one]) => {
        chars += key.length;
        return [cleanText(key), clean(one, depth + 1)];
      }),
    );
  };
  const structuredContent = clean(value, 0);
  if (isTooMuch || chars > maxStructuredChars) return { structuredContentLeftOut: "tooLarge" };
  return { structuredContent };
}
