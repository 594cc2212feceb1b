/** Pictures and documents that a finished call is about, as pixels: the panel never gets a file, and never names one. */

import { z } from "zod";
import { defineContract } from "../rpc/contract.ts";

const toolCallId = z.string().min(1).max(128);
/** Place in `namedMedia(tool, details)` of that call. */
const index = z.number().int().min(0).max(31);

/** PNG, JPEG or GIF, of bounded size. */
export const mediaPixels = z.object({
  /** base64 */
  data: z.string(),
  mimeType: z.enum(["image/png", "image/jpeg", "image/gif"]),
  /** Of these pixels; null when not even the header says. */
  width: z.number().int().nullable(),
  height: z.number().int().nullable(),
});
export type MediaPixels = z.infer<typeof mediaPixels>;

export const mediaContract = defineContract({
  methods: {
    /**
     * A picture as its file is now. NOT_FOUND when the call is no longer kept or names no such file, FORBIDDEN when the
     * rules for files no longer let it be read.
     */
    "media.picture": {
      scope: "operator.read",
      input: z.object({ toolCallId, index }),
      output: mediaPixels.extend({
        original: z.object({
          width: z.number().int().nullable(),
          height: z.number().int().nullable(),
          sizeBytes: z.number().int(),
        }),
        /** The file has another size than when the call ran. */
        isChanged: z.boolean(),
      }),
    },
    /** One page of a document, drawn. Errors as above; NOT_FOUND also for a page that it does not have. */
    "media.pdfPage": {
      scope: "operator.read",
      input: z.object({ toolCallId, index, page: z.number().int().min(1).max(100_000) }),
      output: mediaPixels.extend({
        page: z.number().int(),
        pageCount: z.number().int(),
        title: z.string().nullable(),
        isChanged: z.boolean(),
      }),
    },
  },
  events: {},
});
