/** The read-aloud service against a local WebSocket server that speaks its protocol. */

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { WebSocketServer } from "ws";
import { timeProof } from "./readAloudSocket.ts";
import { cleanUpSpeech, makeTestSpeech, mp3Second, onCleanUp } from "./testSpeech.ts";

afterEach(cleanUpSpeech);

interface Heard {
  url: string;
  headers: Record<string, string | string[] | undefined>;
  /** `Path` of each message with its body. */
  messages: { path: string; body: string }[];
}

type Answer = (socket: import("ws").WebSocket, heard: Heard) => void;

/** A binary message: length of the head in two bytes, the head, audio. */
function audioFrame(bytes: Buffer): Buffer {
  const head = Buffer.from("X-RequestId:0\r\nContent-Type:audio/mpeg\r\nPath:audio\r\n", "latin1");
  const length = Buffer.alloc(2);
  length.writeUInt16BE(head.length);
  return Buffer.concat([length, head, bytes]);
}

const say = (path: string, body = "{}") => `X-RequestId:0\r\nPath:${path}\r\n\r\n${body}`;

const good: Answer = (socket) => {
  socket.send(say("turn.start"));
  socket.send(say("response"));
  // The head of a frame may come without audio, and audio in several frames.
  socket.send(audioFrame(Buffer.alloc(0)));
  socket.send(audioFrame(mp3Second.subarray(0, 1000)));
  socket.send(
    say(
      "audio.metadata",
      JSON.stringify({
        Metadata: [
          { Type: "WordBoundary", Data: { Offset: 1_000_000, Duration: 5_000_000, text: { Text: "Hello" } } },
        ],
      }),
    ),
  );
  socket.send(audioFrame(mp3Second.subarray(1000)));
  socket.send(say("turn.end"));
};

async function withService(answer: Answer = good) {
  const heard: Heard[] = [];
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await new Promise((resolve) => server.once("listening", resolve));
  onCleanUp(
    () =>
      new Promise<void>((resolve) => {
        for (const client of server.clients) client.terminate();
        server.close(() => resolve());
      }),
  );
  server.on("connection", (socket, request) => {
    const one: Heard = { url: request.url ?? "", headers: request.headers, messages: [] };
    heard.push(one);
    socket.on("message", (data) => {
      const text = data.toString();
      const at = text.indexOf("\r\n\r\n");
      const path = /Path:(\S+)/.exec(text.slice(0, at))?.[1] ?? "";
      one.messages.push({ path, body: text.slice(at + 4) });
      if (path === "ssml") answer(socket, one);
    });
  });
  const { port } = server.address() as AddressInfo;
  const test = makeTestSpeech({ readAloudUrl: `ws://127.0.0.1:${port}/consumer/speech` });
  const configure = (own: object, tts: object = {}) => {
    test.settings.config = { messages: { tts: { provider: "edge", ...tts, providers: { microsoft: own } } } };
  };
  configure({});
  const speak = (text = "Hello world", signal = new AbortController().signal) =>
    test.speech.service.speak({ text, by: "test", signal });
  return { ...test, heard, configure, speak, port };
}

