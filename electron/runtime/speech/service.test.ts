/** Choice of the provider, recordings, preferences, `/tts` and the contract's methods. */

import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { HandlerContext } from "../../../shared/rpc/index.ts";
import { systemClock } from "../clock.ts";
import { waitFor } from "../storage/testFolder.ts";
import { testPanel } from "../testing/testRuntime.ts";
import type { SpeechDeps } from "./createSpeech.ts";
import { systemEngine } from "./systemEngines.ts";
import {
  cleanUpSpeech,
  makeFolder,
  makeRecordingProgram,
  makeTestSpeech,
  mp3Second,
  serve,
  type TestSpeech,
} from "./testSpeech.ts";

afterEach(cleanUpSpeech);

const signal = () => new AbortController().signal;

/** This computer speaks by a stand-in. */
function withEngine(over: Partial<SpeechDeps> = {}, origins?: ReadonlyMap<string, string>): TestSpeech {
  const program = makeRecordingProgram(makeFolder(), "espeak-ng", 'args[args.indexOf("-w") + 1]');
  const engine = systemEngine("linux");
  if (engine === null) throw new Error("Linux has an engine.");
  const test = makeTestSpeech({ engine: { ...engine, find: async () => program }, ...over }, origins);
  test.settings.env.PATH = process.env.PATH ?? "";
  return test;
}

const speak = (test: TestSpeech, text = "Hello world") =>
  test.speech.service.speak({ text, by: "test", signal: signal() });

/** A person at the panel asks. */
const ask = (): HandlerContext => ({ principal: testPanel, connectionId: "panel-test", signal: signal() });

describe("choice of the provider", () => {
  const idsOf = async (test: TestSpeech) => (await test.speech.service.view()).providers.map(({ id }) => id);

  it("without a key is the engine of this computer; the online service comes last", async () => {
    const test = withEngine();
    expect(await idsOf(test)).toEqual(["system", "openai", "elevenlabs", "microsoft"]);
    expect(await speak(test)).toMatchObject({ provider: "system" });
  });

  it("without a key is the online service on the reference's preset", async () => {
    const test = withEngine();
    test.settings.hardening = new Set();
    expect(await idsOf(test)).toEqual(["microsoft", "openai", "elevenlabs", "system"]);
  });

  it("with a key is the service with the key, and the next one when it fails", async () => {
    const server = await serve((_request, response) => response.writeHead(500).end());
    const test = withEngine({}, new Map([["https://api.elevenlabs.io", server.url("", "el.test")]]));
    test.settings.env.XI_API_KEY = "k";
    const outcome = await speak(test);
    expect(outcome.attempts).toMatchObject([
      { provider: "elevenlabs", outcome: "failed", reasonCode: "provider_error" },
      { provider: "openai", outcome: "skipped", reasonCode: "not_configured" },
      { provider: "system", outcome: "success", reasonCode: "success" },
    ]);
    expect(outcome.attempts[0]?.latencyMs).toBeGreaterThanOrEqual(0);
    expect(test.records[0]?.data).toMatchObject({ asked: ["elevenlabs", "system"], chars: 11 });
  });

  it("goes on behind a name that nobody has", async () => {
    const test = withEngine();
    test.settings.config = { messages: { tts: { provider: "constructor" } } };
    expect((await speak(test)).attempts).toMatchObject([
      { provider: "constructor", outcome: "skipped", reasonCode: "no_provider_registered" },
      { provider: "openai" },
      { provider: "elevenlabs" },
      { provider: "system", outcome: "success" },
    ]);
  });

  it("leaves out who cannot serve a telephone line", async () => {
    const server = await serve((_request, response) => response.end(Buffer.alloc(48_000)));
    const test = withEngine({}, new Map([["https://api.openai.com", server.url("", "o.test")]]));
    const call = () =>
      test.speech.service.speak({ text: "Hi", target: "telephony", by: "t", signal: signal() });
    expect((await call()).attempts.map(({ reasonCode }) => reasonCode)).toEqual([
      "unsupported_for_telephony",
      "not_configured",
      "not_configured",
      "not_configured",
    ]);
    test.settings.env.OPENAI_API_KEY = "k";
    expect(await call()).toMatchObject({ audio: { mimeType: "audio/L16;rate=24000", durationMs: 1000 } });
  });

  it("gives the online service without key nothing that nobody wanted to give it", async () => {
    const test = makeTestSpeech();
    const asked = async () => {
      const { attempts } = await speak(test);
      return attempts.filter(({ outcome }) => outcome !== "skipped").map(({ provider }) => provider);
    };
    expect(await asked()).toEqual([]);
    test.settings.config = { messages: { tts: { providers: { microsoft: { enabled: true } } } } };
    expect(await asked()).toEqual(["microsoft"]);
    test.settings.config = { messages: { tts: { provider: "edge" } } };
    expect(await asked()).toEqual(["microsoft"]);
    expect((await test.speech.service.view()).providers[0]).toMatchObject({ id: "microsoft", isAsked: true });
    test.settings.config = {};
    test.settings.hardening = new Set();
    expect(await asked()).toEqual(["microsoft"]);
  });

  it("keeps every text here when this computer was chosen", async () => {
    const test = makeTestSpeech();
    Object.assign(test.settings.env, { OPENAI_API_KEY: "k" });
    test.settings.config = { messages: { tts: { provider: "system" } } };
    expect((await speak(test)).attempts).toMatchObject([
      { provider: "system", reasonCode: "not_configured" },
    ]);
    const { providers } = await test.speech.service.view();
    expect(providers.map(({ id, isAsked }) => [id, isAsked])).toEqual([
      ["system", false],
      ["openai", false],
      ["elevenlabs", false],
      ["microsoft", false],
    ]);
  });

  it("says what to install when nobody can speak, and what is too long or empty", async () => {
    const test = makeTestSpeech();
    test.settings.config = { messages: { tts: { providers: { microsoft: { enabled: false } } } } };
    expect(await speak(test)).toMatchObject({ kind: "failed", error: expect.stringContaining("espeak-ng") });
    expect(await speak(test, "x".repeat(4097))).toMatchObject({ kind: "failed", attempts: [] });
    expect(await speak(test, " \n")).toMatchObject({ kind: "failed", attempts: [] });
  });
});

