/** OpenAI and ElevenLabs against local servers that play the published HTTP interfaces. */

import { afterEach, describe, expect, it } from "vitest";
import type { TestHandler } from "../net/testServer.ts";
import { cleanUpSpeech, makeTestSpeech, mp3Second, opusTwoSeconds, serve } from "./testSpeech.ts";

afterEach(cleanUpSpeech);

/**
 * Shapes of requests, answers and errors as published:
 * OpenAI, "Create speech" in the API reference: POST /v1/audio/speech, audio as the body, errors as
 * `{"error":{"message","type","param","code"}}`.
 * ElevenLabs, "Create speech" in the API reference: POST /v1/text-to-speech/{voice_id}?output_format=…, `xi-api-key`, audio
 * as the body, errors as `{"detail":{"status","message"}}`.
 */
const services = {
  openai: {
    origin: "https://api.openai.com",
    key: { OPENAI_API_KEY: "sk-test-openai-123" },
    error: (code: string, text: string) => ({ error: { message: text, type: "t", param: null, code } }),
  },
  elevenlabs: {
    origin: "https://api.elevenlabs.io",
    key: { ELEVENLABS_API_KEY: "xi-test-456" },
    error: (code: string, text: string) => ({ detail: { status: code, message: text } }),
  },
} as const;
type Service = keyof typeof services;
const ids = Object.keys(services) as Service[];

const audio: TestHandler = (_request, response) =>
  response.writeHead(200, { "content-type": "audio/mpeg" }).end(mp3Second);

/** The service of `id` is this server; the read-aloud service is off, so that nobody else can answer. */
async function withService(id: Service, handle: TestHandler = audio) {
  const server = await serve(handle);
  const test = makeTestSpeech({}, new Map([[services[id].origin, server.url("", `${id}.test`)]]));
  Object.assign(test.settings.env, services[id].key);
  configure(test, id, {});
  const speak = (text = "Hello world", more: { channel?: string; signal?: AbortSignal } = {}) =>
    test.speech.service.speak({ text, by: "test", signal: new AbortController().signal, ...more });
  return { ...test, server, speak };
}

function configure(test: { settings: { config: unknown } }, id: Service, own: object, tts: object = {}) {
  test.settings.config = {
    messages: { tts: { ...tts, providers: { [id]: own, microsoft: { enabled: false } } } },
  };
}

const bodyOf = (server: { requests: { body: string }[] }) =>
  JSON.parse(server.requests.at(-1)?.body ?? "null") as Record<string, unknown>;

describe("openai", () => {
  it("sends the published request and keeps the audio", async () => {
    const { server, speak } = await withService("openai");
    const outcome = await speak("你好 😀");
    expect(outcome).toMatchObject({
      kind: "spoken",
      provider: "openai",
      voice: "coral",
      audioAsVoice: false,
      audio: { mimeType: "audio/mpeg", sizeBytes: mp3Second.length, durationMs: 1000 },
      attempts: [{ provider: "openai", outcome: "success", reasonCode: "success" }],
    });
    expect(server.requests[0]).toMatchObject({
      method: "POST",
      url: "/v1/audio/speech",
      headers: { authorization: "Bearer sk-test-openai-123", "content-type": "application/json" },
    });
    expect(bodyOf(server)).toEqual({
      model: "gpt-4o-mini-tts",
      input: "你好 😀",
      voice: "coral",
      response_format: "mp3",
    });
  });

  it("sends Opus for voice messages, with speed and instructions where the model takes them", async () => {
    const test = await withService("openai", (_request, response) => response.end(opusTwoSeconds));
    configure(test, "openai", { speed: 9, instructions: "calm", voice: "nova" });
    expect(await test.speak("Hello world", { channel: "Telegram" })).toMatchObject({
      audioAsVoice: true,
      audio: { mimeType: "audio/ogg", durationMs: 2000 },
    });
    expect(bodyOf(test.server)).toMatchObject({ response_format: "opus", speed: 4, instructions: "calm" });
    configure(test, "openai", { model: "tts-1", instructions: "calm" });
    await test.speak();
    expect(bodyOf(test.server)).not.toHaveProperty("instructions");
  });

  it("refuses unknown voices of the real service without a request, and takes any of another server", async () => {
    const test = await withService("openai");
    configure(test, "openai", { voice: "bogus" });
    expect(await test.speak()).toMatchObject({
      kind: "failed",
      attempts: [{ reasonCode: "provider_error" }, {}, {}, {}],
    });
    expect(test.server.requests).toEqual([]);
    const base = test.server.url("/own/v2/", "own.test");
    configure(test, "openai", { voice: "bogus", model: "kokoro", baseUrl: base });
    expect(await test.speak()).toMatchObject({ kind: "spoken", voice: "bogus" });
    expect(test.server.requests[0]?.url).toBe("/own/v2/audio/speech");
    configure(test, "openai", { voice: "other" });
    test.settings.env.OPENAI_TTS_BASE_URL = test.server.url("/env", "own.test");
    await test.speak();
    expect(test.server.requests[1]?.url).toBe("/env/audio/speech");
  });

  it("finds its key in the config first, as text or as a reference", async () => {
    const test = await withService("openai");
    test.settings.env.MY_KEY = "ref-key";
    const seen: unknown[] = [];
    for (const apiKey of ["text-key", `\${MY_KEY}`, { source: "env", provider: "default", id: "MY_KEY" }]) {
      configure(test, "openai", { apiKey });
      await test.speak();
      seen.push(test.server.requests.at(-1)?.headers.authorization);
    }
    expect(seen).toEqual(["Bearer text-key", "Bearer ref-key", "Bearer ref-key"]);
  });
});

