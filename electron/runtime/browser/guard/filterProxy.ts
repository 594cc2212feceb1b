/** A proxy on loopback for one guarded profile: judges every request, and connects to the address it has judged. */

import { randomBytes, timingSafeEqual } from "node:crypto";
import {
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Logger } from "../../logging/logger.ts";
import type { ResolvedAddress } from "../../net/hostResolver.ts";
import { blockPage } from "./blockPage.ts";
import type { RequestGuard } from "./requestGuard.ts";

export interface FilterProxy {
  /** `http://127.0.0.1:<port>` */
  url: string;
  credentials: { username: string; password: string };
  /** Answered by the proxy itself; a word of `expectLogin` goes behind it. */
  loginUrl: string;
  /** Settles when the page of this word was asked for with the credentials. */
  expectLogin(word: string): Promise<void>;
  /**
   * A request came without the credentials after the browser had logged in: it lost them (its network service was
   * restarted), or it is somebody else's. It was refused and waits for nothing; while a login is expected it is asked.
   */
  onLoggedOut(listener: () => void): void;
  dispose(): Promise<void>;
}

/** Opens a connection to an address that was judged. @throws Error when nobody answers there */
export type Dial = (address: string, port: number) => Promise<Socket>;

const connectTimeoutMs = 10_000;
/** A name that no resolver knows, so that it cannot be anybody else's. */
const loginUrl = "http://guard.sallyport.invalid/";
const hopHeaders: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Listens on a port of its own; whoever does not know the credentials, which only the browser gets, is turned away. */
export async function startFilterProxy(deps: {
  guard: RequestGuard;
  logger: Logger;
  dial?: Dial;
}): Promise<FilterProxy> {
  const { guard, dial = dialDirectly } = deps;
  const credentials = { username: "sallyport", password: randomBytes(24).toString("base64url") };
  const expected = Buffer.from(
    `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString("base64")}`,
  );
  const sockets = new Set<Duplex>();
  const logins = new Map<string, () => void>();
  let hasLoggedIn = false;
  let onLoggedOut: () => void = () => {};
  /** A browser that is asked for a password and has nobody to answer waits for ever. */
  const isNobodyThereToAnswer = (): boolean => {
    if (!hasLoggedIn || logins.size > 0) return false;
    onLoggedOut();
    return true;
  };
  const isAuthorized = ({ headers }: IncomingMessage): boolean => {
    const given = Buffer.from(headers["proxy-authorization"] ?? "");
    return given.length === expected.length && timingSafeEqual(given, expected);
  };

  const server = createServer({ keepAliveTimeout: 30_000 }, (request, response) => {
    if (!isAuthorized(request)) {
      if (isNobodyThereToAnswer())
        return response.writeHead(403, { "content-type": "text/plain" }).end("Not logged in.");
      response.writeHead(407, { "proxy-authenticate": 'Basic realm="sallyport"' }).end();
      return;
    }
    const target = request.url ?? "";
    const login = target.startsWith(loginUrl) ? logins.get(target.slice(loginUrl.length)) : undefined;
    if (login !== undefined) {
      response.writeHead(204).end();
      hasLoggedIn = true;
      login();
      return;
    }
    forward(request, response, guard, dial).catch((error: unknown) => {
      deps.logger.debug("browser.proxyRequestFailed", { error });
      response.destroy();
    });
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  server.on("connect", (request: IncomingMessage, client: Duplex, head: Buffer) => {
    // Its end is seen by the tunnel; an error of one side is no news.
    client.on("error", () => {});
    if (!isAuthorized(request)) {
      if (isNobodyThereToAnswer()) return client.end("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
      client.end(
        'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="sallyport"\r\nContent-Length: 0\r\n\r\n',
      );
      return;
    }
    tunnel(request, client, head, { guard, dial, sockets }).catch((error: unknown) => {
      deps.logger.debug("browser.proxyTunnelFailed", { error });
      client.destroy();
    });
  });
  // Sockets of pages come through CONNECT; anything else that wants to switch protocols is none of ours.
  server.on("upgrade", (_request, socket: Duplex) => socket.destroy());
  server.on("clientError", (_error, socket: Duplex) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    credentials,
    loginUrl,
    expectLogin: (word) =>
      new Promise((resolve) => {
        logins.set(word, () => {
          logins.delete(word);
          resolve();
        });
      }),
    onLoggedOut: (listener) => {
      onLoggedOut = listener;
    },
    dispose: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        for (const socket of sockets) socket.destroy();
      }),
  };
}

async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  guard: RequestGuard,
  dial: Dial,
): Promise<void> {
  const target = request.url ?? "";
  // A request to the proxy as if it were a web server comes from a page of another browser.
  if (!/^http:\/\//i.test(target)) {
    response.writeHead(400).end();
    return;
  }
  const verdict = await guard.judgeRequest(target, whatOf(request.headers));
  if (verdict.verdict === "blocked") {
    const page = blockPage(verdict);
    response.writeHead(403, page.headers).end(page.html);
    return;
  }
  const url = new URL(target);
  const socket = await connectPinned(verdict.addresses, Number(url.port || 80), dial).catch(() => null);
  if (socket === null) {
    response.writeHead(502, { "content-type": "text/plain" }).end("The server does not answer.");
    return;
  }
  const outgoing = httpRequest({
    createConnection: () => socket,
    method: request.method,
    path: `${url.pathname}${url.search}`,
    headers: { ...endToEnd(request.headers), host: url.host, connection: "close" },
    setHost: false,
  });
  const abandon = () => {
    outgoing.destroy();
    socket.destroy();
  };
  response.on("close", abandon);
  outgoing.on("error", () => {
    if (response.headersSent) response.destroy();
    else response.writeHead(502, { "content-type": "text/plain" }).end("The server ended the connection.");
  });
  outgoing.on("response", (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEndList(answer.rawHeaders));
    answer.on("error", () => response.destroy());
    answer.pipe(response);
  });
  request.on("error", abandon);
  request.pipe(outgoing);
}

