/** Google's pictures: one for each request, so several are asked for side by side. */

import { ratioOfSize } from "../../../../shared/media/index.ts";
import { listAt, textAt } from "../../tools/web_search/readJson.ts";
import { googleHeaders, googleUrl, withoutText } from "../models/google.ts";
import type { GeneratedPicture, Generator, GeneratorCall } from "./generatorTypes.ts";

/** @see ai.google.dev, Gemini API, image generation */
export const googleImages: Generator = {
  id: "google",
  label: "Google",
  models: ["gemini-3.1-flash-image-preview", "gemini-3-pro-image-preview"],
  timeoutMs: 60_000,
  async generate(call) {
    const tries = await Promise.allSettled(Array.from({ length: call.order.count }, () => generateOne(call)));
    const pictures = tries.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
    const failed = tries.find((one) => one.status === "rejected");
    // Some of them are better than none; the count in the answer says how many there are.
    if (pictures.length === 0 && failed !== undefined) throw failed.reason;
    return pictures.slice(0, call.order.count);
  },
};

async function generateOne({ service, order, send }: GeneratorCall): Promise<GeneratedPicture[]> {
  const fromSize = order.size === undefined ? null : ratioOfSize(order.size);
  const aspectRatio = order.aspectRatio ?? fromSize?.aspectRatio;
  const imageSize = order.resolution ?? fromSize?.resolution;
  const imageConfig = {
    ...(aspectRatio === undefined ? {} : { aspectRatio }),
    ...(imageSize === undefined ? {} : { imageSize }),
  };
  const answer = await send({
    url: googleUrl(service, order.model, order.isKeyInHeader),
    headers: googleHeaders(service, order.isKeyInHeader),
    body: {
      contents: [
        {
          role: "user",
          parts: [
            ...order.references.map(({ mimeType, base64 }) => ({ inlineData: { mimeType, data: base64 } })),
            { text: order.prompt },
          ],
        },
      ],
      generationConfig: {
        responseModalities: ["TEXT", "IMAGE"],
        ...(Object.keys(imageConfig).length > 0 ? { imageConfig } : {}),
      },
    },
  });
  const pictures = listAt(answer, "candidates")
    .flatMap((candidate) => listAt(candidate, "content", "parts"))
    .flatMap((part): GeneratedPicture[] => {
      const base64 = textAt(part, "inlineData", "data") ?? textAt(part, "inline_data", "data");
      return base64 === undefined ? [] : [{ bytes: Buffer.from(base64, "base64") }];
    });
  if (pictures.length === 0) throw withoutText(service, answer);
  return pictures;
}
