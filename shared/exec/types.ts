/** Types of exec analysis and decision: inferred from the wire schemas, plus the interfaces that the runtime implements. */
import type { z } from "zod";
import type { Hardening } from "../hardening/rules.ts";
import type * as s from "./schema.ts";

export type ExecSecurity = z.infer<typeof s.execSecurity>;
export type ExecAsk = z.infer<typeof s.execAsk>;
export type ExecHost = z.infer<typeof s.execHost>;
export type ExecHostSetting = z.infer<typeof s.execHostSetting>;
export type ElevatedLevel = z.infer<typeof s.elevatedLevel>;
export type SourceSpan = z.infer<typeof s.sourceSpan>;
export type ExpansionKind = z.infer<typeof s.expansionKind>;
export type CommandWord = z.infer<typeof s.commandWord>;
export type ExecutableResolution = z.infer<typeof s.executableResolution>;
export type WrapperUse = z.infer<typeof s.wrapperUse>;
export type ChainOperator = z.infer<typeof s.chainOperator>;
export type SegmentOperator = z.infer<typeof s.segmentOperator>;
export type CommandSegment = z.infer<typeof s.commandSegment>;
export type CommandPipeline = z.infer<typeof s.commandPipeline>;
export type AnalysisFailureCode = z.infer<typeof s.analysisFailureCode>;
export type AnalysisFailure = z.infer<typeof s.analysisFailure>;
export type CommandAnalysis = z.infer<typeof s.commandAnalysis>;
export type PlannedCommand = z.infer<typeof s.plannedCommand>;
export type LiteralWord = z.infer<typeof s.literalWord>;
export type ExecutionPlan = z.infer<typeof s.executionPlan>;
export type RuleSource = z.infer<typeof s.ruleSource>;
export type ExecReasonCode = z.infer<typeof s.execReasonCode>;
export type ExecReason = z.infer<typeof s.execReason>;
export type SegmentVerdict = z.infer<typeof s.segmentVerdict>;
export type InlineEvalHit = z.infer<typeof s.inlineEvalHit>;
export type OdditySpan = z.infer<typeof s.odditySpan>;
export type MixedScriptWord = z.infer<typeof s.mixedScriptWord>;
export type ExecWarnings = z.infer<typeof s.execWarnings>;
export type ValueSource = z.infer<typeof s.valueSource>;
export type EffectiveExecPolicy = z.infer<typeof s.effectiveExecPolicy>;
export type FallbackOutcome = z.infer<typeof s.fallbackOutcome>;
export type AllowAlwaysPreview = z.infer<typeof s.allowAlwaysPreview>;
export type ExecDecision = z.infer<typeof s.execDecision>;
export type GrantScope = z.infer<typeof s.grantScope>;
export type Grant = z.infer<typeof s.grant>;
export type GrantProposal = z.infer<typeof s.grantProposal>;

/** Syntax rules are chosen by this; Node's names. */
export type ExecPlatform = "linux" | "darwin" | "freebsd" | "win32";

/** The environment used to look names up: at least PATH. */
export type ExecEnv = Readonly<Record<string, string | undefined>>;

/** What the file system says about one path. */
export interface PathFacts {
  /** Absolute, links not followed, as it was asked for. */
  lexicalPath: string;
  /** Links followed; null when nothing is there. */
  realPath: string | null;
  exists: boolean;
  /** A regular file (links followed) that this user may execute. */
  isExecutable: boolean;
}

/** The only door to the file system. Must not throw: what cannot be read does not exist. */
export interface ExecutableLookup {
  /** @param absolutePath absolute, possibly with `..` inside */
  inspect(absolutePath: string): PathFacts;
  /** Finds a bare name in the PATH of `env`, first executable regular file wins; null when none. */
  findOnPath(name: string, env: ExecEnv): PathFacts | null;
  isDirectory(absolutePath: string): boolean;
}

export interface AnalyzeOptions {
  platform: ExecPlatform;
  /** Absolute. */
  cwd: string;
  env: ExecEnv;
  /** Expands a leading `~` of command words and patterns. Command words prefer `env.HOME`. */
  home: string;
  lookup: ExecutableLookup;
  /** Empty = reference behaviour. */
  hardening: Hardening;
}

/** One entry of a list together with the agent whose list it stands in. */
export interface AllowlistRule {
  agentId: string;
  pattern: string;
  entryId?: string | undefined;
}

export interface SafeBinProfile {
  minPositional?: number | undefined;
  maxPositional?: number | undefined;
  allowedValueFlags?: readonly string[] | undefined;
  deniedFlags?: readonly string[] | undefined;
}

export interface SafeBinSettings {
  /** `tools.exec.safeBins`; undefined = the default list. */
  safeBins?: readonly string[] | undefined;
  /** Extra trusted directories, added to /bin and /usr/bin. */
  trustedDirs?: readonly string[] | undefined;
  profiles?: Readonly<Record<string, SafeBinProfile>> | undefined;
}

export interface EvaluateExecInput extends AnalyzeOptions {
  command: string;
  agentId: string;
  sessionKey?: string | undefined;
  policy: EffectiveExecPolicy;
  /** `*` entries first, then the agent's own; see `collectAllowlist`. */
  allowlist: readonly AllowlistRule[];
  grants?: readonly Grant[] | undefined;
  safeBins?: SafeBinSettings | undefined;
  /** Env overrides of the call, shown and bound. Already checked by `buildHostEnv`. */
  envOverrides?: Readonly<Record<string, string>> | undefined;
  nowMs: number;
}
