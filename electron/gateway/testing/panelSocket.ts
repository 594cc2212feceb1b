/** Opens the panel's own socket as a browser would: one-time URL, cookie, own origin. */

import { once } from "node:events";
import { WebSocket } from "ws";
import type { Transport } from "../../../shared/rpc/index.ts";
import type { Gateway } from "../createGateway.ts";
import { createSocketTransport } from "../wsTransport.ts";

export async function openPanelSocket(gateway: Gateway): Promise<Transport> {
  const entered = await fetch(gateway.panelUrl(), { redirect: "manual" });
  const cookie = String(entered.headers.get("set-cookie")).split(";")[0] ?? "";
  const url = `${gateway.url.replace("http:", "ws:")}${entered.headers.get("location")}ws`;
  const socket = new WebSocket(url, { headers: { cookie, origin: gateway.url } });
  await once(socket, "open");
  return createSocketTransport(socket);
}
