/** What people chose about speech: the preferences file for all conversations, and a switch for each of them. */

import path from "node:path";
import { AppError } from "../../../shared/errors/index.ts";
import { asRecord, getIn } from "../../../shared/policy/configRecord.ts";
import {
  modeOf,
  readSpeechPrefs,
  resolveSpeechSettings,
  type SpeechMode,
  type SpeechPrefs,
  type SpeechSettings,
  textIn,
} from "../../../shared/speech/index.ts";
import { createPrefsFile } from "./prefsFile.ts";

export interface SpeechPreferences {
  /** What counts now, for a conversation or for those without a switch of their own. */
  current(
    sessionKey?: string,
  ): Promise<{ settings: SpeechSettings; prefsPath: string; problem: string | null }>;
  /** null takes a value out of the file. */
  set(change: { [K in keyof SpeechPrefs]?: SpeechPrefs[K] | null | undefined }): Promise<void>;
  setSession(sessionKey: string, mode: SpeechMode | null): Promise<void>;
}

/** The switches of the oldest conversations are forgotten beyond this number. */
const maxSessions = 500;

export function createSpeechPreferences(deps: {
  config(): unknown;
  env: Readonly<Record<string, string | undefined>>;
  stateDir: string;
  homeDir: string;
}): SpeechPreferences {
  /** `messages.tts.prefsPath`, OPENCLAW_TTS_PREFS, else `settings/tts.json` of the state directory. */
  const prefsFile = () => {
    const named =
      textIn(getIn(deps.config(), "messages", "tts"), "prefsPath") ?? deps.env.OPENCLAW_TTS_PREFS?.trim();
    if (named === undefined || named === "")
      return createPrefsFile(path.join(deps.stateDir, "settings", "tts.json"));
    const expanded = /^~(?=$|[\\/])/.test(named) ? path.join(deps.homeDir, named.slice(1)) : named;
    return createPrefsFile(path.resolve(deps.stateDir, expanded));
  };
  // A file of our own: the other one belongs to OpenClaw as well.
  const sessions = createPrefsFile(path.join(deps.stateDir, "settings", "sallyport-speech.json"));

  return {
    async current(sessionKey) {
      const file = prefsFile();
      const [prefs, switches] = await Promise.all([file.read(), sessions.read()]);
      const problem =
        prefs.kind === "broken" ? prefs.problem : switches.kind === "broken" ? switches.problem : null;
      const session =
        sessionKey === undefined || switches.kind === "broken"
          ? undefined
          : modeOf(getIn(switches.value, "sessions", sessionKey));
      const settings = resolveSpeechSettings(
        deps.config(),
        prefs.kind === "ok" ? readSpeechPrefs(prefs.value) : {},
        session,
      );
      return {
        settings: {
          ...settings,
          // Someone may have switched it off in a file that cannot be read now.
          ...(problem === null ? {} : { mode: "off" }),
          // Or chosen this computer, so that no text leaves it.
          ...(prefs.kind === "broken" ? { provider: "system" } : {}),
        },
        prefsPath: file.path,
        problem,
      };
    },
    async set(change) {
      await prefsFile().update((value) => {
        const tts: Record<string, unknown> = Object.assign(Object.create(null), asRecord(value.tts));
        for (const [key, chosen] of Object.entries(change)) {
          if (chosen === null) delete tts[key];
          else if (chosen !== undefined) tts[key] = chosen;
          // The older switch would contradict the newer one.
          if (key === "auto" && chosen !== undefined) delete tts.enabled;
        }
        value.tts = tts;
      });
    },
    async setSession(sessionKey, mode) {
      if (sessionKey.trim() === "") throw new AppError("INVALID_INPUT", "Name the conversation.");
      await sessions.update((value) => {
        const before = Object.entries(asRecord(value.sessions) ?? {}).filter(([key]) => key !== sessionKey);
        const after = mode === null ? before : [...before, [sessionKey, mode] as const];
        const kept: Record<string, unknown> = Object.create(null);
        for (const [key, chosen] of after.slice(-maxSessions)) kept[key] = chosen;
        value.sessions = kept;
      });
    },
  };
}
