/** A server behind an address: only its own origin is asked, redirects are not followed, answers are bounded. */

import type { ReadableStream as WebStream } from "node:stream/web";
import { setTimeout } from "node:timers/promises";
import { SSEClientTransport, SseError } from "@modelcontextprotocol/sdk/client/sse.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { FetchLike, Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { Agent, fetch as undiciFetch } from "undici";
import { AppError, messageOf } from "../../../shared/errors/index.ts";
import { connectCodes, connectionProblem, partsOf } from "./connectionProblem.ts";
import { createPace } from "./floodGuard.ts";
import { createGrowingBytes } from "./growingBytes.ts";
import { withoutUnseen } from "./plainText.ts";
import { mcpProblem, reasonOf } from "./problems.ts";
import { maxMessageBytes, maxOutputBytesPerSecond, type OwnedTransport } from "./stdioTransport.ts";

export interface HttpPlan {
  transport: "sse" | "streamable-http";
  url: URL;
  headers: Readonly<Record<string, string>>;
}

const headersTimeoutMs = 120_000;
const farewellMs = 1000;
/** Streams of events that are opened. */
const maxStreamsPerSecond = 5;
/** Of an answer that is no stream of events: smaller pieces are handed on together. */
const minPieceBytes = 64 * 1024;

/** Private and loopback addresses are allowed: a person wrote the address and confirmed it. */
export function createHttpTransport(plan: HttpPlan): OwnedTransport {
  // An idle stream of events is no failure, so the body has no time limit; calls have their own.
  const agent = new Agent({ bodyTimeout: 0, headersTimeout: headersTimeoutMs, maxHeaderSize: 65_536 });
  /** What the last request failed with: the reader of events keeps only its text. */
  let unreached: AppError | null = null;
  const fetch = boundFetch(
    plan.url.origin,
    agent,
    (error) => fail(error),
    (problem) => {
      unreached = problem;
    },
  );
  const problemOf = (error: unknown) =>
    error instanceof SseError && error.code === undefined && unreached !== null
      ? unreached
      : connectProblem(error, plan.url);
  const requestInit = { headers: { ...plan.headers } };
  const inner =
    plan.transport === "sse"
      ? new SSEClientTransport(plan.url, { fetch, requestInit })
      : new StreamableHTTPClientTransport(plan.url, { fetch, requestInit });
  let ending: Promise<void> | null = null;
  let isStarted = false;

  const closed = () => {
    const { onclose } = transport;
    transport.onclose = undefined;
    onclose?.();
  };
  const fail = (error: Error) => {
    transport.onerror?.(error);
    closed();
  };
  inner.onmessage = (message) => transport.onmessage?.(message);
  inner.onclose = () => closed();
  inner.onerror = (error) => {
    transport.onerror?.(problemOf(error));
    // The stream is the connection: a new one is a new session, which has to begin at the beginning.
    if (inner instanceof SSEClientTransport && isStarted) closed();
  };

  const endAll = async () => {
    closed();
    if (inner instanceof StreamableHTTPClientTransport) {
      // Good manners only: a server that does not answer is left all the same.
      await within(
        inner.terminateSession().catch(() => {}),
        farewellMs,
      );
    }
    await inner.close();
    await agent.destroy();
  };

  const transport: OwnedTransport = {
    pid: null,
    get sessionId() {
      return inner instanceof StreamableHTTPClientTransport ? inner.sessionId : undefined;
    },
    setProtocolVersion: (version) => inner.setProtocolVersion(version),
    async start() {
      try {
        await inner.start();
        isStarted = true;
      } catch (error) {
        throw problemOf(error);
      }
    },
    async send(message) {
      try {
        await inner.send(message);
      } catch (error) {
        const problem = problemOf(error);
        // The server is gone, or it has forgotten the session: the next one begins at the beginning.
        if (isStarted && isLost(problem)) fail(problem);
        throw problem;
      }
    },
    close: () => transport.end(),
    end() {
      ending ??= endAll();
      return ending;
    },
  } satisfies Transport & OwnedTransport;
  return transport;
}

/**
 * @param onTooLarge told when an answer does not stop
 * @param onUnreached told of every request whether it got through: null, or why it did not
 */
