/** Google's generateContent, with pictures and whole PDFs. */

import { getIn } from "../../../../shared/policy/configRecord.ts";
import { joinUrl, serviceUrl } from "../../net/serviceUrl.ts";
import { listAt, textAt } from "../../tools/web_search/readJson.ts";
import type { AskPart, ModelDialect } from "./ask.ts";
import { badAnswer } from "./modelHttp.ts";
import type { ReadyService } from "./services.ts";

/** @see ai.google.dev, Gemini API, models.generateContent */
export const googleGenerate: ModelDialect = {
  maxImages: 20,
  hasDocuments: true,
  request(service, question) {
    return {
      url: googleUrl(service, question.model, question.isKeyInHeader),
      headers: googleHeaders(service, question.isKeyInHeader),
      body: {
        contents: [{ role: "user", parts: question.parts.map(googlePart) }],
        generationConfig: { maxOutputTokens: question.maxTokens },
      },
    };
  },
  reply(service, answer) {
    const [candidate] = listAt(answer, "candidates");
    const text = listAt(candidate, "content", "parts")
      // Thoughts are not the answer.
      .flatMap((part) => (getIn(part, "thought") === true ? [] : [textAt(part, "text") ?? ""]))
      .join("\n")
      .trim();
    const finished = textAt(candidate, "finishReason");
    if (text !== "") return { text, isCut: finished === "MAX_TOKENS" };
    throw withoutText(service, answer);
  },
};

/** @returns an error that names why Google gave nothing */
export function withoutText(service: ReadyService, answer: unknown) {
  const blocked =
    textAt(answer, "promptFeedback", "blockReason") ??
    textAt(listAt(answer, "candidates")[0], "finishReason");
  const why = blocked !== undefined && /^[A-Z_]{1,40}$/.test(blocked) ? ` (${blocked})` : "";
  return badAnswer(service, `gave an answer without content${why}.`);
}

export function googleUrl(service: ReadyService, model: string, isKeyInHeader: boolean): string {
  const name = model.replace(/^models\//, "");
  const url = new URL(
    joinUrl(serviceUrl(service.baseUrl, "/v1beta"), `models/${encodeURIComponent(name)}:generateContent`),
  );
  if (!isKeyInHeader && service.key !== null) url.searchParams.set("key", service.key);
  return url.href;
}

export function googleHeaders(service: ReadyService, isKeyInHeader: boolean): Record<string, string> {
  return isKeyInHeader && service.key !== null ? { "x-goog-api-key": service.key } : {};
}

export function googlePart(part: AskPart) {
  if (part.kind === "text") return { text: part.text };
  const mimeType = part.kind === "image" ? part.mimeType : "application/pdf";
  return { inline_data: { mime_type: mimeType, data: part.base64 } };
}
