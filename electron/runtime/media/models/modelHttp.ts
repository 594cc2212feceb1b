/** Requests to model services, and what their failures mean for the caller. */

import type { AppError } from "../../../../shared/errors/index.ts";
import { clip, sizeText } from "../../../../shared/files/index.ts";
import {
  collapseSpace,
  stripControls,
  stripInvisible,
  trustedAddresses,
} from "../../../../shared/web/index.ts";
import type { FetchAnswer, GuardedFetch } from "../../net/guardedFetch.ts";
import { isNetProblem, netProblem } from "../../net/netProblem.ts";
import type { ReadyService } from "./services.ts";

export interface ModelRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: unknown;
}

export interface SendOptions {
  fetch: GuardedFetch;
  service: ReadyService;
  timeoutMs: number;
  /** Of the answer. */
  maxBytes: number;
  signal: AbortSignal;
}

const maxDetailChars = 600;
const retryAfterPattern = /^[\w ,:-]{1,40}$/;

/**
 * @returns the JSON of a good answer
 * @throws AppError kind http_error (`data`: status, retryAfter, detail: what the service said, untrusted), timeout,
 * connect, too_large, bad_answer
 */
export async function sendToModel(request: ModelRequest, options: SendOptions): Promise<unknown> {
  const { service } = options;
  let answer: FetchAnswer;
  try {
    answer = await options.fetch({
      url: request.url,
      method: "POST",
      headers: {
        accept: "application/json",
        "content-type": "application/json",
        ...request.headers,
        ...service.extraHeaders,
      },
      body: JSON.stringify(request.body),
      timeoutMs: options.timeoutMs,
      maxRedirects: 0,
      maxBytes: options.maxBytes,
      signal: options.signal,
      // The operator chose the address; it may be a server of their own.
      policy: trustedAddresses,
    });
  } catch (error) {
    if (isNetProblem(error, "timeout")) {
      throw netProblem(
        "timeout",
        `${service.label} gave no answer within ${options.timeoutMs / 1000} seconds. Try again, or ask for less at once.`,
        { cause: error },
      );
    }
    if (isNetProblem(error, "redirect")) {
      throw netProblem(
        "redirect",
        `${service.label} redirects, which is not followed with a key: correct its baseUrl.`,
        { cause: error },
      );
    }
    throw error;
  }
  if (answer.status < 200 || answer.status >= 300) throw failed(answer, service);
  if (answer.isCut) {
    throw netProblem("too_large", `${service.label} answered with more than ${sizeText(options.maxBytes)}.`);
  }
  const text = answer.bytes.toString("utf8");
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw netProblem("bad_answer", `${service.label} gave an answer that is no JSON. Check its baseUrl.`, {
      cause,
    });
  }
}

function failed(answer: FetchAnswer, service: ReadyService): AppError {
  const { status, headers } = answer;
  const retryAfter = retryAfterPattern.exec(headers.get("retry-after") ?? "")?.[0];
  const said = collapseSpace(stripControls(stripInvisible(answer.bytes.toString("utf8")))).trim();
  const detail = clip(maskKey(messageIn(said), service.key), maxDetailChars);
  return netProblem(
    "http_error",
    `${service.label} answered with status ${status}. ${adviceFor(status, retryAfter)}`,
    {
      data: {
        status,
        ...(retryAfter === undefined ? {} : { retryAfter }),
        ...(detail === "" ? {} : { detail }),
      },
    },
  );
}

/** The sentence in an error as most services write it; otherwise the whole text. */
function messageIn(said: string): string {
  return /"message"\s*:\s*"((?:[^"\\]|\\.){1,1000})"/.exec(said)?.[1] ?? said;
}

function adviceFor(status: number, retryAfter: string | undefined): string {
  if (status === 401 || status === 403)
    return "The key is wrong or may not do this: check it in the settings.";
  if (status === 402) return "The account has no credit left.";
  if (status === 404)
    return "There is no such model or address there: check the model's name and the baseUrl.";
  if (status === 413) return "The request is too large: give fewer or smaller files.";
  if (status === 429) {
    return retryAfter === undefined
      ? "Too many requests: wait a little before the next one."
      : `Too many requests: wait before the next one (Retry-After: ${retryAfter}).`;
  }
  return status >= 500 ? "The service has a problem: try again later." : "It refuses the request.";
}

/** Services repeat keys in their error texts. */
function maskKey(text: string, key: string | null): string {
  const masked = text.replace(/([?&]key=)[^&\s"']+/gi, "$1***");
  return key !== null && key.length >= 6 ? masked.replaceAll(key, "***") : masked;
}

export function badAnswer(service: ReadyService, what: string, detail?: string): AppError {
  return netProblem("bad_answer", `${service.label} ${what}`, {
    data: detail === undefined ? {} : { detail: clip(collapseSpace(stripControls(detail)), maxDetailChars) },
  });
}
