/** The forms of a secret in the config: text, `${NAME}`, or a reference to a source outside the file. */

export type SecretSource = "env" | "file" | "exec";

export interface SecretRef {
  source: SecretSource;
  /** Alias below `secrets.providers`. */
  provider: string;
  id: string;
}

export type SecretInput =
  | { kind: "absent" }
  | { kind: "text"; value: string }
  | { kind: "ref"; ref: SecretRef }
  /** Neither; `problem` never holds the value. */
  | { kind: "invalid"; problem: string };

const envName = /^[A-Z][A-Z0-9_]{0,127}$/;
const alias = /^[a-z][a-z0-9_-]{0,63}$/;
const execId = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,255}$/;

/** Stands in messages and logs; a reference is no secret. */
export function refText(ref: SecretRef): string {
  return `${ref.source}:${ref.provider}:${ref.id}`;
}

/**
 * @param defaults `secrets.defaults` of the config: the alias to assume for each source
 * @see supplement.md §3.1
 */
export function readSecretInput(value: unknown, defaults: unknown): SecretInput {
  if (value === undefined || value === null) return { kind: "absent" };
  if (typeof value === "string") {
    const name = /^\$\{(.*)\}$/s.exec(value.trim())?.[1];
    if (name !== undefined && envName.test(name))
      return { kind: "ref", ref: { source: "env", provider: aliasFor("env", defaults), id: name } };
    return value.trim() === "" ? { kind: "absent" } : { kind: "text", value };
  }
  if (typeof value !== "object" || Array.isArray(value))
    return { kind: "invalid", problem: "it is neither text nor a SecretRef" };
  const { source, provider, id, ...rest } = value as Record<string, unknown>;
  const extra = Object.keys(rest)[0];
  if (extra !== undefined)
    return { kind: "invalid", problem: `a SecretRef has no key ${JSON.stringify(extra)}` };
  if (source !== "env" && source !== "file" && source !== "exec")
    return { kind: "invalid", problem: 'the source of a SecretRef is "env", "file" or "exec"' };
  const name = provider === undefined ? aliasFor(source, defaults) : provider;
  if (typeof name !== "string" || !alias.test(name))
    return { kind: "invalid", problem: "the provider of a SecretRef is a short name in lower case" };
  if (typeof id !== "string" || !isValidId(source, id))
    return { kind: "invalid", problem: `the id of a SecretRef does not fit its source ${source}` };
  return { kind: "ref", ref: { source, provider: name, id } };
}

function aliasFor(source: SecretSource, defaults: unknown): string {
  const named = typeof defaults === "object" && defaults !== null ? Reflect.get(defaults, source) : undefined;
  return typeof named === "string" && alias.test(named) ? named : "default";
}

function isValidId(source: SecretSource, id: string): boolean {
  if (source === "env") return envName.test(id);
  if (source === "file") return id === "value" || /^\/(?:[^~]|~[01])*$/.test(id);
  return execId.test(id) && !id.split("/").some((part) => part === "." || part === "..");
}
