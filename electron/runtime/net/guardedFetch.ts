/** The one way out to the network for tools: every hop is judged, resolved once, and connected to exactly that address. */

import type { LookupFunction } from "node:net";
import { Agent, type Dispatcher } from "undici";
import { AppError, messageOf } from "../../../shared/errors/index.ts";
import { type AddressPolicy, checkUrl } from "../../../shared/web/index.ts";
import { whileNotAborted } from "./abort.ts";
import type { HostResolver, ResolvedAddress } from "./hostResolver.ts";
import { netProblem, refusedUrl, shownUrl } from "./netProblem.ts";
import { readBody } from "./readBody.ts";

export interface FetchRequest {
  url: string;
  method?: "GET" | "POST" | "HEAD";
  /** Names in lower case. */
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /** Times the whole request, redirects and body included. */
  timeoutMs: number;
  maxRedirects: number;
  /** Decoded bytes of the body that are kept. */
  maxBytes: number;
  signal: AbortSignal;
  policy: AddressPolicy;
  /** Decoded bytes so far; called at most a few times a second. */
  onProgress?: (bytes: number) => void;
}

export interface FetchAnswer {
  status: number;
  /** Names in lower case; values of repeated ones joined with `, `. */
  headers: ReadonlyMap<string, string>;
  finalUrl: string;
  bytes: Buffer;
  /** The body was longer than `maxBytes`. */
  isCut: boolean;
}

/** @throws AppError with `data.kind` of `NetProblemKind`; the signal's reason when the caller cancelled */
export type GuardedFetch = (request: FetchRequest) => Promise<FetchAnswer>;

/** What may go along to another origin (tools-files-web-media.md 11). */
const portableHeaders =
  /^(?:accept|accept-encoding|accept-language|cache-control|content-language|content-type|if-.*|pragma|range|user-agent)$/;
const redirectCodes: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const progressEveryMs = 500;
const maxHeaderBytes = 65_536;

/**
 * @param deps.resolve asked once per hop; its answer is what the connection goes to
 * Proxy variables of the environment are not used: a proxy would resolve names on its own.
 */
export function createGuardedFetch(deps: { resolve: HostResolver }): GuardedFetch {
  return async (request) => {
    const deadline = AbortSignal.timeout(request.timeoutMs);
    const signal = AbortSignal.any([request.signal, deadline]);
    try {
      return await follow(deps.resolve, request, signal);
    } catch (thrown) {
      if (request.signal.aborted) throw request.signal.reason;
      if (thrown instanceof AppError) throw thrown;
      const where = shownUrl(request.url);
      if (deadline.aborted || isTimeout(thrown)) {
        throw netProblem("timeout", `${where} did not answer within ${request.timeoutMs / 1000} seconds.`, {
          cause: thrown,
        });
      }
      throw netProblem("connect", `${where} cannot be loaded: ${reasonOf(thrown)}`, { cause: thrown });
    }
  };
}

async function follow(
  resolve: HostResolver,
  request: FetchRequest,
  signal: AbortSignal,
): Promise<FetchAnswer> {
  const seen = new Set<string>();
  let target = request.url;
  let headers = new Map(Object.entries(request.headers ?? {}));
  for (let hop = 0; ; hop += 1) {
    const verdict = checkUrl(target, request.policy);
    if (!verdict.ok) throw refusedUrl(verdict.kind, shownUrl(target));
    const { url } = verdict;
    if (seen.has(url.href)) throw netProblem("redirect", `${shownUrl(request.url)} redirects in a circle.`);
    seen.add(url.href);
    const pinned = await addressesOf(resolve, verdict.host, verdict.address, request.policy, signal);
    const outcome = await oneHop(url, pinned, headers, request, signal);
    if (outcome.kind === "answer") return outcome.answer;
    if (hop >= request.maxRedirects) {
      throw netProblem(
        "redirect",
        `${shownUrl(request.url)} redirects more than ${request.maxRedirects} times.`,
      );
    }
    const next = nextUrl(outcome.location, url);
    if (next.origin !== url.origin) {
      headers = new Map([...headers].filter(([name]) => portableHeaders.test(name)));
    }
    target = next.href;
  }
}

