/** Short texts about sessions: names, durations, the exit notice, the answer of an exec call. */

import { noticeText } from "../../../../shared/exec/output.ts";
import type { ExecResult, SessionOutcome } from "./types.ts";

/** Verb and first word that is no flag: `pnpm dev` of `pnpm --silent dev --host`. */
export function deriveName(command: string): string {
  const words = command.trim().split(/\s+/).filter(Boolean);
  const unquote = (word: string) => word.replace(/^["']+|["']+$/g, "");
  const verb = unquote(words[0] ?? "");
  const shortVerb = verb.slice(verb.lastIndexOf("/") + 1) || verb;
  const argument = words.slice(1).find((word) => !word.startsWith("-"));
  const name = argument === undefined ? shortVerb : `${shortVerb} ${unquote(argument)}`;
  return name.length > 48 ? `${name.slice(0, 47)}…` : name;
}

/** `820ms`, `14s`, `2m11s`, `6h04m`, `3d02h` */
export function compactDuration(durationMs: number): string {
  if (durationMs < 1000) return `${Math.max(0, Math.round(durationMs))}ms`;
  const seconds = Math.floor(durationMs / 1000);
  if (seconds < 60) return `${seconds}s`;
  const two = (value: number) => String(value).padStart(2, "0");
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m${two(seconds % 60)}s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours}h${two(minutes % 60)}m`;
  return `${Math.floor(hours / 24)}d${two(hours % 24)}h`;
}

export function exitCodeOf(outcome: SessionOutcome): number | null {
  return outcome.kind === "exited" || outcome.kind === "spawnFailed" ? outcome.exitCode : null;
}

export function exitSignalOf(outcome: SessionOutcome): string | null {
  if (outcome.kind === "signalled" || outcome.kind === "timedOut" || outcome.kind === "aborted")
    return outcome.signal;
  return null;
}

/** A non-zero exit is still "completed"; 126, 127, signals, timeouts and spawn errors are "failed". */
export function statusOf(outcome: SessionOutcome): "completed" | "failed" {
  if (outcome.kind === "exited")
    return outcome.exitCode === 126 || outcome.exitCode === 127 ? "failed" : "completed";
  return outcome.kind === "lost" ? "completed" : "failed";
}

/** `code 1`, `signal SIGTERM`, … for lists and notices. */
export function endedBy(outcome: SessionOutcome): string {
  switch (outcome.kind) {
    case "exited":
      return `code ${outcome.exitCode}`;
    case "signalled":
      return `signal ${outcome.signal}`;
    case "timedOut":
      return `signal ${outcome.signal ?? "SIGTERM"} after its timeout`;
    case "aborted":
      return `signal ${outcome.signal ?? "SIGTERM"}`;
    case "spawnFailed":
      return outcome.exitCode === null ? "spawn error" : `code ${outcome.exitCode}`;
    case "unsettled":
      return "signal SIGKILL, without an exit being seen";
    case "lost":
      return "unknown code";
  }
}

function failureReason(outcome: SessionOutcome): string {
  switch (outcome.kind) {
    case "exited":
      return outcome.exitCode === 126
        ? "Command is not executable (exit code 126). Check its permissions."
        : "Command not found (exit code 127). Check the name and PATH.";
    case "spawnFailed":
      if (outcome.exitCode === 127) return `Command not found: ${outcome.message} (exit code 127)`;
      if (outcome.exitCode === 126) return `Command is not executable: ${outcome.message} (exit code 126)`;
      return `Command could not be started: ${outcome.message}`;
    case "signalled":
      return `Command ended by signal ${outcome.signal}`;
    case "timedOut":
      return `Command timed out after ${formatSeconds(outcome.timeoutMs)} and was ended. If it needs longer, call again with a higher timeout.`;
    case "aborted":
      return "Command aborted: the call was cancelled, and its processes were ended.";
    case "unsettled":
      return `Command was killed, but no exit was seen; still present: ${outcome.remainingPids.join(", ") || "unknown"}.`;
    case "lost":
      return "Command ended; its exit code is not known.";
  }
}

function formatSeconds(durationMs: number): string {
  const seconds = durationMs / 1000;
  return `${Number.isInteger(seconds) ? seconds : seconds.toFixed(1)} ${seconds === 1 ? "second" : "seconds"}`;
}

/**
 * The answer of a command that ended.
 * @see exec spec §3.5
 */
export function endedResult(facts: {
  outcome: SessionOutcome;
  aggregated: string;
  /** Of the whole output, of which `aggregated` is the last part; absent: it is all there is. */
  totalChars?: number;
  durationMs: number;
  cwd: string;
  warnings: readonly string[];
}): ExecResult {
  const { outcome, aggregated, durationMs, cwd } = facts;
  const shown = aggregated.trim();
  const totalChars = facts.totalChars ?? aggregated.length;
  const cut =
    totalChars > aggregated.length
      ? `[Only the last ${aggregated.length} of ${totalChars} characters are kept. For the rest run it again with its output in a file, and read that in parts.]\n`
      : "";
  const output = `${cut}${shown}`;
  if (outcome.kind === "exited" && statusOf(outcome) === "completed") {
    const note = outcome.exitCode === 0 ? "" : `\n\n(Command exited with code ${outcome.exitCode})`;
    return {
      text: withWarnings(facts.warnings, `${output === "" ? "(no output)" : output}${note}`),
      details: { status: "completed", exitCode: outcome.exitCode, durationMs, aggregated, cwd },
    };
  }
  const reason = failureReason(outcome);
  return {
    text: withWarnings(facts.warnings, output === "" ? reason : `${output}\n\n${reason}`),
    details: { status: "failed", exitCode: exitCodeOf(outcome), durationMs, aggregated, cwd },
  };
}

export function runningResult(facts: {
  sessionId: string;
  pid: number | null;
  startedAtMs: number;
  cwd: string;
  tail: string;
  outputHeldBy: string | null;
  warnings: readonly string[];
}): ExecResult {
  const { sessionId, pid, cwd, tail } = facts;
  const who = pid === null ? `session ${sessionId}` : `session ${sessionId}, pid ${pid}`;
  const lead =
    facts.outputHeldBy === null
      ? `Command still running (${who}).`
      : `The command itself ended with ${facts.outputHeldBy}, but processes it started still hold its output (${who}).`;
  return {
    text: withWarnings(
      facts.warnings,
      `${lead} Use the process tool with this session id: poll or log to read, write or send-keys to answer, kill to end it.`,
    ),
    details: { status: "running", sessionId, pid, startedAt: facts.startedAtMs, cwd, tail },
  };
}

function withWarnings(warnings: readonly string[], text: string): string {
  return warnings.length === 0 ? text : `${warnings.join("\n")}\n\n${text}`;
}

/**
 * @returns null when nothing is to be said: a silent success
 * @see exec spec §4.2
 */
export function exitNoticeText(facts: {
  sessionId: string;
  outcome: SessionOutcome;
  aggregated: string;
  notifyOnEmptySuccess: boolean;
}): string | null {
  const output = noticeText(facts.aggregated);
  const isSuccess = facts.outcome.kind === "exited" && facts.outcome.exitCode === 0;
  if (isSuccess && output === "" && !facts.notifyOnEmptySuccess) return null;
  const verdict = statusOf(facts.outcome) === "completed" && isSuccess ? "completed" : "failed";
  const head = `Exec ${verdict} (${facts.sessionId.slice(0, 8)}, ${endedBy(facts.outcome)})`;
  if (output === "") return head;
  return `${head} :: ${output}`;
}
