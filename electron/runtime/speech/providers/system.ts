/** The speech engine of this computer: no key, no network, and the text stays here. */

import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { AppError } from "../../../../shared/errors/index.ts";
import { languageOfScript, numberIn, textIn } from "../../../../shared/speech/index.ts";
import { runSpeaker } from "../runSpeaker.ts";
import { maxAudioBytes, type SpeechProvider } from "../speechTypes.ts";
import { isVoiceName, type SystemEngine, systemEngine } from "../systemEngines.ts";

export interface SystemSpeechDeps {
  env: Readonly<Record<string, string | undefined>>;
  /** For tests; absent: this computer's. */
  platform?: NodeJS.Platform;
  /** For tests; absent: the engine of the platform. */
  engine?: SystemEngine;
}

/** What the programs need of the environment; keys of services are not among it. */
const passedOn = [
  "PATH",
  "HOME",
  "LANG",
  "LC_ALL",
  "TMPDIR",
  "ESPEAK_DATA_PATH",
  "SystemRoot",
  "SYSTEMROOT",
  "TEMP",
  "TMP",
  "USERPROFILE",
  "APPDATA",
  "LOCALAPPDATA",
  "PSModulePath",
];

export function createSystemSpeech(deps: SystemSpeechDeps): SpeechProvider {
  const engine = deps.engine ?? systemEngine(deps.platform ?? process.platform);
  const baseEnv = Object.fromEntries(
    passedOn.flatMap((name) => {
      const value = deps.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  /** Voices are installed seldom; one look is enough for a run of the app. */
  let voiceList: string | null = null;

  return {
    id: "system",
    isOnline: false,
    hasTelephony: false,
    models: [],
    voices: [],
    isConfigured: async (_config, settings) =>
      settings.enabled !== false && engine !== null && (await engine.find(deps.env)) !== null,
    async speak({ text, settings, timeoutMs, signal }) {
      const file = engine === null ? null : await engine.find(deps.env);
      if (engine === null || file === null) {
        throw new AppError("UNAVAILABLE", "This computer has no speech program. On Linux install espeak-ng.");
      }
      const voice = textIn(settings, "voice") ?? null;
      if (voice !== null && !isVoiceName(voice)) {
        throw new AppError(
          "UNAVAILABLE",
          "The voice of the settings for this computer is no name of a voice.",
        );
      }
      const rate = numberIn(settings, "rate");
      const language = languageOfScript(text);
      const startedMs = performance.now();
      const leftMs = () => Math.max(1, timeoutMs - (performance.now() - startedMs));
      if (voice === null && language !== null && engine.listVoices !== undefined) {
        voiceList ??= await runSpeaker({
          ...engine.listVoices(file),
          stdin: "",
          env: baseEnv,
          timeoutMs: leftMs(),
          signal,
        });
      }
      const folder = await mkdtemp(path.join(tmpdir(), "tts-work-"));
      try {
        const outFile = path.join(folder, "voice.wav");
        const wordsPerMinute = rate === undefined ? null : Math.round(Math.min(Math.max(rate, 80), 450));
        const command = engine.command(
          file,
          { text, language, voice, wordsPerMinute, outFile },
          voiceList ?? "",
        );
        await runSpeaker({ ...command, env: { ...baseEnv, ...command.env }, timeoutMs: leftMs(), signal });
        return { bytes: await readRecording(outFile), voice: command.voice };
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

async function readRecording(file: string): Promise<Buffer> {
  const about = await stat(file).catch(() => null);
  if (about === null) throw new AppError("TOOL_FAILED", "The speech program wrote no recording.");
  if (about.size > maxAudioBytes) {
    throw new AppError("TOOL_FAILED", "The recording is larger than 32 MB. Speak a shorter text.");
  }
  return readFile(file);
}
