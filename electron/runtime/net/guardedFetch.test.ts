import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { strictAddresses } from "../../../shared/web/index.ts";
import { createGuardedFetch, type FetchRequest } from "./guardedFetch.ts";
import type { HostResolver } from "./hostResolver.ts";
import {
  startTestServer,
  type TestHandler,
  type TestServer,
  testAddresses,
  testResolver,
} from "./testServer.ts";

const servers: TestServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});
const serve = async (handle: TestHandler, address?: string, port?: number) => {
  const server = await startTestServer(handle, address, port);
  servers.push(server);
  return server;
};

const guarded = createGuardedFetch({ resolve: testResolver });
const load = (url: string, more: Partial<FetchRequest> = {}, fetch = guarded) =>
  fetch({
    url,
    timeoutMs: 10_000,
    maxRedirects: 3,
    maxBytes: 1_000_000,
    signal: new AbortController().signal,
    policy: testAddresses,
    ...more,
  });
const kind = (name: string) => ({ data: { kind: name } });

describe("what is not connected to", () => {
  it.each([
    "http://127.0.0.1:PORT/",
    "http://2130706433:PORT/",
    "http://0x7f000001:PORT/",
    "http://017700000001:PORT/",
    "http://[::ffff:127.0.0.1]:PORT/",
    "http://[64:ff9b::7f00:1]:PORT/",
    "http://localhost:PORT/",
  ])("%s, asked for or redirected to", async (template) => {
    const server = await serve((request, response) => {
      if (request.url === "/go")
        response.writeHead(302, { location: template.replace("PORT", String(server.port)) }).end();
      else response.end("inside");
    });
    const target = template.replace("PORT", String(server.port));
    await expect(load(target)).rejects.toMatchObject(kind("blocked"));
    await expect(load(server.url("/go"))).rejects.toMatchObject(kind("blocked"));
    expect(server.requests.map((request) => request.url)).toEqual(["/go"]);
  });

  it.each(["ftp://public.test/", "file:///etc/passwd", "javascript:1", "http://u:p@public.test/"])(
    "%s, asked for or redirected to",
    async (target) => {
      const server = await serve((_request, response) => response.writeHead(301, { location: target }).end());
      await expect(load(target)).rejects.toMatchObject(kind("bad_url"));
      await expect(load(server.url("/"))).rejects.toMatchObject(kind("bad_url"));
    },
  );

  it("a name with one private address among public ones", async () => {
    const resolve: HostResolver = async () => [
      { address: "8.8.8.8", family: 4 },
      { address: "10.0.0.1", family: 4 },
    ];
    const fetch = createGuardedFetch({ resolve });
    await expect(load("http://mixed.example/", { policy: strictAddresses }, fetch)).rejects.toMatchObject(
      kind("blocked"),
    );
  });

  it("an address that the name server gives only after the check", async () => {
    const good = await serve((_request, response) => response.end("good"));
    const evil = await serve((_request, response) => response.end("evil"), "127.0.0.2", good.port);
    let asked = 0;
    const resolve: HostResolver = async () => {
      asked += 1;
      return [{ address: asked === 1 ? "127.0.0.1" : "127.0.0.2", family: 4 }];
    };
    const fetch = createGuardedFetch({ resolve });
    expect((await load(good.url("/", "rebind.test"), {}, fetch)).bytes.toString()).toBe("good");
    expect(asked).toBe(1);
    await expect(load(good.url("/", "rebind.test"), {}, fetch)).rejects.toMatchObject(kind("blocked"));
    expect(evil.requests).toEqual([]);
  });

  it("a proxy that the environment names", async () => {
    const proxy = await serve((_request, response) => response.end("proxy"));
    const server = await serve((_request, response) => response.end("direct"));
    const names = ["HTTP_PROXY", "http_proxy", "ALL_PROXY"];
    for (const name of names) process.env[name] = `http://127.0.0.1:${proxy.port}`;
    try {
      expect((await load(server.url("/"))).bytes.toString()).toBe("direct");
    } finally {
      for (const name of names) delete process.env[name];
    }
    expect(proxy.requests).toEqual([]);
  });
});

describe("redirects", () => {
  const redirecting = (next: (url: string, server: TestServer) => string | undefined) =>
    serve((request, response) => {
      const [server] = servers;
      const location = server === undefined ? undefined : next(request.url ?? "", server);
      response.writeHead(302, location === undefined ? {} : { location }).end();
    });

  it("are followed up to the limit, and not in circles or to nowhere", async () => {
    const server = await redirecting((url) => `/${Number(url.slice(1)) + 1}`);
    await expect(load(server.url("/1"))).rejects.toThrow(/more than 3 times/);
    expect(server.requests.length).toBe(4);
    await server.close();
    servers.length = 0;
    const circle = await redirecting((url) => (url === "/a" ? "/b" : "/a"));
    await expect(load(circle.url("/a"))).rejects.toThrow(/circle/);
    servers.length = 0;
    servers.push(circle);
    const nowhere = await serve((_request, response) => response.writeHead(302).end());
    await expect(load(nowhere.url("/"))).rejects.toThrow(/without saying/);
  });

  it("take keys along to the same origin only", async () => {
    const other = await serve((_request, response) => response.end("there"));
    const server = await serve((request, response) => {
      const location = request.url === "/1" ? "/2" : other.url("/", "other.test");
      response.writeHead(302, { location }).end();
    });
    const headers = { authorization: "Bearer key", "x-api-key": "key", accept: "text/html" };
    const answer = await load(server.url("/1"), { headers });
    expect(answer.finalUrl).toBe(other.url("/", "other.test"));
    expect(server.requests[1]?.headers).toMatchObject({ authorization: "Bearer key" });
    expect(other.requests[0]?.headers).toMatchObject({ accept: "text/html" });
    expect(other.requests[0]?.headers).not.toHaveProperty("authorization");
    expect(other.requests[0]?.headers).not.toHaveProperty("x-api-key");
  });
});

