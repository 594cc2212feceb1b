/** Requests to search services, and what their failures mean for the caller. */

import { clip, sizeText } from "../../../../shared/files/index.ts";
import {
  type AddressPolicy,
  stripControls,
  trustedAddresses,
  wrapUntrusted,
} from "../../../../shared/web/index.ts";
import { decodeText } from "../../net/decodeText.ts";
import type { FetchAnswer, GuardedFetch } from "../../net/guardedFetch.ts";
import { netProblem } from "../../net/netProblem.ts";
import type { SearchCall, ServiceRequest } from "./searchTypes.ts";

const maxBytes = 5_000_000;
const maxDetailChars = 1000;
const maxRedirects = 3;
const headTimeoutMs = 5000;
const headsAtOnce = 10;
/** Waiting times longer than this are shown as they are; nobody waits for them here. */
const retryAfterPattern = /^[\w ,:-]{1,40}$/;

export interface ServiceDeps {
  fetch: GuardedFetch;
  label: string;
  key: string;
  timeoutMs: number;
  signal: AbortSignal;
  /** Rules for addresses that come from results. */
  addresses: AddressPolicy;
}

/** @returns the ways to the service for one search */
export function createService(deps: ServiceDeps): Pick<SearchCall, "sendJson" | "sendText" | "finalUrlsOf"> {
  const { label } = deps;

  const send = async (request: ServiceRequest): Promise<string> => {
    const answer = await deps.fetch({
      url: request.url,
      method: request.method,
      headers: {
        accept: "application/json",
        ...(request.body === undefined ? {} : { "content-type": "application/json" }),
        ...request.headers,
      },
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      timeoutMs: deps.timeoutMs,
      maxRedirects,
      maxBytes,
      signal: deps.signal,
      policy: trustedAddresses,
    });
    if (answer.status < 200 || answer.status >= 300) throw failed(answer, deps);
    if (answer.isCut) {
      throw netProblem(
        "too_large",
        `${label} answered with more than ${sizeText(maxBytes)}. Ask for fewer results.`,
      );
    }
    return decodeText(answer.bytes, answer.headers.get("content-type") ?? "", true).text;
  };

  const finalUrlOf = async (url: string): Promise<string> => {
    try {
      const answer = await deps.fetch({
        url,
        method: "HEAD",
        timeoutMs: headTimeoutMs,
        maxRedirects,
        maxBytes: 0,
        signal: deps.signal,
        // The address comes from a search result, not from the operator.
        policy: deps.addresses,
      });
      return answer.finalUrl;
    } catch {
      deps.signal.throwIfAborted();
      // The address as given is still a citation.
      return url;
    }
  };

  return {
    sendText: send,
    async sendJson(request) {
      const text = await send(request);
      try {
        return JSON.parse(text) as unknown;
      } catch (cause) {
        throw netProblem("bad_answer", `${label} gave an answer that is no JSON. Try again later.`, {
          cause,
        });
      }
    },
    async finalUrlsOf(urls) {
      const results: string[] = [];
      for (let at = 0; at < urls.length; at += headsAtOnce) {
        results.push(...(await Promise.all(urls.slice(at, at + headsAtOnce).map(finalUrlOf))));
      }
      return results;
    },
  };
}

function failed(answer: FetchAnswer, deps: ServiceDeps) {
  const { status, headers } = answer;
  const retryAfter = retryAfterPattern.exec(headers.get("retry-after") ?? "")?.[0];
  const detail = stripControls(maskKey(answer.bytes.toString("utf8"), deps.key)).trim();
  const said =
    detail === ""
      ? ""
      : wrapUntrusted(clip(detail, maxDetailChars), { source: "Web Search", withWarning: false }).text;
  return netProblem(
    "http_error",
    `${deps.label} answered with status ${status}. ${adviceFor(status, retryAfter)}${said}`,
    {
      data: { status, ...(retryAfter === undefined ? {} : { retryAfter }) },
    },
  );
}

function adviceFor(status: number, retryAfter: string | undefined): string {
  if (status === 401 || status === 403)
    return "The key is wrong or may not do this: check it in the settings.";
  if (status === 402) return "The account has no credit left.";
  if (status === 429) {
    return retryAfter === undefined
      ? "Too many searches: wait a little before the next one."
      : `Too many searches: wait before the next one (Retry-After: ${retryAfter}).`;
  }
  return status >= 500 ? "The service has a problem: try again later." : "It refuses the request.";
}

/** Services repeat keys in their error texts. */
export function maskKey(text: string, key: string): string {
  const masked = text.replace(/([?&]key=)[^&\s"']+/gi, "$1***");
  return key.length >= 6 ? masked.replaceAll(key, "***") : masked;
}
