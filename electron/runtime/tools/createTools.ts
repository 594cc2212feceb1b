/** All tools of the product with the parts they stand on. A family of tools is wired here, and nowhere else. */

import type { SallyportContract } from "../../../shared/contract/index.ts";
import type { Handlers } from "../../../shared/rpc/index.ts";
import { createSecretHandlers } from "../handlers/secretHandlers.ts";
import type { RuntimeDeps } from "../runtimeTypes.ts";
import { createSecretStore, withStoredSecrets } from "../secrets/index.ts";
import type { StatePaths } from "../storage/index.ts";
import { type BuiltInToolsDeps, createBuiltInTools } from "./builtInTools.ts";
import { createToolRegistry, type ToolRegistry } from "./registry.ts";
import { createWebTools, type WebTools } from "./web/createWebTools.ts";

export interface ToolsDeps extends BuiltInToolsDeps {
  runtime: RuntimeDeps;
  paths: StatePaths;
  /** Writes an entry to the ledger. */
  record(kind: string, by: string, data: Record<string, unknown>): void;
}

export interface Tools {
  registry: ToolRegistry;
  searchProviderOf: WebTools["searchProviderOf"];
  /** Methods of the contract that belong to these parts. */
  handlers: Pick<
    Handlers<SallyportContract>,
    Extract<keyof SallyportContract["methods"], `secrets.${string}`>
  >;
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
  const web = createWebTools(shared);
  const registry = createToolRegistry([
    ...createBuiltInTools(deps),
    ...web.tools,
    ...(runtime.extraTools ?? []),
  ]);
  return {
    registry,
    searchProviderOf: web.searchProviderOf,
    handlers: createSecretHandlers({
      store: secrets,
      path: deps.paths.secrets,
      config,
      env: baseEnv,
      homeDir,
      tryProvider: web.tryProvider,
      record: deps.record,
    }),
    onPresenceChanged: (listener) => secrets.onChanged(listener),
    dispose: () => web.dispose(),
  };
}
