/** `sallyport gateway`: run it without a window, ask where it listens, get a URL of the panel. */

import { Command, InvalidArgumentError } from "commander";
import type { AppStatus } from "../../../shared/contract/index.ts";
import { runHeadless } from "../../headless/runHeadless.ts";
import { findGateway, openRunning, placeOf } from "../access.ts";
import { brokenConfigText } from "../brokenConfig.ts";
import { type CliContext, print } from "../context.ts";
import { refuseSelfApproval } from "../selfApproval.ts";

export function gatewayCommand(context: CliContext): Command {
  return new Command("gateway")
    .description("The loopback Gateway")
    .addCommand(
      new Command("run")
        .description("Run Sallyport without a window, until Ctrl+C")
        .option("--port <number>", "port to listen on; 0 takes any free one", parsePort)
        .option("--no-panel", "serve no panel")
        .option("--json", "print one JSON line when ready")
        .action(async (options: { port?: number; panel: boolean; json?: boolean }) => {
          const { io, version } = context;
          // The first start on a machine takes some seconds: say at once that the command was understood.
          if (options.json !== true) io.stderr("Starting Sallyport without a window …\n");
          context.exitCode = await runHeadless({
            env: io.env,
            panelDir: options.panel ? context.panelDir : null,
            version,
            json: options.json === true,
            stdout: io.stdout,
            stderr: io.stderr,
            ...(context.ownCommand === undefined ? {} : { commandLine: context.ownCommand }),
            ...(options.port === undefined ? {} : { port: options.port }),
          });
        }),
    )
    .addCommand(
      new Command("status")
        .description("Say whether Sallyport runs and where; exit code 1 when it does not")
        .option("--json", "print JSON")
        .action(({ json }: { json?: boolean }) => status(context, json)),
    )
    .addCommand(
      new Command("panel-url")
        .description(
          "Print a URL that opens the panel once, within ten minutes. Whoever has it decides approvals",
        )
        .option("--json", "print JSON")
        .action(async ({ json }: { json?: boolean }) => {
          refuseSelfApproval(context.io.env, "open the panel");
          const { rpc, close } = await openRunning(context.io, context.version);
          try {
            const result = await rpc.call("gateway.panelUrl", {});
            print(context, json, result, [result.url]);
          } finally {
            close();
          }
        }),
    );
}

async function status(context: CliContext, json: boolean | undefined): Promise<void> {
  const place = placeOf(context.io);
  if ((await findGateway(place)) === null) {
    context.exitCode = 1;
    print(context, json, { running: false, stateDir: place.stateDir }, [
      `Sallyport does not run on ${place.stateDir}.`,
    ]);
    return;
  }
  const { rpc, close } = await openRunning(context.io, context.version);
  try {
    const [gateway, app] = await Promise.all([rpc.call("gateway.status", {}), rpc.call("app.status", {})]);
    const broken = brokenConfigText(app.config);
    print(context, json, { running: true, gateway, app }, [
      `Sallyport ${gateway.version} runs on http://${gateway.address}:${gateway.port} (process ${gateway.pid}, ${app.shell}).`,
      `  state     ${app.stateDir}`,
      `  config    ${app.config.path} (${app.config.state})`,
      ...(broken === undefined ? [] : [`  rules     ${broken}.`]),
      `  mode      security ${app.mode.security}, ask ${app.mode.ask}`,
      `  waiting   ${counted(app.pendingApprovals, "approval")}`,
      `  running   ${counted(app.runningProcesses, "process", "processes")}`,
      `  prompts   ${reachText(app.prompt.reach)}`,
      `  MCP       ${gateway.mcpUrl} (${counted(gateway.mcpSessions, "session")})`,
      `  panels    ${gateway.panelConnections} open, ${counted(gateway.operatorConnections, "operator connection")}`,
    ]);
  } finally {
    close();
  }
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Whether a prompt can reach a person now (A17), and what to do when it cannot. */
function reachText(reach: AppStatus["prompt"]["reach"]): string {
  switch (reach) {
    case "reachable":
      return "reach a person";
    case "waitsForOperator":
      return "wait for whoever comes";
    case "screenLocked":
      return "reach nobody: the screen is locked, so commands that ask are denied";
    case "noPanel":
      return "reach nobody: open the panel or run `sallyport approvals watch`; until then commands that ask are denied";
  }
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new InvalidArgumentError("A port is a number from 0 to 65535.");
  return port;
}
