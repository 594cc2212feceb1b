/** One question with pictures and documents to one model, in the words of its service. */

import type { GuardedFetch } from "../../net/guardedFetch.ts";
import { anthropicMessages } from "./anthropic.ts";
import { googleGenerate } from "./google.ts";
import { minimaxVision } from "./minimax.ts";
import { type ModelRequest, sendToModel } from "./modelHttp.ts";
import { openaiCompletions, openaiResponses } from "./openai.ts";
import type { ModelApi, ReadyService } from "./services.ts";

export type AskPart =
  | { kind: "text"; text: string }
  | { kind: "image"; mimeType: string; base64: string }
  /** A whole PDF; only for services that take them. */
  | { kind: "document"; base64: string };

export interface Question {
  model: string;
  parts: readonly AskPart[];
  maxTokens: number;
  /** Rule media.keyInHeader. */
  isKeyInHeader: boolean;
}

export interface Reply {
  text: string;
  /** The model was cut off at `maxTokens`. */
  isCut: boolean;
}

/** How one kind of service is asked. */
export interface ModelDialect {
  /** Pictures per request. */
  maxImages: number;
  /** Takes whole PDFs. */
  hasDocuments: boolean;
  request(service: ReadyService, question: Question): ModelRequest;
  /** @throws AppError kind bad_answer for an answer without text */
  reply(service: ReadyService, answer: unknown): Reply;
}

const dialects: ReadonlyMap<ModelApi, ModelDialect> = new Map<ModelApi, ModelDialect>([
  ["openai-completions", openaiCompletions],
  ["openai-responses", openaiResponses],
  ["anthropic-messages", anthropicMessages],
  ["google-generative-ai", googleGenerate],
  ["minimax-vision", minimaxVision],
]);

export function dialectOf(service: ReadyService): ModelDialect {
  const dialect = dialects.get(service.api);
  if (dialect === undefined) throw new Error(`There is no dialect for ${service.api}.`);
  return dialect;
}

/** An answer of text has no business being larger. */
const maxAnswerBytes = 4 * 1024 * 1024;

export async function askModel(
  service: ReadyService,
  question: Question,
  options: { fetch: GuardedFetch; timeoutMs: number; signal: AbortSignal },
): Promise<Reply> {
  const dialect = dialectOf(service);
  const answer = await sendToModel(dialect.request(service, question), {
    ...options,
    service,
    maxBytes: maxAnswerBytes,
  });
  return dialect.reply(service, answer);
}
