/** Reads the text of exec-approvals.json into a state; a file that is not understood is broken and acts as deny. Pure. */

import type { FileProblem } from "../../../shared/contract/index.ts";
import { messageOf } from "../../../shared/errors/index.ts";
import {
  type ApprovalsFile,
  type ApprovalsState,
  approvalsFileSchema,
  normalizeApprovalsFile,
} from "../../../shared/exec/approvalsFile.ts";
import {
  type Json5Document,
  parseJson5,
  plainJsonErrorPosition,
  positionAt,
} from "../../../shared/json5/json5Document.ts";
import { sha256Hex } from "./atomicWrite.ts";
import { problemsOf } from "./fileProblems.ts";

export type ApprovalsFileState =
  | { kind: "missing"; path: string; approvals: ApprovalsState }
  | {
      kind: "ok";
      path: string;
      text: string;
      /** SHA-256 of the text, hex. */
      hash: string;
      /** As it lies on disk, unknown fields included. */
      raw: Readonly<Record<string, unknown>>;
      /** Normal form; entries without an id on disk have an empty one here. */
      file: ApprovalsFile;
      approvals: ApprovalsState;
      positionOf: Json5Document["positionOf"];
    }
  | {
      kind: "broken";
      path: string;
      /** null when the file cannot even be read. */
      text: string | null;
      hash: string | null;
      problems: FileProblem[];
      /** `unreadable`: acts as deny, whatever the preset. */
      approvals: ApprovalsState;
    };

/** Reading for enforcement is never lenient: an unreadable file is not an empty one. */
export const strictReading: ReadonlySet<string> = new Set(["exec.unreadableApprovals"]);

/** @param text null when there is no file */
export function readApprovalsText(text: string | null, path: string): ApprovalsFileState {
  if (text === null) return { kind: "missing", path, approvals: { kind: "missing" } };
  const parsed = parseJson5(text, { path });
  if (!parsed.ok) return brokenApprovals(path, text, [parsed.problem]);
  const { document } = parsed;
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch (error) {
    return brokenApprovals(path, text, [notJson(error, text, path)]);
  }
  const checked = approvalsFileSchema.safeParse(raw);
  if (!checked.success) return brokenApprovals(path, text, problemsOf(checked.error, document, path));
  // Ids are given only when the file is saved, so that reading it twice says the same.
  const approvals = normalizeApprovalsFile(raw, { newId: () => "", hardening: strictReading });
  if (approvals.kind !== "ok") {
    const message = approvals.kind === "unreadable" ? approvals.reason : "The file holds nothing.";
    return brokenApprovals(path, text, [{ path, line: 1, column: 1, message, configPath: null }]);
  }
  return {
    kind: "ok",
    path,
    text,
    hash: sha256Hex(text),
    raw: checked.data,
    file: approvals.file,
    approvals,
    positionOf: document.positionOf,
  };
}

/** @param text null when the file exists but cannot be read */
export function brokenApprovals(
  path: string,
  text: string | null,
  problems: FileProblem[],
): ApprovalsFileState {
  const first = problems[0];
  const place = first?.line == null ? "" : ` (line ${first.line}, column ${first.column})`;
  return {
    kind: "broken",
    path,
    text,
    hash: text === null ? null : sha256Hex(text),
    problems,
    approvals: { kind: "unreadable", reason: `${path}${place}: ${first?.message ?? "cannot be read"}` },
  };
}

function notJson(error: unknown, text: string, path: string): FileProblem {
  // Many messages name no position, but quote the text, which may hold the word: only the end of one is believed.
  const offset = /in JSON at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(messageOf(error))?.[1];
  const place =
    plainJsonErrorPosition(text) ?? (offset === undefined ? null : positionAt(text, Number(offset)));
  return {
    path,
    line: place?.line ?? null,
    column: place?.column ?? null,
    message: "This file must be plain JSON: no comments, no trailing commas, double quotes.",
    configPath: null,
  };
}
