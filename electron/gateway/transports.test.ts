/** One suite over every transport that runs on Node; IPC joins it in the e2e run. */

import { once } from "node:events";
import { MessageChannel, type MessagePort } from "node:worker_threads";
import { afterEach, describe, expect, it } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { z } from "zod";
import { AppError } from "../../shared/errors/index.ts";
import {
  createClient,
  createMemoryPair,
  defineContract,
  type EventSource,
  type Frame,
  type Handlers,
  type Principal,
  type Scope,
  serve,
  type Transport,
} from "../../shared/rpc/index.ts";
import { createSocketTransport } from "./wsTransport.ts";

const testContract = defineContract({
  methods: {
    echo: {
      scope: "operator.read",
      input: z.object({ text: z.string() }),
      output: z.object({ text: z.string() }),
    },
    broken: { scope: "operator.read", input: z.object({}), output: z.object({ n: z.number() }) },
    refuse: { scope: "operator.read", input: z.object({}), output: z.object({}) },
    forbidden: { scope: "operator.admin", input: z.object({}), output: z.object({}) },
    hang: { scope: "operator.read", input: z.object({}), output: z.object({}) },
  },
  events: {
    counted: { scope: "operator.read", payload: z.object({ n: z.number() }) },
    guarded: { scope: "operator.admin", payload: z.object({}) },
  },
});
type TestContract = typeof testContract;
type Listener = Parameters<EventSource<TestContract>["onAny"]>[0];

interface Pair {
  client: Transport;
  server: Transport;
  /** Ends what the pair opened besides its two ends. */
  cleanUp(): Promise<void>;
}

function portTransport(port: MessagePort): Transport {
  let isClosed = false;
  port.on("close", () => {
    isClosed = true;
  });
  return {
    send: (frame) => {
      if (!isClosed) port.postMessage(JSON.parse(JSON.stringify(frame)));
    },
    onMessage: (listener) => {
      port.on("message", listener);
      return () => port.off("message", listener);
    },
    onClose: (listener) => {
      port.on("close", listener);
      return () => port.off("close", listener);
    },
    close: () => port.close(),
  };
}

const makers: Record<string, () => Promise<Pair>> = {
  memory: async () => {
    const [client, server] = createMemoryPair();
    return { client, server, cleanUp: async () => client.close() };
  },
  WebSocket: async () => {
    const listener = new WebSocketServer({ host: "127.0.0.1", port: 0 });
    await once(listener, "listening");
    const address = listener.address();
    if (typeof address !== "object" || address === null) throw new Error("no port");
    const accepted = once(listener, "connection");
    const socket = new WebSocket(`ws://127.0.0.1:${address.port}`);
    await once(socket, "open");
    const [serverSocket] = (await accepted) as [WebSocket];
    return {
      client: createSocketTransport(socket),
      server: createSocketTransport(serverSocket),
      cleanUp: async () => {
        socket.terminate();
        serverSocket.terminate();
        await new Promise<void>((resolve) => listener.close(() => resolve()));
      },
    };
  },
  MessagePort: async () => {
    const { port1, port2 } = new MessageChannel();
    return { client: portTransport(port1), server: portTransport(port2), cleanUp: async () => port1.close() };
  },
};

const openPairs: Pair[] = [];
afterEach(async () => {
  for (const pair of openPairs.splice(0)) await pair.cleanUp();
});

