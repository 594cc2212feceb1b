/** Speech with everything it needs: providers, preferences, recordings, the tool and the contract's methods. */

import type { SallyportContract } from "../../../shared/contract/index.ts";
import type { Hardening } from "../../../shared/hardening/rules.ts";
import type { Handlers } from "../../../shared/rpc/index.ts";
import type { Clock } from "../clock.ts";
import { createSpeechHandlers, type SpeechMethods } from "../handlers/speechHandlers.ts";
import type { Logger } from "../logging/logger.ts";
import { createApiKeys } from "../net/apiKeys.ts";
import { createGuardedFetch, type GuardedFetch } from "../net/guardedFetch.ts";
import { systemResolver } from "../net/hostResolver.ts";
import type { ToolDefinition } from "../tools/defineTool.ts";
import { createTtsTool } from "../tools/tts/tool.ts";
import { createAudioStore } from "./audioStore.ts";
import { createSpeechProviders } from "./providers/index.ts";
import { createSpeechPreferences } from "./speechPreferences.ts";
import { createSpeechService, type SpeechService, type SpeechServiceDeps } from "./speechService.ts";
import type { SystemEngine } from "./systemEngines.ts";
import { createCommandDesk } from "./ttsCommandDesk.ts";

export interface SpeechDeps {
  /** The config as it counts now. */
  config(): unknown;
  hardening(): Hardening;
  /** Where keys of services are looked up. */
  env: Readonly<Record<string, string | undefined>>;
  /** Where programs are looked up; absent: `env`. */
  programEnv?: Readonly<Record<string, string | undefined>>;
  stateDir: string;
  homeDir: string;
  clock: Clock;
  logger: Logger;
  record: SpeechServiceDeps["record"];
  summarize?: SpeechServiceDeps["summarize"];
  /** For tests; absent: the real network and this computer's engine. */
  fetch?: GuardedFetch;
  readAloudUrl?: string;
  engine?: SystemEngine;
}

export interface Speech {
  service: SpeechService;
  tool: ToolDefinition;
  handlers: Pick<Handlers<SallyportContract>, SpeechMethods>;
  /** Removes all recordings. */
  dispose(): Promise<void>;
}

export function createSpeech(deps: SpeechDeps): Speech {
  const { config, hardening, env, stateDir, homeDir, clock, logger } = deps;
  const providers = createSpeechProviders({
    fetch: deps.fetch ?? createGuardedFetch({ resolve: systemResolver }),
    keys: createApiKeys({ env, homeDir }),
    env,
    programEnv: deps.programEnv ?? env,
    nowMs: () => clock.nowMs(),
    logger,
    ...(deps.readAloudUrl === undefined ? {} : { readAloudUrl: deps.readAloudUrl }),
    ...(deps.engine === undefined ? {} : { engine: deps.engine }),
  });
  const store = createAudioStore({ clock, logger });
  const preferences = createSpeechPreferences({ config, env, stateDir, homeDir });
  const service = createSpeechService({
    providers,
    preferences,
    store,
    config,
    hardening,
    env,
    logger,
    record: deps.record,
    ...(deps.summarize === undefined ? {} : { summarize: deps.summarize }),
  });
  const commands = createCommandDesk({ service, preferences, hardening, record: deps.record });
  return {
    service,
    tool: createTtsTool({ service }) as unknown as ToolDefinition,
    handlers: createSpeechHandlers({ service, preferences, commands, store, providers, record: deps.record }),
    dispose: () => store.dispose(),
  };
}
