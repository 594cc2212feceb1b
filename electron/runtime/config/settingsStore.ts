/** Keeps sallyport.json5 in memory, follows its changes, and edits it in place. */

import type { FileProblem } from "../../../shared/contract/index.ts";
import { AppError, messageOf } from "../../../shared/errors/index.ts";
import { parseJson5 } from "../../../shared/json5/json5Document.ts";
import { applyEdits, type DocumentEdit } from "../../../shared/json5/json5Edit.ts";
import type { Clock } from "../clock.ts";
import { createEmitter, type Emitter } from "../events/emitter.ts";
import type { Logger } from "../logging/logger.ts";
import { readTextFile, writeFileAtomic } from "../storage/atomicWrite.ts";
import { withFileLock } from "../storage/fileLock.ts";
import { problemsOf } from "../storage/fileProblems.ts";
import { watchFile } from "../storage/watchFile.ts";
import { defaultSettings, type Settings, settingsSchema } from "./settings.ts";

export interface SettingsStore {
  /**
   * What counts now. While the file is broken these are the defaults: strict preset, and no client, grant or
   * confirmed broad mode, because none of them can be trusted then.
   */
  settings(): Settings;
  state(): "ok" | "missing" | "broken";
  problems(): FileProblem[];
  /**
   * Edits the file under its lock; a function sees the settings as they are on disk at that moment.
   * @throws AppError UNAVAILABLE while the file is broken, INVALID_INPUT when the result would not be valid
   */
  update(edits: readonly DocumentEdit[] | ((now: Settings) => readonly DocumentEdit[])): Promise<Settings>;
  reload(): Promise<void>;
  events: Emitter<{ changed: Settings }>;
  dispose(): Promise<void>;
}

export type SettingsState =
  | { kind: "ok"; text: string; settings: Settings }
  | { kind: "missing" }
  | { kind: "broken"; text: string | null; problems: FileProblem[] };

const emptyText = `// Sallyport's own settings. Comments stay when the app changes a value.
{
}
`;

export async function createSettingsStore(deps: {
  path: string;
  logger: Logger;
  clock: Clock;
  debounceMs?: number;
}): Promise<SettingsStore> {
  const { path, logger } = deps;
  const events = createEmitter<{ changed: Settings }>({
    onListenerError: (_name, error) => logger.error("settings.listenerFailed", { error }),
  });
  let state = await load(path);
  let changes = 0;
  logState();

  function logState(): void {
    if (state.kind === "broken") logger.error("settings.broken", { path, problems: state.problems });
    else logger.info("settings.loaded", { path, kind: state.kind });
  }

  function accept(next: SettingsState): void {
    if (isSameState(state, next)) return;
    state = next;
    changes += 1;
    logState();
    events.emit("changed", settingsOf(state));
  }

  async function reload(): Promise<void> {
    // What was read before a newer state came in is out of date and must not replace it.
    for (;;) {
      const changesBefore = changes;
      const next = await load(path);
      if (changes === changesBefore) return accept(next);
    }
  }

  const stopWatching = await watchFile(
    path,
    () => {
      reload().catch((error: unknown) => logger.error("settings.reloadFailed", { path, error }));
    },
    { logger, ...(deps.debounceMs === undefined ? {} : { debounceMs: deps.debounceMs }) },
  );
  await reload();

  return {
    settings: () => settingsOf(state),
    state: () => state.kind,
    problems: () => (state.kind === "broken" ? state.problems : []),
    update: (edits) =>
      withFileLock(path, async () => {
        const now = await load(path);
        if (now.kind === "broken")
          throw new AppError(
            "UNAVAILABLE",
            `${path} is broken (${problemText(now.problems[0])}) and was left as it is. Mend it first.`,
            { data: { problems: now.problems } },
          );
        const before = now.kind === "ok" ? now.text : emptyText;
        const text = applyEdits(before, typeof edits === "function" ? edits(settingsOf(now)) : edits);
        const next = parseSettings(text, path);
        if (next.kind === "broken")
          throw new AppError("INVALID_INPUT", `The setting was not saved: ${problemText(next.problems[0])}`, {
            data: { problems: next.problems },
          });
        if (text !== before) await writeFileAtomic(path, text);
        accept(text === before ? now : next);
        return settingsOf(next);
      }),
    reload,
    events,
    async dispose() {
      events.clear();
      await stopWatching();
    },
  };
}

async function load(path: string): Promise<SettingsState> {
  try {
    const text = await readTextFile(path);
    return text === null ? { kind: "missing" } : parseSettings(text, path);
  } catch (error) {
    const problem = { path, line: null, column: null, message: messageOf(error), configPath: null };
    return { kind: "broken", text: null, problems: [problem] };
  }
}

/** Checks the text of sallyport.json5. */
export function parseSettings(text: string, path: string): SettingsState {
  const parsed = parseJson5(text, { path });
  if (!parsed.ok) return { kind: "broken", text, problems: [parsed.problem] };
  const checked = settingsSchema.safeParse(parsed.document.value);
  if (checked.success) return { kind: "ok", text, settings: checked.data };
  return { kind: "broken", text, problems: problemsOf(checked.error, parsed.document, path) };
}

function settingsOf(state: SettingsState): Settings {
  return state.kind === "ok" ? state.settings : defaultSettings;
}

function isSameState(a: SettingsState, b: SettingsState): boolean {
  if (a.kind !== b.kind) return false;
  if (a.kind === "missing" || b.kind === "missing") return true;
  if (a.text !== b.text) return false;
  return (
    a.kind === "ok" || b.kind === "ok" || a.text !== null || a.problems[0]?.message === b.problems[0]?.message
  );
}

function problemText(problem: FileProblem | undefined): string {
  if (problem === undefined) return "unknown problem";
  const place = problem.line === null ? "" : `line ${problem.line}, column ${problem.column}: `;
  return `${place}${problem.message}`;
}
