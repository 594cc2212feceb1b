/** Wire schemas of exec: analysis, decision, plan, grants. Types are inferred from them in `types.ts`. */
import { z } from "zod";

export const execSecurity = z.enum(["deny", "allowlist", "full"]);
export const execAsk = z.enum(["off", "on-miss", "always"]);
export const execHost = z.enum(["sandbox", "gateway", "node"]);
export const execHostSetting = z.enum(["auto", "sandbox", "gateway", "node"]);
export const elevatedLevel = z.enum(["off", "on", "ask", "full"]);

/** UTF-16 offsets into the command text as received: `command.slice(start, end)`. */
export const sourceSpan = z.object({ start: z.number().int(), end: z.number().int() });

export const expansionKind = z.enum(["variable", "glob", "brace", "tilde", "ansiC"]);

export const commandWord = z.object({
  text: z.string().describe("After quote removal"),
  raw: z.string().describe("As written, quotes included"),
  span: sourceSpan,
  parts: z.array(
    z.object({ quote: z.enum(["none", "single", "double", "escape"]), text: z.string(), span: sourceSpan }),
  ),
  expansions: z
    .array(z.object({ kind: expansionKind, span: sourceSpan }))
    .describe("What a shell would expand here; a satisfied command passes it literally"),
  isHeredoc: z.boolean(),
});

export const executableResolution = z.object({
  word: z.string().describe("The command word looked up"),
  candidatePath: z
    .string()
    .nullable()
    .describe("Absolute path that patterns are matched against; null for a bare name not on PATH"),
  resolvedPath: z.string().nullable().describe("candidatePath when it is an executable regular file"),
  realPath: z.string().nullable().describe("resolvedPath with links followed"),
});

export const wrapperUse = z.object({
  name: z.string(),
  argv: z.array(z.string()).describe("The wrapper with its own options, without the command it starts"),
  path: z.string().nullable(),
  realPath: z.string().nullable(),
});

export const chainOperator = z.enum(["&&", "||", ";"]);
export const segmentOperator = z.enum(["|", "&&", "||", ";"]);

export const commandSegment = z.object({
  index: z.number().int(),
  text: z.string(),
  span: sourceSpan,
  operatorAfter: segmentOperator.nullable(),
  words: z.array(commandWord).describe("Every word as written, empty ones included"),
  argv: z.array(z.string()),
  effectiveArgv: z.array(z.string()).describe("argv without transparent wrappers"),
  effectiveOffset: z.number().int().describe("Index in argv where effectiveArgv starts"),
  wrappers: z.array(wrapperUse).describe("Removed wrappers, outermost first"),
  blockedWrapper: z.string().nullable(),
  execution: executableResolution.describe("What runs"),
  policy: executableResolution.describe(
    "What patterns are matched against; differs behind busybox and toybox",
  ),
  hasHeredoc: z.boolean(),
});

export const commandPipeline = z.object({
  segments: z.array(commandSegment),
  operatorAfter: chainOperator.nullable(),
  span: sourceSpan,
});

export const analysisFailureCode = z.enum([
  "emptyCommand",
  "lineContinuation",
  "lineBreak",
  "lineBreakInDoubleQuotes",
  "redirection",
  "subshell",
  "commandSubstitution",
  "backtick",
  "background",
  "pipeBoth",
  "malformedChain",
  "emptyPipelineSegment",
  "unterminatedQuote",
  "danglingBackslash",
  "unterminatedHeredoc",
  "malformedHeredoc",
  "substitutionInHeredoc",
  "hereString",
  "windowsToken",
  "nullCharacter",
  "controlCharacter",
  "oddSpace",
  "shellKeyword",
  "ansiCQuote",
  "localeQuote",
  "commentHidesText",
  "tooLarge",
]);

export const analysisFailure = z.object({
  ok: z.literal(false),
  code: analysisFailureCode,
  /** The offending text: a token or a character. */
  token: z.string(),
  span: sourceSpan,
});

export const commandAnalysis = z.discriminatedUnion("ok", [
  z.object({ ok: z.literal(true), pipelines: z.array(commandPipeline), hasComment: z.boolean() }),
  analysisFailure,
]);

export const scriptOperand = z.object({
  argvIndex: z.number().int().describe("Index in the planned argv"),
  path: z.string().describe("Absolute path of the script"),
  realPath: z.string().nullable(),
});

export const plannedCommand = z.object({
  file: z.string().describe("What is executed: the real path when known"),
  argv: z.array(z.string()).describe("argv[0] is the path before links were followed"),
  realPath: z.string().nullable(),
  pinned: z
    .array(
      z.object({
        path: z.string(),
        realPath: z.string(),
        role: z.enum(["program", "wrapper", "script"]),
        name: z.string().optional().describe("Bare name that led to path on PATH; must still do so"),
      }),
    )
    .describe("Files to be hashed when the decision is bound and compared just before spawning"),
});