/** @returns addresses to connect to, IPv4 first; all of them have passed the policy */
async function addressesOf(
  resolve: HostResolver,
  host: string,
  literal: string | null,
  policy: AddressPolicy,
  signal: AbortSignal,
): Promise<ResolvedAddress[]> {
  if (literal !== null) return [{ address: literal, family: literal.includes(":") ? 6 : 4 }];
  const found = await whileNotAborted(resolve(host), signal).catch((cause: unknown) => {
    if (signal.aborted) throw cause;
    throw netProblem("dns", `The name ${host} cannot be resolved. Check the address.`, { cause });
  });
  if (found.length === 0) throw netProblem("dns", `The name ${host} has no address. Check the address.`);
  // One private address among public ones is how a name slips in, so all must pass.
  if (!found.every(({ address }) => policy.isAllowedAddress(address))) {
    throw refusedUrl("private_address", host);
  }
  return [...found].sort((a, b) => a.family - b.family);
}

type HopOutcome =
  | { kind: "answer"; answer: FetchAnswer }
  | { kind: "redirect"; location: string | undefined };

async function oneHop(
  url: URL,
  pinned: readonly ResolvedAddress[],
  headers: ReadonlyMap<string, string>,
  request: FetchRequest,
  signal: AbortSignal,
): Promise<HopOutcome> {
  const agent = new Agent({
    connect: { lookup: pinnedLookup(pinned), timeout: request.timeoutMs },
    connections: 1,
    pipelining: 1,
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: request.timeoutMs,
    bodyTimeout: request.timeoutMs,
  });
  try {
    const response = await agent.request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: request.method ?? "GET",
      headers: { "accept-encoding": "gzip, deflate, br", ...Object.fromEntries(headers) },
      ...(request.body === undefined ? {} : { body: request.body }),
      signal,
    });
    // Leaving a body early makes it emit an error; whoever reads it learns of real ones by reading.
    response.body.on("error", () => {});
    const received = headersOf(response);
    if (redirectCodes.has(response.statusCode)) {
      response.body.destroy();
      return { kind: "redirect", location: received.get("location") };
    }
    const body = await readBody(
      response.body,
      received.get("content-encoding") ?? "",
      request.maxBytes,
      atMostEvery(progressEveryMs, request.onProgress),
    );
    const answer: FetchAnswer = {
      status: response.statusCode,
      headers: received,
      finalUrl: url.href,
      bytes: body.bytes,
      isCut: body.isCut,
    };
    return { kind: "answer", answer };
  } finally {
    // Ends the connection whatever the server still wants to send.
    await agent.destroy();
  }
}

/** Gives the connection the checked addresses and nothing else: no second look-up can differ from the first. */
function pinnedLookup(pinned: readonly ResolvedAddress[]): LookupFunction {
  return (_host, options, done) => {
    if (options.all === true) return done(null, [...pinned]);
    const [first] = pinned;
    if (first === undefined) return done(new Error("There is no address to connect to."), "");
    done(null, first.address, first.family);
  };
}

function headersOf(response: Dispatcher.ResponseData): Map<string, string> {
  return new Map(
    Object.entries(response.headers).map(([name, value]) => [
      name.toLowerCase(),
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  );
}

function nextUrl(location: string | undefined, from: URL): URL {
  const where = shownUrl(from.href);
  if (location === undefined || location.trim() === "") {
    throw netProblem("redirect", `${where} redirects without saying where to.`);
  }
  try {
    return new URL(location, from);
  } catch (cause) {
    throw netProblem("redirect", `${where} redirects to something that is no address.`, { cause });
  }
}

function atMostEvery(everyMs: number, run: ((bytes: number) => void) | undefined) {
  if (run === undefined) return undefined;
  let lastMs = performance.now();
  return (bytes: number) => {
    if (performance.now() - lastMs < everyMs) return;
    lastMs = performance.now();
    run(bytes);
  };
}

function isTimeout(thrown: unknown): boolean {
  return /^UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT$/.test(codeOf(thrown));
}

/** The system's short code, not a message that could name files or inner addresses. */
function reasonOf(thrown: unknown): string {
  const code = codeOf(thrown) || codeOf(thrown instanceof Error ? thrown.cause : undefined);
  switch (code) {
    case "ECONNREFUSED":
      return "the server refuses connections.";
    case "ECONNRESET":
    case "UND_ERR_SOCKET":
    case "ERR_STREAM_PREMATURE_CLOSE":
      return "the server closed the connection.";
    case "":
      return `${messageOf(thrown).slice(0, 200)}.`;
    default:
      return `${code}.`;
  }
}

function codeOf(thrown: unknown): string {
  const code = typeof thrown === "object" && thrown !== null ? Reflect.get(thrown, "code") : undefined;
  return typeof code === "string" ? code : "";
}
