/** `sallyport servers`: foreign MCP servers of `mcp.servers`, and a person's word about them. */

import { Command } from "commander";
import type { McpServer, McpServerState } from "../../../shared/contract/index.ts";
import { AppError } from "../../../shared/errors/index.ts";
import { type Access, openAccess } from "../access.ts";
import { type CliContext, print, reasonText, untilText } from "../context.ts";
import { safeLine, safeText } from "../io.ts";
import { refuseSelfApproval } from "../selfApproval.ts";

interface JsonOption {
  json?: boolean;
}

export function serversCommand(context: CliContext): Command {
  return new Command("servers")
    .description("MCP servers whose tools join those of the agents (mcp.servers)")
    .addCommand(listCommand(context))
    .addCommand(confirmCommand(context))
    .addCommand(
      changeCommand(
        context,
        "withdraw",
        "mcpServers.withdraw",
        "Take a confirmation back, and end the server",
      ),
    )
    .addCommand(
      changeCommand(
        context,
        "restart",
        "mcpServers.restart",
        "Start a confirmed server, or end it and start it again",
      ),
    )
    .addCommand(
      changeCommand(
        context,
        "stop",
        "mcpServers.stop",
        "End a server until it is started again or the app restarts",
      ),
    )
    .addCommand(askAgainCommand(context));
}

async function withAccess(context: CliContext, run: (access: Access) => Promise<void>): Promise<void> {
  const access = await openAccess(context.io, context.version);
  try {
    await run(access);
  } finally {
    await access.close();
  }
}

function listCommand(context: CliContext): Command {
  return new Command("list")
    .description("Show the servers, their state and their tools")
    .option("--json", "print JSON")
    .action(({ json }: JsonOption) =>
      withAccess(context, async (access) => {
        const answer = await access.rpc.call("mcpServers.list", {});
        const lines = answer.servers.flatMap((server) => [
          `${safeLine(server.name)}  ${stateText(server.state)}${nextStep(server)}`,
          ...(server.target === "" ? [] : [`  ${server.transport}  ${safeLine(server.target)}`]),
          ...server.tools.map(toolLine),
          ...server.leftOut.map(
            ({ remoteName, reason }) => `  ! ${safeLine(remoteName)}: ${reasonText(reason)}`,
          ),
        ]);
        print(context, json, answer, lines.length === 0 ? ["No servers under mcp.servers."] : lines);
      }),
    );
}

function confirmCommand(context: CliContext): Command {
  return new Command("confirm")
    .description("Let exactly this entry be started, now and at every start of the app")
    .argument("<name>", "key under mcp.servers")
    .option("--digest <hex>", "for scripts: the digest that `list --json` showed; nothing is asked then")
    .option("--json", "print JSON")
    .action((name: string, { digest, json }: JsonOption & { digest?: string }) => {
      refuseSelfApproval(context.io.env, "let a server start");
      return withAccess(context, async (access) => {
        const shown = await find(access, name);
        refuseUnstartable(shown);
        if (digest === undefined && !(await isWanted(context, shown, json))) {
          context.exitCode = 1;
          context.io.stderr("Nothing was confirmed.\n");
          return;
        }
        const server = await access.rpc.call("mcpServers.confirm", { name, digest: digest ?? shown.digest });
        print(context, json, server, [
          access.via === "files"
            ? `${safeLine(name)} is confirmed. No app runs; it starts with the next one.`
            : `${safeLine(name)} is confirmed: ${stateText(server.state)}.`,
        ]);
      });
    });
}

/** @throws AppError INVALID_INPUT with the reason and the line: no word of a person could start this entry */
function refuseUnstartable({ name, state, source }: McpServer): void {
  if (state.kind !== "invalid") return;
  const place = `${source.file} ${safeLine(source.configPath)}${source.line === null ? "" : `, line ${source.line}`}`;
  throw new AppError(
    "INVALID_INPUT",
    state.reason.code === "mcp.disabled"
      ? `${safeLine(name)} is off in the config: ${reasonText(state.reason)} (${place}). Take that out, then confirm it.`
      : `${safeLine(name)} cannot be started: ${reasonText(state.reason)} (${place}). Mend the entry, then confirm it.`,
  );
}

/** Shows the whole entry and asks. */
async function isWanted(context: CliContext, server: McpServer, json: boolean | undefined): Promise<boolean> {
  if (!context.io.isInteractive || json === true) {
    throw new AppError(
      "INVALID_INPUT",
      "This asks on a terminal. Scripts give --digest with the digest that `sallyport servers list --json` shows.",
      { data: { usage: true } },
    );
  }
  context.io.stdout(`${entryLines(server).join("\n")}\n`);
  const answer = await context.io.ask(
    server.transport === "stdio"
      ? "Start this program as yourself? [y/N] "
      : "Connect to this address? [y/N] ",
  );
  return /^y(es)?$/i.test(answer.trim());
}

