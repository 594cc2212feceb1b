/** The write tool: puts a whole new content into a file. */

import { numberedDiff, sizeText, tokenEstimate } from "../../../../shared/files/index.ts";
import { defineTool, textResult } from "../defineTool.ts";
import { beforeOf } from "../files/beforeOf.ts";
import type { FileChange } from "../files/changeDraft.ts";
import type { FileDesk } from "../files/fileDesk.ts";
import { fileProblem } from "../files/problems.ts";
import { writeInput } from "./schema.ts";

/** Of the difference in `details`. */
const maxDiffChars = 8000;

export function createWriteTool(deps: { desk: FileDesk }) {
  const { desk } = deps;
  return defineTool({
    name: "write",
    title: "Write a file",
    description:
      "Creates a file or replaces its whole content; missing folders are made. For a small change of an existing file use edit. " +
      "A file outside the workspace may wait for a person.",
    promptLine: "Create a file or replace its content",
    risk: "write",
    input: writeInput,
    async execute(input, context) {
      const { path, content } = input;
      if (content.trim() === "" && !desk.deps.hardening().has("files.writeEmpty")) {
        throw fileProblem("missing_parameter", "content is missing. Send path and content again.");
      }
      const isHeld = desk.deps.isWorkspaceOnly(context.agentId);
      const target = await desk.find(path, context, { access: "write", isHeld });
      const bytes = Buffer.from(content, "utf8");
      const isNew = target.facts === null;
      const outcome = await desk.change(
        {
          tool: "write",
          targets: [target],
          isHeld,
          compute: async () => {
            const fresh = await desk.find(path, context, { access: "write", isHeld });
            const before = await beforeOf(desk, fresh, context.signal);
            const change: FileChange = {
              target: fresh,
              before,
              next: { kind: "write", bytes, text: content },
            };
            // What is new as a whole would only be said twice.
            const old = before?.text ?? null;
            return {
              changes: [change],
              value: old === null ? null : numberedDiff(old, content, maxDiffChars),
            };
          },
        },
        context,
      );
      if (outcome.kind === "refused") return outcome.result;
      const difference = outcome.value;
      const verb = isNew ? "Created" : "Replaced";
      return textResult(
        `${verb} ${path}: ${sizeText(bytes.length)}, about ${tokenEstimate(content)} tokens.`,
        {
          path,
          isNew,
          sizeBytes: bytes.length,
          tokenEstimate: tokenEstimate(content),
          ...(difference === null
            ? {}
            : {
                diff: difference.diff,
                ...(difference.isCut ? { diffIsCut: true } : {}),
                ...(difference.firstChangedLine === null
                  ? {}
                  : { firstChangedLine: difference.firstChangedLine }),
              }),
        },
      );
    },
  });
}
