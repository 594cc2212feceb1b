/** Input of the memory_search tool. */

import { z } from "zod";
import { maxQueryChars, maxResultsLimit } from "../../../../shared/memory/index.ts";
import { webArgs } from "../../../../shared/web/index.ts";

export const memorySearchInput = z.preprocess(
  webArgs(["query", "maxResults", "minScore"], ["maxResults", "minScore"]),
  z.object({
    query: z
      .string("Say in query what to look for.")
      .max(maxQueryChars)
      .describe("What to look for: names, words or a question, in the language of the notes"),
    maxResults: z
      .number()
      .optional()
      .transform((count) =>
        count === undefined ? undefined : Math.min(maxResultsLimit, Math.max(1, Math.trunc(count))),
      )
      .describe(`Passages to return, at most ${maxResultsLimit}; default 6`),
    minScore: z.number().min(0).max(1).optional().describe("Weakest match to return, 0 to 1; default 0.35"),
  }),
);
