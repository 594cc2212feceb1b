import { describe, expect, it } from "vitest";
import {
  allSpeechHardening,
  audioFacts,
  autoSelectOrder,
  type DirectivePolicy,
  defaultDirectivePolicy,
  finishSpoken,
  isMostlyCjk,
  languageOfScript,
  microsoftVoiceFor,
  parseDirectives,
  parseTtsCommand,
  planReply,
  providerSettings,
  type Reply,
  readSpeechPrefs,
  resolveSpeechSettings,
} from "./index.ts";

const reference: ReadonlySet<string> = new Set();
const parse = (
  text: string,
  policy: Partial<DirectivePolicy> = {},
  hardening = reference,
  openaiBaseUrl?: string,
) => parseDirectives(text, { policy: { ...defaultDirectivePolicy, ...policy }, hardening, openaiBaseUrl });

describe("directives", () => {
  it("merge the voice settings of several tags", () => {
    const { overrides, warnings, cleaned } = parse(
      "a [[tts:stability=0.4 similarity_boost=.8 Style=0.2]]b[[tts:speed=1.5 usespeakerboost=off voice_id=AbCdEfGhIj0123]]",
    );
    expect(overrides).toEqual({
      elevenlabs: {
        voiceId: "AbCdEfGhIj0123",
        voiceSettings: {
          stability: 0.4,
          similarityBoost: 0.8,
          style: 0.2,
          speed: 1.5,
          useSpeakerBoost: false,
        },
      },
    });
    expect({ warnings, cleaned }).toEqual({ warnings: [], cleaned: "a b" });
  });

  it.each([
    "stability=2",
    "speakerboost=perhaps",
    "voiceid=short",
    "language=english",
    "normalize=maybe",
    "seed=4294967296",
  ])("%s is ignored with a warning, and the tag is gone", (token) => {
    const { cleaned, overrides, warnings } = parse(`x [[tts:${token}]]y`);
    expect({ cleaned, overrides, warnings: warnings.length }).toEqual({
      cleaned: "x y",
      overrides: {},
      warnings: 1,
    });
  });

  it.each([
    ["allowVoice", "voice=nova voiceid=AbCdEfGhIj0123"],
    ["allowModelId", "model=tts-1 modelid=eleven_v3"],
    ["allowVoiceSettings", "stability=.5 speakerboost=on"],
    ["allowNormalization", "normalize=on language=en"],
    ["allowSeed", "seed=5"],
  ])("without %s its keys do nothing", (name, tokens) => {
    expect(parse(`x [[tts:${tokens}]]`, { [name]: false })).toMatchObject({
      overrides: {},
      hasDirective: true,
    });
  });

  it("take the first spoken text, and none when that is not allowed", () => {
    const text = "[[tts:text]]one[[/tts:text]] see [[TTS:TEXT]]two[[/tts:text]]";
    expect(parse(text)).toMatchObject({ spoken: "one", cleaned: " see " });
    expect(parse(text, { allowText: false })).toMatchObject({ spoken: null, cleaned: " see " });
  });

  it("with overrides disabled nothing is parsed and nothing removed", () => {
    const text = "[[tts:voice=nova]] [[tts:text]]x[[/tts:text]]";
    expect(parse(text, { enabled: false }, allSpeechHardening)).toMatchObject({
      cleaned: text,
      hasDirective: false,
    });
  });

  it("let any model and voice through to a server of one's own", () => {
    const own = "http://localhost:8000/v1";
    expect(parse("[[tts:voice=mine model=kokoro]]", {}, reference, own).overrides).toEqual({
      openai: { voice: "mine", model: "kokoro" },
    });
  });

  it("know other names of providers", () => {
    expect(parse("[[tts:provider=EDGE]]", { allowProvider: true }).provider).toBe("microsoft");
  });

  it("keep names of prototypes ordinary", () => {
    const parsed = parse("[[tts:__proto__=x constructor=y toString=z]] a", { allowProvider: true });
    expect(parsed).toMatchObject({ cleaned: " a", overrides: {}, warnings: [] });
  });

  it("count a bare tag with the rule, and leave it without", () => {
    expect(parse("[[tts]] Hello", {}, allSpeechHardening)).toMatchObject({
      cleaned: " Hello",
      hasDirective: true,
    });
    expect(parse("[[tts]] Hello")).toMatchObject({ cleaned: "[[tts]] Hello", hasDirective: false });
  });

  it("of a hostile text cost no more than its length", () => {
    const startedMs = performance.now();
    for (const piece of [
      "[[tts:text]]",
      "[[tts:",
      "[[tts:a]",
      "[[tts:x=y]]",
      "[[tts]]",
      "İ[[tts:text]]x[[/tts:text]]",
    ]) {
      parse(piece.repeat(100_000), { allowProvider: true }, allSpeechHardening);
    }
    expect(performance.now() - startedMs).toBeLessThan(10_000);
  });
});