export const literalWord = z.object({
  segmentIndex: z.number().int(),
  text: z.string(),
  kinds: z.array(expansionKind),
});

export const executionPlan = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("argv").describe("Run without a shell, pipes made by the runtime"),
    pipelines: z.array(
      z.object({ commands: z.array(plannedCommand), operatorAfter: chainOperator.nullable() }),
    ),
    displayText: z.string(),
    literalWords: z.array(literalWord),
  }),
  z.object({
    kind: z.literal("shell").describe("The text as given, handed to the shell"),
    text: z.string(),
    displayText: z.string(),
    pinned: plannedCommand.shape.pinned,
  }),
  z.object({
    kind: z.literal("rebuilt").describe("Single-quoted words, handed to the shell"),
    text: z.string(),
    displayText: z.string(),
    literalWords: z.array(literalWord),
  }),
]);

export const ruleSource = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("allowlist"),
    agentId: z.string(),
    pattern: z.string(),
    entryId: z.string().optional(),
  }),
  z.object({ kind: z.literal("safeBin"), bin: z.string(), profile: z.enum(["builtin", "custom"]) }),
  z.object({ kind: z.literal("grant"), grantId: z.string() }),
  z.object({ kind: z.literal("config"), path: z.string() }),
  z.object({ kind: z.literal("approvalsFile"), path: z.string() }),
  z.object({ kind: z.literal("hardening"), ruleId: z.string() }),
  z.object({ kind: z.literal("builtin"), id: z.string() }),
]);

export const execReasonCode = z.enum([
  "securityDeny",
  "approvalsUnreadable",
  "elevatedFull",
  "securityFull",
  "sandboxHost",
  "askAlways",
  "notAnalyzable",
  "allowlistMiss",
  "planUnavailable",
  "heredoc",
  "inlineEval",
  "programEscape",
  "obfuscation",
  "blockedWrapper",
  "wrapperNotTrusted",
  "wrapperWritesFile",
  "shellNotTrusted",
  "programMissing",
  "realPathMiss",
  "wildcardEntry",
  "safeBinArgument",
  "safeBinInterpreter",
  "scriptMissing",
  "invisibleCharacters",
  "mixedScript",
  "elevatedRequested",
  "leavesSandbox",
  "sandboxNetwork",
  "assignmentPrefix",
  "dangerousEnvironment",
  "satisfied",
  "selfApproval",
]);

export const execReason = z.object({
  code: execReasonCode,
  params: z.record(z.string(), z.union([z.string(), z.number()])),
  segmentIndex: z.number().int().optional(),
  rule: ruleSource.optional(),
  span: sourceSpan.optional(),
});

export const segmentVerdict = z.object({
  segmentIndex: z.number().int(),
  satisfiedBy: z.enum(["allowlist", "safeBins", "skills", "grant", "none", "unevaluated"]),
  rule: ruleSource.optional(),
  reason: execReason.optional().describe("Why this segment is not satisfied, or asks although it is"),
});

export const inlineEvalHit = z.object({
  segmentIndex: z.number().int(),
  program: z.string(),
  flag: z.string().describe("The flag, or <program>, <command>, <stdin>, <module>, <remote>"),
  kind: z.enum(["inlineEval", "programEscape"]),
});

export const odditySpan = z.object({
  kind: z.enum(["control", "zeroWidth", "bidi", "space", "format", "lineBreak", "surrogate"]),
  span: sourceSpan,
  codePoint: z.number().int(),
  name: z.string().describe("For example U+200B ZERO WIDTH SPACE"),
});

export const mixedScriptWord = z.object({
  word: z.string(),
  span: sourceSpan,
  letters: z.array(
    z.object({ letter: z.string(), span: sourceSpan, codePoint: z.number().int(), script: z.string() }),
  ),
  mainScript: z.string(),
  wholeWord: z.boolean().describe("Every letter is a look-alike of a Latin one"),
});

export const execWarnings = z.object({
  invisible: z.array(odditySpan),
  mixedScript: z.array(mixedScriptWord),
  /** At least one sign that the text was made to deceive: bidi control, look-alike program name, hidden tail. */
  hostileSigns: z.array(z.enum(["bidiControl", "lookAlikeProgram", "hiddenTail", "invisibleInProgram"])),
});

