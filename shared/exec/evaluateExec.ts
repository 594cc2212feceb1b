/** The exec decision: analysis, rules and mode in, allow, ask or deny with reasons and plan out (spec/exec.md 6, 7). */
import { patternsAsReference, patternsHardened, type StoreInput } from "./allowAlways.ts";
import { analyzeCommand, segmentsOf } from "./analyze.ts";
import { inspectText, isPlainText } from "./displayCommand.ts";
import { matchExactGrant, matchGrant } from "./grants.ts";
import { doubtfulOverrides } from "./harmlessEnv.ts";
import { findSegmentInlineEval } from "./inlineEval.ts";
import { detectObfuscation } from "./obfuscation.ts";
import { allowlistMatcher } from "./patterns.ts";
import { planSatisfied, planVerbatim } from "./plan.ts";
import { withRememberedLookups } from "./rememberLookups.ts";
import { findWrapperProblem, judgeSegment, type SatisfyContext } from "./satisfy.ts";
import { findSelfApproval } from "./selfApproval.ts";
import type {
  AllowAlwaysPreview,
  AllowlistRule,
  CommandAnalysis,
  CommandSegment,
  EvaluateExecInput,
  ExecDecision,
  ExecReason,
  ExecutionPlan,
  ExecWarnings,
  FallbackOutcome,
  Grant,
  InlineEvalHit,
  SegmentVerdict,
  SourceSpan,
} from "./types.ts";

function findGrantFor(input: EvaluateExecInput): (segment: CommandSegment) => Grant | null {
  return (segment) => input.grants?.find((grant) => matchGrant(grant, segment, input)) ?? null;
}

function contextOf(input: EvaluateExecInput, allowlist: readonly AllowlistRule[]): SatisfyContext {
  return {
    platform: input.platform,
    cwd: input.cwd,
    env: input.env,
    home: input.home,
    lookup: input.lookup,
    hardening: input.hardening,
    allowlist: allowlistMatcher(allowlist, input),
    safeBins: input.safeBins ?? {},
    findGrant: findGrantFor(input),
  };
}

function judgeAll(
  input: EvaluateExecInput,
  analysis: CommandAnalysis,
  allowlist: readonly AllowlistRule[],
): SegmentVerdict[] {
  const context = contextOf(input, allowlist);
  const segments = segmentsOf(analysis);
  const exact = input.grants?.find((grant) => matchExactGrant(grant, analysis, input));
  if (exact !== undefined && segments.every((segment) => findWrapperProblem(segment, context) === null))
    return segments.map(({ index }) => ({
      segmentIndex: index,
      satisfiedBy: "grant",
      rule: { kind: "grant", grantId: exact.id },
    }));
  return segments.map((segment) => judgeSegment(segment, context));
}

const isSatisfied = (verdict: SegmentVerdict): boolean =>
  verdict.satisfiedBy !== "none" && verdict.satisfiedBy !== "unevaluated";

function findInlineEvalHit(
  input: EvaluateExecInput,
  segments: readonly CommandSegment[],
): InlineEvalHit | null {
  if (!input.policy.strictInlineEval.value) return null;
  for (const segment of segments) {
    const flag = findSegmentInlineEval(segment, input.hardening);
    if (flag !== null)
      return {
        segmentIndex: segment.index,
        program: segment.effectiveArgv[0] ?? "",
        flag,
        kind: "inlineEval",
      };
  }
  return null;
}

interface Judged {
  analysis: CommandAnalysis;
  segments: readonly CommandSegment[];
  verdicts: SegmentVerdict[];
  /** Security is allowlist, the text was understood, and every segment has a rule. */
  isSatisfied: boolean;
  allSatisfied: boolean;
  hasHeredoc: boolean;
  obfuscation: string[];
  inlineEval: InlineEvalHit | null;
  /** Names of added variables that are not known to be harmless. */
  environment: string[];
  warnings: ExecWarnings;
}

function programSpansOf(segments: readonly CommandSegment[]): SourceSpan[] {
  return segments.flatMap((segment) => {
    const word = segment.words.filter((one) => one.text !== "")[segment.effectiveOffset];
    return word === undefined ? [] : [word.span];
  });
}