describe("voices by script", () => {
  it.each([
    ["Hello world", null],
    ["你好，世界", "zh"],
    ["Use 你好 in a long English sentence", null],
    ["今日は良い天気です", "ja"],
    ["안녕하세요", "ko"],
    ["Привет, мир", "ru"],
    ["😀😀😀", null],
    ["", null],
  ])("%s: %s", (text, language) => {
    expect(languageOfScript(text)).toBe(language);
  });

  it("change the default voice only", () => {
    const standard = { voice: "en-US-MichelleNeural", lang: "en-US" };
    const own = { voice: "de-DE-KatjaNeural", lang: "de-DE" };
    expect(microsoftVoiceFor("你好世界", standard, reference).voice).toBe("zh-CN-XiaoxiaoNeural");
    expect(microsoftVoiceFor("你好世界", own, allSpeechHardening)).toEqual(own);
    expect(microsoftVoiceFor("こんにちは", standard, allSpeechHardening).voice).toBe("ja-JP-NanamiNeural");
    expect(microsoftVoiceFor("こんにちは", standard, reference)).toEqual(standard);
    expect(isMostlyCjk("ab 你")).toBe(true);
    expect(isMostlyCjk("abcd 你")).toBe(false);
  });
});

describe("settings", () => {
  const config = {
    messages: { tts: { auto: "inbound", provider: "edge", timeoutMs: 5, maxTextLength: 200 } },
  };

  it("go by conversation, preferences, config", () => {
    expect(resolveSpeechSettings(config, { auto: "always" }, "tagged")).toMatchObject({
      mode: "tagged",
      modeFrom: "session",
    });
    expect(resolveSpeechSettings(config, { auto: "always" }, undefined).modeFrom).toBe("prefs");
    expect(resolveSpeechSettings(config, {}, undefined)).toMatchObject({
      mode: "inbound",
      provider: "microsoft",
      timeoutMs: 1000,
      maxTextLength: 200,
      maxLength: 1500,
      summarize: true,
    });
    expect(resolveSpeechSettings({ messages: { tts: { enabled: true } } }, {}, undefined).mode).toBe(
      "always",
    );
    expect(resolveSpeechSettings(null, {}, undefined)).toMatchObject({ mode: "off", modeFrom: "default" });
  });

  it("read preferences of any shape", () => {
    expect(
      readSpeechPrefs({ tts: { enabled: true, maxLength: 300, summarize: false, provider: "openai" } }),
    ).toEqual({
      auto: "always",
      maxLength: 300,
      summarize: false,
      provider: "openai",
    });
    expect(readSpeechPrefs({ tts: { auto: "loud", maxLength: "x", provider: 4 } })).toEqual({});
    expect(readSpeechPrefs([1])).toEqual({});
  });

  it("find providers at their older places", () => {
    expect(providerSettings({ messages: { tts: { edge: { voice: "v" } } } }, "microsoft")).toEqual({
      voice: "v",
    });
    expect(
      providerSettings(
        { messages: { tts: { openai: { voice: "a" }, providers: { openai: { voice: "b" } } } } },
        "openai",
      ),
    ).toEqual({ voice: "b" });
  });

  it("put the engine of this computer before the service without key, or last as the reference's order has no such", () => {
    expect(autoSelectOrder(allSpeechHardening)).toEqual(["openai", "elevenlabs", "system", "microsoft"]);
    expect(autoSelectOrder(reference)).toEqual(["openai", "elevenlabs", "microsoft", "system"]);
  });
});

