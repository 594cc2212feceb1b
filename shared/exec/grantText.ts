/** Grants as a person reads them: what is stored, word by word, and why a similar command is not covered. */

import { segmentsOf } from "./analyze.ts";
import { isFreeWord } from "./grants.ts";
import { findSegmentInlineEval } from "./inlineEval.ts";
import { findProgramEscape } from "./programEscapes.ts";
import type { AnalyzeOptions, CommandAnalysis, CommandSegment, GrantScope } from "./types.ts";

/** `hole` stands for one plain word, `any` for whatever arguments. */
export interface GrantPart {
  kind: "program" | "word" | "hole" | "any" | "operator";
  text: string;
}

/** @returns exactly what a scope holds, in the order in which it is compared */
export function describeGrantScope(scope: GrantScope): GrantPart[] {
  switch (scope.kind) {
    case "exactCommand":
      return scope.programs.flatMap((program, index): GrantPart[] => {
        const operator = scope.operators[index];
        const words = program.argv.map((text): GrantPart => ({ kind: "word", text }));
        return [
          { kind: "program", text: program.realPath },
          ...words,
          ...(operator === undefined ? [] : [{ kind: "operator" as const, text: operator }]),
        ];
      });
    case "argumentShape":
      return [
        { kind: "program", text: scope.realPath },
        ...scope.shape.map(
          (text): GrantPart => (text === null ? { kind: "hole", text: "" } : { kind: "word", text }),
        ),
      ];
    case "program":
      return [
        { kind: "program", text: scope.realPath },
        { kind: "any", text: "" },
      ];
  }
}

export type DifferenceCode =
  | "flag"
  | "word"
  | "extraWord"
  | "missingWord"
  | "notPlain"
  | "parts"
  | "wrapper"
  | "code"
  | "escape"
  | "notAnalyzable"
  | "other";

export interface GrantDifference {
  code: DifferenceCode;
  /** The word that differs; empty when none can be named. */
  word: string;
  /** How many words differ: small is near. */
  distance: number;
}

function positionDifference(
  expected: readonly (string | null)[],
  actual: readonly string[],
): GrantDifference | null {
  const different = actual.flatMap((word, index) => {
    const fixed = expected[index];
    const fits = fixed === null ? isFreeWord(word) : fixed === word;
    return fits ? [] : [{ word, isHole: fixed === null }];
  });
  const [first] = different;
  if (first === undefined) return null;
  const code = isOption(first.word) ? "flag" : first.isHole ? "notPlain" : "word";
  return { code, word: first.word, distance: different.length };
}

function isOption(word: string): boolean {
  return word.startsWith("-") && word !== "-";
}

function wordDifference(
  expected: readonly (string | null)[],
  actual: readonly string[],
): GrantDifference | null {
  if (expected.length === actual.length) return positionDifference(expected, actual);
  // Words that are only here or only there say more than a shift of everything behind them.
  const remaining = new Map<string, number>();
  for (const word of expected) if (word !== null) remaining.set(word, (remaining.get(word) ?? 0) + 1);
  const extra: string[] = [];
  for (const word of actual) {
    const left = remaining.get(word) ?? 0;
    if (left > 0) remaining.set(word, left - 1);
    else extra.push(word);
  }
  const holes = expected.filter((word) => word === null).length;
  const missing = [...remaining].flatMap(([word, left]) => Array<string>(left).fill(word));
  const plain = extra.filter(isFreeWord);
  const odd = extra.filter((word) => !isFreeWord(word));
  const distance = Math.max(0, odd.length + Math.max(0, plain.length - holes)) + missing.length;
  const flag = odd.find(isOption);
  if (flag !== undefined) return { code: "flag", word: flag, distance: Math.max(1, distance) };
  const [firstOdd] = odd;
  if (firstOdd !== undefined) {
    const code = holes > 0 && missing.length === 0 ? "notPlain" : "word";
    return { code, word: firstOdd, distance: Math.max(1, distance) };
  }
  const [firstMissing] = missing;
  const surplus = plain[holes];
  if (surplus !== undefined)
    return { code: firstMissing === undefined ? "extraWord" : "word", word: surplus, distance };
  if (firstMissing !== undefined) {
    const code = actual.length < expected.length ? "missingWord" : "word";
    const word = code === "missingWord" ? firstMissing : (plain[0] ?? firstMissing);
    return { code, word, distance };
  }
  return { code: "missingWord", word: "", distance: 1 };
}

function scopeRealPaths(scopes: readonly GrantScope[]): Set<string> {
  return new Set(
    scopes.flatMap((scope) =>
      scope.kind === "exactCommand" ? scope.programs.map((program) => program.realPath) : [scope.realPath],
    ),
  );
}

function segmentDifference(
  scope: GrantScope,
  segment: CommandSegment,
  index: number,
  options: AnalyzeOptions,
): GrantDifference | null {
  if (segment.blockedWrapper !== null) return { code: "wrapper", word: segment.blockedWrapper, distance: 1 };
  const inline = findSegmentInlineEval(segment, options.hardening);
  if (inline !== null) return { code: "code", word: inline, distance: 1 };
  if (scope.kind === "exactCommand") {
    return wordDifference(scope.programs[index]?.argv ?? [], segment.argv);
  }
  const [wrapper] = segment.wrappers;
  if (wrapper !== undefined) return { code: "wrapper", word: wrapper.name, distance: 1 };
  const handedOn = findProgramEscape(segment.effectiveArgv);
  if (handedOn !== null) return { code: "escape", word: handedOn, distance: 1 };
  return scope.kind === "program" ? null : wordDifference(scope.shape, segment.argv.slice(1));
}

/**
 * Why a command is not covered by scopes that were stored together, said by the word that differs.
 * @returns null when the two have no program in common: then they are not near at all
 */
export function grantDifference(
  scopes: readonly GrantScope[],
  analysis: CommandAnalysis,
  options: AnalyzeOptions,
): GrantDifference | null {
  const segments = segmentsOf(analysis);
  const programs = scopeRealPaths(scopes);
  const related = segments.filter(({ execution }) => programs.has(execution.realPath ?? ""));
  if (related.length === 0) return null;
  const [first] = scopes;
  if (first?.kind === "exactCommand") {
    const extra = segments.length - first.programs.length;
    if (extra !== 0) {
      const other = segments.find(({ execution }) => !programs.has(execution.realPath ?? ""));
      return { code: "parts", word: other?.text ?? segments.at(-1)?.text ?? "", distance: 3 };
    }
  }
  const differences: GrantDifference[] = [];
  for (const segment of related) {
    const candidates = scopes
      .filter((scope) => scopeRealPaths([scope]).has(segment.execution.realPath ?? ""))
      .map((scope) => segmentDifference(scope, segment, segment.index, options));
    if (candidates.some((one) => one === null)) continue;
    const nearest = candidates.filter((one) => one !== null).sort((a, b) => a.distance - b.distance)[0];
    if (nearest !== undefined) differences.push(nearest);
  }
  const [difference] = differences;
  if (difference !== undefined)
    return { ...difference, distance: differences.reduce((sum, one) => sum + one.distance, 0) };
  const stranger = segments.find(({ execution }) => !programs.has(execution.realPath ?? ""));
  if (stranger !== undefined) return { code: "parts", word: stranger.text, distance: 2 };
  return { code: "other", word: "", distance: 1 };
}
