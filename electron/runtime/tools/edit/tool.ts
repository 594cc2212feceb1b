/** The edit tool: replaces texts that occur once in a file. */

import {
  applyEdits,
  clip,
  type EditProblem,
  numberedDiff,
  tokenEstimate,
  utf8Length,
} from "../../../../shared/files/index.ts";
import { defineTool, textResult } from "../defineTool.ts";
import type { FileDesk } from "../files/fileDesk.ts";
import { fileProblem } from "../files/problems.ts";
import { editInput } from "./schema.ts";

/** Of the difference in `details`. */
const maxDiffChars = 8000;
/** Of the file, in the answer to a text that was not found. */
const maxExcerptChars = 800;

export function createEditTool(deps: { desk: FileDesk }) {
  const { desk } = deps;
  return defineTool({
    name: "edit",
    title: "Edit a file",
    description:
      "Replaces pieces of a text file. Each oldText must occur exactly once; take in enough of the lines around it. " +
      "Put several changes of one file into one call. Line endings and a byte order mark stay as they are.",
    promptLine: "Replace exact pieces of a file",
    risk: "write",
    input: editInput,
    async execute(input, context) {
      const { path, edits } = input;
      const isHeld = desk.deps.isWorkspaceOnly(context.agentId);
      const target = await desk.find(path, context, { access: "write", isHeld });
      const outcome = await desk.change(
        {
          tool: "edit",
          targets: [target],
          isHeld,
          compute: async () => {
            const fresh = await desk.find(path, context, { access: "write", isHeld });
            const old = await desk.readText(fresh, context.signal);
            if (old === null) {
              throw fileProblem(
                "not_found",
                `There is no file ${path}. Check the path, or make it with write.`,
                {
                  data: { path },
                },
              );
            }
            const edited = applyEdits(old.text, edits, desk.deps.hardening());
            if (!edited.ok) throw problemOf(edited.problem, path, edits.length, old.text);
            const bytes = Buffer.from(edited.text, "utf8");
            const before = { sha256: old.sha256, sizeBytes: utf8Length(old.text), text: old.text };
            return {
              changes: [{ target: fresh, before, next: { kind: "write", bytes, text: edited.text } }],
              value: {
                ...numberedDiff(edited.before, edited.after, maxDiffChars),
                sizeBytes: bytes.length,
                text: edited.text,
              },
            };
          },
        },
        context,
      );
      if (outcome.kind === "refused") return outcome.result;
      const { diff, firstChangedLine, isCut, sizeBytes, text } = outcome.value;
      const places = `${edits.length} ${edits.length === 1 ? "place" : "places"}`;
      return textResult(
        `Changed ${places} in ${path}${firstChangedLine === null ? "" : `, first in line ${firstChangedLine}`}.`,
        {
          path,
          diff,
          ...(isCut ? { diffIsCut: true } : {}),
          ...(firstChangedLine === null ? {} : { firstChangedLine }),
          sizeBytes,
          tokenEstimate: tokenEstimate(text),
        },
      );
    },
  });
}

function problemOf(problem: EditProblem, path: string, count: number, text: string): Error {
  const which = (index: number) => (count === 1 ? "oldText" : `edits[${index}].oldText`);
  switch (problem.kind) {
    case "not_found": {
      const excerpt = count === 1 ? `\nThe file is:\n${excerptOf(text)}` : "";
      return fileProblem(
        "edit_not_found",
        `${which(problem.index)} does not occur in ${path}. Nothing was changed; read the file and copy the text as it stands.${excerpt}`,
        { data: { path, index: problem.index } },
      );
    }
    case "duplicate":
      return fileProblem(
        "edit_duplicate",
        `${which(problem.index)} occurs ${problem.count} times in ${path}. Nothing was changed; add lines around it until it is unique.`,
        { data: { path, index: problem.index, count: problem.count } },
      );
    case "overlap":
      return fileProblem(
        "edit_overlap",
        `edits[${problem.index}] and edits[${problem.otherIndex}] overlap in ${path}. Nothing was changed; join them into one.`,
        { data: { path, index: problem.index, otherIndex: problem.otherIndex } },
      );
    case "no_change":
      return fileProblem(
        "edit_no_change",
        `The new text of ${path} equals the old one. Nothing was changed.`,
        {
          data: { path },
        },
      );
  }
}

function excerptOf(text: string): string {
  const shown = clip(text, maxExcerptChars);
  return shown.length === text.length ? shown : `${shown}\n[… ${text.length - shown.length} more characters]`;
}
