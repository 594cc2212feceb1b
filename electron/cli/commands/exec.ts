/** `sallyport exec`: gate two from a terminal. What would happen to commands, without running them. */

import path from "node:path";
import { Command } from "commander";
import { openAccess } from "../access.ts";
import { type CliContext, print } from "../context.ts";
import { explanationLines } from "../explanationText.ts";
import { execCheckCommand } from "./execCheck.ts";

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
