/** The command line as a function: arguments and streams in, an exit code out. */

import { Command, CommanderError } from "commander";
import { AppError, messageOf } from "../../shared/errors/index.ts";
import { approvalsCommand } from "./commands/approvals.ts";
import { browserCommand } from "./commands/browser.ts";
import { clientsCommand } from "./commands/clients.ts";
import { configCommand } from "./commands/config.ts";
import { configureCommand } from "./commands/configure.ts";
import { execCommand } from "./commands/exec.ts";
import { gatewayCommand } from "./commands/gateway.ts";
import { ledgerCommand } from "./commands/ledger.ts";
import { mcpCommand } from "./commands/mcp.ts";
import { policyCommand } from "./commands/policy.ts";
import { serversCommand } from "./commands/servers.ts";
import { skillsCommand } from "./commands/skills.ts";
import { toolsCommand } from "./commands/tools.ts";
import { ttsCommand } from "./commands/tts.ts";
import type { CliContext } from "./context.ts";
import { type CliIo, safeText } from "./io.ts";
import type { StartCommand } from "./mcp/startApp.ts";

export interface CliOptions {
  io: CliIo;
  version: string;
  panelDir: string | null;
  /** How `mcp` starts Sallyport when none runs; null when that cannot be done. */
  startCommand: StartCommand | null;
  /** How a client starts this command line; absent: as from a checkout, if this is one. */
  ownCommand?: StartCommand;
}

/** Exit codes: 0 done, 1 failed, 2 wrong use. */
export async function runCli(args: string[], options: CliOptions): Promise<number> {
  const { io } = options;
  const context: CliContext = { ...options, exitCode: 0 };
  const program = new Command("sallyport")
    .description("The operator's desk for agent tools.")
    .version(options.version)
    .addCommand(approvalsCommand(context))
    .addCommand(toolsCommand(context))
    .addCommand(skillsCommand(context))
    .addCommand(policyCommand(context))
    .addCommand(execCommand(context))
    .addCommand(gatewayCommand(context))
    .addCommand(ledgerCommand(context))
    .addCommand(mcpCommand(context))
    .addCommand(browserCommand(context))
    .addCommand(clientsCommand(context))
    .addCommand(serversCommand(context))
    .addCommand(ttsCommand(context))
    .addCommand(configCommand(context))
    .addCommand(configureCommand(context));
  prepare(program, io);
  try {
    await program.parseAsync(args, { from: "user" });
    return context.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) {
      // Help that was asked for is no failure; help because of missing words is.
      return error.exitCode === 0 ? 0 : 2;
    }
    // A refusal may quote an agent's command.
    io.stderr(`sallyport: ${safeText(messageOf(error))}\n`);
    return error instanceof AppError && error.data?.usage === true ? 2 : 1;
  }
}

/** Commander sets these per command and does not hand them down to commands that were added. */
function prepare(command: Command, io: CliIo): void {
  command
    .exitOverride()
    .configureOutput({ writeOut: io.stdout, writeErr: io.stderr })
    .showHelpAfterError("(--help shows what there is)");
  for (const child of command.commands) prepare(child, io);
}
