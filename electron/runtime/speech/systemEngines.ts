/** The speech engines of the operating systems as data: which program, which arguments, what goes to its input. */

import path from "node:path";
import type { ScriptLanguage } from "../../../shared/speech/index.ts";
import { findProgram, isProgram } from "./findProgram.ts";

export interface EngineRequest {
  text: string;
  /** Language of the text's script; null: Latin letters. */
  language: ScriptLanguage;
  /** As the operator configured it; null: chosen by language. */
  voice: string | null;
  /** Words a minute; null: the engine's own. */
  wordsPerMinute: number | null;
  /** Absolute; the engine writes a WAV file there. */
  outFile: string;
}

/** The text never stands among the arguments: it goes to the input, so it can be no option. */
export interface EngineCommand {
  file: string;
  args: string[];
  stdin: string;
  env: Record<string, string>;
  /** What was asked for; null: the engine's own choice. */
  voice: string | null;
}

export interface SystemEngine {
  name: string;
  /** @returns absolute path of the program, or null when it is not installed */
  find(env: Readonly<Record<string, string | undefined>>): Promise<string | null>;
  /** How installed voices are listed; absent: the table of the engine is enough. */
  listVoices?: (file: string) => { file: string; args: string[] };
  /** @param listed output of `listVoices`, "" when there is none */
  command(file: string, request: EngineRequest, listed: string): EngineCommand;
}

/** Names of voices are the operator's, but a name that begins with a dash is a mistake. */
const voicePattern = /^[\p{L}\p{N}][\p{L}\p{N} +_./()-]{0,100}$/u;

export function isVoiceName(name: string): boolean {
  return voicePattern.test(name);
}

/** @returns null for a platform without a known engine */
export function systemEngine(platform: NodeJS.Platform): SystemEngine | null {
  switch (platform) {
    case "darwin":
      return say;
    case "win32":
      return sapi;
    default:
      return espeak;
  }
}

/** Two of the engines take words in double brackets for commands or phonemes: a blank after each makes them text. */
function plainText(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f\ud800-\udfff]/gu, " ").replace(/\[(?=\[)/g, "[ ");
}

const espeakVoices: ReadonlyMap<ScriptLanguage, string> = new Map([
  ["zh", "cmn"],
  ["ja", "ja"],
  ["ko", "ko"],
  ["ru", "ru"],
  ["el", "el"],
  ["ar", "ar"],
  ["he", "he"],
  ["hi", "hi"],
  // This engine has no Thai voice.
]);

const espeak: SystemEngine = {
  name: "espeak-ng",
  find: (env) => findProgram(["espeak-ng", "espeak"], env.PATH ?? ""),
  command(file, { text, language, voice, wordsPerMinute, outFile }) {
    const chosen = voice ?? espeakVoices.get(language) ?? "en-us";
    const rate = wordsPerMinute === null ? [] : ["-s", String(wordsPerMinute)];
    // `-b 1`: the input is UTF-8.
    const args = ["-v", chosen, ...rate, "-b", "1", "-w", outFile, "--stdin"];
    return { file, args, stdin: plainText(text), env: {}, voice: chosen };
  },
};

const localePrefixes: ReadonlyMap<ScriptLanguage, string> = new Map([
  ["zh", "zh_CN"],
  ["ja", "ja_"],
  ["ko", "ko_"],
  ["ru", "ru_"],
  ["el", "el_"],
  ["ar", "ar_"],
  ["he", "he_"],
  ["hi", "hi_"],
  ["th", "th_"],
]);

const say: SystemEngine = {
  name: "say",
  async find() {
    const file = "/usr/bin/say";
    return (await isProgram(file)) ? file : null;
  },
  listVoices: (file) => ({ file, args: ["-v", "?"] }),
  command(file, { text, language, voice, wordsPerMinute, outFile }, listed) {
    const prefix = localePrefixes.get(language);
    const chosen = voice ?? (prefix === undefined ? null : sayVoiceFor(listed, prefix));
    const args = [
      ...(chosen === null ? [] : ["-v", chosen]),
      ...(wordsPerMinute === null ? [] : ["-r", String(wordsPerMinute)]),
      "--file-format=WAVE",
      "--data-format=LEI16@22050",
      "-o",
      outFile,
      "-f",
      "-",
    ];
    return { file, args, stdin: plainText(text), env: {}, voice: chosen };
  },
};

/** Lines are `Name   xx_YY   # example`; the name may hold blanks. */
function sayVoiceFor(listed: string, localePrefix: string): string | null {
  for (const line of listed.split("\n")) {
    const match = /^(\S.{0,100}?)\s+([a-z]{2,3}[_-][A-Za-z0-9]{2,4})\s+#/.exec(line);
    if (match?.[2]?.replace("-", "_").startsWith(localePrefix) === true) return match[1] ?? null;
  }
  return null;
}

/** A constant: everything that changes comes through the environment, and the text through the input as base64. */
const sapiScript = `
$ErrorActionPreference = 'Stop'
Add-Type -AssemblyName System.Speech
$bytes = [Convert]::FromBase64String([Console]::In.ReadToEnd().Trim())
$text = [Text.Encoding]::UTF8.GetString($bytes)
$speaker = New-Object System.Speech.Synthesis.SpeechSynthesizer
try {
  $voice = $env:SALLYPORT_SPEECH_VOICE
  $culture = $env:SALLYPORT_SPEECH_CULTURE
  if ($voice) { $speaker.SelectVoice($voice) }
  elseif ($culture) {
    $found = $speaker.GetInstalledVoices() | Where-Object { $_.Enabled -and $_.VoiceInfo.Culture.Name.StartsWith($culture) } | Select-Object -First 1
    if ($found) { $speaker.SelectVoice($found.VoiceInfo.Name) }
  }
  if ($env:SALLYPORT_SPEECH_RATE) { $speaker.Rate = [int]$env:SALLYPORT_SPEECH_RATE }
  $speaker.SetOutputToWaveFile($env:SALLYPORT_SPEECH_FILE)
  $speaker.Speak($text)
} finally { $speaker.Dispose() }
`;

const ordinaryWordsPerMinute = 175;
const wordsPerStep = 20;

const sapi: SystemEngine = {
  name: "SAPI",
  async find(env) {
    const root = env.SystemRoot ?? env.SYSTEMROOT ?? "C:\\Windows";
    const file = path.join(root, "System32", "WindowsPowerShell", "v1.0", "powershell.exe");
    return (await isProgram(file)) ? file : null;
  },
  command(file, { text, language, voice, wordsPerMinute, outFile }) {
    const step =
      wordsPerMinute === null ? null : Math.round((wordsPerMinute - ordinaryWordsPerMinute) / wordsPerStep);
    return {
      file,
      args: [
        "-NoLogo",
        "-NoProfile",
        "-NonInteractive",
        "-EncodedCommand",
        Buffer.from(sapiScript, "utf16le").toString("base64"),
      ],
      stdin: Buffer.from(plainText(text), "utf8").toString("base64"),
      env: {
        SALLYPORT_SPEECH_FILE: outFile,
        SALLYPORT_SPEECH_VOICE: voice ?? "",
        SALLYPORT_SPEECH_CULTURE: language ?? "",
        SALLYPORT_SPEECH_RATE: step === null ? "" : String(Math.min(Math.max(step, -10), 10)),
      },
      voice,
    };
  },
};
