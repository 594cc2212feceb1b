/** `sallyport approvals pause|resume`: deny an agent's new commands and file requests at once, until it may go on. */

import { Command } from "commander";
import { openRunning } from "../access.ts";
import { type CliContext, print } from "../context.ts";
import { safeLine } from "../io.ts";
import { refuseSelfApproval } from "../selfApproval.ts";

export function pauseCommand(context: CliContext): Command {
  return new Command("pause")
    .description(
      "Deny an agent's new commands and file requests at once, until it is resumed or the app ends",
    )
    .argument("<agent>", "id of the agent")
    .option("--json", "print JSON")
    .action(async (agentId: string, { json }: { json?: boolean }) => {
      refuseSelfApproval(context.io.env, "pause an agent");
      const { rpc, close } = await openRunning(context.io, context.version);
      try {
        const result = await rpc.call("approvals.pauseAgent", { agentId });
        const ids = result.paused.map((pause) => pause.agentId).join(", ");
        print(context, json, result, [
          `Paused: ${safeLine(ids)}. What waits or runs already is left as it is.`,
        ]);
      } finally {
        close();
      }
    });
}

export function resumeCommand(context: CliContext): Command {
  return new Command("resume")
    .description("Let a paused agent go on")
    .argument("<agent>", "id of the agent")
    .option("--json", "print JSON")
    .action(async (agentId: string, { json }: { json?: boolean }) => {
      refuseSelfApproval(context.io.env, "resume an agent");
      const { rpc, close } = await openRunning(context.io, context.version);
      try {
        const result = await rpc.call("approvals.resumeAgent", { agentId });
        print(context, json, result, [
          result.resumed ? `Resumed ${safeLine(agentId)}.` : `${safeLine(agentId)} was not paused.`,
        ]);
      } finally {
        close();
      }
    });
}
