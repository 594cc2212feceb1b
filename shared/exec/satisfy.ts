/** Judges one simple command: which rule satisfies it, or why none does. */
import { argvSpellings, findSegmentInlineEval } from "./inlineEval.ts";
import type { CompiledAllowlist } from "./patterns.ts";
import { findProgramEscape } from "./programEscapes.ts";
import { classifyProgram } from "./programs.ts";
import { isTrustedDirectory, judgeSafeBin } from "./safeBins.ts";
import { findShellScript } from "./scripts.ts";
import type {
  AllowlistRule,
  AnalyzeOptions,
  CommandSegment,
  ExecReason,
  Grant,
  RuleSource,
  SafeBinSettings,
  SegmentVerdict,
} from "./types.ts";

export interface SatisfyContext extends AnalyzeOptions {
  allowlist: CompiledAllowlist;
  safeBins: SafeBinSettings;
  /** Grants of program and argument shape that are valid here and now. */
  findGrant: (segment: CommandSegment) => Grant | null;
}

export function looksLikeAssignment(word: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*(?:\[[^\]]*\])?\+?=/.test(word);
}

function ruleOf(rule: AllowlistRule): RuleSource {
  return { kind: "allowlist", agentId: rule.agentId, pattern: rule.pattern, entryId: rule.entryId };
}

/** A wrapper that runs for real must itself be trusted, and must not write where its options say. */
export function findWrapperProblem(segment: CommandSegment, context: SatisfyContext): ExecReason | null {
  if (!context.hardening.has("exec.keepWrappers")) return null;
  for (const wrapper of segment.wrappers) {
    const isTrusted =
      wrapper.path !== null &&
      (isTrustedDirectory(wrapper.path, context.safeBins) ||
        isListed(wrapper.path, wrapper.realPath, context));
    if (!isTrusted)
      return {
        code: "wrapperNotTrusted",
        params: { wrapper: wrapper.name, path: wrapper.path ?? "" },
        segmentIndex: segment.index,
        rule: { kind: "hardening", ruleId: "exec.keepWrappers" },
      };
    const writes = wrapper.argv.find(
      (word) => wrapper.name === "time" && /^(?:-[a-zA-Z]*[oa]|--output|--append)/.test(word),
    );
    if (writes !== undefined)
      return {
        code: "wrapperWritesFile",
        params: { wrapper: wrapper.name, word: writes },
        segmentIndex: segment.index,
      };
  }
  return null;
}

function isListed(path: string, realPath: string | null, context: SatisfyContext): boolean {
  return (
    context.allowlist.match(path) !== null && realPath !== null && context.allowlist.match(realPath) !== null
  );
}

type Match = { rule: AllowlistRule } | { reason: ExecReason } | null;

/** Lexical path by an entry; by rule also the real path, and the file must be there. */
function matchPath(
  candidate: string | null,
  resolved: string | null,
  realPath: string | null,
  segmentIndex: number,
  context: SatisfyContext,
): Match {
  const rule = context.allowlist.match(candidate);
  if (rule === null) return null;
  if (!context.hardening.has("exec.realPathMatch")) return { rule };
  if (resolved === null || realPath === null)
    return {
      reason: { code: "programMissing", params: { path: candidate ?? "" }, segmentIndex, rule: ruleOf(rule) },
    };
  if (context.allowlist.match(realPath) === null)
    return {
      reason: {
        code: "realPathMiss",
        params: { path: candidate ?? "", realPath },
        segmentIndex,
        rule: ruleOf(rule),
      },
    };
  return { rule };
}

function matchScript(segment: CommandSegment, context: SatisfyContext): Match {
  const script = findShellScript(segment.effectiveArgv, context);
  if (script === null) return null;
  const rule = context.allowlist.match(script.path);
  if (rule === null) return null;
  if (context.hardening.has("exec.realPathMatch")) {
    const { index } = segment;
    if (!script.exists || script.realPath === null || context.lookup.isDirectory(script.path))
      return {
        reason: {
          code: "scriptMissing",
          params: { path: script.path },
          segmentIndex: index,
          rule: ruleOf(rule),
        },
      };
    if (context.allowlist.match(script.realPath) === null)
      return {
        reason: {
          code: "realPathMiss",
          params: { path: script.path, realPath: script.realPath },
          segmentIndex: index,
        },
      };
    const shell = segment.execution.resolvedPath;
    // The script is trusted, the shell that reads it must be a real one.
    if (
      shell === null ||
      !(isTrustedDirectory(shell, context.safeBins) || isListed(shell, segment.execution.realPath, context))
    )
      return {
        reason: {
          code: "shellNotTrusted",
          params: { path: shell ?? segment.execution.word },
          segmentIndex: index,
        },
      };
  }
  return { rule };
}

