/** All tools of the product with the parts they stand on. A family of tools is wired here, and nowhere else. */

import type { SallyportContract } from "../../../shared/contract/index.ts";
import type { Handlers } from "../../../shared/rpc/index.ts";
import { createBrowser, type ManagedBrowser } from "../browser/createBrowser.ts";
import type { SettingsStore } from "../config/index.ts";
import type { EventHub } from "../events/eventHub.ts";
import { defaultGatewayPort, portOf } from "../gatewaySettings.ts";
import type { KeptCalls, MediaMethods } from "../handlers/mediaHandlers.ts";
import { createSecretHandlers } from "../handlers/secretHandlers.ts";
import { createMediaTools, type MediaTools } from "../media/createMediaTools.ts";
import { createMemoryTools } from "../memory/createMemoryTools.ts";
import type { RuntimeDeps } from "../runtimeTypes.ts";
import { createSecretStore, withStoredSecrets } from "../secrets/index.ts";
import { createSpeech, type Speech } from "../speech/createSpeech.ts";
import type { StatePaths } from "../storage/index.ts";
import { type BuiltInToolsDeps, createBuiltInTools } from "./builtInTools.ts";
import { createToolRegistry, type ToolRegistry } from "./registry.ts";
import { createWebTools, type WebTools } from "./web/createWebTools.ts";

export interface ToolsDeps extends BuiltInToolsDeps {
  runtime: RuntimeDeps;
  hub: EventHub;
  settings: SettingsStore;
  paths: StatePaths;
  /** Asked when the panel looks at files of a call. */
  calls(): KeptCalls;
  /** Writes an entry to the ledger. */
  record(kind: string, by: string, data: Record<string, unknown>): void;
}

export interface Tools {
  registry: ToolRegistry;
  searchProviderOf: WebTools["searchProviderOf"];
  /** Which media tools have what they need. */
  mediaFacts: MediaTools["factsOf"];
  /** Methods of the contract that belong to these parts. */
  handlers: Pick<
    Handlers<SallyportContract>,
    Extract<keyof SallyportContract["methods"], `secrets.${string}`> | MediaMethods
  > &
    Speech["handlers"] &
    ManagedBrowser["handlers"];
  browser: Pick<ManagedBrowser, "endSessions" | "leave" | "runningCount">;
  /** Called when a tool may have come or gone: a key was stored, for example. */
  onPresenceChanged(listener: () => void): () => void;
  dispose(): Promise<void>;
}

export async function createTools(deps: ToolsDeps): Promise<Tools> {
  const { config, clock, logger, hardening, runtime } = deps;
  const { baseEnv, homeDir } = runtime;
  const secrets = await createSecretStore({
    path: deps.paths.secrets,
    vault: runtime.secretVault ?? null,
    clock,
    logger,
  });
  /** For looking up keys of services only; commands get the plain environment. */
  const keyEnv = withStoredSecrets(baseEnv, secrets);
  const shared = {
    config: () => config.effective().config,
    hardening,
    env: keyEnv,
    homeDir,
    clock,
    logger,
  };
  const media = createMediaTools({
    ...shared,
    stateDir: runtime.stateDir,
    workspaceOf: deps.places.workspaceOf,
    agentIds: deps.agentIds,
    isSandboxed: deps.isSandboxed,
    calls: deps.calls,
  });
  const web = createWebTools({ ...shared, pdf: media.pdf });
  const speech = createSpeech({
    ...shared,
    programEnv: baseEnv,
    stateDir: runtime.stateDir,
    record: deps.record,
  });
  const memory = createMemoryTools({
    ...shared,
    stateDir: runtime.stateDir,
    workspaceOf: deps.places.workspaceOf,
    isSandboxed: deps.isSandboxed,
  });
  const browser = await createBrowser({
    ...shared,
    config,
    approvals: deps.approvals,
    asksBeforeActs: () => deps.settings.settings().browser.askBeforeActs,
    isSandboxed: deps.isSandboxed,
    env: baseEnv,
    stateDir: runtime.stateDir,
    // Port 0 means any free one; browsers keep to the usual range then.
    ...(runtime.embeddedBrowser === undefined ? {} : { embeddedBrowser: runtime.embeddedBrowser }),
    gatewayPort: () => portOf(baseEnv, config.effective().config) || defaultGatewayPort,
    record: deps.record,
    publish: (event, payload) => deps.hub.publish(event, payload),
  });
  const registry = createToolRegistry([
    ...createBuiltInTools(deps),
    ...web.tools,
    ...memory.tools,
    speech.tool,
    ...media.tools,
    browser.tool,
    ...(runtime.extraTools ?? []),
  ]);
  return {
    registry,
    searchProviderOf: web.searchProviderOf,
    mediaFacts: media.factsOf,
    handlers: {
      ...speech.handlers,
      ...browser.handlers,
      ...media.handlers,
      ...createSecretHandlers({
        store: secrets,
        path: deps.paths.secrets,
        config,
        env: baseEnv,
        homeDir,
        tryProvider: web.tryProvider,
        record: deps.record,
      }),
    },
    browser,
    onPresenceChanged: (listener) => secrets.onChanged(listener),
    async dispose() {
      await web.dispose();
      await memory.dispose();
      await speech.dispose();
      await browser.dispose();
    },
  };
}
