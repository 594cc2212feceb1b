/** Keeps openclaw.json in memory, follows its changes, and writes it without losing comments or other people's edits. */

import type { ConfigView, FileProblem } from "../../../shared/contract/index.ts";
import { AppError, messageOf } from "../../../shared/errors/index.ts";
import {
  type DocumentPath,
  parseDottedPath,
  parseJson5,
  type TextPosition,
} from "../../../shared/json5/json5Document.ts";
import { applyEdits, type DocumentEdit } from "../../../shared/json5/json5Edit.ts";
import type { Clock } from "../clock.ts";
import { createEmitter, type Emitter } from "../events/emitter.ts";
import type { Logger } from "../logging/logger.ts";
import { readTextFile, sha256Hex, writeFileAtomic } from "../storage/atomicWrite.ts";
import { withFileLock } from "../storage/fileLock.ts";
import { watchFile } from "../storage/watchFile.ts";
import { type OpenClawConfig, validateConfigText } from "./configSchema.ts";
import {
  type ConfigState,
  type ConfigText,
  type EffectiveConfig,
  effectiveConfig,
  type GoodConfig,
  nextConfigState,
} from "./configState.ts";
import { redact, restoreSecrets } from "./redaction.ts";

export interface ConfigStoreDeps {
  path: string;
  logger: Logger;
  clock: Clock;
  debounceMs?: number;
}

export interface ConfigStore {
  current(): ConfigState;
  effective(): EffectiveConfig;
  /** Place of a path in the config that `effective()` is made of; null when it is not written there. */
  positionOf(path: DocumentPath): TextPosition | null;
  /** Reads the file again now. */
  reload(): Promise<void>;
  /**
   * Replaces the whole text; redaction marks become the old secrets again.
   * @param baseHash hash of the text that the caller has seen; null when there was no file
   * @throws AppError INVALID_INPUT for a stale hash (`data.reason: "stale"`) or a text that does not validate
   */
  write(raw: string, baseHash: string | null, guard?: ConfigGuard): Promise<void>;
  /** Sets one value in place, or removes it when `value` is undefined; comments stay. */
  setPath(
    path: string | DocumentPath,
    value: unknown,
    baseHash?: string | null,
    guard?: ConfigGuard,
  ): Promise<void>;
  /** Several edits as one write. A file that is broken now can only be edited by who names its hash. */
  edit(edits: readonly DocumentEdit[], baseHash?: string | null, guard?: ConfigGuard): Promise<void>;
  validate(raw: string): { valid: boolean; issues: FileProblem[] };
  view(): ConfigView;
  events: Emitter<{ changed: ConfigState }>;
  dispose(): Promise<void>;
}

/** Looks at the config that would be in force, under the lock of the file; throws to keep it from being written. */
export type ConfigGuard = (candidate: OpenClawConfig) => void | Promise<void>;

/** What an edit starts from when there is no file yet. */
const emptyText = "{\n}\n";

