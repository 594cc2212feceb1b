/** Input of the code_execution tool. */

import { z } from "zod";
import { webArgs } from "../../../../shared/web/index.ts";

export const codeExecutionInput = z.preprocess(
  webArgs(["task"]),
  z.object({
    task: z
      .string()
      .max(100_000)
      .describe("What to compute or analyse, with all data it needs; the code sees no local files"),
  }),
);
