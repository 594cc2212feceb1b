/** OpenAI's pictures. */

import { joinUrl, serviceUrl } from "../../net/serviceUrl.ts";
import { listAt, textAt } from "../../tools/web_search/readJson.ts";
import { badAnswer } from "../models/modelHttp.ts";
import { bearer } from "../models/openai.ts";
import type { Generator } from "./generatorTypes.ts";

/** @see platform.openai.com, API reference, POST /v1/images/generations */
export const openaiImages: Generator = {
  id: "openai",
  label: "OpenAI",
  models: ["gpt-image-1"],
  timeoutMs: 180_000,
  async generate({ service, order, send, download }) {
    const answer = await send({
      url: joinUrl(serviceUrl(service.baseUrl, "/v1"), "images/generations"),
      headers: bearer(service),
      body: { model: order.model, prompt: order.prompt, n: order.count, size: order.size ?? "1024x1024" },
    });
    const pictures = await Promise.all(
      listAt(answer, "data").map(async (item) => {
        const base64 = textAt(item, "b64_json");
        const url = textAt(item, "url");
        const revisedPrompt = textAt(item, "revised_prompt");
        if (base64 !== undefined) return [{ bytes: Buffer.from(base64, "base64"), revisedPrompt }];
        return url === undefined ? [] : [{ bytes: await download(url), revisedPrompt }];
      }),
    );
    const found = pictures.flat();
    if (found.length === 0) throw badAnswer(service, "gave no picture.");
    return found;
  },
};
