/** Keeps the promises about the policy: checks them before a config is written and whenever something changed. */

import type { AssertionReport } from "../../../shared/contract/index.ts";
import { AppError } from "../../../shared/errors/index.ts";
import type { Hardening } from "../../../shared/hardening/rules.ts";
import {
  type AssertionOutcome,
  parseAssertions,
  refutationLines,
} from "../../../shared/policy/debug/index.ts";
import type { ConfigGuard, ConfigStore, Settings, SettingsStore } from "../config/index.ts";
import type { Logger } from "../logging/logger.ts";
import { reportOf } from "./policyQuestions.ts";

export interface AssertionDeskDeps {
  settings: SettingsStore;
  config: ConfigStore;
  hardening(): Hardening;
  check(candidate: unknown, text: string, signal?: AbortSignal): Promise<AssertionOutcome[]>;
  /** What the answer depends on besides config and text: the tools that there are, and the rules that are on. */
  basis(candidate: unknown): string;
  publish(report: AssertionReport & { trigger: "config" | "settings" }): void;
  /** Writes an entry to the ledger (A19). */
  record(kind: string, by: string, data: Record<string, unknown>): void;
  logger: Logger;
}

export interface AssertionDesk {
  get(): Settings["assertions"];
  set(text: string, onFail: "block" | "warn", by: string, signal?: AbortSignal): Promise<AssertionReport>;
  /** For one write of the config: what may keep it from being written, and what it broke nevertheless. */
  guardFor(
    by: string,
    ignoreWarnings: boolean,
    signal?: AbortSignal,
  ): { guard: ConfigGuard; warnings(): AssertionOutcome[] };
  /** Tools came or went: what was proved was proved about others. */
  toolsChanged(): void;
  dispose(): void;
}

export function createAssertionDesk(deps: AssertionDeskDeps): AssertionDesk {
  const { settings, config } = deps;
  const now = () => settings.settings().assertions;
  let lastKey = "";
  let lastResults: AssertionOutcome[] = [];
  let rechecks = Promise.resolve();
  let isRecheckQueued = false;
  const disposal = new AbortController();

  /** A write is checked before it happens and reported after it: the same question is answered once. */
  const check = async (
    candidate: unknown,
    text: string,
    signal?: AbortSignal,
  ): Promise<AssertionOutcome[]> => {
    if (text.trim() === "") return [];
    const key = JSON.stringify([text, deps.basis(candidate), candidate]);
    if (key === lastKey) return lastResults;
    const results = await deps.check(candidate, text, signal);
    lastResults = results;
    lastKey = key;
    return results;
  };

  const recheckNow = async (trigger: "config" | "settings") => {
    const { text } = now();
    const { kind } = config.current();
    // While the config is broken other rules count, and the file's own cannot be read.
    if (text.trim() === "" || kind === "broken") return;
    const report = reportOf(await check(config.effective().config, text, disposal.signal));
    const broken = brokenOf(report.results);
    if (broken.length > 0) {
      deps.record("assertions.refuted", trigger, { refuted: broken.map(briefly) });
      deps.logger.warn("assertions.refuted", { trigger, count: broken.length });
    }
    deps.publish({ ...report, trigger });
  };

  /** One after the other, so that the last report is about the last change. */
  const recheck = (trigger: "config" | "settings") => {
    rechecks = rechecks
      .then(() => (disposal.signal.aborted ? undefined : recheckNow(trigger)))
      .catch((error: unknown) => {
        if (!disposal.signal.aborted) deps.logger.error("assertions.recheckFailed", { trigger, error });
      });
  };

  let seen = "";
  const settingsKey = () => JSON.stringify([now(), [...deps.hardening()]]);
  seen = settingsKey();
  const offs = [
    config.events.on("changed", () => recheck("config")),
    settings.events.on("changed", () => {
      // Most settings have nothing to do with the policy.
      const key = settingsKey();
      if (key === seen) return;
      seen = key;
      recheck("settings");
    }),
  ];

  return {
    get: now,
    async set(text, onFail, by, signal) {
      const unreadable = parseAssertions(text).filter((line) => line.kind === "invalid");
      const first = unreadable[0];
      if (first !== undefined) {
        throw new AppError(
          "INVALID_INPUT",
          unreadable.map(({ line, message }) => `Line ${line} cannot be read: ${message}`).join("\n"),
          { data: { reason: "assertionsInvalid", results: unreadable } },
        );
      }
      const results = await check(config.effective().config, text, signal);
      if (onFail === "block") refuse(results, "The assertions were not saved, because the config breaks one");
      const lines = text.split(/\r?\n/);
      await settings.update([
        { op: "set", path: ["assertions"], value: { text: lines.length > 1 ? lines : text, onFail } },
      ]);
      deps.record("assertions.written", by, { onFail, lines: lines.length });
      return reportOf(results);
    },
    guardFor(by, ignoreWarnings, signal) {
      let warnings: AssertionOutcome[] = [];
      return {
        guard: async (candidate) => {
          const { text, onFail } = now();
          const results = await check(candidate, text, signal);
          const broken = brokenOf(results);
          if (onFail === "block") {
            if (broken.length > 0) deps.record("assertions.blocked", by, { refuted: broken.map(briefly) });
            refuse(results, "The config was not written, because it breaks an assertion");
          }
          warnings = ignoreWarnings ? [] : results.filter((result) => result.kind !== "proved");
        },
        warnings: () => warnings,
      };
    },
    toolsChanged() {
      lastKey = "";
      // A server that comes and goes must not queue one proof after the other.
      if (isRecheckQueued) return;
      isRecheckQueued = true;
      rechecks = rechecks.then(() => {
        isRecheckQueued = false;
      });
      recheck("config");
    },
    dispose() {
      disposal.abort();
      for (const off of offs) off();
    },
  };
}

type Broken = Exclude<AssertionOutcome, { kind: "proved" }>;

/** A promise that says nothing about this config any more is as little kept as one that is refuted. */
function brokenOf(results: readonly AssertionOutcome[]): Broken[] {
  return results.filter((result) => result.kind !== "proved");
}

function briefly(broken: Broken): Record<string, unknown> {
  const { line, text } = broken;
  return broken.kind === "invalid"
    ? { line, text, message: broken.message }
    : { line, text, tool: broken.tool, context: broken.context };
}

/** @throws AppError INVALID_INPUT with the refuting contexts when a promise is broken */
function refuse(results: readonly AssertionOutcome[], what: string): void {
  const broken = brokenOf(results);
  const first = broken.find(({ kind }) => kind === "refuted") ?? broken[0];
  if (first === undefined) return;
  const because = first.kind === "invalid" ? first.message : `${refutationLines(first)[0]}.`;
  throw new AppError("INVALID_INPUT", `${what}: "${first.text}" (line ${first.line}). ${because}`, {
    data: { reason: "assertionsRefuted", results: broken },
  });
}
