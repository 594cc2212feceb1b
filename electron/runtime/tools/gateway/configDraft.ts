/** A change of the config as a person sees it before deciding: the difference of both texts, without their secrets. */

import { AppError } from "../../../../shared/errors/index.ts";
import { sizeText, unifiedDiff, utf8Length } from "../../../../shared/files/index.ts";
import { changedSettings, shownConfigPath } from "../../../../shared/gatewayTool/index.ts";
import type { ApprovalDraft } from "../../approvals/createApprovals.ts";
import { redact } from "../../config/index.ts";
import { sha256Hex } from "../../storage/atomicWrite.ts";
import type { ToolCallContext } from "../defineTool.ts";
import type { PlannedChange } from "./configChange.ts";
import { onceOnly } from "./draftParts.ts";

/** What a person can look at in one prompt. */
const maxShownBytes = 10_000;
const maxNamedPaths = 20;

/**
 * @throws AppError INVALID_INPUT when the difference is too long for one decision, or when it cannot be proven that it
 * shows no secret
 */
export function draftOfChange(
  action: string,
  change: PlannedChange,
  stateDir: string,
  context: ToolCallContext,
): ApprovalDraft {
  const paths = change.changes.map(({ path }) => shownConfigPath(path));
  return {
    ...onceOnly(context, { code: "always.configWrite", params: {} }),
    kind: "configWrite",
    command: shownChange(action, change),
    cwd: stateDir,
    askedBecause: [
      {
        code: "configWrite",
        params: { path: headlineOf(paths), paths: paths.slice(0, maxNamedPaths), count: paths.length },
      },
    ],
    rule: {
      security: "allowlist",
      ask: "always",
      sources: [{ file: "sallyport.json5", configPath: 'hardening.rules["gateway.configAsks"]', line: null }],
    },
    // Secrets are hidden in the text; changes that differ only in them are two questions.
    hiddenValues: sha256Hex(change.after.text),
  };
}

/** A few in full; all of them stand in the difference. */
function headlineOf(paths: readonly string[]): string {
  const named = paths.slice(0, 2);
  return [...named, ...(paths.length > named.length ? ["…"] : [])].join(", ");
}

/** In the form of a change of files: a head of five lines, then the difference. Hashes are of the true texts. */
function shownChange(action: string, { path, before, after, changes }: PlannedChange): string {
  const old = before === null ? { raw: "", config: {} } : redact(before.document);
  const next = redact(after.document);
  if (old.raw === null || next.raw === null)
    throw new AppError(
      "INVALID_INPUT",
      "It cannot be proven that the difference shows no secret (a comment may repeat one), so nobody can be asked. A person has to make this change in the file. Nothing was written.",
    );
  const head = [
    `gateway: ${action.replace("config.", "")} ${shownPath(path)}`,
    `before: ${before === null ? "no file" : contentText(before.text)}`,
    `after: ${contentText(after.text)}`,
    `--- ${before === null ? "/dev/null" : shownPath(path)}`,
    `+++ ${shownPath(path)}`,
  ];
  const seen = new Set(changedSettings(old.config, next.config).map((one) => shownConfigPath(one.path)));
  const hidden = changes.map((one) => shownConfigPath(one.path)).filter((one) => !seen.has(one));
  const { text, isCut } = unifiedDiff(old.raw, next.raw, maxShownBytes);
  const shown = [
    ...head,
    ...hidden.map((one) => `+ (a hidden value changes: ${one})`),
    ...(text === "" ? [] : [text]),
  ].join("\n");
  if (isCut || utf8Length(shown) > maxShownBytes * 2)
    throw new AppError(
      "INVALID_INPUT",
      "This changes more than a person can look at in one decision. Change fewer settings at a time, with config.patch. Nothing was written.",
    );
  return shown;
}

function contentText(text: string): string {
  return `sha256 ${sha256Hex(text)} (${sizeText(utf8Length(text))})`;
}

/** A line break in a name must not look like a line of the prompt. */
function shownPath(path: string): string {
  return /[\u0000-\u001F\u007F]/.test(path) ? JSON.stringify(path) : path;
}
