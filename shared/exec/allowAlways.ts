/** What an "always" answer stores (spec/exec.md 7.1), or why it is not offered (product A11, A12). */
import { analyzeCommand, segmentsOf } from "./analyze.ts";
import { findInlineEval, findSegmentInlineEval } from "./inlineEval.ts";
import { programName } from "./paths.ts";
import { findProgramEscape } from "./programEscapes.ts";
import { classifyProgram, interpreterNames } from "./programs.ts";
import { looksLikeAssignment } from "./satisfy.ts";
import { findShellScript } from "./scripts.ts";
import { readShellInvocation } from "./shellInvocation.ts";
import type { AllowAlwaysPreview, AnalyzeOptions, CommandSegment, SegmentVerdict } from "./types.ts";

export type WithheldReason = NonNullable<AllowAlwaysPreview["withheldReason"]>;

const maxShellDepth = 3;

/** The reference's rule for one command; nested shells are opened up to a depth. */
function referencePatterns(
  segment: CommandSegment,
  isStrict: boolean,
  options: AnalyzeOptions,
  depth: number,
): string[] {
  if (depth >= maxShellDepth || segment.blockedWrapper !== null) return [];
  const argv = segment.effectiveArgv;
  const shell = readShellInvocation(argv, false);
  if (shell !== null) {
    if (shell.kind === "script") {
      const script = findShellScript(argv, options);
      return script === null ? [] : [script.path];
    }
    if (shell.kind === "other") return [];
    const inner = analyzeCommand(shell.command, options);
    return segmentsOf(inner).flatMap((one) => referencePatterns(one, isStrict, options, depth + 1));
  }
  const candidate = segment.execution.candidatePath;
  if (candidate === null) return [];
  const name = programName(candidate).replace(/[*?[\]]/g, "");
  const isInterpreter = interpreterNames.has(name);
  const isStorable = !isInterpreter || (isStrict && findInlineEval(argv, options.hardening) === null);
  return isStorable ? [candidate] : [];
}

export interface StoreInput {
  segments: readonly CommandSegment[];
  verdicts: readonly SegmentVerdict[];
  isStrict: boolean;
  /** Whether a pattern already stands in the agent's own list. */
  isListed: (pattern: string) => boolean;
  options: AnalyzeOptions;
}

/** Parts up to and including the first unsatisfied pipeline: where the reference stops looking. */
function evaluatedSegments(input: StoreInput): CommandSegment[] {
  const kept: CommandSegment[] = [];
  let hasMiss = false;
  for (const [index, segment] of input.segments.entries()) {
    kept.push(segment);
    if (input.verdicts[index]?.satisfiedBy === "none") hasMiss = true;
    if (hasMiss && segment.operatorAfter !== "|") break;
  }
  return kept;
}

export function patternsAsReference(input: StoreInput): string[] {
  const patterns = evaluatedSegments(input).flatMap((one) =>
    referencePatterns(one, input.isStrict, input.options, 0),
  );
  return [...new Set(patterns)].filter((pattern) => !input.isListed(pattern));
}

type Stored = { patterns: string[] } | { withheld: WithheldReason };

/** Whether a program may be trusted by name at all. */
export function whyNeverTrusted(word: string): WithheldReason | null {
  const kind = classifyProgram(word);
  if (kind !== "plain") return kind;
  // A program whose every argument hands execution on is a dispatcher under another name.
  return findProgramEscape([word, "x"]) === "x" ? "dispatcher" : null;
}

function hardenedPatterns(segment: CommandSegment, verdict: SegmentVerdict, options: AnalyzeOptions): Stored {
  if (segment.blockedWrapper !== null) return { withheld: "blockedWrapper" };
  if (segment.hasHeredoc) return { withheld: "heredoc" };
  const argv = segment.effectiveArgv;
  if (looksLikeAssignment(argv[0] ?? "") || looksLikeAssignment(segment.argv[0] ?? ""))
    return { withheld: "assignment" };
  if (findSegmentInlineEval(segment, options.hardening) !== null) return { withheld: "inlineEval" };
  const { resolvedPath, realPath } = segment.execution;
  if (resolvedPath === null || realPath === null)
    return { withheld: segment.execution.candidatePath === null ? "unresolved" : "programMissing" };
  if (verdict.reason?.code === "safeBinArgument" || verdict.reason?.code === "safeBinInterpreter")
    return { withheld: "safeBin" };
  const script = findShellScript(argv, options);
  if (script !== null) {
    if (!script.exists || script.realPath === null) return { withheld: "programMissing" };
    return { patterns: [script.path, script.realPath] };
  }
  const never = whyNeverTrusted(resolvedPath) ?? whyNeverTrusted(realPath) ?? whyNeverTrusted(argv[0] ?? "");
  return never === null ? { patterns: [resolvedPath, realPath] } : { withheld: never };
}

/** All unsatisfied parts, or none of them. */
export function patternsHardened(input: StoreInput): Stored {
  const patterns = new Set<string>();
  for (const [index, segment] of input.segments.entries()) {
    const verdict = input.verdicts[index];
    if (verdict === undefined || verdict.satisfiedBy !== "none") continue;
    const stored = hardenedPatterns(segment, verdict, input.options);
    if ("withheld" in stored) return stored;
    for (const pattern of stored.patterns) {
      // A file whose own name reads as a wildcard would store more than itself; dots would hide where it is.
      if (/[*?]|\/\.\.?(?:\/|$)/.test(pattern)) return { withheld: "nothingWouldMatch" };
      if (!input.isListed(pattern)) patterns.add(pattern);
    }
  }
  return { patterns: [...patterns] };
}
