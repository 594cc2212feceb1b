/** Grants of our own: narrower than a path pattern, with a scope and an end (product A11, A12). */

import type { Hardening } from "../hardening/rules.ts";
import { type WithheldReason, whyNeverTrusted } from "./allowAlways.ts";
import { segmentsOf } from "./analyze.ts";
import { findSegmentInlineEval } from "./inlineEval.ts";
import { findProgramEscape } from "./programEscapes.ts";
import { isRunner } from "./programs.ts";
import { looksLikeAssignment } from "./satisfy.ts";
import { readShellInvocation } from "./shellInvocation.ts";
import type { CommandAnalysis, CommandSegment, Grant, GrantProposal, GrantScope } from "./types.ts";

export interface GrantContext {
  agentId: string;
  sessionKey?: string | undefined;
  /** Canonical working directory. */
  cwd: string;
  nowMs: number;
}

/** Whether a grant counts for this caller, place and time; says nothing about the command. */
export function isGrantInForce(grant: Grant, context: GrantContext): boolean {
  if (grant.agentId !== "*" && grant.agentId !== context.agentId) return false;
  if (grant.sessionKey !== undefined && grant.sessionKey !== context.sessionKey) return false;
  if (grant.cwd !== undefined && grant.cwd !== context.cwd) return false;
  return grant.expiresAtMs === undefined || context.nowMs < grant.expiresAtMs;
}

/** A word that may stand for another in a granted shape: no option, no path away from here, nothing to expand. */
function isFreeWord(word: string): boolean {
  return /^[\p{L}\p{N}_][\p{L}\p{N}_.,/-]*$/u.test(word) && !/(?:^|\/)\.\.(?:\/|$)/.test(word);
}

function sameWords(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((word, index) => word === b[index]);
}

/** Matches one segment against a grant of program or argument shape. Wrapped commands need an exact grant. */
export function matchGrant(grant: Grant, segment: CommandSegment, context: GrantContext): boolean {
  if (!isGrantInForce(grant, context) || segment.blockedWrapper !== null || segment.hasHeredoc) return false;
  const { scope } = grant;
  if (scope.kind === "exactCommand" || segment.wrappers.length > 0) return false;
  if (segment.execution.realPath !== scope.realPath) return false;
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
      sameWords(segment.argv, program.argv)
    );
  });
}

function whyNotGrantable(segment: CommandSegment, hardening: Hardening): WithheldReason | null {
  if (segment.blockedWrapper !== null) return "blockedWrapper";
  if (segment.hasHeredoc) return "heredoc";
  const argv = segment.effectiveArgv;
  if (looksLikeAssignment(argv[0] ?? "") || looksLikeAssignment(segment.argv[0] ?? "")) return "assignment";
  const { resolvedPath, realPath } = segment.execution;
  if (resolvedPath === null || realPath === null) return "programMissing";
  if (findSegmentInlineEval(segment, hardening) !== null) return "inlineEval";
  if (readShellInvocation(argv, true) !== null) return "shell";
  const never = whyNeverTrusted(resolvedPath) ?? whyNeverTrusted(realPath);
  return never === "dispatcher" && isRunner(resolvedPath) ? null : never;
}

function shapeOf(segment: CommandSegment): (string | null)[] {
  let sawSubcommand = false;
  return segment.argv.slice(1).map((word) => {
    // The first plain word is often a sub-command: `git log` must not widen to `git push`.
    if (!isFreeWord(word) || !sawSubcommand) {
      if (isFreeWord(word)) sawSubcommand = true;
      return word;
    }
    return null;
  });
}

/**
 * What could be granted for a command, narrowest first; the first is the default.
 * @returns `withheld` when nothing may be offered
 */
export function proposeGrants(
  analysis: CommandAnalysis,
  hardening: Hardening,
): { proposals: GrantProposal[] } | { withheld: WithheldReason } {
  const segments = segmentsOf(analysis);
  if (segments.length === 0) return { withheld: "notAnalyzable" };
  for (const segment of segments) {
    const reason = whyNotGrantable(segment, hardening);
    if (reason !== null) return { withheld: reason };
  }
  const exact: GrantScope = {
    kind: "exactCommand",
    programs: segments.map((segment) => ({ realPath: segment.execution.realPath ?? "", argv: segment.argv })),
    operators: segments
      .slice(0, -1)
      .flatMap((segment) => (segment.operatorAfter === null ? [] : [segment.operatorAfter])),
  };
  const proposals: GrantProposal[] = [
    { label: "exactCommand", scopes: [exact], isDefault: true, bindsCwd: true },
  ];
  const isWide = segments.every(
    (segment) =>
      segment.wrappers.length === 0 &&
      !isRunner(segment.execution.resolvedPath ?? "") &&
      findProgramEscape(segment.effectiveArgv) === null,
  );
  if (!isWide) return { proposals };
  const shapes = segments.map((segment) => ({
    realPath: segment.execution.realPath ?? "",
    shape: shapeOf(segment),
  }));
  if (shapes.some((one) => one.shape.includes(null)))
    proposals.push({
      label: "argumentShape",
      scopes: shapes.map((one) => ({ kind: "argumentShape", ...one })),
      isDefault: false,
      bindsCwd: true,
    });
  proposals.push({
    label: "program",
    scopes: shapes.map(({ realPath }) => ({ kind: "program", realPath })),
    isDefault: false,
    bindsCwd: false,
  });
  return { proposals };
}
