/** Input of the pdf tool. */

import { z } from "zod";
import { webArgs } from "../../../../shared/web/index.ts";

const reference = z.string().max(140_000_000);

export const pdfInput = z.preprocess(
  webArgs(["prompt", "pdf", "pdfs", "pages", "model", "maxBytesMb"], ["maxBytesMb"]),
  z.object({
    prompt: z
      .string()
      .max(50_000)
      .default("Analyze this PDF document: say what it is about and what it states.")
      .describe("What to find out"),
    pdf: reference
      .optional()
      .describe("Path in the workspace, file:// address, http or https address, or data: address"),
    pdfs: z
      .union([z.array(reference).max(1000), reference.transform((one) => [one])])
      .optional()
      .describe("Several of them, at most 10"),
    pages: z
      .union([z.string().max(1000), z.number().transform(String)])
      .optional()
      .describe("Pages to read, counted from 1: 3, 1-5 or 1,3,7-9; all when absent"),
    model: z.string().max(200).optional().describe("provider/model to ask instead of the configured one"),
    maxBytesMb: z.number().positive().optional().describe("Largest file, in MiB; 10 when absent"),
  }),
);
