/** Input of the web_fetch tool. */

import { z } from "zod";
import { webArgs } from "../../../../shared/web/index.ts";

export const webFetchInput = z.preprocess(
  webArgs(["url", "extractMode", "maxChars", "offset"], ["maxChars", "offset"]),
  z.object({
    url: z.string().max(8192).describe("Full http or https address"),
    extractMode: z
      .enum(["markdown", "text"])
      .default("markdown")
      .describe("markdown keeps headings, lists and links; text keeps words only"),
    maxChars: z
      .number()
      .transform((value) => Math.max(100, Math.trunc(value)))
      .optional()
      .describe("Most characters of the answer, wrapper included; at least 100"),
    offset: z
      .number()
      .transform((value) => Math.max(0, Math.trunc(value)))
      .optional()
      .describe("Character of the page's text to start at, as named by an answer that was cut"),
  }),
);