describe("recordings", () => {
  it("are private files that vanish after five minutes", async () => {
    const test = withEngine();
    const outcome = await speak(test);
    if (outcome.kind !== "spoken") throw new Error(outcome.error);
    const { audioPath, audio } = outcome;
    expect(path.basename(audioPath)).toBe(`voice-${test.clock.nowMs()}.wav`);
    expect(path.basename(path.dirname(audioPath))).toMatch(/^tts-/);
    if (process.platform !== "win32") {
      expect(statSync(audioPath).mode & 0o077).toBe(0);
      expect(statSync(path.dirname(audioPath)).mode & 0o077).toBe(0);
    }
    test.clock.advance(299_000);
    expect(existsSync(audioPath)).toBe(true);
    test.clock.advance(2000);
    await waitFor(() => !existsSync(path.dirname(audioPath)));
    await expect(
      test.speech.handlers["speech.audio"]({ id: audio.id, offset: 0 }, ask()),
    ).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
  });

  it("come in parts that are together the file", async () => {
    const bytes = Buffer.concat([mp3Second, Buffer.alloc(2_500_000, 7)]);
    const server = await serve((_request, response) => response.end(bytes));
    const test = makeTestSpeech({}, new Map([["https://api.openai.com", server.url("", "o.test")]]));
    test.settings.env.OPENAI_API_KEY = "k";
    const outcome = await speak(test);
    if (outcome.kind !== "spoken") throw new Error(outcome.error);
    const parts: Buffer[] = [];
    for (let offset: number | null = 0; offset !== null; ) {
      const part: Awaited<ReturnType<TestSpeech["speech"]["handlers"]["speech.audio"]>> =
        await test.speech.handlers["speech.audio"]({ id: outcome.audio.id, offset }, ask());
      expect(part.data.length).toBeLessThan(1_400_000);
      parts.push(Buffer.from(part.data, "base64"));
      offset = part.nextOffset;
    }
    expect(parts.length).toBe(3);
    expect(Buffer.concat(parts).equals(bytes)).toBe(true);
    await expect(
      test.speech.handlers["speech.audio"]({ id: outcome.audio.id, offset: bytes.length + 1 }, ask()),
    ).rejects.toMatchObject({ code: "INVALID_INPUT" });
  });

  it("are gone when the runtime ends", async () => {
    const test = withEngine({ clock: systemClock });
    const outcome = await speak(test);
    if (outcome.kind !== "spoken") throw new Error(outcome.error);
    await test.speech.dispose();
    expect(existsSync(path.dirname(outcome.audioPath))).toBe(false);
  });
});

