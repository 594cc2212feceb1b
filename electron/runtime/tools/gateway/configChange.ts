/** Works out what `config.apply` and `config.patch` would write, before anybody is asked or anything is written. */

import type { FileProblem } from "../../../../shared/contract/index.ts";
import { AppError } from "../../../../shared/errors/index.ts";
import {
  type ChangedSetting,
  changedSettings,
  judgeConfigChange,
  mergePatch,
} from "../../../../shared/gatewayTool/index.ts";
import type { Hardening } from "../../../../shared/hardening/rules.ts";
import { type Json5Document, parseJson5 } from "../../../../shared/json5/json5Document.ts";
import { applyEdits, type DocumentEdit } from "../../../../shared/json5/json5Edit.ts";
import { asRecord } from "../../../../shared/policy/configRecord.ts";
import {
  type ConfigStore,
  type OpenClawConfig,
  restoreSecrets,
  validateConfigText,
} from "../../config/index.ts";

export interface PlannedChange {
  path: string;
  /** null: there is no file yet. */
  before: { text: string; hash: string; document: Json5Document } | null;
  after: { text: string; config: OpenClawConfig; document: Json5Document };
  changes: ChangedSetting[];
}

export type PlanOutcome =
  | { kind: "planned"; change: PlannedChange }
  /** Not possible as asked; nothing was written. */
  | { kind: "invalid"; message: string; issues: FileProblem[] }
  | { kind: "protected"; paths: string[] };

const maxNamedIssues = 3;
const emptyText = "{\n}\n";

/**
 * @param baseHash absent: the hash of the config as it is now
 * @throws AppError INVALID_INPUT for a stale hash, a text that cannot be read, or a config that is broken now
 */
export async function planChange(
  store: ConfigStore,
  request: { action: "config.apply" | "config.patch"; raw: string; baseHash: string | undefined },
  hardening: Hardening,
): Promise<PlanOutcome> {
  // What is in memory may be older than the file by a moment.
  await store.reload();
  const { path } = store.view();
  const before = currentText(store, path);
  if (request.baseHash !== undefined && request.baseHash !== (before?.hash ?? null)) throw stale(path);
  const given = parseJson5(request.raw, { path: "raw" });
  if (!given.ok) return invalid("raw cannot be read", [given.problem]);
  const asked =
    request.action === "config.apply"
      ? wholeText(request.raw)
      : patchedText(before?.text ?? emptyText, before?.document.value ?? {}, given.document.value);
  const text = restoreSecrets(asked, before?.document ?? null);
  const checked = validateConfigText(text, path);
  if (!checked.ok) return invalid(`${path} was not written`, checked.problems);
  const beforeValue = before?.document.value ?? {};
  const verdict = judgeConfigChange(beforeValue, checked.document.value, hardening);
  if (verdict.kind === "protected") return { kind: "protected", paths: verdict.paths };
  if (verdict.kind === "badValue") {
    const { line, column } = checked.document.nearestPosition([]);
    const message = `${verdict.path}: ${verdict.problem}`;
    return invalid(`${path} was not written`, [{ path, line, column, message, configPath: verdict.path }]);
  }
  const changes = changedSettings(beforeValue, checked.document.value);
  const after = { text, config: checked.config, document: checked.document };
  return { kind: "planned", change: { path, before, after, changes } };
}

function currentText(store: ConfigStore, path: string): PlannedChange["before"] {
  const state = store.current();
  if (state.kind === "ok") return { text: state.text, hash: state.hash, document: state.document };
  if (state.kind === "missing") return null;
  throw new AppError(
    "INVALID_INPUT",
    `${path} is broken now, so it cannot be seen what a change would change. A person has to mend it first. Nothing was written.`,
    { data: { reason: "broken", issues: state.problems } },
  );
}

/** Edits in place, so that comments next to the rest stay. */
function patchedText(text: string, current: unknown, patch: unknown): string {
  const given = asRecord(patch);
  if (given === undefined)
    throw new AppError(
      "INVALID_INPUT",
      'A patch is an object, such as { messages: { queue: { mode: "collect" } } }. Nothing was written.',
    );
  const merged = asRecord(mergePatch(current, given)) ?? {};
  const edits = Object.keys(given).map((key): DocumentEdit => {
    if (!Object.hasOwn(merged, key)) return { op: "remove", path: [key] };
    return { op: "set", path: [key], value: merged[key] };
  });
  return applyEdits(text, edits);
}

/** Arguments come without white space around them; a file ends with a line break. */
function wholeText(raw: string): string {
  return raw.endsWith("\n") ? raw : `${raw}\n`;
}

function invalid(what: string, issues: FileProblem[]): PlanOutcome {
  const named = issues
    .slice(0, maxNamedIssues)
    .map(({ line, column, configPath, message }) =>
      [
        configPath === null || configPath === "" ? null : configPath,
        line === null ? null : `line ${line}, column ${column ?? "?"}`,
        message,
      ]
        .filter((part) => part !== null)
        .join(": "),
    );
  const left = issues.length - named.length;
  const more = left > 0 ? ` And ${left} more, in details.issues.` : "";
  return { kind: "invalid", message: `${what}. ${named.join(" ")}${more}`, issues };
}

export function stale(path: string): AppError {
  return new AppError(
    "INVALID_INPUT",
    `${path} was changed meanwhile, so nothing was written. Read it again with config.get and repeat the change.`,
    { data: { reason: "stale" } },
  );
}
