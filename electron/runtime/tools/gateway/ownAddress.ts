/** Which `gatewayUrl` the gateway tool takes: the one of the program it runs in. */

import { AppError } from "../../../../shared/errors/index.ts";

const loopback = new Set(["127.0.0.1", "localhost", "[::1]"]);

/**
 * @param port where this Gateway listens, or would
 * @throws AppError INVALID_INPUT for every other address: a call that goes elsewhere would carry this config, or a
 * token, to whoever answers there
 * @see gateway-sessions-nodes.md §2
 */
export function requireOwnAddress(gatewayUrl: string | undefined, port: number): void {
  if (gatewayUrl === undefined) return;
  const why = whyNotOwn(gatewayUrl, port);
  if (why === null) return;
  throw new AppError(
    "INVALID_INPUT",
    `gatewayUrl is refused: ${why}. This tool speaks to the Gateway that it runs in, ws://127.0.0.1:${port}, and to no other. Leave gatewayUrl out.`,
  );
}

function whyNotOwn(gatewayUrl: string, port: number): string | null {
  let url: URL;
  try {
    url = new URL(gatewayUrl);
  } catch {
    return "it is no address";
  }
  if (url.protocol !== "ws:" && url.protocol !== "wss:") return "it must begin with ws:// or wss://";
  if (url.username !== "" || url.password !== "") return "it holds credentials";
  if (url.search !== "" || url.hash !== "" || url.pathname !== "/")
    return "it has a path, a query or a fragment";
  if (!loopback.has(url.hostname)) return "it is another host";
  // The usual ports of the schemes are left out of a parsed address.
  const given = url.port === "" ? (url.protocol === "ws:" ? 80 : 443) : Number(url.port);
  return given === port ? null : "it is another port";
}