function judge(input: EvaluateExecInput): Judged {
  const analysis = analyzeCommand(input.command, input);
  const segments = segmentsOf(analysis);
  const verdicts = judgeAll(input, analysis, input.allowlist);
  const allSatisfied = analysis.ok && verdicts.every(isSatisfied);
  // Where the programs stand matters only when something odd may stand there.
  const programSpans = isPlainText(input.command) ? [] : programSpansOf(segments);
  return {
    analysis,
    segments,
    verdicts,
    isSatisfied: allSatisfied && input.policy.security.value === "allowlist",
    allSatisfied,
    hasHeredoc: segments.some((segment) => segment.hasHeredoc),
    obfuscation: detectObfuscation(input.command, input.hardening),
    inlineEval: findInlineEvalHit(input, segments),
    environment: input.hardening.has("exec.environmentAsks")
      ? doubtfulOverrides(input.envOverrides ?? {})
      : [],
    warnings: inspectText(input.command, programSpans),
  };
}

/** Everything that makes the command ask, in the order a reader wants it: the first is the headline. */
function collectAskReasons(input: EvaluateExecInput, judged: Judged): ExecReason[] {
  const { policy, hardening } = input;
  const reasons: ExecReason[] = [];
  for (const code of policy.alwaysAsk) {
    if (code === "brokenConfig") reasons.push({ code: "askAlways", params: { why: "brokenConfig" } });
    else reasons.push({ code, params: {} });
  }
  if (judged.obfuscation.length > 0)
    reasons.push({ code: "obfuscation", params: { ids: judged.obfuscation.join(" ") } });
  if (judged.inlineEval !== null) {
    const { segmentIndex, program, flag } = judged.inlineEval;
    reasons.push({ code: "inlineEval", params: { program, flag }, segmentIndex });
  }
  if (hardening.has("exec.invisibleText")) reasons.push(...textReasons(judged.warnings));
  if (judged.isSatisfied && judged.hasHeredoc) reasons.push({ code: "heredoc", params: {} });
  if (judged.isSatisfied && judged.environment.length > 0)
    reasons.push({
      code: "dangerousEnvironment",
      params: { names: judged.environment.join(", ") },
      rule: { kind: "hardening", ruleId: "exec.environmentAsks" },
    });
  if (policy.ask.value === "always")
    reasons.push({
      code: "askAlways",
      params: { why: "ask" },
      rule: { kind: "config", path: policy.ask.source.path },
    });
  if (policy.ask.value === "on-miss" && policy.security.value === "allowlist" && !judged.isSatisfied)
    reasons.push(...missReasons(judged));
  return reasons;
}

function textReasons(warnings: ExecWarnings): ExecReason[] {
  const reasons: ExecReason[] = [];
  const odd = warnings.invisible[0];
  if (odd !== undefined)
    reasons.push({
      code: "invisibleCharacters",
      params: { name: odd.name, count: warnings.invisible.length },
      span: odd.span,
    });
  const mixed = warnings.mixedScript.find(
    (one) => !one.wholeWord || warnings.hostileSigns.includes("lookAlikeProgram"),
  );
  if (mixed !== undefined)
    reasons.push({ code: "mixedScript", params: { word: mixed.word }, span: mixed.span });
  if (warnings.hostileSigns.includes("hiddenTail"))
    reasons.push({ code: "invisibleCharacters", params: { name: "hiddenTail", count: 1 } });
  return reasons;
}

function missReasons(judged: Judged): ExecReason[] {
  if (!judged.analysis.ok) {
    const { code, token, span } = judged.analysis;
    return [{ code: "notAnalyzable", params: { why: code, token }, span }];
  }
  return judged.verdicts.flatMap((verdict) => (verdict.reason === undefined ? [] : [verdict.reason]));
}

function planFor(input: EvaluateExecInput, judged: Judged): ExecutionPlan {
  if (judged.isSatisfied && judged.analysis.ok) return planSatisfied(judged.analysis.pipelines, input);
  return planVerbatim(input.command, judged.analysis, input);
}

