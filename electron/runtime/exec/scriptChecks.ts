/** Looks at the files that a plan runs: what to pin, and which scripts must not run. */

import { readFile, stat } from "node:fs/promises";
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
export async function selfApprovingScript(plan: ExecutionPlan, hardening: Hardening): Promise<string | null> {
  for (const file of pinnedFiles(plan)) {
    const text = await readScript(file.realPath);
    if (text !== null && findSelfApproval(text, hardening) !== null) return file.realPath;
  }
  return null;
}

/** Only a script inside the folder is looked into; what cannot be read is for the interpreter to report. */
export async function preflightProblem(
  decision: ExecDecision,
  options: AnalyzeOptions,
): Promise<string | null> {
  const target = findPreflightTarget(decision.analysis, options);
  if (target === null || !target.path.startsWith(`${options.cwd}/`)) return null;
  const text = await readScript(target.path);
  return text === null ? null : checkScriptText(target, text);
}

/** @returns the text of a script (`#!` or plain text of a small size), null for programs and for what cannot be read */
async function readScript(path: string): Promise<string | null> {
  const facts = await stat(path).catch(() => null);
  if (facts === null || !facts.isFile() || facts.size > preflightMaxBytes) return null;
  const bytes = await readFile(path).catch(() => null);
  return bytes === null || bytes.subarray(0, 4096).includes(0) ? null : bytes.toString("utf8");
}
