/** The apply_patch tool: adds, changes, moves and deletes several files from one patch. */

import { AppError } from "../../../../shared/errors/index.ts";
import { numberedDiff, tokenEstimate } from "../../../../shared/files/index.ts";
import { defineTool, textResult } from "../defineTool.ts";
import type { FileChange } from "../files/changeDraft.ts";
import type { FileDesk } from "../files/fileDesk.ts";
import { parsedPatch, patchTargets, planPatch } from "./plan.ts";
import { applyPatchInput } from "./schema.ts";

const maxDiffChars = 8000;
/** In the answer; the model wrote the patch and knows the others. */
const maxListedFiles = 200;

export function createApplyPatchTool(deps: { desk: FileDesk }) {
  const { desk } = deps;
  return defineTool({
    name: "apply_patch",
    title: "Apply a patch",
    description:
      "Changes several files at once: add, update, move, delete. The patch is checked as a whole before anything is written. " +
      "Context lines must stand in the file; put a class or function line behind @@ to say where.",
    promptLine: "Change several files with one patch",
    risk: "write",
    input: applyPatchInput,
    async execute({ input }, context) {
      const files = parsedPatch(input);
      const isHeld = desk.deps.isPatchWorkspaceOnly?.(context.agentId) ?? true;
      const isAllOrNothing = desk.deps.hardening().has("files.patchAllOrNothing");
      const targets = await patchTargets(files, desk, context, isHeld);
      const outcome = await desk.change(
        {
          tool: "apply_patch",
          targets,
          isHeld,
          compute: async () => {
            const plan = await planPatch(files, desk, context, isHeld);
            if (plan.failure !== null && (isAllOrNothing || plan.changes.length === 0)) {
              throw new AppError(plan.failure.code, `${plan.failure.message}\nNo file was changed.`, {
                cause: plan.failure,
                ...(plan.failure.data === undefined ? {} : { data: plan.failure.data }),
              });
            }
            return { changes: plan.changes, value: plan };
          },
        },
        context,
      );
      if (outcome.kind === "refused") return outcome.result;
      const { summary, failure, changes } = outcome.value;
      const lines = [
        ...summary.added.map((path) => `A ${path}`),
        ...summary.modified.map((path) => `M ${path}`),
        ...summary.deleted.map((path) => `D ${path}`),
      ];
      if (failure !== null) {
        throw new AppError(failure.code, `${failure.message}\nAlready changed:\n${lines.join("\n")}`, {
          cause: failure,
          ...(failure.data === undefined ? {} : { data: failure.data }),
        });
      }
      const left = lines.length - maxListedFiles;
      const more = left > 0 ? [`[and ${left} more files, as the patch names them]`] : [];
      const text = ["The patch was applied:", ...lines.slice(0, maxListedFiles), ...more].join("\n");
      return textResult(text, { summary, ...diffsOf(changes), tokenEstimate: tokenEstimate(text) });
    },
  });
}

/** What changed, file by file, for the panel; bounded as a whole. */
function diffsOf(changes: readonly FileChange[]) {
  const sizeBytes = changes.reduce(
    (sum, { next }) => sum + (next.kind === "write" ? next.bytes.length : 0),
    0,
  );
  let left = maxDiffChars;
  const diffs: { path: string; diff: string; isCut: boolean }[] = [];
  for (const { target, before, next } of changes) {
    if (left <= 0) break;
    const after = next.kind === "write" ? next.text : "";
    const { diff, isCut } = numberedDiff(before?.text ?? "", after, left);
    diffs.push({ path: target.given, diff, isCut });
    left -= diff.length;
  }
  return {
    diffs,
    ...(diffs.length < changes.length ? { diffsLeftOut: changes.length - diffs.length } : {}),
    sizeBytes,
  };
}
