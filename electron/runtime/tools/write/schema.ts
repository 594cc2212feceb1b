/** Input of the write tool. */

import { z } from "zod";
import { writeArgs } from "../../../../shared/files/index.ts";

export const writeInput = z.preprocess(
  writeArgs,
  z.object({
    path: z
      .string()
      .max(4096)
      .refine((path) => path.trim() !== "", "Give the path of the file to write.")
      .describe("File to write; relative paths start at the workspace, missing folders are made"),
    content: z
      .string()
      .max(8 * 1024 * 1024)
      .describe("The whole new content, written as UTF-8 just as it is"),
  }),
);
