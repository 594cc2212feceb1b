/** Input of the image tool. */

import { z } from "zod";
import { webArgs } from "../../../../shared/web/index.ts";

const reference = z.string().max(140_000_000);

export const imageInput = z.preprocess(
  webArgs(["prompt", "image", "images", "model", "maxBytesMb", "maxImages"], ["maxBytesMb", "maxImages"]),
  z.object({
    prompt: z.string().max(50_000).default("Describe the image.").describe("What to find out"),
    image: reference
      .optional()
      .describe("Path in the workspace, file:// address, http or https address, or data: address"),
    images: z
      .union([z.array(reference).max(1000), reference.transform((one) => [one])])
      .optional()
      .describe("Several of them, at most 20"),
    model: z.string().max(200).optional().describe("provider/model to ask instead of the configured one"),
    maxBytesMb: z.number().positive().optional().describe("Largest file, in MiB; 6 when absent"),
    maxImages: z.number().positive().optional().describe("Most pictures at once; 20 when absent"),
  }),
);
