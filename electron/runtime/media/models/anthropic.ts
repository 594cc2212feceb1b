/** Anthropic's messages, with pictures and whole PDFs. */

import { joinUrl } from "../../net/serviceUrl.ts";
import { listAt, textAt } from "../../tools/web_search/readJson.ts";
import type { AskPart, ModelDialect } from "./ask.ts";
import { badAnswer } from "./modelHttp.ts";

/** @see docs.anthropic.com, API reference, POST /v1/messages; PDF support */
export const anthropicMessages: ModelDialect = {
  maxImages: 20,
  hasDocuments: true,
  request(service, question) {
    const hasDocument = question.parts.some((part) => part.kind === "document");
    return {
      // The base is written with and without the version.
      url: joinUrl(service.baseUrl.replace(/\/v1\/?$/, ""), "v1/messages"),
      headers: {
        ...(service.key === null ? {} : { "x-api-key": service.key }),
        "anthropic-version": "2023-06-01",
        ...(hasDocument ? { "anthropic-beta": "pdfs-2024-09-25" } : {}),
      },
      body: {
        model: question.model,
        max_tokens: question.maxTokens,
        messages: [{ role: "user", content: question.parts.map(blockOf) }],
      },
    };
  },
  reply(service, answer) {
    const text = listAt(answer, "content")
      .flatMap((block) => (textAt(block, "type") === "text" ? [textAt(block, "text") ?? ""] : []))
      .join("\n")
      .trim();
    const stopped = textAt(answer, "stop_reason");
    if (text !== "") return { text, isCut: stopped === "max_tokens" };
    throw badAnswer(service, stopped === "refusal" ? "refused to answer." : "gave an answer without text.");
  },
};

function blockOf(part: AskPart) {
  switch (part.kind) {
    case "text":
      return { type: "text", text: part.text };
    case "image":
      return { type: "image", source: { type: "base64", media_type: part.mimeType, data: part.base64 } };
    case "document":
      return {
        type: "document",
        source: { type: "base64", media_type: "application/pdf", data: part.base64 },
      };
  }
}