describe("bodies", () => {
  it.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ] as const)("come out of %s", async (encoding, pack) => {
    const server = await serve((_request, response) =>
      response.writeHead(200, { "content-encoding": encoding }).end(pack(Buffer.from("你好"))),
    );
    expect((await load(server.url("/"))).bytes.toString()).toBe("你好");
  });

  it("of a bomb are kept to the limit, once or twice compressed", async () => {
    const once = gzipSync(Buffer.alloc(200 * 1024 * 1024));
    const bombs = new Map([
      ["/gzip", ["gzip", once]],
      ["/gzip-gzip", ["gzip, gzip", gzipSync(once)]],
    ] as const);
    const server = await serve((request, response) => {
      const [encoding, body] = bombs.get(request.url as "/gzip") ?? ["", once];
      response.writeHead(200, { "content-encoding": encoding }).end(body);
    });
    for (const path of bombs.keys()) {
      const before = process.memoryUsage().rss;
      const answer = await load(server.url(path), { maxBytes: 100_000 });
      expect(answer).toMatchObject({ isCut: true });
      expect(answer.bytes.length).toBe(100_000);
      expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
    }
    await expect(
      load(
        (
          await serve((_q, response) =>
            response.writeHead(200, { "content-encoding": "gzip, gzip, gzip" }).end("x"),
          )
        ).url("/"),
      ),
    ).rejects.toMatchObject(kind("encoding"));
  });

  it("without end are cut, and the server is left at once", async () => {
    let closed: () => void;
    const left = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const server = await serve((_request, response) => {
      response.on("close", () => closed());
      const more = () => {
        while (response.writable && response.write("x".repeat(65_536)));
        response.once("drain", more);
      };
      more();
    });
    const answer = await load(server.url("/"), { maxBytes: 200_000 });
    expect(answer.bytes.length).toBe(200_000);
    await left;
  });

  it("that trickle, never start or lie about their compression end with a reason", async () => {
    const server = await serve((request, response) => {
      if (request.url === "/lie") response.writeHead(200, { "content-encoding": "gzip" }).end("plain");
      if (request.url === "/br") response.writeHead(200, { "content-encoding": "br" }).end("plain text");
      if (request.url === "/slow") {
        response.writeHead(200);
        const timer = setInterval(() => response.write("."), 50);
        response.on("close", () => clearInterval(timer));
      }
      if (request.url === "/broken") {
        response.writeHead(200, { "content-length": "100" });
        response.write("half", () => response.destroy());
      }
    });
    await expect(load(server.url("/slow"), { timeoutMs: 300 })).rejects.toMatchObject(kind("timeout"));
    await expect(load(server.url("/silent"), { timeoutMs: 300 })).rejects.toMatchObject(kind("timeout"));
    await expect(load(server.url("/lie"))).rejects.toMatchObject(kind("encoding"));
    await expect(load(server.url("/br"))).rejects.toMatchObject(kind("encoding"));
    await expect(load(server.url("/broken"))).rejects.toMatchObject(kind("connect"));
  });

  it("are given up when the call is cancelled, while waiting and while reading", async () => {
    const server = await serve((request, response) => {
      if (request.url !== "/silent") response.writeHead(200).write("x");
    });
    for (const path of ["/silent", "/open"]) {
      const cancel = new AbortController();
      const loading = load(server.url(path), { signal: cancel.signal });
      const seen = server.requests.length;
      await expect.poll(() => server.requests.length).toBeGreaterThan(seen);
      cancel.abort(new Error("cancelled"));
      await expect(loading).rejects.toThrow("cancelled");
    }
    const never = createGuardedFetch({ resolve: () => new Promise(() => {}) });
    const cancel = new AbortController();
    const loading = load("http://slow-dns.test/", { signal: cancel.signal }, never);
    cancel.abort(new Error("cancelled"));
    await expect(loading).rejects.toThrow("cancelled");
  });
});

it("says why a server cannot be reached", async () => {
  const server = await serve((_request, response) => response.end());
  await server.close();
  await expect(load(server.url("/"))).rejects.toThrow(/refuses connections/);
  await expect(load("http://unknown.example/")).rejects.toMatchObject(kind("dns"));
});
