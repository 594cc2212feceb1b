/** `sallyport exec`: gate two from a terminal. What would happen to commands, without running them. */

import path from "node:path";
import { Command } from "commander";
import type { z } from "zod";
import type { execExplanationSchema } from "../../../shared/exec/schema.ts";
import { openAccess } from "../access.ts";
import { type CliContext, print, reasonText } from "../context.ts";
import { safeLine } from "../io.ts";
import { execCheckCommand } from "./execCheck.ts";

type Explanation = z.infer<typeof execExplanationSchema>;

export function execCommand(context: CliContext): Command {
  return new Command("exec")
    .description("Command decisions (gate two)")
    .addCommand(explainCommand(context))
    .addCommand(execCheckCommand(context));
}

function explainCommand(context: CliContext): Command {
  return new Command("explain")
    .description("Say whether a command would run, ask or be refused, and why. Runs nothing")
    .argument("<command>", "the command as an agent would send it")
    .option("--agent <id>", "agent; absent: the default agent")
    .option("--cwd <path>", "working directory; absent: where exec would start")
    .option("--json", "print JSON")
    .action(async (command: string, options: { agent?: string; cwd?: string; json?: boolean }) => {
      const access = await openAccess(context.io, context.version);
      try {
        const result = await access.rpc.call("exec.explain", {
          command,
          ...(options.cwd === undefined ? {} : { cwd: path.resolve(context.io.cwd, options.cwd) }),
          ...(options.agent === undefined ? {} : { agentId: options.agent }),
        });
        print(context, options.json, result, explanationLines(result));
      } finally {
        await access.close();
      }
    });
}

const outcomes = {
  allow: "It would run without asking.",
  ask: "It would wait for a person.",
  deny: "It would be refused.",
} as const;

function explanationLines(result: Explanation): string[] {
  const lines = [
    `Gate two (command decision): ${outcomes[result.outcome]}`,
    `  mode  security ${result.effective.security.value}, ask ${result.effective.ask.value}, host ${result.effective.host.value}`,
  ];
  if (result.error !== undefined) lines.push(`  the agent would read: ${safeLine(result.error)}`);
  if (result.analysis.ok) {
    const segments = result.analysis.pipelines.flatMap((pipeline) => pipeline.segments);
    for (const verdict of result.segments) {
      const text = segments[verdict.segmentIndex]?.text ?? "";
      const because = verdict.reason === undefined ? "" : `, ${reasonText(verdict.reason)}`;
      lines.push(`  part  ${safeLine(text)}: ${verdict.satisfiedBy}${because}`);
    }
  } else {
    lines.push(
      `  not understood: ${result.analysis.code} at ${safeLine(JSON.stringify(result.analysis.token))}`,
    );
  }
  for (const reason of result.reasons) lines.push(`  why   ${safeLine(reasonText(reason))}`);
  return lines;
}
