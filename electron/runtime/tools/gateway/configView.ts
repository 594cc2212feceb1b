/** The config as an agent may read it: every secret hidden, and no more than can be read. */

import { AppError } from "../../../../shared/errors/index.ts";
import { type DocumentPath, defineOwn } from "../../../../shared/json5/json5Document.ts";
import { type ConfigStore, redactionMark, secretValues } from "../../config/index.ts";

/** Of the answer as text. */
const maxChars = 50_000;
/** A shorter one occurs in any text by chance. */
const minSecretChars = 6;

/** @returns the parsed config without secrets, also where one is repeated at a place that has no secret's name */
export function shownConfig(store: ConfigStore): unknown {
  const { config } = store.view();
  const state = store.current();
  if (config === null || state.kind !== "ok") return config;
  const secrets = secretValues(state.document).filter((secret) => secret.length >= minSecretChars);
  return withoutTexts(config, secrets);
}

/**
 * The answer of `config.get`. `parsed` and `resolved` are the same as `config` here, because this config knows neither
 * includes nor substitution; `sourceConfig` and `runtimeConfig`, in which the reference shows every secret, are not
 * given at all.
 * @param path only this part; absent: the whole
 * @throws AppError INVALID_INPUT when there is nothing at `path`
 * @see gateway-sessions-nodes.md §8
 */
export function configAnswer(store: ConfigStore, path: DocumentPath | undefined): Record<string, unknown> {
  const view = store.view();
  const config = shownConfig(store);
  const { exists, valid, hash, issues } = view;
  if (path !== undefined) {
    const at = path.map(String).join(".");
    const part = partAt(config, path);
    if (part === undefined)
      throw new AppError(
        "INVALID_INPUT",
        `${view.path} has nothing at ${at}. config.get without path shows all.`,
      );
    return { path: view.path, hash, at, ...fitting(part, "config", `${at}.`) };
  }
  const whole = {
    path: view.path,
    exists,
    raw: view.raw,
    parsed: config,
    resolved: config,
    valid,
    config,
    hash,
    issues: issues.slice(0, 50),
    warnings: [],
    legacyIssues: [],
  };
  if (sizeOf(whole) <= maxChars) return whole;
  // The same data four times over is the first to go.
  const { raw: _raw, parsed: _parsed, resolved: _resolved, ...once } = whole;
  return { ...once, ...fitting(config, "config", "") };
}

/** @returns the value, or, when it is too long to read, how long each part of it is */
function fitting(value: unknown, name: string, prefix: string): Record<string, unknown> {
  if (sizeOf(value) <= maxChars) return { [name]: value };
  const entries = typeof value === "object" && value !== null ? Object.entries(value) : [];
  const sizes = entries.slice(0, 500).map(([key, part]) => `${prefix}${key}: ${sizeOf(part)} characters`);
  return {
    [name]: null,
    note: `Left out: ${sizeOf(value)} characters are too much to read. Ask for a part with path.`,
    parts: sizes,
    ...(entries.length > sizes.length ? { morePartsLeftOut: entries.length - sizes.length } : {}),
  };
}

function sizeOf(value: unknown): number {
  return JSON.stringify(value, null, 2)?.length ?? 0;
}

function partAt(value: unknown, path: DocumentPath): unknown {
  return path.reduce<unknown>(
    (at, key) =>
      typeof at === "object" && at !== null && Object.hasOwn(at, key) ? Reflect.get(at, key) : undefined,
    value,
  );
}

function withoutTexts(value: unknown, secrets: readonly string[]): unknown {
  const clean = (text: string) =>
    secrets.reduce((left, secret) => left.replaceAll(secret, redactionMark), text);
  if (typeof value === "string") return clean(value);
  if (Array.isArray(value)) return value.map((item) => withoutTexts(item, secrets));
  if (typeof value !== "object" || value === null) return value;
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) defineOwn(copy, clean(key), withoutTexts(item, secrets));
  return copy;
}

/** @returns a dotted path with indexes, as `config.get` takes it: `agents.list[0].identity` */
export function readPath(text: string): DocumentPath {
  return text
    .replace(/\[(\d{1,9})\]/g, ".$1")
    .split(".")
    .filter((part) => part !== "");
}