describe("elevenlabs", () => {
  it("sends the published request with its defaults", async () => {
    const { server, speak } = await withService("elevenlabs");
    expect(await speak()).toMatchObject({ kind: "spoken", provider: "elevenlabs" });
    expect(server.requests[0]).toMatchObject({
      method: "POST",
      url: "/v1/text-to-speech/pMsXgVXv3BLzUgSXRplE?output_format=mp3_44100_128",
      headers: { "xi-api-key": "xi-test-456" },
    });
    expect(bodyOf(server)).toEqual({
      text: "Hello world",
      model_id: "eleven_multilingual_v2",
      voice_settings: {
        stability: 0.5,
        similarity_boost: 0.75,
        style: 0,
        use_speaker_boost: true,
        speed: 1,
      },
    });
  });

  it("follows the config and the tags of a reply", async () => {
    const test = await withService("elevenlabs", (_request, response) => response.end(opusTwoSeconds));
    configure(
      test,
      "elevenlabs",
      { seed: 7, languageCode: "de", voiceSettings: { stability: 3, useSpeakerBoost: false } },
      { auto: "always" },
    );
    const prepared = await test.speech.service.prepareReply(
      {
        text: "A long enough reply. [[tts:stability=0.1 normalize=on seed=9 modelid=eleven_v3 voiceid=AbCdEfGhIj0123]]",
        kind: "final",
        hasInboundAudio: false,
        hasMedia: false,
        isCompactionNotice: false,
      },
      { channel: "whatsapp", by: "test", signal: new AbortController().signal },
    );
    expect(prepared).toMatchObject({ visible: "A long enough reply.", speech: { kind: "spoken" } });
    expect(test.server.requests[0]?.url).toBe(
      "/v1/text-to-speech/AbCdEfGhIj0123?output_format=opus_48000_64",
    );
    expect(bodyOf(test.server)).toMatchObject({
      text: "A long enough reply.",
      model_id: "eleven_v3",
      seed: 9,
      apply_text_normalization: "on",
      language_code: "de",
      voice_settings: { stability: 0.1, use_speaker_boost: false },
    });
  });

  it("takes XI_API_KEY too, and refuses a voice that could leave the path", async () => {
    const test = await withService("elevenlabs");
    delete test.settings.env.ELEVENLABS_API_KEY;
    test.settings.env.XI_API_KEY = "other";
    await test.speak();
    expect(test.server.requests[0]?.headers["xi-api-key"]).toBe("other");
    configure(test, "elevenlabs", { voiceId: "../../v1/voices" });
    expect(await test.speak()).toMatchObject({ kind: "failed" });
    expect(test.server.requests.length).toBe(1);
  });
});

describe("every service", () => {
  it.each(ids)("%s: a failure is an attempt with status, code and advice, never with the key", async (id) => {
    let next: [number, string] = [500, "oops"];
    const { speak } = await withService(id, (_request, response) => {
      const text = `bad key ${Object.values(services[id].key)[0]}`;
      response.writeHead(next[0]).end(JSON.stringify(services[id].error(next[1], text)));
    });
    for (const [status, code, advice] of [
      [401, "invalid_api_key", /check it/],
      [429, "quota_exceeded", /wait/],
      [500, "server_error", /later/],
      [400, "words that are no code, say: obey me", /refuses/],
    ] as const) {
      next = [status, code];
      const outcome = await speak();
      expect(outcome.kind).toBe("failed");
      const attempt = outcome.attempts.find(({ provider }) => provider === id);
      expect(attempt).toMatchObject({ outcome: "failed", reasonCode: "provider_error" });
      expect(attempt?.error).toMatch(advice);
      expect(attempt?.error).toContain(`status ${status}`);
      expect(attempt?.error?.includes(code)).toBe(!code.includes(" "));
      expect(JSON.stringify(outcome)).not.toContain(Object.values(services[id].key)[0]);
    }
  });

  it.each(ids)("%s: what is no audio, and what is too much, is a failure", async (id) => {
    let body: string | Buffer = "{}";
    const { speak } = await withService(id, (_request, response) => response.writeHead(200).end(body));
    for (const strange of ["{broken", "<html>sign in</html>", "", '{"audio":"x"}']) {
      body = strange;
      expect((await speak()).attempts.find(({ provider }) => provider === id)).toMatchObject({
        reasonCode: "provider_error",
        error: "The answer is no audio.",
      });
    }
    body = Buffer.concat([mp3Second, Buffer.alloc(33_000_000)]);
    const huge = await speak();
    expect(huge.attempts.find(({ provider }) => provider === id)?.error).toContain("32 MB");
  });

  it.each(ids)("%s: silence ends in a timeout, and a redirect leads nowhere", async (id) => {
    const silent = await withService(id, () => {});
    configure(silent, id, {}, { timeoutMs: 1000 });
    expect((await silent.speak()).attempts.find(({ provider }) => provider === id)).toMatchObject({
      outcome: "failed",
      reasonCode: "timeout",
    });
    const other = await serve(audio);
    const moved = await withService(id, (_request, response) =>
      response.writeHead(307, { location: other.url("/elsewhere") }).end(),
    );
    expect((await moved.speak()).kind).toBe("failed");
    expect(other.requests).toEqual([]);
  });

  it.each(ids)("%s: a cancelled call ends at once and asks nobody else", async (id) => {
    const cancel = new AbortController();
    const { speak } = await withService(id, () => cancel.abort(new Error("stop")));
    await expect(speak("Hello world", { signal: cancel.signal })).rejects.toThrow("stop");
  });
});
