/** Works out what a patch does to each file, before anything is written. */

import { AppError } from "../../../../shared/errors/index.ts";
import {
  applyChunks,
  type PatchFile,
  type PatchParseProblem,
  parsePatch,
  utf8Length,
} from "../../../../shared/files/index.ts";
import type { ToolCallContext } from "../defineTool.ts";
import { beforeOf } from "../files/beforeOf.ts";
import type { FileChange } from "../files/changeDraft.ts";
import type { Access, FileDesk } from "../files/fileDesk.ts";
import type { Target } from "../files/locate.ts";
import { fileProblem } from "../files/problems.ts";

export interface PatchSummary {
  added: string[];
  modified: string[];
  deleted: string[];
}

export interface PatchPlan {
  changes: FileChange[];
  summary: PatchSummary;
  /** A later part failed; `changes` are those before it. */
  failure: AppError | null;
}

/** @throws AppError patch_syntax, with the line; nothing is read for a patch that does not parse */
export function parsedPatch(input: string): PatchFile[] {
  const parsed = parsePatch(input);
  if (parsed.ok) return parsed.files;
  const where =
    parsed.line === null ? "" : ` at line ${parsed.line} (${JSON.stringify(parsed.text.slice(0, 120))})`;
  throw fileProblem(
    "patch_syntax",
    `The patch is wrong${where}: ${sentences[parsed.problem]} Nothing was changed.`,
    {
      data: { problem: parsed.problem, line: parsed.line },
    },
  );
}

const sentences: Record<PatchParseProblem, string> = {
  empty_input: "it is empty.",
  missing_begin: "it must begin with *** Begin Patch.",
  missing_end: "it must end with *** End Patch.",
  no_files: "it names no file.",
  bad_header: "expected *** Add File: P, *** Delete File: P, *** Update File: P or the end.",
  empty_update: "an update needs at least one chunk.",
  missing_chunk_marker: "a further chunk must begin with @@.",
  chunk_without_lines: "a chunk needs at least one line.",
  bad_chunk_line: "lines of a chunk begin with a blank, - or +.",
};

/** @returns every file the patch touches, found and guarded; in the order of the patch */
export async function patchTargets(
  files: readonly PatchFile[],
  desk: FileDesk,
  context: ToolCallContext,
  isHeld: boolean,
): Promise<Target[]> {
  const targets: Target[] = [];
  for (const file of files) {
    const access = file.kind === "delete" ? "delete" : "write";
    targets.push(await desk.find(file.path, context, { access, isHeld }));
    if (file.kind === "update" && file.moveTo !== null) {
      targets.push(await desk.find(file.moveTo, context, { access: "write", isHeld }));
    }
  }
  return targets;
}

/** What a file is so far: as on disk, or as an earlier part of the patch left it. */
interface Draft {
  target: Target;
  before: FileChange["before"];
  /** null: not there. */
  text: string | null;
}

export async function planPatch(
  files: readonly PatchFile[],
  desk: FileDesk,
  context: ToolCallContext,
  isHeld: boolean,
): Promise<PatchPlan> {
  const drafts = new Map<string, Draft>();
  const summary: PatchSummary = { added: [], modified: [], deleted: [] };
  const note = (list: string[], target: Target) => {
    const shown = shownPath(target);
    if (!list.includes(shown)) list.push(shown);
  };
  /** @param needs `text` when lines are looked for; else any content will do */
  const draftOf = async (given: string, access: Access, needs: "text" | "any"): Promise<Draft> => {
    const target = await desk.find(given, context, { access, isHeld });
    const known = drafts.get(target.realPath);
    if (known !== undefined) return known;
    const draft: Draft = { target, ...(await currentOf(desk, target, needs, context.signal)) };
    drafts.set(target.realPath, draft);
    return draft;
  };

  const work = async (file: PatchFile) => {
    if (file.kind === "add") {
      const draft = await draftOf(file.path, "write", "any");
      draft.text = file.text;
      return note(summary.added, draft.target);
    }
    if (file.kind === "delete") {
      const draft = await draftOf(file.path, "delete", "any");
      if (draft.text === null) throw missing("not_found", file.path);
      draft.text = null;
      return note(summary.deleted, draft.target);
    }
    const draft = await draftOf(file.path, "write", "text");
    if (draft.text === null) throw missing("patch_read_failed", file.path);
    const result = applyChunks(draft.text, file.chunks, desk.deps.hardening());
    if (!result.ok) throw notMatched(result.problem, file.path, result.wanted);
    if (file.moveTo === null) {
      draft.text = result.text;
      return note(summary.modified, draft.target);
    }
    const moved = await draftOf(file.moveTo, "write", "any");
    // A move to itself must not end as a removal.
    draft.text = null;
    moved.text = result.text;
    note(summary.modified, moved.target);
  };

  let failure: AppError | null = null;
  for (const file of files) {
    try {
      await work(file);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      failure = error;
      break;
    }
  }
  return { changes: [...drafts.values()].flatMap(changeOf), summary, failure };
}

function changeOf({ target, before, text }: Draft): FileChange[] {
  if (text === null) return before === null ? [] : [{ target, before, next: { kind: "delete" } }];
  if (before !== null && before.text === text) return [];
  return [{ target, before, next: { kind: "write", bytes: Buffer.from(text, "utf8"), text } }];
}

async function currentOf(
  desk: FileDesk,
  target: Target,
  needs: "text" | "any",
  signal: AbortSignal,
): Promise<Pick<Draft, "before" | "text">> {
  if (needs === "any") {
    const before = await beforeOf(desk, target, signal);
    return { before, text: before === null ? null : "" };
  }
  const current = await desk.readText(target, signal);
  if (current === null) return { before: null, text: null };
  const { text, sha256 } = current;
  return { before: { sha256, sizeBytes: utf8Length(text), text }, text };
}

/** Relative to the workspace with forward slashes; absolute outside. */
function shownPath(target: Target): string {
  if (!target.isInside) return target.realPath;
  const relative = target.realPath.slice(target.realWorkspace.length).replaceAll("\\", "/");
  return relative.replace(/^\/+/, "");
}

function missing(kind: "not_found" | "patch_read_failed", path: string): AppError {
  return fileProblem(kind, `There is no file ${path}.`, { data: { path } });
}

function notMatched(
  problem: "context_not_found" | "lines_not_found",
  path: string,
  wanted: string,
): AppError {
  const what = problem === "context_not_found" ? "The line named behind @@" : "These lines";
  return fileProblem(
    problem === "context_not_found" ? "patch_context_not_found" : "patch_lines_not_found",
    `${what} cannot be found in ${path}:\n${wanted.slice(0, 800)}\nRead the file and take its lines as they stand.`,
    { data: { path } },
  );
}