export const valueSource = z.object({
  kind: z.enum([
    "call",
    "session",
    "agentConfig",
    "globalConfig",
    "approvalsAgent",
    "approvalsWildcard",
    "approvalsDefaults",
    "approvalsUnreadable",
    "otherApprovals",
    "elevated",
    "unconfirmed",
    "brokenConfig",
    "builtin",
  ]),
  path: z.string().describe("Config path or place in the approvals file; empty for built-in"),
});

export const effectiveExecPolicy = z.object({
  host: z.object({ value: execHost, source: valueSource }),
  node: z.string().optional(),
  security: z.object({ value: execSecurity, source: valueSource }),
  ask: z.object({ value: execAsk, source: valueSource }),
  askFallback: z.object({ value: execSecurity, source: valueSource }),
  autoAllowSkills: z.boolean(),
  strictInlineEval: z.object({ value: z.boolean(), source: valueSource }),
  elevated: z.enum(["off", "on", "ask", "full"]),
  skipApprovals: z.boolean().describe("True only for elevated full"),
  alwaysAsk: z.array(z.enum(["elevatedRequested", "leavesSandbox", "sandboxNetwork", "brokenConfig"])),
  notes: z.array(z.string()),
});

export const fallbackOutcome = z.discriminatedUnion("outcome", [
  z.object({ outcome: z.literal("run") }),
  z.object({ outcome: z.literal("denied"), reason: z.string() }),
]);

export const allowAlwaysPreview = z.object({
  persists: z.array(z.object({ pattern: z.string(), agentId: z.string() })),
  withheldReason: z
    .enum([
      "notAllowlistMode",
      "notAnalyzable",
      "inlineEval",
      "obfuscation",
      "heredoc",
      "shell",
      "interpreter",
      "dispatcher",
      "multiplexer",
      "blockedWrapper",
      "programMissing",
      "assignment",
      "safeBin",
      "unresolved",
      "alreadyListed",
      "expands",
      "environment",
      "nothingWouldMatch",
      "nothing",
    ])
    .optional(),
});

export const execDecision = z.object({
  outcome: z.enum(["allow", "ask", "deny"]),
  /** Error text of a refusal, as the agent sees it; absent unless outcome is deny. */
  error: z.string().optional(),
  reasons: z.array(execReason),
  analysis: commandAnalysis,
  segments: z.array(segmentVerdict),
  allowlistSatisfied: z.boolean(),
  requiresApproval: z.boolean(),
  obfuscation: z.array(z.string()),
  inlineEval: inlineEvalHit.nullable(),
  warnings: execWarnings,
  effective: effectiveExecPolicy,
  plan: executionPlan.describe("What runs at once for allow, after a person's approval for ask"),
  allowAlways: allowAlwaysPreview,
  fallback: z.object({ deny: fallbackOutcome, allowlist: fallbackOutcome, full: fallbackOutcome }),
});

export const grantScope = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("exactCommand"),
    programs: z
      .array(z.object({ realPath: z.string(), argv: z.array(z.string()) }))
      .describe("One per segment, wrappers included; argv after quote removal"),
    operators: z.array(segmentOperator),
  }),
  z.object({
    kind: z.literal("argumentShape"),
    realPath: z.string(),
    name: z
      .string()
      .optional()
      .describe("Name it is called by: one file may be many programs; absent = the file's own name"),
    /** Fixed words of argv[1..]; null stands for one free plain word (no dash, no path upwards). */
    shape: z.array(z.string().nullable()),
  }),
  z.object({ kind: z.literal("program"), realPath: z.string(), name: z.string().optional() }),
]);

export const grant = z.object({
  id: z.string(),
  groupId: z
    .string()
    .optional()
    .describe("Grants of one answer share it: they are listed and revoked together"),
  madeFor: z.string().optional().describe("The command whose prompt was answered; for readers only"),
  scope: grantScope,
  agentId: z.string().describe("* = every agent"),
  sessionKey: z.string().optional(),
  cwd: z.string().optional().describe("Canonical working directory; absent = any"),
  pinned: z
    .array(z.object({ realPath: z.string(), sha256: z.string() }))
    .optional()
    .describe("Files that must still be the same: programs and scripts outside the system's own folders"),
  createdAtMs: z.number(),
  expiresAtMs: z.number().optional(),
  createdBy: z.string(),
});

export const grantProposal = z.object({
  label: z.enum(["exactCommand", "argumentShape", "program"]),
  scopes: z.array(grantScope).describe("All of them are stored together"),
  isDefault: z.boolean(),
  bindsCwd: z.boolean().describe("Meaning depends on the working directory: store it in the grant"),
});

/** Output of `exec.explain`: the whole decision, analysis included. */
export const execExplanationSchema = execDecision;
