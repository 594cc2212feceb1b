/** Input of the image_generate tool. */

import { z } from "zod";
import { aspectRatios, resolutions } from "../../../../shared/media/index.ts";
import { webArgs } from "../../../../shared/web/index.ts";

const reference = z.string().max(140_000_000);
const names = [
  "action",
  "prompt",
  "image",
  "images",
  "model",
  "filename",
  "size",
  "aspectRatio",
  "resolution",
  "count",
];

export const imageGenerateInput = z.preprocess(
  webArgs(names, ["count"]),
  z.object({
    action: z
      .enum(["generate", "list"])
      .default("generate")
      .describe("generate makes pictures; list names the services and what they can do"),
    prompt: z.string().max(32_000).optional().describe("What the picture shows; needed to generate"),
    image: reference
      .optional()
      .describe("A picture to start from: path, file://, http, https or data: address"),
    images: z
      .union([z.array(reference).max(1000), reference.transform((one) => [one])])
      .optional()
      .describe("Several of them, at most 5 in all"),
    model: z.string().max(200).optional().describe("provider/model to use instead of the configured one"),
    filename: z.string().max(200).optional().describe("Hint for the name of the file"),
    size: z
      .string()
      .regex(/^\d{2,5}x\d{2,5}$/, "Write the size as 1024x1024.")
      .optional()
      .describe("Width and height in pixels, as 1024x1536"),
    aspectRatio: z.enum(aspectRatios).optional().describe("Shape, instead of a size"),
    resolution: z
      .preprocess((value) => (typeof value === "string" ? value.toUpperCase() : value), z.enum(resolutions))
      .optional()
      .describe("How large: 1K, 2K or 4K"),
    count: z
      .number()
      .transform(Math.trunc)
      .pipe(z.number().min(1).max(4))
      .default(1)
      .describe("Number of pictures, 1 to 4"),
  }),
);
