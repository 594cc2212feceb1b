/** fal's pictures: the answer names addresses to load them from. */

import { type Resolution, ratioOf } from "../../../../shared/media/index.ts";
import { joinUrl } from "../../net/serviceUrl.ts";
import { listAt, textAt } from "../../tools/web_search/readJson.ts";
import { badAnswer } from "../models/modelHttp.ts";
import type { GeneratedPicture, GenerateOrder, Generator } from "./generatorTypes.ts";

/** @see docs.fal.ai, model APIs, fal-ai/flux/dev */
export const falImages: Generator = {
  id: "fal",
  label: "fal",
  models: ["fal-ai/flux/dev"],
  timeoutMs: 180_000,
  async generate({ service, order, send, download }) {
    const [reference] = order.references;
    const isEdit = reference !== undefined && !order.model.endsWith("/image-to-image");
    const imageSize = imageSizeOf(order);
    const answer = await send({
      url: joinUrl(service.baseUrl, `${order.model}${isEdit ? "/image-to-image" : ""}`),
      headers: service.key === null ? {} : { authorization: `Key ${service.key}` },
      body: {
        prompt: order.prompt,
        num_images: order.count,
        output_format: "png",
        ...(imageSize === undefined ? {} : { image_size: imageSize }),
        ...(reference === undefined
          ? {}
          : { image_url: `data:${reference.mimeType};base64,${reference.base64}` }),
      },
    });
    const revisedPrompt = textAt(answer, "prompt");
    const pictures: GeneratedPicture[] = await Promise.all(
      listAt(answer, "images")
        .flatMap((item) => textAt(item, "url") ?? [])
        .map(async (url) => ({
          bytes: await download(url),
          ...(revisedPrompt === undefined || revisedPrompt === order.prompt ? {} : { revisedPrompt }),
        })),
    );
    if (pictures.length === 0) throw badAnswer(service, "gave no picture.");
    return pictures;
  },
};

const edges: ReadonlyMap<Resolution, number> = new Map([
  ["1K", 1024],
  ["2K", 2048],
  ["4K", 4096],
]);

/** Words of fal for the ratios it knows. */
const presets: ReadonlyMap<string, string> = new Map([
  ["1:1", "square_hd"],
  ["4:3", "landscape_4_3"],
  ["3:4", "portrait_4_3"],
  ["16:9", "landscape_16_9"],
  ["9:16", "portrait_16_9"],
]);

/** A size beats ratio and resolution; both together give the longest side and the shape. */
function imageSizeOf(order: GenerateOrder): string | { width: number; height: number } | undefined {
  const size = /^(\d+)x(\d+)$/.exec(order.size ?? "");
  if (size !== null) return { width: Number(size[1]), height: Number(size[2]) };
  const edge = order.resolution === undefined ? undefined : edges.get(order.resolution);
  if (edge === undefined) return order.aspectRatio === undefined ? undefined : presets.get(order.aspectRatio);
  const ratio = ratioOf(order.aspectRatio ?? "1:1");
  return ratio >= 1
    ? { width: edge, height: Math.round(edge / ratio) }
    : { width: Math.round(edge * ratio), height: edge };
}
