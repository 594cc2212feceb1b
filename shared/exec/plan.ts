/** What will really run: argv without a shell, rebuilt text as in the reference, or the text as given. */
import { segmentsOf } from "./analyze.ts";
import { findNamedFiles } from "./namedFiles.ts";
import { isBareName } from "./patterns.ts";
import { findScriptToPin } from "./scripts.ts";
import type {
  AnalyzeOptions,
  CommandAnalysis,
  CommandPipeline,
  CommandSegment,
  ExecutionPlan,
  LiteralWord,
  PlannedCommand,
} from "./types.ts";
import { singleQuote } from "./words.ts";

type Pinned = PlannedCommand["pinned"];

function displayWord(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : singleQuote(word);
}

function pinnedFiles(segment: CommandSegment, options: AnalyzeOptions): Pinned {
  const pinned: Pinned = [];
  for (const { path, realPath, argv } of segment.wrappers) {
    if (path !== null && realPath !== null)
      pinned.push({ path, realPath, role: "wrapper", ...lookedUp(argv[0] ?? "") });
  }
  const { resolvedPath, realPath, word } = segment.execution;
  if (resolvedPath !== null && realPath !== null)
    pinned.push({ path: resolvedPath, realPath, role: "program", ...lookedUp(word) });
  const script = findScriptToPin(segment.effectiveArgv, options);
  if (script !== null && script.realPath !== null)
    pinned.push({ path: script.path, realPath: script.realPath, role: "script" });
  return pinned;
}

/** A shell looks a bare name up again when the text runs. */
function lookedUp(word: string): { name?: string } {
  return isBareName(word) ? { name: word } : {};
}

/** The program is started by its real path; argv[0] keeps the name that multi-call programs look at. */
function plannedCommand(segment: CommandSegment, options: AnalyzeOptions): PlannedCommand {
  const argv = [...segment.argv];
  let offset = 0;
  for (const wrapper of segment.wrappers) {
    argv[offset] = wrapper.path ?? wrapper.argv[0] ?? wrapper.name;
    offset += wrapper.argv.length;
  }
  const program = segment.execution;
  argv[offset] = program.resolvedPath ?? program.candidatePath ?? program.word;
  const outer = segment.wrappers[0];
  const realPath = outer === undefined ? program.realPath : outer.realPath;
  return { file: realPath ?? argv[0] ?? "", argv, realPath, pinned: pinnedFiles(segment, options) };
}

/** Where in argv the words stand that name programs: they become paths, a leading tilde included. */
function programPositions(segment: CommandSegment): Set<number> {
  const positions = new Set<number>();
  let offset = 0;
  for (const wrapper of segment.wrappers) {
    positions.add(offset);
    offset += wrapper.argv.length;
  }
  return positions.add(offset);
}

function literalWords(segments: readonly CommandSegment[]): LiteralWord[] {
  return segments.flatMap((segment) => {
    if (segment.words.every((word) => word.expansions.length === 0)) return [];
    const programs = programPositions(segment);
    return segment.words
      .filter(
        (word, position) =>
          word.expansions.length > 0 &&
          !(programs.has(position) && word.expansions.every((one) => one.kind === "tilde")),
      )
      .map((word) => ({
        segmentIndex: segment.index,
        text: word.text,
        kinds: [...new Set(word.expansions.map((one) => one.kind))],
      }));
  });
}

function joinPipelines(
  pipelines: readonly CommandPipeline[],
  render: (segment: CommandSegment) => string,
): string {
  return pipelines
    .map((pipeline) => {
      const text = pipeline.segments.map(render).join(" | ");
      return pipeline.operatorAfter === null ? text : `${text} ${pipeline.operatorAfter}`;
    })
    .join(" ");
}

/** Words of the rebuilt text: by rule with wrappers and all arguments, else as the reference drops them. */
function rebuiltWords(segment: CommandSegment, options: AnalyzeOptions): string[] {
  const { realPath, resolvedPath } = segment.execution;
  if (options.hardening.has("exec.keepWrappers") && segment.wrappers.length > 0)
    return plannedCommand(segment, options).argv;
  const [first, ...rest] = segment.effectiveArgv;
  return [realPath ?? resolvedPath ?? first ?? "", ...rest];
}

/** Plan of a satisfied command. */
export function planSatisfied(pipelines: readonly CommandPipeline[], options: AnalyzeOptions): ExecutionPlan {
  const segments = pipelines.flatMap((pipeline) => pipeline.segments);
  if (options.hardening.has("exec.argvExecution")) {
    const planned = new Map(segments.map((segment) => [segment, plannedCommand(segment, options)]));
    const commandOf = (segment: CommandSegment): PlannedCommand =>
      planned.get(segment) ?? plannedCommand(segment, options);
    return {
      kind: "argv",
      pipelines: pipelines.map((pipeline) => ({
        commands: pipeline.segments.map(commandOf),
        operatorAfter: pipeline.operatorAfter,
      })),
      displayText: joinPipelines(pipelines, (segment) => commandOf(segment).argv.map(displayWord).join(" ")),
      literalWords: literalWords(segments),
    };
  }
  const text = joinPipelines(pipelines, (segment) =>
    rebuiltWords(segment, options).map(singleQuote).join(" "),
  );
  return { kind: "rebuilt", text, displayText: text, literalWords: literalWords(segments) };
}

/** Plan of everything else: the text as given, with the files that must not change before it runs. */
export function planVerbatim(
  command: string,
  analysis: CommandAnalysis,
  options: AnalyzeOptions,
): ExecutionPlan {
  const pinned = analysis.ok
    ? segmentsOf(analysis).flatMap((segment) => pinnedFiles(segment, options))
    : findNamedFiles(command, options);
  return { kind: "shell", text: command, displayText: command, pinned };
}