describe("preferences and /tts", () => {
  const run = (test: TestSpeech, text: string, sessionKey?: string) =>
    test.speech.handlers["speech.command"]({ text, sessionKey }, ask());
  const fileOf = (test: TestSpeech) => path.join(test.stateDir, "settings", "tts.json");

  it("are kept in a private file, with what others wrote there", async () => {
    const test = withEngine();
    mkdirSync(path.dirname(fileOf(test)));
    writeFileSync(fileOf(test), JSON.stringify({ other: 1, tts: { enabled: true, mine: [2] } }));
    expect((await test.speech.service.view()).mode).toBe("always");
    for (const text of ["/tts off", "/tts provider system", "/tts limit 300", "/tts summary off"]) {
      expect(await run(test, text)).toMatchObject({ ok: true });
    }
    expect(JSON.parse(readFileSync(fileOf(test), "utf8"))).toEqual({
      other: 1,
      tts: { mine: [2], auto: "off", provider: "system", maxLength: 300, summarize: false },
    });
    if (process.platform !== "win32") expect(statSync(fileOf(test)).mode & 0o777).toBe(0o600);
    expect(test.records.map(({ data }) => data)).toEqual([
      { auto: "off" },
      { provider: "system" },
      { maxLength: 300 },
      { summarize: false },
    ]);
    expect(
      await test.speech.handlers["speech.set"]({ auto: null, provider: null, maxLength: null }, ask()),
    ).toMatchObject({
      mode: "off",
      modeFrom: "default",
      provider: null,
      maxLength: 1500,
    });
  });

  it("of a conversation count for it alone", async () => {
    const test = withEngine();
    await run(test, "/tts tagged", "agent:main:a");
    expect(await test.speech.service.view("agent:main:a")).toMatchObject({
      mode: "tagged",
      modeFrom: "session",
    });
    expect((await test.speech.service.view("__proto__")).mode).toBe("off");
    expect((await test.speech.service.view()).mode).toBe("off");
    await test.speech.handlers["speech.setSession"]({ sessionKey: "agent:main:a", mode: null }, ask());
    expect((await test.speech.service.view("agent:main:a")).mode).toBe("off");
    test.settings.hardening = new Set();
    await run(test, "/tts on", "agent:main:a");
    expect((await test.speech.service.view("agent:main:b")).mode).toBe("always");
  });

  it("that cannot be read act as off and are never overwritten", async () => {
    const test = withEngine();
    test.settings.config = { messages: { tts: { auto: "always", provider: "openai" } } };
    const { signal } = new AbortController();
    mkdirSync(path.dirname(fileOf(test)));
    for (const broken of ["{broken", "[]", '"on"']) {
      writeFileSync(fileOf(test), broken);
      const view = await test.speech.service.view();
      expect(view).toMatchObject({ mode: "off", problem: expect.stringContaining("tts.json") });
      await expect(run(test, "/tts on")).rejects.toMatchObject({ code: "UNAVAILABLE" });
      // The file may say that this computer speaks, so that no text leaves it.
      const { attempts } = await test.speech.service.speak({ text: "Good morning", by: "test", signal });
      expect(attempts.map(({ provider }) => provider)).toEqual(["system"]);
      expect(readFileSync(fileOf(test), "utf8")).toBe(broken);
    }
  });

  it("lie where config or environment say", async () => {
    const test = withEngine();
    test.settings.env.OPENCLAW_TTS_PREFS = path.join(test.stateDir, "env.json");
    await run(test, "/tts on");
    expect(existsSync(path.join(test.stateDir, "env.json"))).toBe(true);
    test.settings.config = { messages: { tts: { prefsPath: "~/config.json" } } };
    await run(test, "/tts on");
    expect(existsSync(path.join(test.stateDir, "config.json"))).toBe(true);
  });

  it("status, wrong words and a spoken text are answered in words", async () => {
    const test = withEngine();
    expect((await run(test, "/tts")).text).toMatch(/Reading aloud: off[\s\S]*system, openai \(not set up\)/);
    expect(await run(test, "/tts provider nobody")).toMatchObject({ ok: false });
    expect(await run(test, "/tts audio Good morning")).toMatchObject({
      ok: true,
      audio: { mimeType: "audio/wav" },
    });
    await expect(run(test, "/help")).rejects.toMatchObject({ code: "INVALID_INPUT" });
  });
});

