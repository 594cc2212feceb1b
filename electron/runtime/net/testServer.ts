/** For tests: servers on loopback that play the internet, and the address rules that let exactly them through. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type AddressPolicy, checkHost } from "../../../shared/web/index.ts";
import type { HostResolver } from "./hostResolver.ts";

export interface TestServer {
  port: number;
  requests: { method: string; url: string; headers: IncomingMessage["headers"]; body: string }[];
  /** `http://<host>:<port><path>` */
  url(path: string, host?: string): string;
  close(): Promise<void>;
}

export type TestHandler = (request: IncomingMessage & { text: string }, response: ServerResponse) => void;

/** @param address of the loopback network */
export async function startTestServer(
  handle: TestHandler,
  address = "127.0.0.1",
  port = 0,
): Promise<TestServer> {
  const requests: TestServer["requests"] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString("utf8");
      const { method = "", url = "", headers } = request;
      requests.push({ method, url, headers, body: text });
      handle(Object.assign(request, { text }), response);
    });
  });
  await new Promise<void>((resolve) => server.listen(port, address, resolve));
  const bound = (server.address() as AddressInfo).port;
  return {
    port: bound,
    requests,
    url: (path, host = "public.test") => `http://${host}:${bound}${path}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Names that end in `.test` live on this computer; everything written as an address is judged as in earnest. */
export const testAddresses: AddressPolicy = {
  checkHost,
  isAllowedAddress: (address) => address === "127.0.0.1",
};

export const testResolver: HostResolver = async (host) => {
  if (!host.endsWith(".test")) throw new Error(`${host} is not of this test.`);
  return [{ address: "127.0.0.1", family: 4 }];
};
