/** What a prompt shows for an exec request (A1): facts from the decision, hashes, masked environment, rule with its line. */

import type { ApprovalRequest, ApprovalSegment, Reason, RuleSource } from "../../../shared/contract/index.ts";
import { classifyProgram, type ExecDecision, type ValueSource } from "../../../shared/exec/index.ts";
import type { Hardening } from "../../../shared/hardening/rules.ts";
import type { Binding } from "../approvals/binding.ts";
import type { ApprovalDraft } from "../approvals/createApprovals.ts";
import { showEnvValue } from "../calls/shownArgs.ts";
import type { GrantOffers } from "./grantOffers.ts";
import { segmentVerdict, toReason } from "./segmentReasons.ts";

export interface DraftInput {
  decision: ExecDecision;
  /** Rules under which the decision was made. */
  hardening: Hardening;
  binding: Binding;
  command: string;
  cwd: string;
  envOverrides: Record<string, string>;
  shell: string;
  agentId: string;
  sessionKey: string;
  callerId: string;
  callerLabel: string;
  toolCallId: string;
  pty: boolean;
  background: boolean;
  timeoutMs: number | null;
  lifetimeMs: number;
  /** "Try it" leaves no rule behind. */
  withholdAlways: Reason | null;
  /** Line of a config path in openclaw.json, or null. */
  lineOf(file: "openclaw.json" | "exec-approvals.json", configPath: string): number | null;
  extraWarnings: ApprovalRequest["warnings"];
  offers: GrantOffers;
  storeAlways: ApprovalDraft["storeAlways"];
  desk: NonNullable<ApprovalDraft["desk"]>;
}

export function buildApprovalDraft(input: DraftInput): ApprovalDraft {
  const { decision, binding } = input;
  return {
    kind: "exec",
    agentId: input.agentId,
    sessionKey: input.sessionKey,
    callerId: input.callerId,
    callerLabel: input.callerLabel,
    toolCallId: input.toolCallId,
    command: input.command,
    segments: decision.analysis.ok ? segmentsOf(input) : null,
    analysisProblem: decision.analysis.ok
      ? null
      : {
          reason: { code: `analysis.${decision.analysis.code}`, params: { token: decision.analysis.token } },
          start: decision.analysis.span.start,
          end: decision.analysis.span.end,
        },
    runsAs:
      decision.plan.kind === "shell"
        ? { kind: "typed", shell: `${input.shell} -c` }
        : { kind: "rebuilt", text: decision.plan.displayText },
    host: decision.effective.host.value,
    cwd: binding.cwd.realPath,
    hiddenValues: input.envOverrides,
    env: Object.entries(input.envOverrides)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => ({ name, ...showEnvValue(name, value) })),
    pty: input.pty,
    background: input.background,
    timeoutMs: input.timeoutMs,
    askedBecause: decision.reasons.filter((reason) => reason.code !== "satisfied").map(toReason),
    warnings: [...warningsOf(decision), ...input.extraWarnings],
    rule: {
      security: decision.effective.security.value,
      ask: decision.effective.ask.value,
      sources: [decision.effective.security.source, decision.effective.ask.source].map((source) =>
        toRuleSource(source, input.lineOf),
      ),
    },
    always: alwaysOf(input),
    canEdit: true,
    onExpiry: expiryOf(decision),
    lifetimeMs: input.lifetimeMs,
    storeAlways: input.storeAlways,
    desk: input.desk,
  };
}

function segmentsOf({ decision, binding, hardening }: DraftInput): ApprovalSegment[] {
  if (!decision.analysis.ok) return [];
  const hashes = new Map(binding.files.map((file) => [file.realPath, file.sha256]));
  const segments = decision.analysis.pipelines.flatMap((pipeline) => pipeline.segments);
  return segments.map((segment): ApprovalSegment => {
    const { resolvedPath, realPath } = segment.execution;
    return {
      start: segment.span.start,
      end: segment.span.end,
      operator: segment.operatorAfter,
      argv: segment.argv,
      resolvedPath,
      realPath,
      sha256: hashes.get(realPath ?? resolvedPath ?? "") ?? null,
      ...segmentVerdict(decision, segments, segment, hardening),
    };
  });
}

