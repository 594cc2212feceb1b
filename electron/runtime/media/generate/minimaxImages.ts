/** MiniMax's pictures. */

import { joinUrl } from "../../net/serviceUrl.ts";
import { listAt, textsAt } from "../../tools/web_search/readJson.ts";
import { minimaxHost, requireMinimaxOk } from "../models/minimax.ts";
import { badAnswer } from "../models/modelHttp.ts";
import { bearer } from "../models/openai.ts";
import type { Generator } from "./generatorTypes.ts";

/** @see platform.minimax.io, API reference, POST /v1/image_generation */
export const minimaxImages: Generator = {
  id: "minimax",
  label: "MiniMax",
  models: ["image-01"],
  timeoutMs: 180_000,
  async generate({ service, order, send }) {
    const answer = await send({
      url: joinUrl(minimaxHost(service), "v1/image_generation"),
      headers: bearer(service),
      body: {
        model: order.model,
        prompt: order.prompt,
        n: order.count,
        response_format: "base64",
        ...(order.aspectRatio === undefined ? {} : { aspect_ratio: order.aspectRatio }),
        ...(order.references.length === 0
          ? {}
          : {
              subject_reference: order.references.map(({ mimeType, base64 }) => ({
                type: "character",
                image_file: `data:${mimeType};base64,${base64}`,
              })),
            }),
      },
    });
    requireMinimaxOk(service, answer);
    const pictures = textsAt(answer, "data", "image_base64");
    if (pictures.length === 0) {
      const isEmpty = listAt(answer, "data", "image_base64").length === 0;
      throw badAnswer(service, isEmpty ? "gave no picture." : "gave something that is no picture.");
    }
    return pictures.map((base64) => ({ bytes: Buffer.from(base64, "base64") }));
  },
};
