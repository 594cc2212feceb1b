/** A change of files as a person sees it before deciding: real paths, hashes and the difference, bounded. */

import { AppError } from "../../../../shared/errors/index.ts";
import { clip, sizeText, unifiedDiff, utf8Length } from "../../../../shared/files/index.ts";
import type { ApprovalAnswer, ApprovalDraft } from "../../approvals/createApprovals.ts";
import { noCommand } from "../../approvals/noCommand.ts";
import { sha256Hex } from "../../storage/atomicWrite.ts";
import type { ToolCallContext, ToolResult } from "../defineTool.ts";
import type { Target } from "./locate.ts";
import { fileProblem } from "./problems.ts";

export interface FileChange {
  target: Target;
  /** The file as it was read; null when there was none. `text` and `sha256` as `beforeOf` gives them. */
  before: { sha256: string; sizeBytes: number; text: string | null } | null;
  next: { kind: "write"; bytes: Uint8Array; text: string } | { kind: "delete" };
}

/** How long a request waits for a person; the same as for commands. */
const requestLifetimeMs = 1_800_000;

const maxShownBytes = 10_000;

/** More files than a person can look at in one prompt. */
const maxShownChanges = 12;

/** @throws AppError INVALID_INPUT when the change is too broad for one decision */
export function askFor(
  tool: string,
  changes: readonly FileChange[],
  workspace: string,
  context: ToolCallContext,
): ApprovalDraft {
  const outside = changes.filter((change) => !change.target.isInside);
  return {
    kind: "fileWrite",
    agentId: context.agentId,
    sessionKey: context.sessionKey,
    callerId: context.callerId,
    callerLabel: context.callerLabel,
    toolCallId: context.toolCallId,
    command: showChanges(tool, changes),
    ...noCommand(workspace),
    askedBecause: [
      {
        code: "outsideWorkspace",
        params: { path: outside[0]?.target.realPath ?? "", count: outside.length, workspace },
      },
    ],
    warnings: [],
    rule: {
      security: "allowlist",
      ask: "always",
      sources: [
        { file: "sallyport.json5", configPath: 'hardening.rules["files.askOutsideWorkspace"]', line: null },
      ],
    },
    always: { kind: "withheld", reason: { code: "always.fileWrite", params: {} } },
    lifetimeMs: requestLifetimeMs,
    storeAlways: () =>
      Promise.reject(
        new AppError("INVALID_INPUT", "A change of files can only be allowed once. Nothing was stored."),
      ),
  };
}

/**
 * The whole decision as text. Paths and hashes come first, so that a cut can only shorten a difference; the hashes
 * cover what is cut.
 */
export function showChanges(tool: string, changes: readonly FileChange[]): string {
  // What lies outside is why somebody is asked.
  const ordered = [...changes].sort((a, b) => Number(a.target.isInside) - Number(b.target.isInside));
  const heads = ordered.map((change) => headOf(tool, change));
  const headBytes = utf8Length(heads.join("\n"));
  if (ordered.length > maxShownChanges || headBytes > maxShownBytes / 2) {
    throw fileProblem(
      "bad_path",
      `This changes ${ordered.length} files and reaches outside the workspace, too much for one decision of a person. Nothing was changed; split it into calls of at most ${maxShownChanges} files.`,
    );
  }
  for (let chars = maxShownBytes - headBytes; ; chars = Math.floor(chars / 2)) {
    const each = Math.floor(chars / ordered.length) - 200;
    const text = ordered
      .map((change, index) => `${heads[index] ?? ""}\n${bodyOf(change, Math.max(each, 0))}`)
      .join("\n\n");
    if (utf8Length(text) <= maxShownBytes || each <= 0) return text;
  }
}

function headOf(tool: string, { target, before, next }: FileChange): string {
  const verb = next.kind === "delete" ? "delete" : before === null ? "create" : "replace";
  const label = tool === "write" || tool === "edit" ? tool : `${tool}: ${verb}`;
  const after =
    next.kind === "delete" ? "nothing" : `sha256 ${sha256Hex(next.bytes)} (${sizeText(next.bytes.length)})`;
  const old =
    before === null
      ? "no file"
      : `${before.sha256 === "" ? "not hashed" : `sha256 ${before.sha256}`} (${sizeText(before.sizeBytes)})`;
  return [`${label} ${shownPath(target.realPath)}`, `before: ${old}`, `after: ${after}`].join("\n");
}

function bodyOf({ target, before, next }: FileChange, maxChars: number): string {
  const shown = shownPath(target.realPath);
  const names = [
    `--- ${before === null ? "/dev/null" : shown}`,
    `+++ ${next.kind === "delete" ? "/dev/null" : shown}`,
  ];
  if (before !== null && before.text === null) {
    return [
      ...names,
      "(the old content is no text or too large to compare)",
      ...newLines(next, maxChars),
    ].join("\n");
  }
  const diff = unifiedDiff(before?.text ?? "", next.kind === "delete" ? "" : next.text, maxChars);
  return [...names, diff.text].join("\n");
}

function newLines(next: FileChange["next"], maxChars: number): string[] {
  if (next.kind === "delete") return [];
  const text = clip(next.text, maxChars);
  const cut =
    text.length < next.text.length ? [`… not shown: ${next.text.length - text.length} characters`] : [];
  return [...text.split("\n").map((line) => `+${line}`), ...cut];
}

/** A line break in a name must not look like a line of the prompt. */
function shownPath(path: string): string {
  return /[\u0000-\u001F\u007F]/.test(path) ? JSON.stringify(path) : path;
}

/** What the caller gets when no person allowed it: nothing happened, and why. */
export function notChanged(answer: ApprovalAnswer): ToolResult {
  const { approvalId, outcome, by, note } = answer;
  if (outcome === "cancelled") {
    return {
      content: [{ type: "text", text: "Cancelled. No file was changed." }],
      refusal: { kind: "cancelled" },
    };
  }
  if (outcome === "expired") {
    return {
      content: [{ type: "text", text: "Nobody answered the approval in time. No file was changed." }],
      details: { status: "expired", executed: false, approvalId },
      refusal: { kind: "expired", approvalId },
    };
  }
  const isPerson = by.kind === "person";
  const why = isPerson
    ? "A person denied this change."
    : by.kind === "system" && by.reason.code === "screenLocked"
      ? "A change outside the workspace needs a person, and the screen is locked."
      : by.kind === "system" && by.reason.code === "agentPaused"
        ? "The operator has paused this agent."
        : "A change outside the workspace needs a person, and nobody can be asked now.";
  const noteLine = note === null ? "" : `\nNote from the person: ${note}`;
  return {
    content: [
      { type: "text", text: `${why} No file was changed; do not try it again in another form.${noteLine}` },
    ],
    details: { status: "denied", executed: false, approvalId, ...(note === null ? {} : { note }) },
    refusal: {
      kind: "denied",
      by,
      reason: {
        code: isPerson ? "userDenied" : by.kind === "system" ? by.reason.code : "denied",
        params: {},
      },
      note,
      approvalId,
    },
  };
}