describe("the read-aloud service", () => {
  it("gets token, proof of time, format and SSML, and its frames become one recording", async () => {
    const { heard, speak, clock } = await withService();
    expect(await speak(`<b> & "quotes" 'x'\u0000`)).toMatchObject({
      kind: "spoken",
      provider: "microsoft",
      voice: "en-US-MichelleNeural",
      audio: { mimeType: "audio/mpeg", sizeBytes: mp3Second.length, durationMs: 1000 },
    });
    const [one] = heard;
    const url = new URL(one?.url ?? "", "ws://x");
    expect(url.pathname).toBe("/consumer/speech");
    expect(url.searchParams.get("TrustedClientToken")).toMatch(/^[0-9A-F]{32}$/);
    expect(url.searchParams.get("Sec-MS-GEC")).toBe(timeProof(clock.nowMs()));
    expect(url.searchParams.get("Sec-MS-GEC-Version")).toMatch(/^1-\d+\./);
    expect(one?.headers.origin).toMatch(/^chrome-extension:/);
    expect(one?.messages.map(({ path }) => path)).toEqual(["speech.config", "ssml"]);
    expect(JSON.parse(one?.messages[0]?.body ?? "")).toMatchObject({
      context: { synthesis: { audio: { outputFormat: "audio-24khz-48kbitrate-mono-mp3" } } },
    });
    const ssml = one?.messages[1]?.body ?? "";
    expect(ssml).toContain('<voice name="en-US-MichelleNeural"><prosody rate="default"');
    expect(ssml).toContain("&lt;b&gt; &amp; &quot;quotes&quot; &apos;x&apos; </prosody>");
  });

  it("proves the time in steps of five minutes", () => {
    const atMs = 1_800_000_000_000;
    expect(timeProof(atMs)).toMatch(/^[0-9A-F]{64}$/);
    expect(timeProof(atMs + 299_000)).toBe(timeProof(atMs));
    expect(timeProof(atMs + 300_000)).not.toBe(timeProof(atMs));
  });

  it("reads Chinese with a Chinese voice and Japanese with a Japanese one, and a chosen voice stays", async () => {
    const { heard, speak, configure } = await withService();
    for (const text of ["你好，世界，今天天气很好", "今日はいい天気ですね", "Hello 😀"]) await speak(text);
    configure({ voice: "de-DE-KatjaNeural", lang: "de-DE", rate: "+10%", pitch: "<x", volume: "-5%" });
    await speak("你好，世界");
    const voices = heard.map(({ messages }) => /voice name="([^"]+)"/.exec(messages[1]?.body ?? "")?.[1]);
    expect(voices).toEqual([
      "zh-CN-XiaoxiaoNeural",
      "ja-JP-NanamiNeural",
      "en-US-MichelleNeural",
      "de-DE-KatjaNeural",
    ]);
    const last = heard[3]?.messages[1]?.body ?? "";
    expect(last).toContain('xml:lang="de-DE"');
    expect(last).toContain('rate="+10%" pitch="default" volume="-5%"');
  });

  it("falls back to the default format when another one fails", async () => {
    const { heard, speak, configure } = await withService((socket, one) =>
      one.messages[0]?.body.includes("webm") === true ? socket.close(1007) : good(socket, one),
    );
    configure({ outputFormat: "webm-24khz-16bit-mono-opus" });
    expect(await speak()).toMatchObject({ kind: "spoken" });
    expect(heard.length).toBe(2);
    configure({ outputFormat: 'x"}' });
    expect(await speak()).toMatchObject({ kind: "failed" });
    expect(heard.length).toBe(2);
  });

  it("writes the words with their times when asked", async () => {
    const { speak, configure } = await withService();
    configure({ saveSubtitles: true });
    const outcome = await speak();
    if (outcome.kind !== "spoken") throw new Error(outcome.error);
    expect(JSON.parse(readFileSync(`${outcome.audioPath}.json`, "utf8"))).toEqual([
      { part: "Hello", start: 100, end: 600 },
    ]);
  });

  it("keeps a bounded number of words, however many come in one message", async () => {
    const word = { Data: { Offset: 1, Duration: 1, text: { Text: "a" } } };
    const { speak, configure } = await withService((socket, heard) => {
      socket.send(say("audio.metadata", JSON.stringify({ Metadata: Array(200_000).fill(word) })));
      good(socket, heard);
    });
    configure({ saveSubtitles: true });
    const outcome = await speak();
    if (outcome.kind !== "spoken") throw new Error(outcome.error);
    expect(JSON.parse(readFileSync(`${outcome.audioPath}.json`, "utf8"))).toHaveLength(50_000);
  });

  it.each<[string, Answer, string]>([
    ["ends early", (socket) => socket.close(1011), "provider_error"],
    ["sends no audio", (socket) => socket.send(say("turn.end")), "provider_error"],
    [
      "sends something else as audio",
      (socket) => {
        socket.send(audioFrame(Buffer.from("<html>")));
        socket.send(say("turn.end"));
      },
      "provider_error",
    ],
    [
      "sends frames that are cut",
      (socket) => {
        socket.send(Buffer.from([9]));
        socket.send(Buffer.from([0xff, 0xff, 1]));
        socket.send(say("turn.end"));
      },
      "provider_error",
    ],
    ["says nothing", () => {}, "timeout"],
    [
      "sends without end",
      (socket) => {
        for (let i = 0; i < 40; i += 1) socket.send(audioFrame(Buffer.alloc(1_000_000)));
      },
      "provider_error",
    ],
    [
      "sends words without end",
      (socket) => {
        for (let i = 0; i < 40; i += 1) socket.send(say("audio.metadata", "x".repeat(1_000_000)));
      },
      "provider_error",
    ],
  ])("%s: one failed attempt", async (_what, answer, reasonCode) => {
    const { speak, configure } = await withService(answer);
    configure({}, { timeoutMs: reasonCode === "timeout" ? 1000 : 30_000 });
    const outcome = await speak();
    expect(outcome).toMatchObject({
      kind: "failed",
      attempts: [{ provider: "microsoft", outcome: "failed", reasonCode }, {}, {}, {}],
    });
  });

  it("is a failed attempt when it refuses the connection or cannot be reached", async () => {
    const refusing = createServer((_request, response) => response.writeHead(403).end());
    await new Promise<void>((resolve) => refusing.listen(0, "127.0.0.1", resolve));
    onCleanUp(() => refusing.close());
    const { port } = refusing.address() as AddressInfo;
    for (const [url, error] of [
      [`ws://127.0.0.1:${port}/`, /status 403/],
      ["ws://127.0.0.1:1/", /cannot be reached/],
    ] as const) {
      const { speech, settings } = makeTestSpeech({ readAloudUrl: url });
      settings.config = { messages: { tts: { provider: "microsoft" } } };
      const outcome = await speech.service.speak({
        text: "Hello",
        by: "t",
        signal: new AbortController().signal,
      });
      expect(outcome.attempts.find(({ provider }) => provider === "microsoft")?.error).toMatch(error);
    }
  });

  it("is left at once when the call is cancelled", async () => {
    const cancel = new AbortController();
    const { speak } = await withService(() => cancel.abort(new Error("stop")));
    await expect(speak("Hello", cancel.signal)).rejects.toThrow("stop");
  });

  it("is reached through the proxy of the settings, or not at all", async () => {
    const { speak, configure, port, heard } = await withService();
    const asked: (string | undefined)[] = [];
    const proxy = createServer();
    proxy.on("connect", (request, client) => {
      asked.push(request.url, request.headers["proxy-authorization"]);
      const through = connect(port, "127.0.0.1", () => {
        client.write("HTTP/1.1 200 Connection established\r\n\r\n");
        through.pipe(client).pipe(through);
      });
      for (const side of [client, through]) side.on("error", () => side.destroy());
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    onCleanUp(() => proxy.close());
    const proxyPort = (proxy.address() as AddressInfo).port;
    configure({ proxy: `http://me:word@127.0.0.1:${proxyPort}` });
    expect(await speak()).toMatchObject({ kind: "spoken" });
    expect(asked).toEqual([`127.0.0.1:${port}`, `Basic ${Buffer.from("me:word").toString("base64")}`]);
    for (const wrong of ["http://127.0.0.1:1", "socks5://127.0.0.1:9", "nonsense"]) {
      configure({ proxy: wrong });
      expect((await speak()).kind).toBe("failed");
    }
    expect(heard.length).toBe(1);
  });
});
