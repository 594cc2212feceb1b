/** All speech providers of the product. */

import type { Logger } from "../../logging/logger.ts";
import type { ApiKeys } from "../../net/apiKeys.ts";
import type { GuardedFetch } from "../../net/guardedFetch.ts";
import type { SpeechProvider } from "../speechTypes.ts";
import type { SystemEngine } from "../systemEngines.ts";
import { createElevenlabsSpeech } from "./elevenlabs.ts";
import { createMicrosoftSpeech } from "./microsoft.ts";
import { createOpenaiSpeech } from "./openai.ts";
import { createSystemSpeech } from "./system.ts";

export interface ProviderDeps {
  fetch: GuardedFetch;
  keys: ApiKeys;
  env: Readonly<Record<string, string | undefined>>;
  programEnv: Readonly<Record<string, string | undefined>>;
  nowMs(): number;
  logger: Logger;
  /** For tests; absent: the real services and this computer's engine. */
  readAloudUrl?: string;
  engine?: SystemEngine;
}

export function createSpeechProviders(deps: ProviderDeps): readonly SpeechProvider[] {
  return [
    createOpenaiSpeech(deps),
    createElevenlabsSpeech(deps),
    createMicrosoftSpeech({
      nowMs: deps.nowMs,
      logger: deps.logger,
      ...(deps.readAloudUrl === undefined ? {} : { baseUrl: deps.readAloudUrl }),
    }),
    createSystemSpeech({
      env: deps.programEnv,
      ...(deps.engine === undefined ? {} : { engine: deps.engine }),
    }),
  ];
}
