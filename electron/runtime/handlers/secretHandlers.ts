/** Keys of services over the contract. A value comes in and never goes out; names are on the record. */

import type { SallyportContract, SecretsView } from "../../../shared/contract/index.ts";
import { AppError, messageOf } from "../../../shared/errors/index.ts";
import type { Handlers } from "../../../shared/rpc/index.ts";
import type { ConfigStore } from "../config/index.ts";
import { createApiKeys } from "../net/apiKeys.ts";
import { keyServices, type SecretStore, withStoredSecrets } from "../secrets/index.ts";

type SecretMethods = Extract<keyof SallyportContract["methods"], `secrets.${string}`>;

export function createSecretHandlers(deps: {
  store: SecretStore;
  path: string;
  config: ConfigStore;
  env: Readonly<Record<string, string | undefined>>;
  homeDir: string;
  tryProvider(id: string, signal: AbortSignal): Promise<{ label: string; results: number; tookMs: number }>;
  record(kind: string, by: string, data: Record<string, unknown>): void;
}): Pick<Handlers<SallyportContract>, SecretMethods> {
  const { store } = deps;
  const keys = createApiKeys({ env: withStoredSecrets(deps.env, store), homeDir: deps.homeDir });
  const view = (): SecretsView => ({
    services: keyServices({ config: deps.config.effective().config, keys, env: deps.env }),
    stored: store.list(),
    protection: store.protection(),
    path: deps.path,
    problem: store.problem(),
  });

  return {
    "secrets.list": () => view(),
    "secrets.set": async ({ name, value }, { principal }) => {
      await store.set(name, value);
      deps.record("secret.stored", principal.id, { name });
      return view();
    },
    "secrets.remove": async ({ name }, { principal }) => {
      if (!(await store.remove(name))) throw new AppError("NOT_FOUND", `No key is stored as ${name}.`);
      deps.record("secret.removed", principal.id, { name });
      return view();
    },
    "secrets.test": async ({ service }, { signal }) => {
      const id = service.startsWith("search.") ? service.slice("search.".length) : null;
      if (id === null) {
        throw new AppError(
          "INVALID_INPUT",
          `There is no test for ${service}; use one of its tools to try the key.`,
        );
      }
      try {
        const { label, results, tookMs } = await deps.tryProvider(id, signal);
        return { ok: true, message: `${label} answered (${results} results).`, tookMs };
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof AppError)) throw error;
        return { ok: false, message: messageOf(error), tookMs: 0 };
      }
    },
  };
}
