/** What openclaw.json says now, and what counts while it cannot be read. Pure. */

import type { FileProblem } from "../../../shared/contract/index.ts";
import type { Json5Document } from "../../../shared/json5/json5Document.ts";
import { sha256Hex } from "../storage/atomicWrite.ts";
import { configSchema, type OpenClawConfig, validateConfigText } from "./configSchema.ts";

/** A config that passed validation, with its text. */
export interface GoodConfig {
  config: OpenClawConfig;
  text: string;
  /** SHA-256 of the text, hex. */
  hash: string;
  document: Json5Document;
  positionOf: Json5Document["positionOf"];
}

export type ConfigState =
  | ({ kind: "ok"; changedAtMs: number } & GoodConfig)
  /** `lastGood` is set when the file was there and vanished while the program ran. */
  | { kind: "missing"; changedAtMs: number | null; lastGood: GoodConfig | null }
  | {
      kind: "broken";
      /** null when the file cannot even be read. */
      text: string | null;
      hash: string | null;
      changedAtMs: number;
      problems: FileProblem[];
      lastGood: GoodConfig | null;
    };

/** The rules in force. The name says why they may be stricter than the file. */
export interface EffectiveConfig {
  kind: "normal" | "brokenAtStart" | "lastGood";
  config: OpenClawConfig;
  exec: {
    /** Overrides everything else when set. */
    security?: "deny";
    /** Every exec asks, whatever config and approvals say. */
    alwaysAsk: boolean;
  };
  problems: FileProblem[];
  /** Grows with every change; policies are compiled once per revision. */
  revision: number;
}

/** What may be read, or why it may not. */
export type ConfigText =
  | { kind: "text"; text: string }
  | { kind: "none" }
  | { kind: "failed"; message: string };

/** @param before the state so far; null at start */
export function nextConfigState(
  read: ConfigText,
  before: ConfigState | null,
  about: { path: string; nowMs: number },
): ConfigState {
  const lastGood = before === null ? null : before.kind === "ok" ? goodPart(before) : before.lastGood;
  if (read.kind === "none")
    return { kind: "missing", changedAtMs: before === null ? null : about.nowMs, lastGood };
  if (read.kind === "failed") {
    const problem = { path: about.path, line: null, column: null, message: read.message, configPath: null };
    return {
      kind: "broken",
      text: null,
      hash: null,
      changedAtMs: about.nowMs,
      problems: [problem],
      lastGood,
    };
  }
  const { text } = read;
  const hash = sha256Hex(text);
  const checked = validateConfigText(text, about.path);
  if (!checked.ok)
    return { kind: "broken", text, hash, changedAtMs: about.nowMs, problems: checked.problems, lastGood };
  const { config, document } = checked;
  return {
    kind: "ok",
    changedAtMs: about.nowMs,
    config,
    text,
    hash,
    document,
    positionOf: document.positionOf,
  };
}

/**
 * Broken at start: exec is denied and no tool exists until the file is mended. Broken or gone while running: the
 * last good config goes on, and exec always asks. Never there: the built-in defaults, as on a fresh machine.
 */
export function effectiveConfig(state: ConfigState, revision: number): EffectiveConfig {
  if (state.kind === "ok")
    return { kind: "normal", config: state.config, exec: { alwaysAsk: false }, problems: [], revision };
  const problems = state.kind === "broken" ? state.problems : [];
  if (state.lastGood !== null)
    return { kind: "lastGood", config: state.lastGood.config, exec: { alwaysAsk: true }, problems, revision };
  if (state.kind === "missing")
    return { kind: "normal", config: {}, exec: { alwaysAsk: false }, problems, revision };
  return {
    kind: "brokenAtStart",
    config: denyEverything,
    exec: { security: "deny", alwaysAsk: true },
    problems,
    revision,
  };
}

const denyEverything: OpenClawConfig = configSchema.parse({
  tools: { deny: ["*"], exec: { security: "deny", ask: "always" } },
});

function goodPart(state: GoodConfig): GoodConfig {
  const { config, text, hash, document, positionOf } = state;
  return { config, text, hash, document, positionOf };
}
