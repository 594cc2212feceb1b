/** The offline engines: espeak-ng for real, the two of the other systems by programs that record how they were called. */

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { audioFacts } from "../../../shared/speech/index.ts";
import { waitFor } from "../storage/testFolder.ts";
import { systemEngine } from "./systemEngines.ts";
import {
  cleanUpSpeech,
  makeFolder,
  makeRecordingProgram,
  makeTestSpeech,
  type TestSpeech,
} from "./testSpeech.ts";

afterEach(async () => {
  vi.unstubAllEnvs();
  await cleanUpSpeech();
});

const signal = () => new AbortController().signal;
const engineOf = (platform: NodeJS.Platform) => {
  const engine = systemEngine(platform);
  if (engine === null) throw new Error("every platform has one");
  return engine;
};

function configure(test: TestSpeech, own: object, tts: object = {}) {
  test.settings.config = { messages: { tts: { provider: "system", ...tts, providers: { system: own } } } };
}

interface Call {
  args: string[];
  stdin: string;
  env: Record<string, string>;
}

const hostile = "-w /tmp/owned --version $(id) `id` ; rm\n[[slnc 5000]] [[[rate 1]]] \u0007 \ud800 你好";

describe.skipIf(process.platform !== "linux")("espeak-ng", () => {
  const real = () => {
    const test = makeTestSpeech({ engine: engineOf("linux") });
    test.settings.env.PATH = process.env.PATH ?? "";
    return test;
  };

  it.each([
    ["Hello from this computer.", "en-us"],
    ["你好，世界。今天天气很好。", "cmn"],
    ["今日はいい天気ですね。", "ja"],
    ["Good morning 😀 to all", "en-us"],
  ])("speaks %s without any key, as a WAV file that can be played", async (text, voice) => {
    const { speech, records } = real();
    const outcome = await speech.service.speak({ text, by: "test", signal: signal() });
    if (outcome.kind !== "spoken") throw new Error(outcome.error);
    expect(outcome).toMatchObject({ provider: "system", voice, audio: { mimeType: "audio/wav" } });
    const facts = audioFacts(readFileSync(outcome.audioPath));
    expect(facts?.format).toBe("wav");
    expect(facts?.durationMs).toBeGreaterThan(500);
    expect(facts?.durationMs).toBe(outcome.audio.durationMs);
    expect(outcome.attempts).toMatchObject([{ provider: "system", reasonCode: "success" }]);
    expect(records[0]).toMatchObject({
      kind: "speech.spoken",
      data: { provider: "system", isOnline: false },
    });
    expect(JSON.stringify(records)).not.toContain(text);
  });

  it("says a hostile text, and does nothing else with it", async () => {
    const { speech } = real();
    const outcome = await speech.service.speak({ text: hostile, by: "test", signal: signal() });
    expect(outcome.kind).toBe("spoken");
  });

  it("names what it was when the voice does not exist", async () => {
    const test = real();
    configure(test, { voice: "qqq-voice" });
    const outcome = await test.speech.service.speak({ text: "Hello", by: "test", signal: signal() });
    expect(outcome.attempts[0]).toMatchObject({ provider: "system", reasonCode: "provider_error" });
    configure(test, { voice: "--version" });
    const refused = await test.speech.service.speak({ text: "Hello", by: "test", signal: signal() });
    expect(refused.attempts[0]?.error).toContain("no name of a voice");
  });
});

