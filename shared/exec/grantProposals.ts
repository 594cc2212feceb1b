/** What may be granted for a command, narrowest first (product A11, A12). */

import type { Hardening } from "../hardening/rules.ts";
import { type WithheldReason, whyNeverTrusted } from "./allowAlways.ts";
import { segmentsOf } from "./analyze.ts";
import { isFreeWord } from "./grants.ts";
import { findSegmentInlineEval } from "./inlineEval.ts";
import { baseName } from "./paths.ts";
import { findProgramEscape } from "./programEscapes.ts";
import { isRunner } from "./programs.ts";
import { looksLikeAssignment } from "./satisfy.ts";
import { readShellInvocation } from "./shellInvocation.ts";
import type { CommandAnalysis, CommandSegment, GrantProposal, GrantScope } from "./types.ts";

function whyNotGrantable(segment: CommandSegment, hardening: Hardening): WithheldReason | null {
  if (segment.blockedWrapper !== null) return "blockedWrapper";
  if (segment.hasHeredoc) return "heredoc";
  const argv = segment.effectiveArgv;
  if (looksLikeAssignment(argv[0] ?? "") || looksLikeAssignment(segment.argv[0] ?? "")) return "assignment";
  const { resolvedPath, realPath } = segment.execution;
  if (resolvedPath === null || realPath === null) return "programMissing";
  // A granted command runs by its words; one that needs a shell to expand them would do something else the next time.
  if (segment.words.some((word, at) => word.expansions.some((one) => at > 0 || one.kind !== "tilde")))
    return "expands";
  if (findSegmentInlineEval(segment, hardening) !== null) return "inlineEval";
  if (readShellInvocation(argv, true) !== null) return "shell";
  const never = whyNeverTrusted(resolvedPath) ?? whyNeverTrusted(realPath);
  return never === "dispatcher" && isRunner(resolvedPath) ? null : never;
}

/** Only the last plain word may vary, and never the first: `git push origin <branch>`, not `git <anything>`. */
function shapeOf(segment: CommandSegment): (string | null)[] {
  const args = segment.argv.slice(1);
  const plain = args.flatMap((word, index) => (isFreeWord(word) ? [index] : []));
  const hole = plain.length > 1 ? plain.at(-1) : undefined;
  return args.map((word, index) => (index === hole ? null : word));
}

/**
 * What could be granted for a command, narrowest first; the first is the default.
 * @param covered indexes of segments that pass already: a wider grant leaves them out, an exact one holds the whole text
 * @returns `withheld` when nothing may be offered
 */
export function proposeGrants(
  analysis: CommandAnalysis,
  hardening: Hardening,
  covered: ReadonlySet<number> = new Set(),
): { proposals: GrantProposal[] } | { withheld: WithheldReason } {
  const segments = segmentsOf(analysis);
  if (segments.length === 0) return { withheld: "notAnalyzable" };
  for (const segment of segments) {
    const reason = whyNotGrantable(segment, hardening);
    if (reason !== null) return { withheld: reason };
  }
  const exact: GrantScope = {
    kind: "exactCommand",
    programs: segments.map((segment) => ({ realPath: segment.execution.realPath ?? "", argv: segment.argv })),
    operators: segments
      .slice(0, -1)
      .flatMap((segment) => (segment.operatorAfter === null ? [] : [segment.operatorAfter])),
  };
  const proposals: GrantProposal[] = [
    { label: "exactCommand", scopes: [exact], isDefault: true, bindsCwd: true },
  ];
  const open = segments.filter((segment) => !covered.has(segment.index));
  const isWide = open.every(
    (segment) =>
      segment.wrappers.length === 0 &&
      !isRunner(segment.execution.resolvedPath ?? "") &&
      findProgramEscape(segment.effectiveArgv) === null,
  );
  if (!isWide || open.length === 0) return { proposals };
  const shapes = open.map((segment) => ({
    realPath: segment.execution.realPath ?? "",
    name: baseName(segment.execution.resolvedPath ?? ""),
    shape: shapeOf(segment),
  }));
  if (shapes.some((one) => one.shape.includes(null)))
    proposals.push({
      label: "argumentShape",
      scopes: shapes.map((one) => ({ kind: "argumentShape", ...one })),
      isDefault: false,
      bindsCwd: true,
    });
  proposals.push({
    label: "program",
    scopes: shapes.map(({ realPath, name }) => ({ kind: "program", realPath, name })),
    isDefault: false,
    bindsCwd: false,
  });
  return { proposals };
}