describe("replies", () => {
  const reply = (text: string) => ({
    text,
    kind: "final" as const,
    hasInboundAudio: false,
    hasMedia: false,
    isCompactionNotice: false,
  });

  it("are shortened, stripped and spoken, and their text goes out whole", async () => {
    const test = withEngine();
    test.settings.config = { messages: { tts: { auto: "always" } } };
    const text = `# Title\n\n${"A **bold** word. ".repeat(200)}`;
    const prepared = await test.speech.handlers["speech.prepareReply"](reply(text), ask());
    expect(prepared).toMatchObject({ visible: text, speech: { kind: "spoken", shortened: "cut" } });
    const chars = prepared.speech.kind === "spoken" ? prepared.speech.outcome.chars : 0;
    expect(chars).toBeGreaterThan(1000);
    expect(chars).toBeLessThanOrEqual(1500);
    expect(test.records[0]).toMatchObject({ by: "panel:test" });
  });

  it("are summarised where there is a model", async () => {
    const asked: unknown[] = [];
    const test = withEngine({
      summarize: async (_text, { targetChars, timeoutMs }) => {
        asked.push([targetChars, timeoutMs]);
        return "All went well, in short.";
      },
    });
    test.settings.config = { messages: { tts: { auto: "always" } } };
    const prepared = await test.speech.handlers["speech.prepareReply"](reply("word ".repeat(400)), ask());
    expect(prepared.speech).toMatchObject({ kind: "spoken", shortened: "summary", outcome: { chars: 24 } });
    expect(asked).toEqual([[1500, 30_000]]);
  });

  it("go out as text when nobody can speak", async () => {
    const test = makeTestSpeech();
    test.settings.config = { messages: { tts: { auto: "always", provider: "microsoft" } } };
    const prepared = await test.speech.handlers["speech.prepareReply"](
      reply("A reply of some length."),
      ask(),
    );
    expect(prepared).toMatchObject({
      visible: "A reply of some length.",
      speech: { kind: "failed", attempts: [{ provider: "microsoft", outcome: "failed" }, {}, {}, {}] },
    });
    const off = await test.speech.handlers["speech.prepareReply"](
      { ...reply("short"), kind: "final" },
      ask(),
    );
    expect(off.speech).toEqual({ kind: "skipped", reason: "too-short" });
  });
});

describe("OpenClaw's methods", () => {
  it("answer in its shapes", async () => {
    const test = withEngine();
    const { handlers } = test.speech;
    expect(await handlers["tts.status"]({}, ask())).toMatchObject({
      enabled: false,
      auto: "off",
      provider: "system",
      fallbackProvider: "openai",
      providerStates: [{ id: "system", configured: true }, {}, {}, { id: "microsoft" }],
    });
    expect(await handlers["tts.enable"]({}, ask())).toEqual({ enabled: true });
    expect(await handlers["tts.disable"]({}, ask())).toEqual({ enabled: false });
    expect(await handlers["tts.setProvider"]({ provider: "edge" }, ask())).toEqual({ provider: "microsoft" });
    await expect(handlers["tts.setProvider"]({ provider: "__proto__" }, ask())).rejects.toMatchObject({
      code: "INVALID_INPUT",
    });
    expect(await handlers["tts.providers"]({}, ask())).toMatchObject({ active: "microsoft" });
    await handlers["tts.setProvider"]({ provider: "offline" }, ask());
    expect(await handlers["tts.convert"]({ text: "Hello" }, ask())).toMatchObject({
      provider: "system",
      outputFormat: "audio/wav",
      voiceCompatible: false,
    });
    await expect(handlers["tts.convert"]({ text: "" }, ask())).rejects.toMatchObject({ code: "UNAVAILABLE" });
    expect(test.records.map(({ kind }) => kind)).toEqual([
      ...new Array(4).fill("speech.changed"),
      "speech.spoken",
    ]);
  });
});