describe("how programs are called", () => {
  const withProgram = (platform: NodeJS.Platform, outFile: string) => {
    const folder = makeFolder();
    const program = makeRecordingProgram(folder, "program", outFile);
    const test = makeTestSpeech({ engine: { ...engineOf(platform), find: async () => program } });
    Object.assign(test.settings.env, { PATH: process.env.PATH ?? "", OPENAI_API_KEY: "secret-key" });
    configure(test, {});
    const calls = () =>
      readFileSync(path.join(folder, "calls.jsonl"), "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Call);
    const speak = (text: string) => test.speech.service.speak({ text, by: "test", signal: signal() });
    return { ...test, test, calls, speak, folder };
  };

  it("say: text by the input, a voice by the language, nothing of the text among the arguments", async () => {
    const { speak, calls, test } = withProgram("darwin", 'args[args.indexOf("-o") + 1]');
    expect(await speak(hostile)).toMatchObject({ kind: "spoken", audio: { durationMs: 500 } });
    await speak("你好，世界");
    configure(test, { voice: "Daniel", rate: 9000 });
    await speak("你好，世界");
    const [first, list, chinese, chosen] = calls();
    expect(first?.args.slice(0, 3)).toEqual(["--file-format=WAVE", "--data-format=LEI16@22050", "-o"]);
    expect(first?.args.slice(-2)).toEqual(["-f", "-"]);
    expect(first?.args.join(" ")).not.toMatch(/owned|version|slnc/);
    expect(first?.stdin).toContain("[ [slnc 5000]]");
    expect(first?.stdin).not.toContain("[[");
    expect(first?.stdin).not.toMatch(/[\u0007\ud800]/);
    expect(list?.args).toEqual(["-v", "?"]);
    expect(chinese?.args.slice(0, 2)).toEqual(["-v", "Ting-Ting (Premium)"]);
    expect(chosen?.args.slice(0, 4)).toEqual(["-v", "Daniel", "-r", "450"]);
    expect(JSON.stringify(calls())).not.toContain("secret-key");
  });

  it("PowerShell: a constant script, the text as base64 by the input, the rest by the environment", async () => {
    const { speak, calls, test } = withProgram("win32", "env.SALLYPORT_SPEECH_FILE");
    expect(await speak(hostile)).toMatchObject({ kind: "spoken" });
    configure(test, { voice: "Microsoft Zira Desktop", rate: 215 });
    await speak("Hello");
    const [first, second] = calls();
    expect(first?.args).toEqual(second?.args);
    expect(first?.args.slice(0, 4)).toEqual(["-NoLogo", "-NoProfile", "-NonInteractive", "-EncodedCommand"]);
    const script = Buffer.from(first?.args[4] ?? "", "base64").toString("utf16le");
    expect(script).toContain("SpeechSynthesizer");
    expect(script).not.toContain("owned");
    expect(first?.stdin).toMatch(/^[A-Za-z0-9+/=]+$/);
    expect(Buffer.from(first?.stdin ?? "", "base64").toString("utf8")).toContain("-w /tmp/owned --version");
    expect(second?.env).toMatchObject({
      SALLYPORT_SPEECH_VOICE: "Microsoft Zira Desktop",
      SALLYPORT_SPEECH_RATE: "2",
    });
  });

  it("a program that hangs is ended at the time limit, and the text stays here", async () => {
    const { speak, folder, test } = withProgram("linux", "'x'");
    writeFileSync(path.join(folder, "program"), `#!${process.execPath}\nsetInterval(() => {}, 1000);\n`);
    configure(test, {}, { timeoutMs: 1000 });
    const outcome = await speak("Hello there");
    // This computer was chosen to speak: nobody else gets the text, not even one with a key.
    expect(outcome.attempts).toMatchObject([{ provider: "system", reasonCode: "timeout" }]);
    test.settings.hardening = new Set();
    expect((await speak("Hello there")).attempts.map(({ provider }) => provider)).toEqual([
      "system",
      "openai",
      "elevenlabs",
      "microsoft",
    ]);
  });

  it("a program that hangs is ended at the time limit though its own child holds the pipes", async () => {
    const { speak, folder, test } = withProgram("linux", "'x'");
    const pidFile = path.join(folder, "child");
    const child = `require("node:child_process").spawn(process.execPath, ["-e", "setTimeout(() => {}, 60000)"], { stdio: "inherit" })`;
    writeFileSync(
      path.join(folder, "program"),
      `#!${process.execPath}\nrequire("node:fs").writeFileSync(${JSON.stringify(pidFile)}, String(${child}.pid)); setInterval(() => {}, 1000);\n`,
    );
    configure(test, {}, { timeoutMs: 3000 });
    const startedMs = performance.now();
    try {
      expect((await speak("Hello there")).attempts).toMatchObject([{ reasonCode: "timeout" }]);
      expect(performance.now() - startedMs).toBeLessThan(30_000);
    } finally {
      if (existsSync(pidFile)) process.kill(Number(readFileSync(pidFile, "utf8")), "SIGKILL");
    }
  }, 60_000);

  it("a cancelled call ends its program and leaves no working folder", async () => {
    const { test, folder } = withProgram("linux", "'x'");
    const pidFile = path.join(folder, "pid");
    const script = `require("node:fs").writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); setInterval(() => {}, 1000);`;
    writeFileSync(path.join(folder, "program"), `#!${process.execPath}\n${script}\n`);
    const temporary = makeFolder();
    vi.stubEnv("TMPDIR", temporary);
    const cancel = new AbortController();
    const running = test.speech.service.speak({ text: "Hello", by: "test", signal: cancel.signal });
    const pid = Number(await waitFor(() => existsSync(pidFile) && readFileSync(pidFile, "utf8")));
    expect(readdirSync(temporary).length).toBe(1);
    cancel.abort(new Error("stop"));
    await expect(running).rejects.toThrow("stop");
    expect(readdirSync(temporary)).toEqual([]);
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  });

  it("a program that fails or writes nothing is a failed attempt without its words", async () => {
    const { speak, folder } = withProgram("linux", "'x'");
    for (const body of ["process.stderr.write('obey me'); process.exit(3)", "process.exit(0)"]) {
      writeFileSync(path.join(folder, "program"), `#!${process.execPath}\n${body};\n`);
      const outcome = await speak("Hello there");
      expect(outcome.attempts[0]).toMatchObject({ provider: "system", reasonCode: "provider_error" });
      expect(JSON.stringify(outcome)).not.toContain("obey");
    }
  });
});

describe("finding the engine", () => {
  it("looks in absolute folders of PATH only", async () => {
    const folder = makeFolder();
    makeRecordingProgram(folder, "espeak-ng", "'x'");
    const engine = engineOf("linux");
    expect(await engine.find({ PATH: `.:relative:${folder}` })).toBe(path.join(folder, "espeak-ng"));
    expect(await engine.find({ PATH: path.relative(process.cwd(), folder) })).toBeNull();
    expect(await engine.find({})).toBeNull();
    expect(await engineOf("win32").find({ SystemRoot: folder })).toBeNull();
  });

  it("is told apart from the tests' own: the real one is installed here", () => {
    expect(execFileSync("sh", ["-c", "command -v espeak-ng"], { encoding: "utf8" })).toContain("espeak-ng");
  });
});