describe("the automatic path", () => {
  const reply = (text: string, over: Partial<Reply> = {}): Reply => ({
    text,
    kind: "final",
    hasInboundAudio: false,
    hasMedia: false,
    isCompactionNotice: false,
    ...over,
  });
  const settings = (auto: "off" | "always" | "inbound" | "tagged", more: object = {}) =>
    resolveSpeechSettings({ messages: { tts: { ...more } } }, { auto }, undefined);
  const plan = (one: Reply, mode: Parameters<typeof settings>[0] = "always", more: object = {}) =>
    planReply(one, settings(mode, more), { hardening: reference });
  const reasonOf = (planned: ReturnType<typeof plan>) => (planned.kind === "skip" ? planned.reason : "speak");
  const text = "A reply that is long enough.";

  it.each([
    [reply(text, { isCompactionNotice: true }), "always", "compaction-notice"],
    [reply(text), "off", "off"],
    [reply(text), "tagged", "no-tag"],
    [reply(text), "inbound", "no-inbound-audio"],
    [reply(text, { hasInboundAudio: true }), "inbound", "speak"],
    [reply(`${text}[[tts:voice=nova]]`), "tagged", "speak"],
    [reply(text, { kind: "block" }), "always", "not-final"],
    [reply(text, { hasMedia: true }), "always", "has-media"],
    [reply(`${text} MEDIA:x.png`), "always", "has-media"],
    [reply("[[tts:voice=nova]]"), "always", "empty"],
    [reply("Too short [[tts:voice=nova]]"), "always", "too-short"],
    [reply("short [[tts:text]]something longer[[/tts:text]]"), "always", "speak"],
  ] as const)("%j in mode %s: %s", (one, mode, outcome) => {
    expect(reasonOf(plan(one, mode))).toBe(outcome);
  });

  it("speaks what comes in between when it is told to", () => {
    expect(reasonOf(plan(reply(text, { kind: "tool" }), "always", { mode: "all" }))).toBe("speak");
  });

  it("removes tags from the visible text also when nothing is spoken, and keeps them when it is off", () => {
    expect(plan(reply("Hi [[tts:voice=nova]]there")).visible).toBe("Hi there");
    expect(plan(reply("Hi [[tts:voice=nova]]there"), "off").visible).toBe("Hi [[tts:voice=nova]]there");
  });

  const finish = (spoken: string, summarize: null | (() => Promise<string>), prefs: object = {}) => {
    const failures: unknown[] = [];
    return finishSpoken(spoken, resolveSpeechSettings({}, { maxLength: 100, ...prefs }, undefined), {
      hardening: allSpeechHardening,
      summarize,
      onSummaryFailed: (error) => failures.push(error),
    }).then((result) => ({ result, failures: failures.length }));
  };

  it("shortens by a summary, and cuts when there is none, it is off, or it fails", async () => {
    const long = "word ".repeat(60);
    expect((await finish(long, async () => "A fine summary.")).result).toEqual({
      text: "A fine summary.",
      shortened: "summary",
    });
    expect((await finish(long, null)).result?.text).toHaveLength(100);
    expect((await finish(long, async () => "A summary.", { summarize: false })).result?.shortened).toBe(
      "cut",
    );
    const failed = await finish(long, () => Promise.reject(new Error("no model")));
    expect(failed).toMatchObject({ failures: 1, result: { shortened: "cut" } });
    expect((await finish(long, async () => "x".repeat(9000))).result?.text).toHaveLength(4096);
  });

  it("asks for the length again once the marks are gone", async () => {
    expect((await finish("**ab** _c_ `d`", null)).result).toBeNull();
    expect((await finish("你好，世界！这是一个测试。😀", null)).result?.text).toBe(
      "你好，世界！这是一个测试。😀",
    );
  });
});

describe("/tts", () => {
  const command = (text: string, hardening = allSpeechHardening) => parseTtsCommand(text, hardening);

  it.each([
    ["/tts", { kind: "status" }],
    ["/TTS status", { kind: "status" }],
    ["/tts on", { kind: "mode", mode: "always" }],
    ["/tts OFF", { kind: "mode", mode: "off" }],
    ["/tts inbound", { kind: "mode", mode: "inbound" }],
    ["/tts provider", { kind: "showProvider" }],
    ["/tts provider Edge", { kind: "provider", provider: "microsoft" }],
    ["/tts provider constructor", { kind: "invalid", problem: "unknown-provider" }],
    ["/tts limit 100", { kind: "limit", maxLength: 100 }],
    ["/tts limit 99", { kind: "invalid", problem: "bad-limit" }],
    ["/tts limit 1e3", { kind: "invalid", problem: "bad-limit" }],
    ["/tts summary off", { kind: "summary", summarize: false }],
    ["/tts summary maybe", { kind: "invalid", problem: "bad-switch" }],
    ["/tts audio  Hello  there\nyou ", { kind: "audio", text: "Hello  there\nyou" }],
    ["/tts audio", { kind: "invalid", problem: "no-text" }],
    ["/tts shout", { kind: "invalid", problem: "unknown-word" }],
    ["limit", { kind: "showLimit" }],
    ["/ttsx on", null],
    ["/other", null],
  ] as const)("%s", (text, meant) => {
    expect(command(text)).toEqual(meant);
  });

  it("refuses the modes on the reference's preset", () => {
    expect(command("/tts tagged", reference)).toEqual({ kind: "invalid", problem: "unknown-word" });
  });
});

describe("what a recording is", () => {
  it("is told by its bytes, and nonsense is no recording", () => {
    const bytes = (...parts: (string | number[])[]) =>
      new Uint8Array(
        parts.flatMap((part) => (typeof part === "string" ? [...part].map((c) => c.charCodeAt(0)) : part)),
      );
    for (const text of ["", "{}", "<html>", "RIFF", "ID", '{"error":{}}'])
      expect(audioFacts(bytes(text))).toBeNull();
    // MPEG 2 layer III, 48 kbit/s: 6000 bytes a second.
    const frame = bytes([0xff, 0xf3, 0x64, 0xc4], new Array(5996).fill(0));
    expect(audioFacts(frame)).toMatchObject({ format: "mp3", mimeType: "audio/mpeg", durationMs: 1000 });
    expect(audioFacts(bytes("OggS", new Array(60).fill(0)))).toMatchObject({
      format: "ogg",
      durationMs: null,
    });
    expect(audioFacts(bytes("RIFF", [0, 0, 0, 0], "WAVE"))).toMatchObject({
      format: "wav",
      durationMs: null,
    });
  });
});
