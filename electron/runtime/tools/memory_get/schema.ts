/** Input of the memory_get tool. */

import { z } from "zod";
import { webArgs } from "../../../../shared/web/index.ts";

const lineNumber = z.number().transform((line) => Math.max(1, Math.trunc(line)));

export const memoryGetInput = z.preprocess(
  webArgs(["path", "from", "lines"], ["from", "lines"]),
  z.object({
    path: z.string("Give the path of a note.").max(4096).describe("Note to read, as memory_search names it"),
    from: lineNumber.optional().describe("First line, counted from 1"),
    lines: lineNumber
      .optional()
      .describe("Number of lines; absent: to the end, within the limit of one answer"),
  }),
);
