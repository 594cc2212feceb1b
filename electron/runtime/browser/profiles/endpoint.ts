/** Asks a debugging endpoint who it is, and gives the socket to attach to. Never goes through a proxy. */

import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect } from "node:net";
import { z } from "zod";
import { AppError, messageOf } from "../../../../shared/errors/index.ts";
import { pause } from "../actions/withinTime.ts";

const versionSchema = z.object({
  Browser: z.string().default(""),
  webSocketDebuggerUrl: z.string(),
});

export interface EndpointFacts {
  /** ws or wss, with the credentials of the configured address. */
  wsUrl: string;
  /** For example `Chrome`; empty when the address is a socket, which does not tell. */
  browserName: string;
  version: string;
}

const maxAnswerBytes = 65_536;
const portPollMs = 50;
const localHosts: ReadonlySet<string> = new Set(["localhost", "0.0.0.0", "::", "[::]", "[::1]", "::1"]);

/**
 * @param cdpUrl http(s), asked for `/json/version`; ws(s), taken as it is
 * @throws AppError UNAVAILABLE when nothing answers, or something that is no browser
 */
export async function askEndpoint(cdpUrl: string, timeoutMs: number): Promise<EndpointFacts> {
  const url = new URL(cdpUrl);
  if (url.protocol === "ws:" || url.protocol === "wss:")
    return { wsUrl: url.href, browserName: "", version: "" };
  const asked = new URL(url);
  asked.pathname = `${url.pathname.replace(/\/$/, "")}/json/version`;
  const text = await getText(asked, timeoutMs);
  const parsed = versionSchema.safeParse(parseJson(text));
  if (!parsed.success)
    throw new AppError("UNAVAILABLE", `${shown(url)} answers, but it is no browser's debugging endpoint.`);
  const [browserName = "", version = ""] = parsed.data.Browser.split("/");
  return { wsUrl: socketUrl(parsed.data.webSocketDebuggerUrl, url), browserName, version };
}

/** A browser behind another host names itself by its own loopback address: the configured host is the way there. */
export function socketUrl(told: string, configured: URL): string {
  const socket = new URL(told);
  const isLocal = localHosts.has(socket.hostname) || /^127\./.test(socket.hostname);
  if (isLocal) {
    socket.protocol = configured.protocol === "https:" ? "wss:" : "ws:";
    socket.hostname = configured.hostname;
    socket.port = configured.port;
  }
  if (socket.username === "") {
    socket.username = configured.username;
    socket.password = configured.password;
  }
  for (const [name, value] of configured.searchParams)
    if (!socket.searchParams.has(name)) socket.searchParams.set(name, value);
  return socket.href;
}

/** Without credentials and query, which may hold a token. */
export function shown(url: URL): string {
  return `${url.protocol}//${url.host}`;
}

function getText(url: URL, timeoutMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown) =>
      reject(new AppError("UNAVAILABLE", `${shown(url)} does not answer: ${messageOf(cause)}.`, { cause }));
    const send = url.protocol === "https:" ? httpsRequest : httpRequest;
    const auth =
      url.username === ""
        ? {}
        : { auth: `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}` };
    const signal = AbortSignal.timeout(Math.max(1, timeoutMs));
    const request = send(
      {
        protocol: url.protocol,
        hostname: url.hostname.replace(/^\[|\]$/g, ""),
        port: url.port,
        path: `${url.pathname}${url.search}`,
        signal,
        agent: false,
        ...auth,
      },
      (response) => {
        const chunks: Buffer[] = [];
        let sizeBytes = 0;
        response.on("data", (chunk: Buffer) => {
          sizeBytes += chunk.length;
          if (sizeBytes > maxAnswerBytes) request.destroy(new Error("the answer is too long"));
          else chunks.push(chunk);
        });
        response.on("error", fail);
        response.on("end", () =>
          response.statusCode === 200
            ? resolve(Buffer.concat(chunks).toString("utf8"))
            : fail(new Error(`HTTP ${response.statusCode}`)),
        );
      },
    );
    request.on("error", (cause) => fail(signal.aborted ? new Error(`no answer in ${timeoutMs} ms`) : cause));
    request.end();
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The schema refuses undefined, and the caller says that this is no browser.
    return undefined;
  }
}

/** True when something on loopback takes connections at the port. */
export function isPortTaken(port: number, timeoutMs = 1_000): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    const end = (isTaken: boolean) => {
      socket.destroy();
      resolve(isTaken);
    };
    socket.setTimeout(timeoutMs, () => end(true));
    socket.on("connect", () => end(true));
    socket.on("error", () => end(false));
  });
}

/** Waits until nothing takes connections at the port any more. @returns false when something still does in the end */
export async function isPortFreed(port: number, limitMs: number): Promise<boolean> {
  const endsAtMs = performance.now() + limitMs;
  while (await isPortTaken(port)) {
    if (performance.now() >= endsAtMs) return false;
    await pause(portPollMs);
  }
  return true;
}
