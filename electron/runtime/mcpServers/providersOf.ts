/** Secret providers that an entry makes work: they start programs and read files, so they belong to what is confirmed. */

import { getIn } from "../../../shared/policy/configRecord.ts";
import { readSecretInput } from "../secrets/index.ts";
import type { RawValue } from "./entries.ts";

interface Values {
  env?: Record<string, RawValue> | undefined;
  headers?: Record<string, RawValue> | undefined;
}

/**
 * @returns for each provider that a SecretRef of the entry names, sorted by alias: the alias, and its definition as it stands
 * in the config, `null` where there is none
 */
export function providersOf(config: unknown, { env = {}, headers = {} }: Values): [string, unknown][] {
  const defaults = getIn(config, "secrets", "defaults");
  const aliases = [...Object.values(env), ...Object.values(headers)].flatMap((raw) => {
    if (typeof raw === "string") return [];
    const input = readSecretInput(raw, defaults);
    return input.kind === "ref" ? [input.ref.provider] : [];
  });
  return [...new Set(aliases)]
    .sort()
    .map((alias) => [alias, getIn(config, "secrets", "providers", alias) ?? null]);
}
