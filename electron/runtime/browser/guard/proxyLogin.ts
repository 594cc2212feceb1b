/** Tells a started browser the credentials of its filtering proxy: once, before any page may use it. */

import { randomBytes } from "node:crypto";
import { z } from "zod";
import { AppError } from "../../../../shared/errors/index.ts";
import { type BrowserSocket, openBrowserSocket } from "./browserSocket.ts";
import type { FilterProxy } from "./filterProxy.ts";

const challenge = z.object({
  requestId: z.string(),
  authChallenge: z.object({ source: z.string().optional() }),
});
const paused = z.object({ requestId: z.string() });
const targetId = z.object({ targetId: z.string() });
const sessionId = z.object({ sessionId: z.string() });
const targets = z.object({ targetInfos: z.array(z.object({ targetId: z.string(), type: z.string() })) });

const loginTimeoutMs = 20_000;

/**
 * Opens the proxy's own page in a tab of its own; the browser is asked for credentials there, and keeps them for all
 * later requests. Nobody else can take them from it: they are never on a command line or in a page.
 * @throws AppError when the browser does not log in
 */
export async function logIntoProxy(wsUrl: string, proxy: FilterProxy): Promise<void> {
  const socket = await openBrowserSocket(wsUrl);
  try {
    const { username, password } = proxy.credentials;
    const answer = (send: Promise<unknown>) =>
      // A request that ended meanwhile needs no answer; a login that fails is noticed by the time-out.
      send.catch(() => undefined);
    socket.on("Fetch.authRequired", (params) => {
      const { requestId, authChallenge } = challenge.parse(params);
      // A web server that asks for a password must not get the proxy's.
      const authChallengeResponse =
        authChallenge.source === "Proxy"
          ? { response: "ProvideCredentials", username, password }
          : { response: "CancelAuth" };
      void answer(socket.send("Fetch.continueWithAuth", { requestId, authChallengeResponse }));
    });
    socket.on("Fetch.requestPaused", (params) => {
      void answer(socket.send("Fetch.continueRequest", { requestId: paused.parse(params).requestId }));
    });
    await socket.send("Fetch.enable", { handleAuthRequests: true, patterns: [{ urlPattern: "*" }] });
    const nonce = randomBytes(12).toString("hex");
    const arrived = proxy.expectLogin(nonce);
    const close = await openTab(socket, `${proxy.loginUrl}${nonce}`);
    await withTimeout(arrived);
    await close();
    await socket.send("Fetch.disable");
  } finally {
    socket.close();
  }
}

/** @returns what closes the tab again */
async function openTab(socket: BrowserSocket, url: string): Promise<() => Promise<void>> {
  const made = await socket.send("Target.createTarget", { url, background: true }).then(
    (result) => targetId.parse(result).targetId,
    // A browser inside an app may only have the pages that the app opens.
    () => null,
  );
  if (made !== null)
    return async () => {
      await socket.send("Target.closeTarget", { targetId: made });
    };
  const page = await firstPage(socket);
  const attached = await socket.send("Target.attachToTarget", { targetId: page.targetId, flatten: true });
  const session = sessionId.parse(attached).sessionId;
  await socket.send("Page.navigate", { url }, session);
  return async () => {
    await socket.send("Page.navigate", { url: "about:blank" }, session);
    await socket.send("Target.detachFromTarget", { sessionId: session });
  };
}

/** An app opens its first window some time after its port answers. */
async function firstPage(socket: BrowserSocket): Promise<{ targetId: string }> {
  const endsAtMs = performance.now() + loginTimeoutMs;
  for (;;) {
    const { targetInfos } = targets.parse(await socket.send("Target.getTargets"));
    const page = targetInfos.find(({ type }) => type === "page");
    if (page !== undefined) return page;
    if (performance.now() > endsAtMs)
      throw new AppError("UNAVAILABLE", "The browser has no page to log into the guard with.");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function withTimeout(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () =>
        reject(
          new AppError(
            "UNAVAILABLE",
            "The browser does not use the guard's proxy, so it was not handed out.",
          ),
        ),
      loginTimeoutMs,
    );
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
