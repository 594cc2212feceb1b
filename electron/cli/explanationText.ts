/** A command decision as sentences for a terminal. */

import type { z } from "zod";
import type { execExplanationSchema } from "../../shared/exec/schema.ts";
import { ruleReason, toReason } from "../runtime/exec/segmentReasons.ts";
import { reasonText, withProgram } from "./context.ts";
import { safeLine } from "./io.ts";

type Explanation = z.infer<typeof execExplanationSchema>;

const outcomes = {
  allow: "It would run without asking.",
  ask: "It would wait for a person.",
  deny: "It would be refused.",
} as const;

/** @returns what would happen, for each part why, and why for the whole */
export function explanationLines(result: Explanation): string[] {
  const lines = [
    `Gate two (command decision): ${outcomes[result.outcome]}`,
    `  mode  security ${result.effective.security.value}, ask ${result.effective.ask.value}, host ${result.effective.host.value}`,
  ];
  if (result.error !== undefined) lines.push(`  the agent would read: ${safeLine(result.error)}`);
  if (result.analysis.ok) {
    const segments = result.analysis.pipelines.flatMap((pipeline) => pipeline.segments);
    for (const verdict of result.segments) {
      const segment = segments[verdict.segmentIndex];
      lines.push(
        `  part  ${safeLine(segment?.text ?? "")}: ${verdictText(verdict, segment?.effectiveArgv[0])}`,
      );
    }
  } else {
    const { code, token } = result.analysis;
    const what = reasonText({ code: `analysis.${code}`, params: {} });
    lines.push(`  not understood: ${what}, at ${safeLine(JSON.stringify(token))}`);
  }
  for (const reason of explanationReasons(result)) lines.push(`  why   ${reason}`);
  return lines;
}

/** @returns each reason as a sentence, once; a part of the command is named by its program */
export function explanationReasons({ reasons, analysis }: Explanation): string[] {
  const segments = analysis.ok ? analysis.pipelines.flatMap((pipeline) => pipeline.segments) : [];
  const texts = reasons.map((reason) => {
    const program = segments[reason.segmentIndex ?? -1]?.effectiveArgv[0];
    return reasonText(withProgram(toReason(reason), program));
  });
  return [...new Set(texts)];
}

function verdictText(verdict: Explanation["segments"][number], program: string | undefined): string {
  const { satisfiedBy, reason } = verdict;
  if (satisfiedBy === "unevaluated") return reasonText({ code: "notEvaluated", params: {} });
  const own = reason === undefined || reason.code === "satisfied" ? undefined : toReason(reason);
  if (satisfiedBy !== "none" && own === undefined) return `passes, ${reasonText(ruleReason(verdict))}`;
  return `asks, ${reasonText(withProgram(own ?? { code: "allowlistMiss", params: {} }, program))}`;
}
