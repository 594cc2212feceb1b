/** Asks an embeddings service: in time, again when that makes sense, and never trusting the shape of its answer. */

import { setTimeout as delay } from "node:timers/promises";
import { AppError } from "../../../../shared/errors/index.ts";
import { clip, utf8Length } from "../../../../shared/files/index.ts";
import { stripControls, trustedAddresses } from "../../../../shared/web/index.ts";
import type { FetchAnswer, GuardedFetch } from "../../net/guardedFetch.ts";
import { netProblem } from "../../net/netProblem.ts";
import type { EmbeddingLimits, EmbeddingSetup } from "../memoryTypes.ts";
import { unitVector } from "../vectorIndex.ts";
import { type EmbeddingKind, embeddingServices } from "./services.ts";

export interface Embedder {
  readonly label: string;
  /** Names service, model, address and size: vectors of different ones cannot be compared. */
  readonly identity: string;
  /**
   * @returns a vector of length 1 per text
   * @throws AppError with `data.kind` of the network's problems, `data.status` and `data.retryAfter` of an answer
   */
  embed(texts: readonly string[], kind: EmbeddingKind, signal: AbortSignal): Promise<Float32Array[]>;
}

const tries = 3;
const maxRetryMs = 8000;
const maxAnswerBytes = 32 * 1024 * 1024;
const maxDimensions = 16_384;
const maxDetailChars = 200;

export function createEmbedder(deps: {
  setup: EmbeddingSetup;
  fetch: GuardedFetch;
  limits?: EmbeddingLimits | undefined;
}): Embedder {
  const { setup, fetch, limits = {} } = deps;
  const service = embeddingServices[setup.id];
  const isLocal = setup.id === "ollama";
  const queryTimeoutMs = limits.queryTimeoutMs ?? (isLocal ? 300_000 : 60_000);
  const batchTimeoutMs = limits.batchTimeoutMs ?? (isLocal ? 600_000 : 120_000);
  const firstRetryMs = limits.retryFirstMs ?? 500;

  const once = async (texts: readonly string[], kind: EmbeddingKind, signal: AbortSignal) => {
    const call = service.request(setup, texts, kind);
    const answer = await fetch({
      url: call.url,
      method: "POST",
      headers: {
        accept: "application/json",
        "content-type": "application/json",
        ...call.headers,
        ...setup.headers,
      },
      body: JSON.stringify(call.body),
      timeoutMs: kind === "query" ? queryTimeoutMs : batchTimeoutMs,
      maxRedirects: 0,
      maxBytes: maxAnswerBytes,
      signal,
      // The operator chose this address.
      policy: trustedAddresses,
    });
    if (answer.status < 200 || answer.status >= 300) throw statusProblem(service.label, answer, setup.key);
    if (answer.isCut) {
      throw netProblem("too_large", `${service.label} answered with more than 32 MiB. Check its baseUrl.`);
    }
    return vectorsOf(service.read(parsed(service.label, answer), texts.length), service.label);
  };

  return {
    label: service.label,
    identity: [setup.id, setup.model, setup.baseUrl, setup.dimensions ?? "own size"].join(" "),
    async embed(texts, kind, signal) {
      const cut = texts.map((text) => cutToBytes(text, service.maxTextBytes));
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await once(cut, kind, signal);
        } catch (error) {
          signal.throwIfAborted();
          if (attempt >= tries || !isPassing(error)) throw error;
          await delay(waitMs(error, attempt, firstRetryMs), undefined, { signal });
        }
      }
    },
  };
}

/** The text up to so many bytes, whole characters only. */
export function cutToBytes(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes || utf8Length(text) <= maxBytes) return text;
  let [low, high] = [0, Math.min(text.length, maxBytes)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (utf8Length(text, 0, middle) <= maxBytes) low = middle;
    else high = middle - 1;
  }
  return clip(text, low);
}

function parsed(label: string, answer: FetchAnswer): unknown {
  try {
    return JSON.parse(answer.bytes.toString("utf8"));
  } catch (cause) {
    throw netProblem("bad_answer", `${label} gave an answer that is no JSON. Check its baseUrl.`, { cause });
  }
}

function vectorsOf(lists: unknown[] | null, label: string): Float32Array[] {
  const bad = (what: string) =>
    netProblem("bad_answer", `${label} gave an answer ${what}. Check model and baseUrl.`);
  if (lists === null) throw bad("without one embedding per text");
  const vectors = lists.map((list) => {
    if (!Array.isArray(list) || list.length === 0 || list.length > maxDimensions)
      throw bad("without numbers");
    if (!list.every((value) => typeof value === "number" && Number.isFinite(value))) {
      throw bad("with embeddings that are no numbers");
    }
    const vector = unitVector(list as number[]);
    if (vector === null) throw bad("with an embedding of nothing but zeros");
    return vector;
  });
  if (vectors.some((vector) => vector.length !== vectors[0]?.length))
    throw bad("with embeddings of different sizes");
  return vectors;
}

function statusProblem(label: string, answer: FetchAnswer, key: string): AppError {
  const { status, headers } = answer;
  const retryAfter = /^\d{1,6}$/.exec(headers.get("retry-after")?.trim() ?? "")?.[0];
  const told = stripControls(answer.bytes.toString("utf8", 0, 2000))
    .replace(/\s+/g, " ")
    .trim();
  const shown = clip(key.length >= 6 ? told.replaceAll(key, "***") : told, maxDetailChars);
  return netProblem(
    "http_error",
    `${label} answered with status ${status}. ${adviceFor(status, retryAfter)}`,
    {
      data: {
        status,
        ...(retryAfter === undefined ? {} : { retryAfterSeconds: Number(retryAfter) }),
        ...(shown === "" ? {} : { told: shown }),
      },
    },
  );
}

function adviceFor(status: number, retryAfter: string | undefined): string {
  if (status === 401 || status === 403)
    return "The key is wrong or may not do this: check it in the settings.";
  if (status === 402) return "The account has no credit left.";
  if (status === 404) return "There is no such model or address: check model and baseUrl.";
  if (status === 429) {
    return retryAfter === undefined
      ? "The quota or rate limit is used up: wait a little."
      : `The quota or rate limit is used up: wait ${retryAfter} seconds.`;
  }
  return status >= 500 ? "The service has a problem: try again later." : "It refuses the request.";
}

/** Whether another try may go better. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof AppError)) return false;
  const { kind, status } = error.data ?? {};
  if (kind === "http_error")
    return status === 429 || status === 408 || (typeof status === "number" && status >= 500);
  return kind === "connect" || kind === "dns";
}

function waitMs(error: unknown, attempt: number, firstMs: number): number {
  const told = error instanceof AppError ? error.data?.retryAfterSeconds : undefined;
  const doubled = firstMs * 2 ** (attempt - 1);
  return Math.min(maxRetryMs, typeof told === "number" ? Math.max(doubled, told * 1000) : doubled);
}