export async function createConfigStore(deps: ConfigStoreDeps): Promise<ConfigStore> {
  const { path, logger, clock } = deps;
  const events = createEmitter<{ changed: ConfigState }>({
    onListenerError: (_name, error) => logger.error("config.listenerFailed", { error }),
  });
  let state = nextConfigState(await readText(path), null, { path, nowMs: clock.nowMs() });
  let revision = 1;
  let effective = effectiveConfig(state, revision);
  logState();

  function logState(): void {
    if (state.kind === "broken") logger.error("config.broken", { path, problems: state.problems });
    else logger.info("config.loaded", { path, kind: state.kind });
  }

  function accept(read: ConfigText): void {
    const isSame =
      read.kind === "text"
        ? state.kind !== "missing" && state.text === read.text
        : read.kind === "none"
          ? state.kind === "missing"
          : state.kind === "broken" && state.text === null && state.problems[0]?.message === read.message;
    if (isSame) return;
    state = nextConfigState(read, state, { path, nowMs: clock.nowMs() });
    revision += 1;
    effective = effectiveConfig(state, revision);
    logState();
    events.emit("changed", state);
  }

  async function reload(): Promise<void> {
    // What was read before a newer state came in is out of date and must not replace it.
    for (;;) {
      const revisionBefore = revision;
      const read = await readText(path);
      if (revision === revisionBefore) return accept(read);
    }
  }

  /** One read-check-write step under the lock. */
  function change(
    baseHash: string | null | undefined,
    makeText: (current: string | null) => string,
    guard?: ConfigGuard,
  ): Promise<void> {
    return withFileLock(path, async () => {
      const now = await readTextFile(path);
      const nowHash = now === null ? null : sha256Hex(now);
      if (baseHash !== undefined && baseHash !== nowHash) throw stale(path, nowHash);
      if (baseHash === undefined && now !== null) refuseBroken(now, path, nowHash);
      const currentDocument = now === null ? null : parseJson5(now, { path });
      const text = restoreSecrets(
        makeText(now),
        currentDocument?.ok === true ? currentDocument.document : null,
      );
      const checked = validateConfigText(text, path);
      if (!checked.ok) throw invalid(path, checked.problems);
      if (guard !== undefined) {
        await guard(checked.config);
        // The look takes its time, and an editor asks for no lock.
        const later = await readTextFile(path);
        if (later !== now) throw stale(path, later === null ? null : sha256Hex(later));
      }
      if (text !== now) await writeFileAtomic(path, text);
      accept({ kind: "text", text });
    });
  }

  const stopWatching = await watchFile(
    path,
    () => {
      reload().catch((error: unknown) => logger.error("config.reloadFailed", { path, error }));
    },
    { logger, ...(deps.debounceMs === undefined ? {} : { debounceMs: deps.debounceMs }) },
  );
  // A change between the first read and the start of watching is not lost.
  await reload();

  const inForce = (): GoodConfig | null => (state.kind === "ok" ? state : state.lastGood);
  const edit = (
    edits: readonly DocumentEdit[],
    baseHash?: string | null,
    guard?: ConfigGuard,
  ): Promise<void> => change(baseHash, (current) => applyEdits(current ?? emptyText, edits), guard);

  return {
    current: () => state,
    effective: () => effective,
    positionOf: (where) => inForce()?.document.positionOf(where) ?? null,
    reload,
    write: (raw, baseHash, guard) => change(baseHash, () => raw, guard),
    setPath: (where, value, baseHash, guard) =>
      edit(
        [{ op: "set", path: typeof where === "string" ? parseDottedPath(where) : where, value }],
        baseHash,
        guard,
      ),
    edit,
    validate(raw) {
      const checked = validateConfigText(raw, path);
      return checked.ok ? { valid: true, issues: [] } : { valid: false, issues: checked.problems };
    },
    view: () => viewOf(path, state),
    events,
    async dispose() {
      events.clear();
      await stopWatching();
    },
  };
}

async function readText(path: string): Promise<ConfigText> {
  try {
    const text = await readTextFile(path);
    return text === null ? { kind: "none" } : { kind: "text", text };
  } catch (error) {
    return { kind: "failed", message: messageOf(error) };
  }
}

function viewOf(path: string, state: ConfigState): ConfigView {
  if (state.kind === "missing")
    return { path, exists: false, valid: true, raw: null, config: {}, hash: null, issues: [] };
  if (state.kind === "ok") {
    const { raw, config } = redact(state.document);
    return { path, exists: true, valid: true, raw, config, hash: state.hash, issues: [] };
  }
  // A text that parses can be redacted even when the schema refuses it; any other could hide a secret anywhere.
  const parsed = state.text === null ? null : parseJson5(state.text, { path });
  return {
    path,
    exists: true,
    valid: false,
    raw: parsed?.ok === true ? redact(parsed.document).raw : null,
    config: null,
    hash: state.hash,
    issues: state.problems,
  };
}

function stale(path: string, hash: string | null): AppError {
  return new AppError(
    "INVALID_INPUT",
    `${path} was changed meanwhile. Read it again and repeat the change.`,
    {
      data: { reason: "stale", hash },
    },
  );
}

function invalid(path: string, issues: FileProblem[]): AppError {
  const shown = issues
    .slice(0, 3)
    .map((issue) => `line ${issue.line ?? "?"}, column ${issue.column ?? "?"}: ${issue.message}`);
  return new AppError("INVALID_INPUT", `${path} was not written. ${shown.join(" ")}`, {
    data: { reason: "invalid", issues },
  });
}

/** @throws AppError INVALID_INPUT, with the hash for programs that replace the whole text */
function refuseBroken(text: string, path: string, hash: string | null): void {
  const checked = validateConfigText(text, path);
  if (checked.ok) return;
  const [problem] = checked.problems;
  const what =
    problem === undefined ? "" : ` (${problem.line ?? 1}:${problem.column ?? 1}: ${problem.message})`;
  throw new AppError(
    "INVALID_INPUT",
    `${path} is broken and was left as it is${what}. Mend it; \`sallyport config validate\` shows the place.`,
    { data: { reason: "broken", hash } },
  );
}
