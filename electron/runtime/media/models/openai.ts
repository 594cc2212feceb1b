/** OpenAI's two ways, and every server that speaks the first of them. */

import { joinUrl, serviceUrl } from "../../net/serviceUrl.ts";
import { listAt, textAt } from "../../tools/web_search/readJson.ts";
import type { ModelDialect } from "./ask.ts";
import { badAnswer } from "./modelHttp.ts";
import type { ReadyService } from "./services.ts";

/** @see platform.openai.com, API reference, POST /v1/chat/completions */
export const openaiCompletions: ModelDialect = {
  maxImages: 20,
  hasDocuments: false,
  request(service, question) {
    const content = question.parts.map((part) =>
      part.kind === "text"
        ? { type: "text", text: part.text }
        : { type: "image_url", image_url: { url: dataUrl(part) } },
    );
    return {
      url: joinUrl(serviceUrl(service.baseUrl, "/v1"), "chat/completions"),
      headers: bearer(service),
      body: {
        model: question.model,
        messages: [{ role: "user", content }],
        // OpenAI's newer models refuse the name that all others know.
        [service.id === "openai" ? "max_completion_tokens" : "max_tokens"]: question.maxTokens,
      },
    };
  },
  reply(service, answer) {
    const [choice] = listAt(answer, "choices");
    const whole = textAt(choice, "message", "content");
    const parts = listAt(choice, "message", "content").map((part) => textAt(part, "text") ?? "");
    const text = whole ?? parts.join("\n").trim();
    const refusal = textAt(choice, "message", "refusal");
    const isCut = textAt(choice, "finish_reason") === "length";
    if (text !== "") return { text, isCut };
    throw badAnswer(
      service,
      isCut ? "used up its tokens before it wrote anything." : "gave an answer without text.",
      refusal,
    );
  },
};

/** @see platform.openai.com, API reference, POST /v1/responses */
export const openaiResponses: ModelDialect = {
  maxImages: 20,
  hasDocuments: false,
  request(service, question) {
    const content = question.parts.map((part) =>
      part.kind === "text"
        ? { type: "input_text", text: part.text }
        : { type: "input_image", detail: "auto", image_url: dataUrl(part) },
    );
    return {
      url: joinUrl(serviceUrl(service.baseUrl, "/v1"), "responses"),
      headers: bearer(service),
      body: {
        model: question.model,
        input: [{ role: "user", content }],
        max_output_tokens: question.maxTokens,
        store: false,
      },
    };
  },
  reply(service, answer) {
    const text = listAt(answer, "output")
      .flatMap((item) => listAt(item, "content"))
      .flatMap((part) => (textAt(part, "type") === "output_text" ? [textAt(part, "text") ?? ""] : []))
      .join("\n")
      .trim();
    const isCut = textAt(answer, "incomplete_details", "reason") === "max_output_tokens";
    if (text !== "") return { text, isCut };
    throw badAnswer(service, "gave an answer without text.");
  },
};

export function bearer(service: ReadyService): Record<string, string> {
  return service.key === null ? {} : { authorization: `Bearer ${service.key}` };
}

/** Whole PDFs are not sent this way; the caller takes text and pictures out of them first. */
function dataUrl(part: { kind: "image"; mimeType: string; base64: string } | { kind: "document" }): string {
  if (part.kind === "document") throw new Error("This service takes no documents.");
  return `data:${part.mimeType};base64,${part.base64}`;
}