function warningsOf(decision: ExecDecision): ApprovalRequest["warnings"] {
  const { warnings } = decision;
  const danger = (code: string, params: Reason["params"] = {}) => ({
    level: "danger" as const,
    reason: { code, params },
  });
  const warn = (code: string, params: Reason["params"] = {}) => ({
    level: "warn" as const,
    reason: { code, params },
  });
  return [
    ...warnings.hostileSigns.map((sign) => danger(`hostile.${sign}`)),
    ...(decision.obfuscation.length === 0
      ? []
      : [danger("obfuscation", { ids: decision.obfuscation.join(" ") })]),
    ...warnings.mixedScript.map((word) =>
      warn("mixedScript", {
        word: word.word,
        letters: word.letters.map((letter) => `${letter.letter} U+${hex(letter.codePoint)} ${letter.script}`),
      }),
    ),
    ...warnings.invisible
      .filter((oddity) => oddity.kind !== "lineBreak")
      .map((oddity) => warn("invisibleCharacters", { name: oddity.name, offset: oddity.span.start })),
  ];
}

function hex(codePoint: number): string {
  return codePoint.toString(16).toUpperCase().padStart(4, "0");
}

function alwaysOf({ decision, withholdAlways, offers }: DraftInput): ApprovalRequest["always"] {
  if (withholdAlways !== null) return { kind: "withheld", reason: withholdAlways };
  const { persists, withheldReason } = decision.allowAlways;
  const stores = withheldReason === undefined ? persists : [];
  const storesWithheld: Reason = { code: `always.${withheldCode(decision)}`, params: {} };
  if (stores.length === 0 && offers.offers.length === 0) return { kind: "withheld", reason: storesWithheld };
  return {
    kind: "offered",
    stores,
    ...(stores.length === 0 ? { storesWithheld } : {}),
    scopes: offers.offers,
    ...(offers.withheld === null ? {} : { scopesWithheld: offers.withheld }),
  };
}

/** A shell that reads its commands, or a program that starts others, holds no code in the command itself. */
function withheldCode({ allowAlways, inlineEval }: ExecDecision): string {
  const { withheldReason } = allowAlways;
  if (withheldReason !== "inlineEval" || inlineEval === null) return withheldReason ?? "nothing";
  const kind = classifyProgram(inlineEval.program);
  if (kind === "shell") return inlineEval.flag === "<stdin>" ? kind : withheldReason;
  if (kind === "dispatcher" || kind === "multiplexer") return kind;
  return withheldReason;
}

/** What the configured fallback does with exactly this request (exec.md §7). */
function expiryOf(decision: ExecDecision): "deny" | "run" {
  const { askFallback } = decision.effective;
  return decision.fallback[askFallback.value].outcome === "run" ? "run" : "deny";
}

function toRuleSource(source: ValueSource, lineOf: DraftInput["lineOf"]): RuleSource {
  const file = fileOf(source);
  return {
    file,
    configPath: source.path,
    line: file === "openclaw.json" || file === "exec-approvals.json" ? lineOf(file, source.path) : null,
  };
}

function fileOf(source: ValueSource): RuleSource["file"] {
  switch (source.kind) {
    case "agentConfig":
    case "globalConfig":
    case "brokenConfig":
      return "openclaw.json";
    case "approvalsAgent":
    case "approvalsWildcard":
    case "approvalsDefaults":
    case "approvalsUnreadable":
    case "otherApprovals":
      return "exec-approvals.json";
    case "unconfirmed":
      return source.path.startsWith("agents.list") || source.path.startsWith("tools.")
        ? "openclaw.json"
        : "exec-approvals.json";
    default:
      return "built-in";
  }
}
