/** Answers that come in pieces of a few bytes, as a slow or hostile server sends them. */

import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { type Connection, connectServer } from "./connection.ts";

const request = z.looseObject({ id: z.number().optional(), method: z.string() });
const closing: (() => Promise<unknown> | undefined)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function inPieces(response: ServerResponse, text: string): Promise<void> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 3) {
    response.write(bytes.subarray(at, at + 3));
    await turn();
  }
}

function answerTo(method: string): unknown {
  if (method !== "initialize") return { tools: [{ name: "工具", inputSchema: { type: "object" } }] };
  const serverInfo = { name: "slow", version: "1" };
  return { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo };
}

async function listen(server: Server): Promise<URL> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(
    () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  );
  const { port } = server.address() as AddressInfo;
  return new URL(`http://127.0.0.1:${port}`);
}

async function connect(transport: "sse" | "streamable-http", url: URL): Promise<Connection> {
  const connection = await connectServer(
    { kind: "http", transport, url, headers: {} },
    {
      version: "0",
      timeoutMs: 20_000,
      signal: new AbortController().signal,
      onStderr: () => {},
      onToolsChanged: () => {},
    },
  );
  closing.push(() => connection.end());
  return connection;
}

/** Answers every request in JSON or as an event; lines end as given. */
async function startSlicedServer(lineEnd: string): Promise<URL> {
  let stream: ServerResponse | null = null;
  const server = createServer((incoming, response) => {
    const answer = async () => {
      if (incoming.method === "GET") {
        if (incoming.url !== "/sse") return response.writeHead(405).end();
        stream = response.writeHead(200, { "content-type": "text/event-stream" });
        return inPieces(response, `event: endpoint${lineEnd}data: /sse${lineEnd}${lineEnd}`);
      }
      const parsed = request.parse(JSON.parse(Buffer.concat(await incoming.toArray()).toString("utf8")));
      if (parsed.id === undefined) return response.writeHead(202).end();
      const text = JSON.stringify({ jsonrpc: "2.0", id: parsed.id, result: answerTo(parsed.method) });
      const event = `data: ${text}${lineEnd}${lineEnd}`;
      if (stream !== null) {
        response.writeHead(202).end("Accepted");
        return inPieces(stream, event);
      }
      const isJson = incoming.url === "/json";
      response.writeHead(200, { "content-type": isJson ? "application/json" : "text/event-stream" });
      await inPieces(response, isJson ? text : event);
      response.end();
    };
    answer().catch(() => response.destroy());
  });
  return listen(server);
}

describe("an answer in pieces of three bytes", () => {
  it.each([
    ["/sse", "sse", "\n"],
    ["/sse", "sse", "\r\n"],
    ["/events", "streamable-http", "\n"],
    ["/json", "streamable-http", "\n"],
  ] as const)("is read from %s over %s, lines ending in %j", async (path, transport, lineEnd) => {
    const origin = await startSlicedServer(lineEnd);
    const connection = await connect(transport, new URL(path, origin));
    const { raw } = await connection.listTools();
    expect(raw).toMatchObject([{ name: "工具" }]);
  });
});

it("a stream that ends again and again, and asks to be opened at once, is opened a few times a second", async () => {
  let opened = 0;
  const server = createServer((incoming, response) => {
    const answer = async () => {
      if (incoming.method === "DELETE") return response.writeHead(200).end();
      if (incoming.method === "GET") {
        opened += 1;
        response.writeHead(200, { "content-type": "text/event-stream" });
        return response.end(`retry: 0\nid: ${opened}\ndata: \n\n`);
      }
      const parsed = request.parse(JSON.parse(Buffer.concat(await incoming.toArray()).toString("utf8")));
      if (parsed.id === undefined) return response.writeHead(202).end();
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id: parsed.id, result: answerTo(parsed.method) }));
    };
    answer().catch(() => response.destroy());
  });
  const origin = await listen(server);
  const startedAtMs = performance.now();
  await connect("streamable-http", origin);
  await expect.poll(() => opened, { timeout: 20_000, interval: 20 }).toBeGreaterThanOrEqual(13);
  // No more than six in each of the first two seconds; a slow machine only takes longer.
  expect(performance.now() - startedAtMs).toBeGreaterThan(1500);
});
