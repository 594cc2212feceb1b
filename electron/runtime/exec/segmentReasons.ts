/** Which reason a prompt shows for one part of a command: the strongest one, not the first that a check met. */

import type { ApprovalSegment, Reason } from "../../../shared/contract/index.ts";
import {
  type CommandSegment,
  classifyProgram,
  type ExecDecision,
  type ExecReason,
  findInlineEval,
  type SegmentVerdict,
} from "../../../shared/exec/index.ts";
import type { Hardening } from "../../../shared/hardening/rules.ts";

/** Words that a shell carries out itself and for which most systems have no file. */
const shellBuiltins: ReadonlySet<string> = new Set(
  (
    ". : alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown enable eval " +
    "exec exit export fc fg getopts hash help history jobs let local logout mapfile popd pushd read readarray readonly " +
    "return set shift shopt source suspend times trap type typeset ulimit umask unalias unset wait"
  ).split(" "),
);

/**
 * @param segments all parts of the command in their order
 * @param hardening rules under which the decision was made
 * @returns how a part passes, or that it asks with its strongest reason: code in arguments before a missing entry
 */
export function segmentVerdict(
  decision: ExecDecision,
  segments: readonly CommandSegment[],
  segment: CommandSegment,
  hardening: Hardening,
): Pick<ApprovalSegment, "verdict" | "reason"> {
  const verdict = decision.segments.find((one) => one.segmentIndex === segment.index);
  if (verdict === undefined || verdict.satisfiedBy === "unevaluated")
    return { verdict: "asks", reason: { code: "notEvaluated", params: {} } };
  const code = codeReason(decision, segments, segment, hardening);
  if (code !== null) return { verdict: "asks", reason: code };
  if (verdict.satisfiedBy !== "none") {
    // Satisfied and still asking (heredoc): the reason says why.
    if (verdict.reason !== undefined && verdict.reason.code !== "satisfied")
      return { verdict: "asks", reason: toReason(verdict.reason) };
    return { verdict: verdict.satisfiedBy, reason: ruleReason(verdict) };
  }
  if (segment.blockedWrapper !== null)
    return {
      verdict: "asks",
      reason: { code: "blockedWrapper", params: { wrapper: segment.blockedWrapper } },
    };
  const reason = verdict.reason;
  const word = segment.execution.word;
  if (reason?.code === "programMissing" && decision.plan.kind === "shell" && shellBuiltins.has(word))
    return { verdict: "asks", reason: { code: "shellBuiltin", params: { program: word } } };
  return {
    verdict: "asks",
    reason: reason === undefined ? { code: "allowlistMiss", params: {} } : toReason(reason),
  };
}

/** Code in arguments asks whatever the lists say; null when this part holds none, or when such code is let through. */
function codeReason(
  decision: ExecDecision,
  segments: readonly CommandSegment[],
  segment: CommandSegment,
  hardening: Hardening,
): Reason | null {
  const { inlineEval } = decision;
  if (inlineEval === null) return null;
  const [name] = segment.effectiveArgv;
  const program = name ?? "";
  const flag =
    inlineEval.segmentIndex === segment.index
      ? inlineEval.flag
      : findInlineEval(segment.effectiveArgv, hardening);
  if (flag === null) return null;
  const before = segments.find((one) => one.index === segment.index - 1);
  if (before?.operatorAfter === "|" && flag === "<stdin>" && classifyProgram(program) === "shell")
    return { code: "pipedIntoShell", params: { program } };
  return { code: "inlineEval", params: { program, flag } };
}

/** Which rule lets a part pass. */
export function ruleReason(verdict: SegmentVerdict): Reason {
  const { rule } = verdict;
  if (rule?.kind === "allowlist") {
    return { code: "allowlistEntry", params: { pattern: rule.pattern, agentId: rule.agentId } };
  }
  if (rule?.kind === "safeBin") return { code: "safeBin", params: { bin: rule.bin, profile: rule.profile } };
  if (rule?.kind === "grant") return { code: "grant", params: { grantId: rule.grantId } };
  return { code: verdict.satisfiedBy, params: {} };
}

/** Codes and values go to the panel's catalogues; positions stay for those who mark the spot. */
export function toReason(reason: ExecReason): Reason {
  return {
    code: reason.code,
    params: {
      ...reason.params,
      ...(reason.segmentIndex === undefined ? {} : { part: reason.segmentIndex + 1 }),
    },
  };
}
