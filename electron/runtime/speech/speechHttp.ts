/** One request to a speech service over HTTP, and what its failures mean. Nothing that a service writes is repeated. */

import { getIn } from "../../../shared/policy/configRecord.ts";
import { trustedAddresses } from "../../../shared/web/index.ts";
import type { GuardedFetch } from "../net/guardedFetch.ts";
import { netProblem } from "../net/netProblem.ts";
import { maxAudioBytes } from "./speechTypes.ts";

export interface AudioRequest {
  fetch: GuardedFetch;
  label: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  body: unknown;
  timeoutMs: number;
  signal: AbortSignal;
}

/** A short code of a service is a fact; longer texts of it could hold the key or words for a model. */
const codePattern = /^[\w.-]{1,60}$/;

/** @returns the bytes of the answer; whether they are audio is checked by whoever keeps them */
export async function fetchAudio(request: AudioRequest): Promise<Buffer> {
  const { label } = request;
  const answer = await request.fetch({
    url: request.url,
    method: "POST",
    headers: { "content-type": "application/json", ...request.headers },
    body: JSON.stringify(request.body),
    timeoutMs: request.timeoutMs,
    // The text must reach the configured service and nobody that it points to.
    maxRedirects: 0,
    maxBytes: maxAudioBytes,
    signal: request.signal,
    policy: trustedAddresses,
  });
  const { status } = answer;
  if (status < 200 || status >= 300) {
    const code = codeOf(answer.bytes);
    const shown = code === null ? "" : ` (${code})`;
    throw netProblem("http_error", `${label} answered with status ${status}${shown}. ${adviceFor(status)}`, {
      data: { status },
    });
  }
  if (answer.isCut) throw netProblem("too_large", `${label} sent more than 32 MB. Speak a shorter text.`);
  return answer.bytes;
}

function codeOf(bytes: Buffer): string | null {
  let body: unknown;
  try {
    body = JSON.parse(bytes.subarray(0, 20_000).toString("utf8"));
  } catch {
    // An error page instead of JSON: the status is all there is.
    return null;
  }
  for (const path of [
    ["error", "code"],
    ["error", "type"],
    ["detail", "status"],
    ["detail", "code"],
  ]) {
    const code = getIn(body, ...path);
    if (typeof code === "string" && codePattern.test(code)) return code;
  }
  return null;
}

function adviceFor(status: number): string {
  if (status === 401 || status === 403) return "The key is wrong or may not do this: check it.";
  if (status === 402) return "The account has no credit left.";
  if (status === 429) return "Too many requests, or the account has no credit left: wait a little.";
  return status >= 500 ? "The service has a problem: try again later." : "It refuses the request.";
}