function fallbackFor(
  input: EvaluateExecInput,
  judged: Judged,
  setting: "deny" | "allowlist" | "full",
): FallbackOutcome {
  const isObfuscated = judged.obfuscation.length > 0;
  const timeout = isObfuscated ? "approval-timeout (obfuscation-detected)" : "approval-timeout";
  const denied = (reason: string): FallbackOutcome => ({ outcome: "denied", reason });
  if (setting === "deny") return denied(timeout);
  if (setting === "allowlist" && !judged.isSatisfied) return denied("approval-timeout (allowlist-miss)");
  if (isObfuscated) return denied(timeout);
  const needsPerson =
    judged.inlineEval !== null ||
    judged.hasHeredoc ||
    judged.environment.length > 0 ||
    input.policy.alwaysAsk.length > 0 ||
    (input.hardening.has("exec.invisibleText") && textReasons(judged.warnings).length > 0);
  if (needsPerson && input.hardening.has("exec.failClosed"))
    return denied("approval-timeout (needs-a-person)");
  return { outcome: "run" };
}

const ownPatterns = new WeakMap<readonly AllowlistRule[], Map<string, ReadonlySet<string>>>();

/** The patterns in the agent's own list, kept with the list: it may be long, and is never changed in place. */
function ownPatternsOf(allowlist: readonly AllowlistRule[], agentId: string): ReadonlySet<string> {
  const byAgent = ownPatterns.get(allowlist) ?? new Map<string, ReadonlySet<string>>();
  ownPatterns.set(allowlist, byAgent);
  const known = byAgent.get(agentId);
  if (known !== undefined) return known;
  const own = new Set(
    allowlist.filter((rule) => rule.agentId === agentId).map((rule) => rule.pattern.trim()),
  );
  byAgent.set(agentId, own);
  return own;
}

function allowAlwaysFor(input: EvaluateExecInput, judged: Judged): AllowAlwaysPreview {
  const withheld = (
    withheldReason: NonNullable<AllowAlwaysPreview["withheldReason"]>,
  ): AllowAlwaysPreview => ({ persists: [], withheldReason });
  if (input.policy.security.value !== "allowlist") return withheld("notAllowlistMode");
  if (!judged.analysis.ok) return withheld("notAnalyzable");
  if (judged.inlineEval !== null) return withheld("inlineEval");
  const store: StoreInput = {
    segments: judged.segments,
    verdicts: judged.verdicts,
    isStrict: input.policy.strictInlineEval.value,
    isListed: (pattern) => ownPatternsOf(input.allowlist, input.agentId).has(pattern),
    options: input,
  };
  const toPreview = (patterns: readonly string[]): AllowAlwaysPreview => ({
    persists: patterns.map((pattern) => ({ pattern, agentId: input.agentId })),
  });
  if (!input.hardening.has("exec.storeOnlySafe")) {
    const patterns = patternsAsReference(store);
    return patterns.length === 0 ? withheld("nothing") : toPreview(patterns);
  }
  if (judged.obfuscation.length > 0) return withheld("obfuscation");
  if (judged.hasHeredoc) return withheld("heredoc");
  // An entry knows nothing of variables: with them the same command would ask again.
  if (judged.environment.length > 0) return withheld("environment");
  const stored = patternsHardened(store);
  if ("withheld" in stored) return withheld(stored.withheld);
  if (stored.patterns.length === 0) return withheld("alreadyListed");
  // What is stored must be enough for the same command to pass; else the person would be promised too much.
  const extended = [
    ...input.allowlist,
    ...stored.patterns.map((pattern) => ({ agentId: input.agentId, pattern })),
  ];
  const wouldPass = judgeAll(input, judged.analysis, extended).every(isSatisfied);
  const stillAsks = textReasons(judged.warnings).length > 0;
  return wouldPass && !stillAsks ? toPreview(stored.patterns) : withheld("nothingWouldMatch");
}

type Verdict = Pick<ExecDecision, "outcome" | "error" | "reasons" | "plan">;

