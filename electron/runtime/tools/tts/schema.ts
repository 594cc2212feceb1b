/** Input of the tts tool. */

import { z } from "zod";
import { webArgs } from "../../../../shared/web/index.ts";

export const ttsInput = z.preprocess(
  webArgs(["text", "channel"]),
  z.object({
    text: z
      .string()
      .min(1)
      .max(100_000)
      .describe("What to say, as plain words: it is spoken as it is, without shortening"),
    channel: z
      .string()
      .max(64)
      .optional()
      .describe("Message channel it is meant for, telegram for instance; picks the audio format"),
  }),
);
