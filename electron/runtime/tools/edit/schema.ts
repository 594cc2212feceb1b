/** Input of the edit tool: a list of replacements; a single pair at the top is brought into it. */

import { z } from "zod";
import { editArgs } from "../../../../shared/files/index.ts";

const maxTextLength = 4 * 1024 * 1024;

export const editInput = z.preprocess(
  editArgs,
  z.strictObject({
    path: z
      .string()
      .max(4096)
      .refine((path) => path.trim() !== "", "Give the path of the file to change.")
      .describe("File to change; relative paths start at the workspace"),
    edits: z
      .array(
        z.strictObject({
          oldText: z
            .string()
            .max(maxTextLength)
            .refine((text) => text.trim() !== "", "oldText must hold more than white space.")
            .describe("Text to replace, as it stands in the file; it must occur exactly once"),
          newText: z.string().max(maxTextLength).describe("Text to put in its place; empty removes it"),
        }),
      )
      .min(1)
      .max(500)
      .describe("Replacements, all found in the file as it is now; they must not overlap"),
  }),
);
