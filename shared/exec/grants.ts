/** Grants of our own: narrower than a path pattern, with a scope and an end (product A11, A12). */

import { whyNeverTrusted } from "./allowAlways.ts";
import { segmentsOf } from "./analyze.ts";
import { baseName } from "./paths.ts";
import { isRunner } from "./programs.ts";
import type { CommandAnalysis, CommandSegment, Grant } from "./types.ts";

export interface GrantContext {
  agentId: string;
  sessionKey?: string | undefined;
  /** Canonical working directory. */
  cwd: string;
  nowMs: number;
  /** A grant names no environment, so a call that adds some is another call. */
  envOverrides?: Readonly<Record<string, string>> | undefined;
}

/** Whether a grant counts for this caller, place and time; says nothing about the command. */
export function isGrantInForce(grant: Grant, context: GrantContext): boolean {
  if (grant.agentId !== "*" && grant.agentId !== context.agentId) return false;
  if (grant.sessionKey !== undefined && grant.sessionKey !== context.sessionKey) return false;
  if (grant.cwd !== undefined && grant.cwd !== context.cwd) return false;
  if (Object.keys(context.envOverrides ?? {}).length > 0) return false;
  return grant.expiresAtMs === undefined || context.nowMs < grant.expiresAtMs;
}

/** A word that may stand for another in a granted shape: no option, no path away from here, nothing to expand. */
export function isFreeWord(word: string): boolean {
  return /^[\p{L}\p{N}_][\p{L}\p{N}_.,/-]*$/u.test(word) && !/(?:^|\/)\.\.(?:\/|$)/.test(word);
}

function sameWords(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((word, index) => word === b[index]);
}

/** Whether one file is called by the granted name: `lsmod` and `modprobe` may be the same file. */
function isSameProgram(
  scope: { realPath: string; name?: string | undefined },
  segment: CommandSegment,
): boolean {
  const { realPath, resolvedPath } = segment.execution;
  return (
    realPath === scope.realPath &&
    resolvedPath !== null &&
    baseName(resolvedPath) === (scope.name ?? baseName(scope.realPath))
  );
}

/** The settings file may be edited by hand, so that what may never be granted is refused here as well (A12). */
function mayBeGranted(segment: CommandSegment, isExact: boolean): boolean {
  const { resolvedPath, realPath } = segment.execution;
  return [resolvedPath, realPath].every((path) => {
    if (path === null) return false;
    const never = whyNeverTrusted(path);
    return never === null || (isExact && never === "dispatcher" && isRunner(path));
  });
}

/** Matches one segment against a grant of program or argument shape. Wrapped commands need an exact grant. */
export function matchGrant(grant: Grant, segment: CommandSegment, context: GrantContext): boolean {
  if (!isGrantInForce(grant, context) || segment.blockedWrapper !== null || segment.hasHeredoc) return false;
  const { scope } = grant;
  if (scope.kind === "exactCommand" || segment.wrappers.length > 0) return false;
  if (!isSameProgram(scope, segment) || !mayBeGranted(segment, false)) return false;
  if (scope.kind === "program") return true;
  const args = segment.argv.slice(1);
  return (
    args.length === scope.shape.length &&
    args.every((word, index) => {
      const fixed = scope.shape[index];
      return fixed === null ? isFreeWord(word) : word === fixed;
    })
  );
}

/** Matches a whole command: same programs, same words, same operators. */
export function matchExactGrant(grant: Grant, analysis: CommandAnalysis, context: GrantContext): boolean {
  const { scope } = grant;
  if (scope.kind !== "exactCommand" || !isGrantInForce(grant, context)) return false;
  const segments = segmentsOf(analysis);
  if (segments.length === 0 || segments.length !== scope.programs.length) return false;
  const operators = segments.slice(0, -1).map((segment) => segment.operatorAfter ?? "");
  if (!sameWords(operators, scope.operators)) return false;
  return segments.every((segment, index) => {
    const program = scope.programs[index];
    return (
      program !== undefined &&
      segment.blockedWrapper === null &&
      !segment.hasHeredoc &&
      segment.execution.realPath === program.realPath &&
      sameWords(segment.argv, program.argv) &&
      mayBeGranted(segment, true)
    );
  });
}