async function tunnel(
  request: IncomingMessage,
  client: Duplex,
  head: Buffer,
  { guard, dial, sockets }: { guard: RequestGuard; dial: Dial; sockets: Set<Duplex> },
): Promise<void> {
  const authority = /^(\[[0-9a-f:.]+\]|[^:/?#@[\]]+):(\d{1,5})$/i.exec(request.url ?? "");
  if (authority === null) {
    client.end("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
    return;
  }
  const [, host = "", portText = ""] = authority;
  const port = Number(portText);
  const url = port === 443 ? `https://${host}/` : `${port === 80 ? "http" : "https"}://${host}:${port}/`;
  const verdict = await guard.judgeRequest(url, "other");
  if (verdict.verdict === "blocked") {
    client.end(`HTTP/1.1 403 Forbidden\r\nX-Sallyport-Blocked: ${verdict.kind}\r\nContent-Length: 0\r\n\r\n`);
    return;
  }
  const server = await connectPinned(verdict.addresses, port, dial).catch(() => null);
  if (server === null || client.destroyed) {
    server?.destroy();
    client.end("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n");
    return;
  }
  sockets.add(server);
  server.on("close", () => {
    sockets.delete(server);
    client.destroy();
  });
  server.on("error", () => client.destroy());
  client.on("close", () => server.destroy());
  client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
  if (head.length > 0) server.write(head);
  server.pipe(client);
  client.pipe(server);
}

/** Tries the judged addresses in turn. @throws Error of the last one */
async function connectPinned(
  addresses: readonly ResolvedAddress[],
  port: number,
  dial: Dial,
): Promise<Socket> {
  let last: unknown = new Error("There is no address to connect to.");
  for (const { address } of addresses) {
    try {
      return await dial(address, port);
    } catch (error) {
      last = error;
    }
  }
  throw last;
}

const dialDirectly: Dial = (address, port) =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: address, port });
    socket.setTimeout(connectTimeoutMs, () => socket.destroy(new Error("The server does not answer.")));
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.setTimeout(0);
      socket.off("error", reject);
      // Who uses the socket sees its end; an error in between has nobody to tell.
      socket.on("error", () => {});
      resolve(socket);
    });
  });

function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const named = (headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase());
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !hopHeaders.has(name) && !named.includes(name)),
  );
}

/** Repeated headers (cookies) stay apart. */
function endToEndList(raw: readonly string[]): string[] {
  const kept: string[] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const [name = "", value = ""] = raw.slice(index, index + 2);
    if (!hopHeaders.has(name.toLowerCase())) kept.push(name, value);
  }
  return kept;
}

/** What Chromium says about the purpose of a request. */
function whatOf(headers: IncomingHttpHeaders): string {
  const destination = headers["sec-fetch-dest"];
  if (destination === "document") return "navigation";
  if (destination === "iframe" || destination === "frame") return "subframe";
  if (destination === "empty") return "fetch";
  if (destination !== undefined && /worker/.test(destination)) return "worker";
  return "other";
}
