/** Turns command text into pipelines of simple commands with the programs they would start, or says why it cannot. */
import { failure, type LexedSegment, lexPosix } from "./lexer.ts";
import { lexWindows } from "./lexWindows.ts";
import { absoluteFrom, expandHome } from "./paths.ts";
import type {
  AnalysisFailure,
  AnalyzeOptions,
  CommandAnalysis,
  CommandPipeline,
  CommandSegment,
  CommandWord,
  ExecutableResolution,
  WrapperUse,
} from "./types.ts";
import { unwrapAll } from "./wrappers.ts";

/** Words that a shell reads as grammar, not as programs, when they stand unquoted in command position. */
const shellKeywords: ReadonlySet<string> = new Set(
  "if then else elif fi case esac for select while until do done in function coproc { } ! [[ ]]".split(" "),
);

/** What nobody reads to its end is not judged part by part either; each part costs looks at the disk. */
const maxCommandChars = 64 * 1024;
const maxSegments = 512;

/**
 * Looks a command word up (spec/exec.md 8.2). A path-shaped word keeps its absolute path as candidate even when
 * nothing is there; callers decide whether that may count.
 * @param isTildeLiteral a quoted tilde, which no shell expands
 */
export function resolveExecutable(
  word: string,
  options: AnalyzeOptions,
  isTildeLiteral = false,
): ExecutableResolution {
  const { cwd, env, home, lookup, platform } = options;
  const expanded = isTildeLiteral ? word : expandHome(word, env.HOME ?? home);
  const nothing = { word, candidatePath: null, resolvedPath: null, realPath: null };
  if (word === "") return nothing;
  if (!/[\\/]/.test(expanded)) {
    const found = lookup.findOnPath(expanded, env);
    if (found === null) return nothing;
    return {
      word,
      candidatePath: found.lexicalPath,
      resolvedPath: found.lexicalPath,
      realPath: found.realPath,
    };
  }
  const absolute = absoluteFrom(expanded, cwd, platform);
  const facts = lookup.inspect(absolute);
  return {
    word,
    candidatePath: absolute,
    resolvedPath: facts.isExecutable ? absolute : null,
    realPath: facts.isExecutable ? facts.realPath : null,
  };
}

function wrapperUses(
  argv: readonly string[],
  offsets: readonly { name: string; offset: number }[],
  end: number,
  options: AnalyzeOptions,
): WrapperUse[] {
  return offsets.map(({ name, offset }, index) => {
    const resolved = resolveExecutable(argv[offset] ?? "", options);
    return {
      name,
      argv: argv.slice(offset, offsets[index + 1]?.offset ?? end),
      path: resolved.resolvedPath,
      realPath: resolved.realPath,
    };
  });
}

function hasQuotedTilde(word: CommandWord | undefined): boolean {
  return word?.text.startsWith("~") === true && !word.expansions.some((one) => one.kind === "tilde");
}

function toSegment(
  command: string,
  lexed: LexedSegment,
  index: number,
  operatorAfter: CommandSegment["operatorAfter"],
  options: AnalyzeOptions,
): CommandSegment | AnalysisFailure {
  const keepsEmpty = options.hardening.has("exec.keepEmptyArguments");
  const words = lexed.words;
  const counted = keepsEmpty ? words : words.filter((word) => word.text !== "");
  const first = counted[0];
  if (first === undefined) return failure("emptyPipelineSegment", "", lexed.span.start, lexed.span.end);
  if (
    options.hardening.has("exec.strictGrammar") &&
    shellKeywords.has(first.text) &&
    first.raw === first.text
  )
    return failure("shellKeyword", first.text, first.span.start, first.span.end);
  const argv = counted.map((word) => word.text);
  const unwrapped = unwrapAll(argv, options.platform);
  const tildeIsLiteral = (offset: number): boolean =>
    options.hardening.has("exec.strictGrammar") && hasQuotedTilde(counted[offset]);
  const { executionOffset, policyOffset } = unwrapped;
  const execution = resolveExecutable(argv[executionOffset] ?? "", options, tildeIsLiteral(executionOffset));
  return {
    index,
    text: command.slice(lexed.span.start, lexed.span.end),
    span: lexed.span,
    operatorAfter,
    words,
    argv,
    effectiveArgv: argv.slice(executionOffset),
    effectiveOffset: executionOffset,
    wrappers: wrapperUses(argv, unwrapped.wrappers, executionOffset, options),
    blockedWrapper: unwrapped.blockedWrapper,
    execution,
    policy:
      policyOffset === executionOffset
        ? execution
        : resolveExecutable(argv[policyOffset] ?? "", options, tildeIsLiteral(policyOffset)),
    hasHeredoc: argv.some((word) => word.startsWith("<<")),
  };
}

/** Characters that no shell grammar of ours has a place for, wherever they stand. */
function findForbiddenCharacter(command: string): AnalysisFailure | null {
  const hit =
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.exec(
      command,
    );
  if (hit === null) return null;
  return failure(hit[0] === "\u0000" ? "nullCharacter" : "controlCharacter", hit[0], hit.index);
}

/**
 * Analyses the restricted shell subset of spec/exec.md 8. Pure but for the lookup; never throws.
 * What it refuses (`ok: false`) must never be treated as satisfied.
 */
export function analyzeCommand(command: string, options: AnalyzeOptions): CommandAnalysis {
  const strict = options.hardening.has("exec.strictGrammar");
  if (strict) {
    const forbidden = findForbiddenCharacter(command);
    if (forbidden !== null) return forbidden;
  }
  const isLimited = options.hardening.has("exec.sizeLimits");
  if (isLimited && command.length > maxCommandChars)
    return failure("tooLarge", "", maxCommandChars, command.length);
  if (command.trim() === "") return failure("emptyCommand", "", 0, command.length);
  const lexed = options.platform === "win32" ? lexWindows(command) : lexPosix(command, strict);
  if (!lexed.ok) return lexed;
  if (isLimited) {
    const overflow = lexed.pipelines.flatMap((pipeline) => pipeline.segments)[maxSegments];
    if (overflow !== undefined) return failure("tooLarge", "", overflow.span.start, command.length);
  }
  const pipelines: CommandPipeline[] = [];
  let index = 0;
  for (const pipeline of lexed.pipelines) {
    const segments: CommandSegment[] = [];
    for (const [position, member] of pipeline.segments.entries()) {
      const isLast = position === pipeline.segments.length - 1;
      const operatorAfter = isLast ? pipeline.operatorAfter : "|";
      const segment = toSegment(command, member, index, operatorAfter, options);
      if ("ok" in segment) return segment;
      segments.push(segment);
      index += 1;
    }
    pipelines.push({ segments, operatorAfter: pipeline.operatorAfter, span: pipeline.span });
  }
  return { ok: true, pipelines, hasComment: lexed.hasComment };
}

/** All simple commands in order. */
export function segmentsOf(analysis: CommandAnalysis): readonly CommandSegment[] {
  if (!analysis.ok) return [];
  const [only] = analysis.pipelines;
  return only !== undefined && analysis.pipelines.length === 1
    ? only.segments
    : analysis.pipelines.flatMap((pipeline) => pipeline.segments);
}
