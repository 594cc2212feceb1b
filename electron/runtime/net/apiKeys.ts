/** Keys of services: from the config (text or reference) or from the environment. */

import { AppError } from "../../../shared/errors/index.ts";
import { getIn } from "../../../shared/policy/configRecord.ts";
import { readSecretInput, refText, resolveSecrets } from "../secrets/index.ts";

/** Where one key may stand. */
export interface KeyPlaces {
  /** Paths in the config, the first that holds something counts. */
  paths: readonly (readonly string[])[];
  /** Environment variables, in order, when the config has none. */
  env: readonly string[];
}

export type FoundKey =
  | { kind: "absent" }
  /** `from`: path in the config or name of the variable. */
  | { kind: "found"; from: string; value: unknown };

export interface ApiKeys {
  /** Looks without resolving anything: whether a key is named, and where. */
  find(config: unknown, places: KeyPlaces): FoundKey;
  /**
   * @returns the key itself; null when none is named
   * @throws AppError UNAVAILABLE when a reference cannot be resolved; the message never holds a value
   */
  resolve(config: unknown, places: KeyPlaces): Promise<string | null>;
}

export function createApiKeys(deps: {
  env: Readonly<Record<string, string | undefined>>;
  homeDir: string;
}): ApiKeys {
  // A reference may start a program: once per config is enough.
  const resolved = new WeakMap<object, Map<string, Promise<string>>>();

  const find = (config: unknown, places: KeyPlaces): FoundKey => {
    for (const path of places.paths) {
      const value = getIn(config, ...path);
      if (readSecretInput(value, getIn(config, "secrets", "defaults")).kind !== "absent") {
        return { kind: "found", from: path.join("."), value };
      }
    }
    for (const name of places.env) {
      const value = deps.env[name]?.trim();
      if (value !== undefined && value !== "") return { kind: "found", from: name, value };
    }
    return { kind: "absent" };
  };

  return {
    find,
    async resolve(config, places) {
      const found = find(config, places);
      if (found.kind === "absent") return null;
      // Text of the environment is the key itself, never a reference.
      if (places.env.includes(found.from)) return usable(String(found.value), found.from);
      const input = readSecretInput(found.value, getIn(config, "secrets", "defaults"));
      if (input.kind === "text") return usable(input.value.trim(), found.from);
      if (input.kind !== "ref") {
        const problem = input.kind === "invalid" ? input.problem : "it is empty";
        throw new AppError("UNAVAILABLE", `The key at ${found.from} cannot be used: ${problem}.`);
      }
      const { ref } = input;
      const name = refText(ref);
      const kept = keptFor(resolved, config);
      const running =
        kept?.get(name) ??
        resolveSecrets({
          refs: [ref],
          secrets: getIn(config, "secrets"),
          env: deps.env,
          homeDir: deps.homeDir,
        }).then((values) => values.get(name) ?? "");
      kept?.set(name, running);
      try {
        return usable((await running).trim(), found.from);
      } catch (error) {
        // The cause may be gone at the next call.
        kept?.delete(name);
        throw error;
      }
    },
  };
}

/** A key goes into a header: line breaks and the like would be refused there with the key in the message. */
function usable(key: string, from: string): string {
  if (key !== "" && /^[\x21-\x7e]+$/.test(key)) return key;
  throw new AppError("UNAVAILABLE", `The key from ${from} holds spaces or other characters that no key has.`);
}

function keptFor(all: WeakMap<object, Map<string, Promise<string>>>, config: unknown) {
  if (typeof config !== "object" || config === null) return undefined;
  const kept = all.get(config) ?? new Map<string, Promise<string>>();
  all.set(config, kept);
  return kept;
}
