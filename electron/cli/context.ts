/** What every command gets, and how its result is shown. */

import type { Reason } from "../../shared/contract/index.ts";
import { englishReason } from "../../shared/text/english.ts";
import type { ReasonForm } from "../../shared/text/reasonText.ts";
import { type CliIo, safeJson, safeLine } from "./io.ts";
import type { StartCommand } from "./mcp/startApp.ts";

export interface CliContext {
  io: CliIo;
  version: string;
  /** Exit code to leave with when nothing throws; a command sets 1 for an outcome that scripts must notice. */
  exitCode: number;
  /** Folder of the built panel, or null. */
  panelDir: string | null;
  /** How `mcp` starts Sallyport when none runs; null when that cannot be done. */
  startCommand: StartCommand | null;
  /** How a client starts this command line; absent: as from a checkout, if this is one. */
  ownCommand?: StartCommand;
}

/** Prints JSON for programs or sentences for people. */
export function print(context: CliContext, json: boolean | undefined, value: unknown, lines: string[]): void {
  const text = json === true ? safeJson(JSON.stringify(value, null, 2)) : lines.join("\n");
  if (text !== "") context.io.stdout(`${text}\n`);
}

/** @returns "5 min", "40 s": how far away a moment is */
export function untilText(atMs: number, nowMs = Date.now()): string {
  const seconds = Math.max(0, Math.round((atMs - nowMs) / 1000));
  return seconds >= 120 ? `${Math.round(seconds / 60)} min` : `${seconds} s`;
}

/** A reason as a part of a sentence on one line, harmless on a terminal: words of a command are among its values. */
export function reasonText(reason: Reason, form?: ReasonForm): string {
  return safeLine(englishReason(reason, form));
}

/** @param program as the command names it, for reasons that do not say which program they are about */
export function withProgram(reason: Reason, program: string | undefined): Reason {
  if (program === undefined || "program" in reason.params) return reason;
  return { ...reason, params: { ...reason.params, program } };
}

/** A code with its values for programs, in the JSON of commands that give reasons as text. */
export function codeText(reason: { code: string; params?: Record<string, unknown> | undefined }): string {
  const params = Object.entries(reason.params ?? {});
  if (params.length === 0) return reason.code;
  return `${reason.code} (${params.map(([name, value]) => `${name}: ${safeLine(String(value))}`).join(", ")})`;
}
