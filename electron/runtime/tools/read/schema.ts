/** Input of the read tool. */

import { z } from "zod";
import { readArgs } from "../../../../shared/files/index.ts";

export const readInput = z.preprocess(
  readArgs,
  z.object({
    path: z
      .string()
      .max(4096)
      .refine((path) => path.trim() !== "", "Give the path of the file to read.")
      .describe("File to read; relative paths start at the workspace"),
    offset: z.number().optional().describe("First line, counted from 1"),
    limit: z.number().optional().describe("Number of lines, at most 2000"),
  }),
);
