/** Whether an agent may type into a command that ran without a person's word (rule `exec.inputToShells`). */

import {
  argvSpellings,
  type CommandSegment,
  classifyProgram,
  type ExecDecision,
} from "../../../shared/exec/index.ts";
import type { Hardening } from "../../../shared/hardening/rules.ts";

/** Options that open a prompt behind a script. */
const interactiveFlag = /^(?:-[a-zA-Z]*i[a-zA-Z]*|--interactive|--inspect(?:-brk)?(?:=.*)?)$/;

/**
 * Finds a program of the command that takes commands from its input: a shell, an interpreter or a program of many
 * programs, unless it was given a script and no option that asks for more.
 * @returns its name, or null
 */
export function shellAtInput(decision: ExecDecision, hardening: Hardening): string | null {
  if (!decision.analysis.ok) return null;
  const scripts = scriptPositions(decision);
  for (const segment of decision.analysis.pipelines.flatMap((pipeline) => pipeline.segments)) {
    if (!startsShell(segment, hardening)) continue;
    const isInteractive = segment.effectiveArgv.slice(1).some((word) => interactiveFlag.test(word));
    if (isInteractive || !scripts.has(segment.index)) return segment.effectiveArgv[0] ?? "";
  }
  return null;
}

function startsShell(segment: CommandSegment, hardening: Hardening): boolean {
  return argvSpellings(segment, hardening).some(([word]) =>
    ["shell", "interpreter", "multiplexer"].includes(classifyProgram(word ?? "")),
  );
}

/** Indexes of the segments that run a script which is bound to the decision. */
function scriptPositions({ plan }: ExecDecision): ReadonlySet<number> {
  if (plan.kind !== "argv") return new Set();
  const commands = plan.pipelines.flatMap((pipeline) => pipeline.commands);
  return new Set(
    commands.flatMap(({ pinned }, index) => (pinned.some(({ role }) => role === "script") ? [index] : [])),
  );
}

/**
 * @param wasAsked a person allowed this run: then what is typed into it is what was allowed, and the prompt said so
 * @returns why an agent's input is refused, for the agent; null when it may type
 */
export function whyNoInput(decision: ExecDecision, wasAsked: boolean, hardening: Hardening): string | null {
  if (wasAsked || !hardening.has("exec.inputToShells")) return null;
  // Where everything runs anyway, or in a sandbox, input adds nothing.
  if (decision.effective.security.value !== "allowlist" || decision.effective.host.value === "sandbox")
    return null;
  const program = shellAtInput(decision, hardening);
  if (program === null) return null;
  return `${program} takes commands from its input, and it was started without a person's word. Run each command with exec, or ask the person to type`;
}
