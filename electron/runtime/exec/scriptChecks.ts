/** Looks at the files that a plan runs: what to pin, and which scripts must not run. */

import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import {
  type AnalyzeOptions,
  checkScriptText,
  type ExecDecision,
  type ExecutionPlan,
  findPreflightTarget,
  findSelfApproval,
  preflightMaxBytes,
} from "../../../shared/exec/index.ts";
import type { Hardening } from "../../../shared/hardening/rules.ts";

/** Files to hash when a decision is bound: programs, wrappers and scripts. */
export function pinnedFiles(
  plan: ExecutionPlan,
): { path: string; realPath: string; name?: string | undefined }[] {
  if (plan.kind === "shell") return plan.pinned;
  if (plan.kind === "rebuilt") return [];
  return plan.pipelines.flatMap((pipeline) => pipeline.commands.flatMap((command) => command.pinned));
}

/** @returns the path of a script of this plan that would answer an approval; its text is as good as a command */
export function selfApprovingScript(plan: ExecutionPlan, hardening: Hardening): string | null {
  for (const file of pinnedFiles(plan)) {
    const text = readScript(file.realPath);
    if (text !== null && findSelfApproval(text, hardening) !== null) return file.realPath;
  }
  return null;
}

/** Only a script inside the folder is looked into; what cannot be read is for the interpreter to report. */
export function preflightProblem(decision: ExecDecision, options: AnalyzeOptions): string | null {
  const target = findPreflightTarget(decision.analysis, options);
  if (target === null || !target.path.startsWith(`${options.cwd}/`)) return null;
  const text = readScript(target.path);
  return text === null ? null : checkScriptText(target, text);
}

const headBytes = 4096;

/**
 * Read at once: these files are small, and handing them to another thread takes longer than reading them.
 * @returns the text of a script (`#!` or plain text of a small size), null for programs and for what cannot be read
 */
function readScript(path: string): string | null {
  let file: number;
  try {
    // Without blocking: to open a pipe would otherwise wait for its other end.
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch {
    // What cannot be read is for the interpreter to report.
    return null;
  }
  try {
    const facts = fstatSync(file);
    if (!facts.isFile() || facts.size > preflightMaxBytes) return null;
    const head = Buffer.allocUnsafe(headBytes);
    const size = readSync(file, head, 0, headBytes, 0);
    if (head.subarray(0, size).includes(0)) return null;
    return size < headBytes ? head.toString("utf8", 0, size) : readFileSync(file, "utf8");
  } catch {
    // As above.
    return null;
  } finally {
    closeSync(file);
  }
}
