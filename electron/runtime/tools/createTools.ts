/** All tools of the product with the parts they stand on. A family of tools is wired here, and nowhere else. */

import type { AppStatus, SallyportContract } from "../../../shared/contract/index.ts";
import { defaultAgentId } from "../../../shared/policy/index.ts";
import type { Handlers } from "../../../shared/rpc/index.ts";
import { createBrowser, type ManagedBrowser } from "../browser/createBrowser.ts";
import type { Calls } from "../calls/createCalls.ts";
import type { SettingsStore } from "../config/index.ts";
import type { EventHub } from "../events/eventHub.ts";
import { defaultGatewayPort, portOf } from "../gatewaySettings.ts";
import type { KeptCalls, MediaMethods } from "../handlers/mediaHandlers.ts";
import { createSecretHandlers } from "../handlers/secretHandlers.ts";
import { createMcpServers, type McpServers } from "../mcpServers/createMcpServers.ts";
import { createMediaTools, type MediaTools } from "../media/createMediaTools.ts";
import { createMemoryTools } from "../memory/createMemoryTools.ts";
import type { AssertionDesk } from "../policy/assertionDesk.ts";
import type { RuntimeDeps } from "../runtimeTypes.ts";
import { createSecretStore, withStoredSecrets } from "../secrets/index.ts";
import { createSpeech, type Speech } from "../speech/createSpeech.ts";
import type { StatePaths } from "../storage/index.ts";
import { type BuiltInToolsDeps, createBuiltInTools } from "./builtInTools.ts";
import { createGatewayParts } from "./gateway/createGatewayParts.ts";
import { createToolRegistry, type ToolRegistry } from "./registry.ts";
import { createWebTools, type WebTools } from "./web/createWebTools.ts";

export interface ToolsDeps extends BuiltInToolsDeps {
  runtime: RuntimeDeps;
  hub: EventHub;
  settings: SettingsStore;
  paths: StatePaths;
  /** Asked when the panel looks at files of a call, and before a restart. */
  calls(): KeptCalls & Pick<Calls, "list">;
  /** Both are wired after the tools. */
  assertions(): Pick<AssertionDesk, "guardFor" | "toolsChanged">;
  status(): AppStatus;
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
    ManagedBrowser["handlers"] &
    McpServers["handlers"];
  browser: Pick<ManagedBrowser, "endSessions" | "leave" | "runningCount">;
  /** Called when a tool may have come or gone: a key was stored, for example. */
  onPresenceChanged(listener: () => void): () => void;
  /** Puts the restart that this program comes from on record. */
  reportRestart(): Promise<void>;
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
  const gateway = createGatewayParts({
    ...deps,
    restartHost: runtime.restartHost ?? null,
    restartNotePath: deps.paths.restartNote,
    env: baseEnv,
  });
  const mcpServers = createMcpServers({
    ...shared,
    config,
    settings: deps.settings,
    approvals: deps.approvals,
    version: runtime.version,
    keyEnv,
    hostEnv: () => deps.places.hostEnvFor(defaultAgentId(config.effective().config), {}),
    record: deps.record,
    publish: (payload) => deps.hub.publish("mcpServers.changed", payload),
  });
  mcpServers.onToolsChanged(() => deps.assertions().toolsChanged());
  const tools = [
    ...createBuiltInTools(deps),
    gateway.tool,
    ...web.tools,
    ...memory.tools,
    speech.tool,
    ...media.tools,
    browser.tool,
    ...(runtime.extraTools ?? []),
  ];
  const registry = createToolRegistry(tools, new Map(), [mcpServers.source]);
  // Not before the runtime around this stands: a server that is there at once changes what policy shows.
  const startServers = setImmediate(() => {
    if (runtime.startsServers !== false) mcpServers.start();
  });
  return {
    registry,
    searchProviderOf: web.searchProviderOf,
    mediaFacts: media.factsOf,
    handlers: {
      ...speech.handlers,
      ...browser.handlers,
      ...mcpServers.handlers,
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
    onPresenceChanged(listener) {
      const offs = [secrets.onChanged(listener), mcpServers.onToolsChanged(listener)];
      return () => {
        for (const off of offs) off();
      };
    },
    reportRestart: gateway.reportRestart,
    async dispose() {
      clearImmediate(startServers);
      await mcpServers.dispose();
      gateway.dispose();
      await web.dispose();
      await memory.dispose();
      await speech.dispose();
      await browser.dispose();
    },
  };
}