function findSegmentEscape(segment: CommandSegment, context: SatisfyContext): string | null {
  for (const argv of argvSpellings(segment, context.hardening)) {
    const word = findProgramEscape(argv);
    if (word !== null) return word;
  }
  return null;
}

/** Wildcards are for folders of tools; a program that runs others must be named itself. */
function isCoveredByWildcardOnly(
  rule: AllowlistRule,
  segment: CommandSegment,
  context: SatisfyContext,
): boolean {
  if (!context.hardening.has("exec.wildcardEntries") || !/[*?]/.test(rule.pattern)) return false;
  return argvSpellings(segment, context.hardening).some(([word]) => classifyProgram(word ?? "") !== "plain");
}

/** An entry that names the program does not cover arguments through which it becomes another one. */
function escapeReason(segment: CommandSegment, context: SatisfyContext): ExecReason | null {
  if (!context.hardening.has("exec.programEscapes")) return null;
  const word = findSegmentEscape(segment, context);
  if (word === null) return null;
  return {
    code: "programEscape",
    params: { program: segment.effectiveArgv[0] ?? "", word },
    segmentIndex: segment.index,
    rule: { kind: "hardening", ruleId: "exec.programEscapes" },
  };
}

function grantCovers(grant: Grant, segment: CommandSegment, context: SatisfyContext): boolean {
  if (findSegmentInlineEval(segment, context.hardening) !== null) return false;
  const handedOn = findSegmentEscape(segment, context);
  if (handedOn === null) return true;
  return grant.scope.kind === "argumentShape" && grant.scope.shape.includes(handedOn);
}

/** @returns the verdict, with the reason when nothing satisfies the segment */
export function judgeSegment(segment: CommandSegment, context: SatisfyContext): SegmentVerdict {
  const { index, execution, policy } = segment;
  const { hardening } = context;
  const none = (reason: ExecReason): SegmentVerdict => ({ segmentIndex: index, satisfiedBy: "none", reason });
  if (segment.blockedWrapper !== null)
    return none({ code: "blockedWrapper", params: { wrapper: segment.blockedWrapper }, segmentIndex: index });
  if (hardening.has("exec.heredocVerbatim") && segment.hasHeredoc)
    return none({ code: "heredoc", params: {}, segmentIndex: index });
  const assignment = [segment.argv[0], segment.effectiveArgv[0]].find((word) =>
    looksLikeAssignment(word ?? ""),
  );
  if (hardening.has("exec.assignmentWords") && assignment !== undefined)
    return none({ code: "assignmentPrefix", params: { word: assignment }, segmentIndex: index });
  const wrapperProblem = findWrapperProblem(segment, context);
  if (wrapperProblem !== null) return none(wrapperProblem);

  const direct = matchPath(policy.candidatePath, policy.resolvedPath, policy.realPath, index, context);
  const match = direct === null || "reason" in direct ? (matchScript(segment, context) ?? direct) : direct;
  let reason: ExecReason | null = null;
  if (match !== null && "rule" in match) {
    // Behind busybox the policy path is the multiplexer; what runs must exist as well.
    const runsNothing = hardening.has("exec.realPathMatch") && execution.resolvedPath === null;
    if (runsNothing)
      reason = { code: "programMissing", params: { path: execution.word }, segmentIndex: index };
    else if (match === direct && isCoveredByWildcardOnly(match.rule, segment, context))
      reason = {
        code: "wildcardEntry",
        params: { program: execution.word, pattern: match.rule.pattern },
        segmentIndex: index,
        rule: ruleOf(match.rule),
      };
    else reason = escapeReason(segment, context);
    if (reason === null) return { segmentIndex: index, satisfiedBy: "allowlist", rule: ruleOf(match.rule) };
  } else if (match !== null) {
    reason = match.reason;
  }

  const safe = judgeSafeBin(
    execution.resolvedPath,
    segment.effectiveArgv,
    context.safeBins,
    context.platform,
    hardening,
  );
  if (safe.kind === "safe")
    return {
      segmentIndex: index,
      satisfiedBy: "safeBins",
      rule: { kind: "safeBin", bin: safe.bin, profile: safe.profile },
    };
  const grant = context.findGrant(segment);
  if (grant !== null && grantCovers(grant, segment, context))
    return { segmentIndex: index, satisfiedBy: "grant", rule: { kind: "grant", grantId: grant.id } };

  if (reason === null && safe.kind === "refused") {
    const code = safe.why === "interpreter" ? "safeBinInterpreter" : "safeBinArgument";
    reason = { code, params: { bin: safe.bin, word: safe.word, why: safe.why }, segmentIndex: index };
  }
  if (reason === null && execution.resolvedPath === null)
    reason = {
      code: "programMissing",
      params: { path: execution.candidatePath ?? execution.word },
      segmentIndex: index,
    };
  return none(
    reason ?? {
      code: "allowlistMiss",
      params: { path: policy.candidatePath ?? policy.word },
      segmentIndex: index,
    },
  );
}
