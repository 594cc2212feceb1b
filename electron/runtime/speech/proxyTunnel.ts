/** A connection through an HTTP proxy by CONNECT, for a service that the operator reaches that way. */

import { request as httpRequest } from "node:http";
import type { Socket } from "node:net";
import { connect as tlsConnect } from "node:tls";
import { AppError } from "../../../shared/errors/index.ts";
import { netProblem } from "../net/netProblem.ts";

/**
 * @param proxy `http://host:port`, as the operator wrote it
 * @param target where the connection has to lead; with TLS for `wss:`
 * @throws AppError UNAVAILABLE when the proxy is no http address, TIMEOUT or TOOL_FAILED when it does not connect
 */
export function openTunnel(
  proxy: string,
  target: URL,
  options: { timeoutMs: number; signal: AbortSignal },
): Promise<Socket> {
  const url = URL.canParse(proxy) ? new URL(proxy) : null;
  if (url === null || url.protocol !== "http:") {
    throw new AppError("UNAVAILABLE", "The proxy of the Microsoft settings is no http address. Correct it.");
  }
  const isSecure = target.protocol === "wss:";
  const host = target.hostname;
  const path = `${host}:${target.port === "" ? (isSecure ? 443 : 80) : target.port}`;
  const login = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return new Promise((resolve, reject) => {
    const tunnel = httpRequest({
      host: url.hostname,
      port: url.port === "" ? 80 : url.port,
      method: "CONNECT",
      path,
      agent: false,
      signal: options.signal,
      timeout: options.timeoutMs,
      headers: {
        host: path,
        ...(url.username === ""
          ? {}
          : { "proxy-authorization": `Basic ${Buffer.from(login).toString("base64")}` }),
      },
    });
    tunnel.once("timeout", () => {
      tunnel.destroy(new AppError("TIMEOUT", "The proxy did not answer in time."));
    });
    tunnel.once("error", (cause) => {
      if (options.signal.aborted) reject(options.signal.reason);
      else if (cause instanceof AppError) reject(cause);
      else reject(netProblem("connect", "The proxy of the Microsoft settings cannot be reached.", { cause }));
    });
    tunnel.once("connect", (response, socket) => {
      if (response.statusCode !== 200) {
        socket.destroy();
        return reject(netProblem("connect", `The proxy refused with status ${response.statusCode ?? 0}.`));
      }
      resolve(isSecure ? tlsConnect({ socket, servername: host }) : socket);
    });
    tunnel.end();
  });
}
