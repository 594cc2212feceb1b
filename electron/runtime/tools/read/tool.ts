/** The read tool: text by pages within a budget, pictures by content. */

import {
  imageTypeOf,
  pathSpellings,
  readPages,
  sizeText,
  sniffedBytes,
  textProblemOf,
  tokenEstimate,
} from "../../../../shared/files/index.ts";
import { defineTool, type ToolCallContext } from "../defineTool.ts";
import type { FileDesk } from "../files/fileDesk.ts";
import type { Target } from "../files/locate.ts";
import { fileProblem } from "../files/problems.ts";
import { pictureResult } from "./picture.ts";
import { readInput } from "./schema.ts";

/** Memory for one call stays bounded; larger files are looked at in part with exec. */
const maxReadBytes = 32 * 1024 * 1024;

export function createReadTool(deps: { desk: FileDesk }) {
  const { desk } = deps;
  return defineTool({
    name: "read",
    title: "Read a file",
    description:
      "Reads a text file, or shows a PNG, JPEG, GIF or WebP picture. Long files come in part, with a note that names the offset to go on at. " +
      "Use offset and limit for a known range.",
    promptLine: "Read a file, whole or by line range",
    risk: "read",
    input: readInput,
    async execute(input, context) {
      const target = await findFile(desk, input.path, context);
      const { bytes } = await desk.read(target, maxReadBytes, context.signal);
      const imageType = imageTypeOf(bytes.subarray(0, sniffedBytes));
      if (imageType !== null) {
        const { hardening, maxPictureSide } = desk.deps;
        return pictureResult(input.path, bytes, {
          maxSide: maxPictureSide?.(),
          hardening: hardening(),
          context,
        });
      }
      requireText(desk, input.path, bytes);
      const text = bytes.toString("utf8");
      const hardening = desk.deps.hardening();
      const result = readPages({
        text,
        offset: input.offset,
        limit: input.limit,
        contextWindowTokens: desk.deps.contextWindowTokens?.(context),
        path: input.path,
        hardening,
      });
      if (!result.ok) {
        throw fileProblem(
          "offset_out_of_range",
          `There is no line ${result.offset}: ${input.path} has ${result.totalLines} lines. Use a smaller offset.`,
          { data: { path: input.path, totalLines: result.totalLines } },
        );
      }
      const { cut, truncation, totalLines } = result;
      return {
        content: [{ type: "text", text: result.text }],
        details: {
          path: input.path,
          sizeBytes: bytes.length,
          totalLines,
          tokenEstimate: tokenEstimate(result.text),
          ...(cut === null ? {} : { cut }),
          ...(truncation === null ? {} : { truncation }),
        },
      };
    },
  });
}

/** Tries the spellings that macOS gives to file names when the given one does not exist. */
async function findFile(desk: FileDesk, given: string, context: ToolCallContext): Promise<Target> {
  const options = { access: "read", isHeld: desk.deps.isWorkspaceOnly(context.agentId) } as const;
  const target = await desk.find(given, context, options);
  if (target.facts !== null) return target;
  for (const spelling of pathSpellings(target.path)) {
    const other = await desk.find(spelling, context, { ...options, isExact: true });
    if (other.facts !== null) return { ...other, given };
  }
  return target;
}

function requireText(desk: FileDesk, given: string, bytes: Buffer): void {
  const problem = textProblemOf(bytes);
  if (problem === null || !desk.deps.hardening().has("files.refuseBinary")) return;
  const what =
    problem === "utf16"
      ? "is UTF-16 text. Convert it first: iconv -f UTF-16 -t UTF-8"
      : `is no text (${sizeText(bytes.length)}). Look at it with exec: file, strings, xxd | head`;
  throw fileProblem("not_text", `${given} ${what}.`, { data: { path: given, sizeBytes: bytes.length } });
}
