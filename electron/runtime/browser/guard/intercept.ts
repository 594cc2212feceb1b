/** Holds the requests of a browser that we did not start: each is stopped, judged, and let go or failed. */

import { z } from "zod";
import { AppError } from "../../../../shared/errors/index.ts";
import type { Logger } from "../../logging/logger.ts";
import { type BrowserSocket, openBrowserSocket } from "./browserSocket.ts";
import type { RequestGuard } from "./requestGuard.ts";

const pausedRequest = z.object({
  requestId: z.string(),
  request: z.object({ url: z.string() }),
  resourceType: z.string().optional(),
  responseStatusCode: z.number().optional(),
  responseErrorReason: z.string().optional(),
  responseHeaders: z.array(z.object({ name: z.string(), value: z.string() })).optional(),
});
const responseBody = z.object({ body: z.string(), base64Encoded: z.boolean() });
type PausedRequest = z.infer<typeof pausedRequest>;

/** Schemes that stay inside the browser. */
const innerScheme = /^(?:data|blob|about|chrome|chrome-error|chrome-extension|devtools|chrome-untrusted):/i;

const whatNames = new Map([
  ["Document", "navigation"],
  ["XHR", "fetch"],
  ["Fetch", "fetch"],
  ["WebSocket", "websocket"],
]);

/**
 * Sockets are opened past the interception, so every document and script arrives with a rule that forbids them:
 * a page of such a profile has no WebSocket while the policy is in force. Only a response that is given anew makes
 * the browser read the rule.
 */
const noSockets = { name: "Content-Security-Policy", value: "connect-src http: https: data: blob:" };
/** What can hold or be a script; anything else passes as it comes. */
const scriptable =
  /^\s*(?:$|text\/(?:html|xml|javascript|ecmascript)|application\/(?:[\w.-]*xml|[\w.+-]*xml|javascript|ecmascript|x-javascript)|image\/svg)/i;

/** For pages that no response brought, such as an empty one. Runs in the page. */
export const socketlessPage = `for (const name of ["WebSocket", "WebSocketStream", "WebTransport", "RTCPeerConnection", "webkitRTCPeerConnection"]) delete globalThis[name];`;

export interface Interception {
  /** Settles when requests are no longer held, for example because the browser ended. */
  ended: Promise<void>;
  dispose(): void;
}

/** @throws AppError UNAVAILABLE when the browser does not let its requests be held */
export async function interceptRequests(
  wsUrl: string,
  guard: RequestGuard,
  logger: Logger,
): Promise<Interception> {
  const socket = await openBrowserSocket(wsUrl);
  socket.on("Fetch.requestPaused", (params) => {
    const parsed = pausedRequest.safeParse(params);
    if (!parsed.success) {
      // It stays stopped: a request that cannot be judged is not let go.
      logger.error("browser.requestUnreadable", {});
      return;
    }
    handle(socket, parsed.data, guard).catch((error: unknown) =>
      logger.debug("browser.requestNotAnswered", { error }),
    );
  });
  try {
    await socket.send("Fetch.enable", {
      patterns: [
        { urlPattern: "*", requestStage: "Request" },
        { urlPattern: "*", resourceType: "Document", requestStage: "Response" },
        { urlPattern: "*", resourceType: "Script", requestStage: "Response" },
        { urlPattern: "*", resourceType: "Other", requestStage: "Response" },
      ],
    });
  } catch (cause) {
    socket.close();
    throw new AppError(
      "UNAVAILABLE",
      "This browser does not let its requests be held to browser.ssrfPolicy, so it is not used. Use a managed profile, or a policy without a list and with private networks allowed.",
      { cause },
    );
  }
  return { ended: socket.closed, dispose: () => socket.close() };
}

async function handle(socket: BrowserSocket, paused: PausedRequest, guard: RequestGuard): Promise<void> {
  const { requestId, request, responseStatusCode, responseErrorReason } = paused;
  if (responseErrorReason !== undefined) {
    await socket.send("Fetch.continueRequest", { requestId });
    return;
  }
  if (responseStatusCode !== undefined) {
    await answerWithRule(socket, paused, responseStatusCode);
    return;
  }
  if (innerScheme.test(request.url)) {
    await socket.send("Fetch.continueRequest", { requestId });
    return;
  }
  const what = whatNames.get(paused.resourceType ?? "") ?? "other";
  const verdict = await guard.judgeRequest(request.url, what);
  if (verdict.verdict === "allowed") await socket.send("Fetch.continueRequest", { requestId });
  else await socket.send("Fetch.failRequest", { requestId, errorReason: "BlockedByClient" });
}

async function answerWithRule(socket: BrowserSocket, paused: PausedRequest, status: number): Promise<void> {
  const { requestId } = paused;
  const headers = paused.responseHeaders ?? [];
  const type = headers.find(({ name }) => name.toLowerCase() === "content-type")?.value ?? "";
  const hasBody = status >= 200 && status !== 204 && status !== 205 && status !== 304;
  const isRedirect = status >= 300 && status < 400;
  if (!hasBody || isRedirect || !scriptable.test(type)) {
    await socket.send("Fetch.continueRequest", { requestId });
    return;
  }
  try {
    const { body, base64Encoded } = responseBody.parse(
      await socket.send("Fetch.getResponseBody", { requestId }),
    );
    await socket.send("Fetch.fulfillRequest", {
      requestId,
      responseCode: status,
      responseHeaders: [
        ...headers.filter(({ name }) => !/^content-(?:encoding|length)$/i.test(name)),
        noSockets,
      ],
      body: base64Encoded ? body : Buffer.from(body).toString("base64"),
    });
  } catch (error) {
    // Without the rule it must not come in.
    await socket.send("Fetch.failRequest", { requestId, errorReason: "Failed" });
    throw error;
  }
}
