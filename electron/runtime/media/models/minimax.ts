/** MiniMax's vision service: one picture and one question at a time. */

import { joinUrl } from "../../net/serviceUrl.ts";
import { numberAt, textAt } from "../../tools/web_search/readJson.ts";
import type { ModelDialect } from "./ask.ts";
import { badAnswer } from "./modelHttp.ts";
import { bearer } from "./openai.ts";
import type { ReadyService } from "./services.ts";

/** @see platform.minimax.io, coding plan, vision tool */
export const minimaxVision: ModelDialect = {
  maxImages: 1,
  hasDocuments: false,
  request(service, question) {
    const image = question.parts.find((part) => part.kind === "image");
    const prompt = question.parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n\n");
    if (image === undefined) throw badAnswer(service, "is asked about pictures only, and there is none.");
    return {
      url: joinUrl(minimaxHost(service), "v1/coding_plan/vlm"),
      headers: bearer(service),
      body: { prompt, image_url: `data:${image.mimeType};base64,${image.base64}` },
    };
  },
  reply(service, answer) {
    requireMinimaxOk(service, answer);
    const text = textAt(answer, "content");
    if (text === undefined) throw badAnswer(service, "gave an answer without text.");
    return { text, isCut: false };
  },
};

/** Its services stand beside each other below the host, whatever path the base for chat has. */
export function minimaxHost(service: ReadyService): string {
  return URL.canParse(service.baseUrl) ? new URL(service.baseUrl).origin : service.baseUrl;
}

/** MiniMax reports failures inside of good answers. */
export function requireMinimaxOk(service: ReadyService, answer: unknown): void {
  const code = numberAt(answer, "base_resp", "status_code") ?? 0;
  if (code === 0) return;
  throw badAnswer(
    service,
    `answered with code ${code}.${code === 1004 || code === 2049 ? " The key is wrong: check it in the settings." : code === 1002 ? " Too many requests: wait a little." : code === 1008 ? " The account has no credit left." : ""}`,
    textAt(answer, "base_resp", "status_msg"),
  );
}
