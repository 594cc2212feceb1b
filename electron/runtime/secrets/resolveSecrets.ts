/** Resolves references of the config: grouped by provider, a few at a time, all or nothing. */

import { runExecSecrets } from "./execSource.ts";
import { readFileSecrets } from "./fileSource.ts";
import { limitsOf, providerOf, refProblem } from "./providers.ts";
import { refText, type SecretRef } from "./secretRef.ts";

export interface ResolveSecretsInput {
  refs: readonly SecretRef[];
  /** The `secrets` section of the config. */
  secrets: unknown;
  env: Readonly<Record<string, string | undefined>>;
  homeDir: string;
}

/**
 * @returns values by `refText`; every reference is there
 * @throws AppError UNAVAILABLE for the first that cannot be had, naming the reference and never a value
 * @see supplement.md §3.3
 */
export async function resolveSecrets(input: ResolveSecretsInput): Promise<Map<string, string>> {
  const limits = limitsOf(input.secrets);
  const groups = new Map<string, SecretRef[]>();
  for (const ref of new Map(input.refs.map((one) => [refText(one), one])).values()) {
    const key = `${ref.source}:${ref.provider}`;
    groups.set(key, [...(groups.get(key) ?? []), ref]);
  }
  const values = new Map<string, string>();
  const waiting = [...groups.values()];
  const work = async (): Promise<void> => {
    for (let refs = waiting.shift(); refs !== undefined; refs = waiting.shift()) {
      const [first] = refs;
      const bytes = refs.reduce((sum, ref) => sum + Buffer.byteLength(ref.id), 0);
      if (first !== undefined && refs.length > limits.maxRefsPerProvider)
        throw refProblem(first, "its provider has more references than maxRefsPerProvider");
      if (first !== undefined && bytes > limits.maxBatchBytes)
        throw refProblem(first, "the ids of its provider are longer than maxBatchBytes");
      const found = await resolveGroup(refs, input);
      refs.forEach((ref, index) => {
        const value = found[index];
        if (typeof value !== "string" || value === "")
          throw refProblem(ref, "it is not a text, or an empty one");
        values.set(refText(ref), value);
      });
    }
  };
  await Promise.all(Array.from({ length: limits.maxProviderConcurrency }, work));
  return values;
}

async function resolveGroup(refs: readonly SecretRef[], input: ResolveSecretsInput): Promise<unknown[]> {
  const [first] = refs;
  if (first === undefined) return [];
  const provider = providerOf(first, input.secrets);
  switch (provider.source) {
    case "env":
      return refs.map((ref) => {
        if (provider.allowlist !== undefined && !provider.allowlist.includes(ref.id))
          throw refProblem(ref, `secrets.providers.${ref.provider}.allowlist does not name it`);
        const value = input.env[ref.id];
        if (value === undefined || value === "") throw refProblem(ref, "the variable is not set");
        return value;
      });
    case "file":
      return readFileSecrets(refs, provider, input.homeDir);
    case "exec":
      return runExecSecrets(refs, provider, input.env);
  }
}