function boundFetch(
  origin: string,
  dispatcher: Agent,
  onTooLarge: (error: Error) => void,
  onUnreached: (problem: AppError | null) => void,
): FetchLike {
  const pace = createPace(maxOutputBytesPerSecond);
  const streamPace = createPace(maxStreamsPerSecond);
  return async (input, init) => {
    const url = new URL(input);
    if (url.origin !== origin)
      throw mcpProblem(
        "mcp.otherOrigin",
        { origin: url.origin },
        `It leads to another origin: ${url.origin}.`,
      );
    const method = init?.method ?? "GET";
    const signal = init?.signal ?? undefined;
    // A server says itself how soon a stream that it ended is opened again: at once, for ever, if it likes.
    const streamWaitMs = method === "GET" ? streamPace(1) : 0;
    if (streamWaitMs > 0)
      await setTimeout(streamWaitMs, undefined, { ref: false, ...(signal === undefined ? {} : { signal }) });
    const response = await undiciFetch(url, {
      method,
      headers: Object.fromEntries(new Headers(init?.headers)),
      ...(typeof init?.body === "string" ? { body: init.body } : {}),
      ...(signal === undefined ? {} : { signal }),
      redirect: "manual",
      dispatcher,
    }).catch((error: unknown) => {
      const problem = signal?.aborted === true ? null : connectionProblem(error, url);
      onUnreached(problem);
      throw problem ?? error;
    });
    onUnreached(null);
    const headers = new Headers(Object.fromEntries(response.headers));
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      throw mcpProblem("mcp.redirect", { status: response.status }, "It redirects; write the final address.");
    }
    const body =
      response.body === null || [101, 204, 205, 304].includes(response.status)
        ? null
        : boundBody(response.body, isEventStream(headers), pace, onTooLarge);
    return new Response(body, { status: response.status, statusText: response.statusText, headers });
  };
}

function isEventStream(headers: Headers): boolean {
  return (headers.get("content-type") ?? "").toLowerCase().startsWith("text/event-stream");
}

/** A stream of events may go on for days; one event, or one whole answer, is bounded. */
function boundBody(
  body: WebStream<Uint8Array>,
  isEvents: boolean,
  pace: (bytes: number) => number,
  onTooLarge: (error: Error) => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const counter = isEvents ? eventCounter() : plainCounter();
  const held = createGrowingBytes();
  return new ReadableStream<Uint8Array>({
    // A reader goes over a begun line again with each piece of it, so pieces are handed on as whole lines.
    async pull(controller) {
      for (;;) {
        const { done, value } = await reader.read();
        if (done === true) {
          if (held.length > 0) controller.enqueue(held.take());
          return controller.close();
        }
        const waitMs = pace(value.length);
        if (waitMs > 0) await setTimeout(waitMs, undefined, { ref: false });
        if (counter(value) > maxMessageBytes) {
          const error = mcpProblem(
            "mcp.messageTooLarge",
            { maxBytes: maxMessageBytes },
            `It sent a message of more than ${maxMessageBytes} bytes.`,
          );
          onTooLarge(error);
          await reader.cancel();
          throw error;
        }
        const end = isEvents ? 1 + Math.max(value.lastIndexOf(10), value.lastIndexOf(13)) : value.length;
        held.add(value.subarray(0, end));
        const piece = (isEvents ? end > 0 : held.length >= minPieceBytes) ? held.take() : null;
        held.add(value.subarray(end));
        if (piece !== null) return controller.enqueue(piece);
      }
    },
    async cancel() {
      await reader.cancel();
    },
  });
}

function plainCounter(): (chunk: Uint8Array) => number {
  let total = 0;
  return (chunk) => {
    total += chunk.length;
    return total;
  };
}

/** @returns the most bytes that one event had so far within the chunk; an empty line ends an event */
function eventCounter(): (chunk: Uint8Array) => number {
  let bytes = 0;
  let lineBytes = 0;
  let previous = 0;
  return (chunk) => {
    let most = 0;
    for (const byte of chunk) {
      bytes += 1;
      if (byte === 10 || byte === 13) {
        const isSecondHalf = byte === 10 && previous === 13;
        if (!isSecondHalf && lineBytes === 0) bytes = 0;
        if (!isSecondHalf) lineBytes = 0;
      } else lineBytes += 1;
      previous = byte;
      if (bytes > most) most = bytes;
    }
    return most;
  };
}

function isLost(problem: AppError): boolean {
  const { code, params } = reasonOf(problem);
  return connectCodes.has(code) || (code === "mcp.httpStatus" && params.status === 404);
}

function connectProblem(error: unknown, url: URL): AppError {
  if (error instanceof AppError) return error;
  const { code } = partsOf(error);
  if (typeof code === "number" && code >= 400)
    return mcpProblem("mcp.httpStatus", { status: code }, `It answered with status ${code}.`, error);
  return (
    connectionProblem(error, url) ??
    mcpProblem(
      "mcp.protocol",
      { detail: withoutUnseen(messageOf(error)).slice(0, 300) },
      "It cannot be used.",
      error,
    )
  );
}

async function within(work: Promise<unknown>, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([
    work,
    new Promise((resolve) => {
      timer = globalThis.setTimeout(resolve, limitMs);
    }),
  ]);
  clearTimeout(timer);
}