function entryLines(server: McpServer): string[] {
  const { source, state } = server;
  return [
    `Server ${safeLine(server.name)} (tools begin with ${server.id}__)`,
    `  from      ${source.file} ${safeLine(source.configPath)}${source.line === null ? "" : `, line ${source.line}`}`,
    `  ${server.transport === "stdio" ? "runs     " : "address  "} ${safeLine(server.target)}`,
    ...(server.cwd === null ? [] : [`  in        ${safeLine(server.cwd)}`]),
    ...(server.envNames.length === 0 ? [] : [`  env       ${server.envNames.map(safeLine).join(", ")}`]),
    ...(server.headerNames.length === 0
      ? []
      : [`  headers   ${server.headerNames.map(safeLine).join(", ")}`]),
    `  state     ${stateText(state)}`,
    ...(state.kind === "unconfirmed" && state.isChanged
      ? ["  changed   it was confirmed once, and the entry is another now"]
      : []),
    `  digest    ${server.digest}`,
  ];
}

function changeCommand(
  context: CliContext,
  word: string,
  method: "mcpServers.withdraw" | "mcpServers.restart" | "mcpServers.stop",
  description: string,
): Command {
  return new Command(word)
    .description(description)
    .argument("<name>", "key under mcp.servers")
    .option("--json", "print JSON")
    .action((name: string, { json }: JsonOption) => {
      refuseSelfApproval(context.io.env, "start or end a server");
      return withAccess(context, async (access) => {
        const server = await access.rpc.call(method, { name });
        print(context, json, server, [`${safeLine(name)}: ${stateText(server.state)}.`]);
      });
    });
}

function askAgainCommand(context: CliContext): Command {
  return new Command("ask-again")
    .description("Take back that calls of a tool, or of all tools of a server, run without asking")
    .argument("<name>", "key under mcp.servers")
    .option(
      "--tool <name>",
      "only this tool, by the agents' name (everything__echo) or the server's own (echo)",
    )
    .option("--agent <id>", "only for this agent")
    .option("--json", "print JSON")
    .action((name: string, { tool, agent, json }: JsonOption & { tool?: string; agent?: string }) => {
      refuseSelfApproval(context.io.env, "change which calls ask");
      return withAccess(context, async (access) => {
        const server = await access.rpc.call("mcpServers.askAgain", {
          name,
          ...(tool === undefined ? {} : { tool }),
          ...(agent === undefined ? {} : { agentId: agent }),
        });
        print(context, json, server, askAgainLines(server, tool, agent));
      });
    });
}

function askAgainLines(
  server: McpServer & { takenBack: number },
  tool: string | undefined,
  agent: string | undefined,
): string[] {
  const meant = server.tools.find((one) => one.name === tool || one.remoteName === tool)?.name ?? tool;
  const what = meant === undefined ? "any tool" : safeLine(meant);
  const whose = agent === undefined ? "any agent" : `agent ${safeLine(agent)}`;
  const { takenBack, tools } = server;
  const still = tools.filter((one) => one.allowedFor.length > 0);
  const about = `${what} of ${safeLine(server.name)} and ${whose}`;
  return [
    takenBack === 0
      ? `Nothing was changed: nothing was stored about ${about}.`
      : `Taken back: ${takenBack} ${takenBack === 1 ? "word" : "words"} about ${about}.`,
    still.length === 0
      ? `Every call of ${safeLine(server.name)} asks.`
      : `Calls that still run without asking: ${still.map((one) => `${one.name} (${one.allowedFor.map(safeLine).join(", ")})`).join("; ")}`,
  ];
}

async function find(access: Access, name: string): Promise<McpServer> {
  const { servers } = await access.rpc.call("mcpServers.list", {});
  const found = servers.find((server) => server.name === name);
  if (found !== undefined) return found;
  throw new AppError(
    "NOT_FOUND",
    `There is no server ${name} under mcp.servers. \`sallyport servers list\` shows them.`,
  );
}

/** What a person does about a server that waits for a word. */
function nextStep({ name, state }: McpServer): string {
  if (state.kind !== "unconfirmed") return "";
  const word = /^\w[\w.-]*$/.test(name) ? name : `'${safeLine(name).replaceAll("'", "'\\''")}'`;
  return `: sallyport servers confirm ${word}`;
}

function stateText(state: McpServerState): string {
  switch (state.kind) {
    case "invalid":
      if (state.reason.code === "mcp.disabled") return "off in the config";
      return `cannot be started: ${reasonText(state.reason)}`;
    case "unconfirmed":
      return state.isChanged
        ? "changed since it was confirmed, so not started"
        : "not confirmed, so not started";
    case "stopped":
      return "stopped";
    case "starting":
      return "starting";
    case "ready":
      return `ready${state.pid === null ? "" : `, process ${state.pid}`}`;
    case "failed":
      return `failed: ${reasonText(state.reason)}${state.retryAtMs === null ? "" : `, again in ${untilText(state.retryAtMs)}`}`;
  }
}

function toolLine({ name, description, allowedFor, isChanged }: McpServer["tools"][number]): string {
  const word =
    allowedFor.length > 0
      ? `  [does not ask for ${allowedFor.map(safeLine).join(", ")}]`
      : isChanged
        ? "  [changed since it was allowed, asks again]"
        : "";
  const [first = ""] = safeText(description).split("\n");
  return `  ${name}  ${first.slice(0, 100)}${word}`;
}