async function connect(make: () => Promise<Pair>, held: Scope[] = ["operator.read"]) {
  const pair = await make();
  openPairs.push(pair);
  const listeners = new Set<Listener>();
  const failures: { logId: string; error: unknown }[] = [];
  const started = deferred<void>();
  const aborted = deferred<void>();
  const principal: Principal = {
    kind: "operator",
    id: "test",
    scopes: new Set(held),
    approvalSurface: false,
  };
  const handlers: Handlers<TestContract> = {
    echo: (input) => ({ text: input.text }),
    broken: () => ({ n: "secret text" as unknown as number }),
    refuse: () => {
      throw new AppError("POLICY_DENIED", "A rule denies this.", { data: { line: 3 } });
    },
    forbidden: () => ({}),
    hang: (_input, { signal }) =>
      new Promise((_resolve, reject) => {
        started.resolve();
        signal.addEventListener("abort", () => {
          aborted.resolve();
          reject(new AppError("CANCELLED", "aborted"));
        });
      }),
  };
  const stop = serve({
    contract: testContract,
    handlers,
    transport: pair.server,
    principal,
    events: {
      onAny: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    connectionId: "c1",
    onInternalError: (failure) => failures.push(failure),
  });
  const rpc = createClient(testContract, pair.client);
  return {
    pair,
    rpc,
    stop,
    failures,
    started: started.promise,
    aborted: aborted.promise,
    listenerCount: () => listeners.size,
    emitCounted: (n: number) => {
      for (const listener of [...listeners]) listener("counted", { n });
    },
    emitGuarded: () => {
      for (const listener of [...listeners]) listener("guarded", {});
    },
  };
}

describe.each(Object.entries(makers))("rpc over %s", (_name, make) => {
  it("answers a call with the handler's output", async () => {
    const { rpc } = await connect(make);
    const texts = ["plain", "中文 🚢", "x".repeat(200_000)];
    const answers = await Promise.all(texts.map((text) => rpc.call("echo", { text })));
    expect(answers.map((answer) => answer.text)).toEqual(texts);
  });

  it("refuses input that breaks the schema, with the place of the mistake", async () => {
    const { rpc } = await connect(make);
    await expect(rpc.call("echo", { text: 7 } as never)).rejects.toMatchObject({
      code: "INVALID_INPUT",
      message: expect.stringContaining("at /text"),
    });
  });

  it("refuses a method without its scope, and hides which methods exist", async () => {
    const { rpc } = await connect(make);
    await expect(rpc.call("forbidden", {})).rejects.toMatchObject({
      message: "missing scope: operator.admin",
    });
    await expect(rpc.call("nothing" as never, {} as never)).rejects.toMatchObject({
      message: "missing scope: operator.admin",
    });
    await expect(rpc.call("constructor" as never, {} as never)).rejects.toMatchObject({ code: "FORBIDDEN" });
  });

  it("carries code, message and data of an expected error", async () => {
    const { rpc } = await connect(make);
    await expect(rpc.call("refuse", {})).rejects.toMatchObject({
      code: "POLICY_DENIED",
      message: "A rule denies this.",
      data: { line: 3 },
    });
  });

  it("keeps the text of an unexpected error inside and names the log line", async () => {
    const { rpc, failures } = await connect(make);
    const error = await rpc.call("broken", {}).catch((thrown: unknown) => thrown as AppError);
    expect(error).toMatchObject({ code: "INTERNAL" });
    expect(String(error)).not.toContain("secret");
    expect(failures[0]?.logId).toBe((error as AppError).data?.logId);
  });

  it("aborts the handler when the caller cancels", async () => {
    const { rpc, started, aborted } = await connect(make);
    const controller = new AbortController();
    const call = rpc.call("hang", {}, { signal: controller.signal });
    await started;
    controller.abort();
    await expect(call).rejects.toMatchObject({ code: "CANCELLED" });
    await aborted;
  });

  it("aborts the handler and rejects the call when the connection ends", async () => {
    const { rpc, started, aborted, pair, listenerCount } = await connect(make);
    const call = rpc.call("hang", {});
    await started;
    pair.client.close();
    await expect(call).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await aborted;
    expect(listenerCount()).toBe(0);
    await expect(rpc.call("echo", { text: "late" })).rejects.toMatchObject({ code: "UNAVAILABLE" });
  });

  it("delivers events in order, and only those of the scope", async () => {
    const { rpc, emitCounted, emitGuarded } = await connect(make);
    const seen: number[] = [];
    let gaps = 0;
    rpc.on("counted", ({ n }) => seen.push(n));
    rpc.on("guarded", () => seen.push(-1));
    rpc.onGap(() => {
      gaps += 1;
    });
    for (let n = 0; n < 200; n += 1) emitCounted(n);
    emitGuarded();
    // An answer comes after everything that was sent before it.
    await rpc.call("echo", { text: "fence" });
    expect(seen).toEqual(Array.from({ length: 200 }, (_, n) => n));
    expect(gaps).toBe(0);
  });

  it("reports a gap in the sequence", async () => {
    const { rpc, emitCounted, pair } = await connect(make);
    let gaps = 0;
    rpc.onGap(() => {
      gaps += 1;
    });
    emitCounted(1);
    const skipped: Frame = { type: "event", event: "counted", payload: { n: 9 }, seq: 5 };
    pair.server.send(skipped);
    await rpc.call("echo", { text: "fence" });
    expect(gaps).toBe(1);
  });

  it("answers what is no request and goes on", async () => {
    const { rpc, pair } = await connect(make);
    const answers: unknown[] = [];
    pair.client.onMessage((message) => answers.push(message));
    pair.client.send({ type: "nonsense" } as unknown as Frame);
    await rpc.call("echo", { text: "still here" });
    expect(answers[0]).toMatchObject({ type: "res", ok: false, error: { code: "INVALID_REQUEST" } });
  });

  it("stops serving when told, twice without harm", async () => {
    const { stop, started, aborted, rpc, listenerCount } = await connect(make);
    const call = rpc.call("hang", {}).catch(() => "ended");
    await started;
    stop();
    stop();
    await aborted;
    expect(listenerCount()).toBe(0);
    rpc.close();
    expect(await call).toBe("ended");
  });
});

describe("socket transport", () => {
  it("cuts off a receiver that does not read", async () => {
    const listener = new WebSocketServer({ host: "127.0.0.1", port: 0 });
    await once(listener, "listening");
    const { port } = listener.address() as { port: number };
    const accepted = once(listener, "connection");
    const socket = new WebSocket(`ws://127.0.0.1:${port}`);
    await once(socket, "open");
    const [serverSocket] = (await accepted) as [WebSocket];
    socket.pause();
    const transport = createSocketTransport(serverSocket, { maxBufferedBytes: 1024 * 1024 });
    const closed = new Promise<void>((resolve) => transport.onClose(resolve));
    const payload = "x".repeat(1024 * 1024);
    for (let n = 0; n < 32; n += 1) transport.send({ type: "event", event: "e", payload });
    expect(serverSocket.readyState).toBe(WebSocket.CLOSING);
    await closed;
    socket.terminate();
    await new Promise<void>((resolve) => listener.close(() => resolve()));
  });
});

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