/** Windows has no rebuilt text; by rule plain executables may start by argv. */
function withWindowsPlan(input: EvaluateExecInput, judged: Judged, verdict: Verdict): Verdict {
  if (input.platform !== "win32" || !judged.isSatisfied || verdict.outcome === "deny") return verdict;
  const canStart =
    input.hardening.has("exec.windowsArgv") &&
    judged.segments.every((segment) => /\.(?:exe|com)$/i.test(segment.execution.realPath ?? ""));
  if (canStart) return verdict;
  return {
    outcome: "deny",
    error: "exec denied: allowlist execution plan unavailable (unsupported platform)",
    reasons: [{ code: "planUnavailable", params: { platform: input.platform } }],
    plan: verdict.plan,
  };
}

/** The sandbox's own default is deny and never enforced; a deny of a person is. */
function isWrittenDeny({ policy, hardening }: EvaluateExecInput): boolean {
  const { value, source } = policy.security;
  return value === "deny" && source.kind !== "builtin" && hardening.has("exec.sandboxKeepsDeny");
}

function decide(input: EvaluateExecInput, judged: Judged): Verdict {
  const { policy } = input;
  const verbatim = (): ExecutionPlan => planVerbatim(input.command, judged.analysis, input);
  const self = findSelfApproval(input.command, input.hardening);
  if (self !== null)
    return {
      outcome: "deny",
      error:
        "exec denied: a command may not answer approvals. A person decides in the panel or the terminal.",
      reasons: [{ code: "selfApproval", params: { text: self.text } }],
      plan: verbatim(),
    };
  if (policy.alwaysAsk.includes("brokenConfig") && policy.security.value !== "deny")
    return { outcome: "ask", reasons: collectAskReasons(input, judged), plan: planFor(input, judged) };
  if (policy.host.value === "sandbox" && !isWrittenDeny(input)) {
    const asks = collectAskReasons(input, judged).slice(0, policy.alwaysAsk.length);
    if (asks.length > 0) return { outcome: "ask", reasons: asks, plan: verbatim() };
    return { outcome: "allow", reasons: [{ code: "sandboxHost", params: {} }], plan: verbatim() };
  }
  if (policy.skipApprovals)
    return { outcome: "allow", reasons: [{ code: "elevatedFull", params: {} }], plan: verbatim() };
  if (policy.security.value === "deny") {
    const isUnreadable = policy.security.source.kind === "approvalsUnreadable";
    return {
      outcome: "deny",
      error: `exec denied: host=${policy.host.value} security=deny`,
      reasons: [
        {
          code: isUnreadable ? "approvalsUnreadable" : "securityDeny",
          params: { source: policy.security.source.kind },
          rule: { kind: "config", path: policy.security.source.path },
        },
      ],
      plan: verbatim(),
    };
  }
  const plan = planFor(input, judged);
  const asks = collectAskReasons(input, judged);
  if (asks.length > 0) return { outcome: "ask", reasons: asks, plan };
  if (policy.security.value === "allowlist" && !judged.isSatisfied)
    return { outcome: "deny", error: "exec denied: allowlist miss", reasons: missReasons(judged), plan };
  const code = judged.isSatisfied ? "satisfied" : "securityFull";
  return {
    outcome: "allow",
    reasons: [{ code, params: {}, rule: { kind: "config", path: policy.security.source.path } }],
    plan,
  };
}

/**
 * Decides one exec call. Pure but for the lookup; no clock of its own.
 * The caller binds the decision to what it saw (plan, cwd, env, files) and checks again before it spawns.
 */
export function evaluateExec(call: EvaluateExecInput): ExecDecision {
  const input = withRememberedLookups(call);
  const judged = judge(input);
  const { outcome, error, reasons, plan } = withWindowsPlan(input, judged, decide(input, judged));
  return {
    outcome,
    ...(error === undefined ? {} : { error }),
    reasons,
    plan,
    analysis: judged.analysis,
    segments: judged.verdicts,
    allowlistSatisfied: judged.allSatisfied,
    requiresApproval: outcome === "ask",
    obfuscation: judged.obfuscation,
    inlineEval: judged.inlineEval,
    warnings: judged.warnings,
    effective: input.policy,
    allowAlways: allowAlwaysFor(input, judged),
    fallback: {
      deny: fallbackFor(input, judged, "deny"),
      allowlist: fallbackFor(input, judged, "allowlist"),
      full: fallbackFor(input, judged, "full"),
    },
  };
}
