/** `sallyport clients`: MCP clients from a terminal, for machines without a window. */

import { Command } from "commander";
import type { McpClient } from "../../../shared/contract/index.ts";
import { AppError } from "../../../shared/errors/index.ts";
import { type Access, openAccess } from "../access.ts";
import { type CliContext, print } from "../context.ts";
import { safeLine } from "../io.ts";
import { refuseSelfApproval } from "../selfApproval.ts";

export function clientsCommand(context: CliContext): Command {
  return new Command("clients")
    .description("MCP clients: who may connect, as which agent")
    .addCommand(listCommand(context))
    .addCommand(createCommand(context))
    .addCommand(mapCommand(context))
    .addCommand(tokenCommand(context))
    .addCommand(revokeCommand(context));
}

/** Runs one command on the app or on its files; changes are refused to commands that an agent runs. */
async function withAccess(
  context: CliContext,
  changes: boolean,
  run: (access: Access) => Promise<void>,
): Promise<void> {
  if (changes) refuseSelfApproval(context.io.env, "change who may connect");
  const access = await openAccess(context.io, context.version);
  try {
    await run(access);
  } finally {
    await access.close();
  }
}

/** @throws AppError NOT_FOUND when neither id nor name fits exactly one client */
async function findClient(access: Access, idOrName: string): Promise<McpClient> {
  const { clients } = await access.rpc.call("clients.list", {});
  const found = clients.filter((client) => client.id === idOrName || client.name === idOrName);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  throw new AppError(
    "NOT_FOUND",
    found.length > 1
      ? `${idOrName} names ${found.length} clients. Use the id: ${found.map((client) => client.id).join(", ")}`
      : `There is no client ${idOrName}. \`sallyport clients list\` shows them.`,
  );
}

function listCommand(context: CliContext): Command {
  return new Command("list")
    .description("Show the clients, their mapping and the tools they see")
    .option("--json", "print JSON")
    .action(({ json }: { json?: boolean }) =>
      withAccess(context, false, async (access) => {
        const answer = await access.rpc.call("clients.list", {});
        const lines = answer.clients.flatMap((client) => [
          `${client.id}  ${safeLine(client.name)}  ${mappingText(client)}`,
          `  tools ${client.effectiveTools.join(", ") || "none"}`,
        ]);
        print(context, json, answer, lines.length === 0 ? ["No clients."] : lines);
      }),
    );
}

function createCommand(context: CliContext): Command {
  return new Command("create")
    .description("Make a client and show its token, once")
    .argument("<name>", "name for people")
    .option("--agent <id>", "map it to this agent; absent: it sees what `minimal` names until it is mapped")
    .option("--json", "print JSON")
    .action((name: string, { agent, json }: { agent?: string; json?: boolean }) =>
      withAccess(context, true, async (access) => {
        const made = await access.rpc.call("clients.create", {
          name,
          ...(agent === undefined ? {} : { agentId: agent }),
        });
        const { mcpUrl } = await access.rpc.call("clients.list", {});
        print(context, json, made, [
          `${made.client.id}  ${mappingText(made.client)}`,
          `token ${made.token}`,
          ...connectLines(made.client, made.token, mcpUrl),
        ]);
      }),
    );
}

function connectLines(client: McpClient, token: string, mcpUrl: string | null): string[] {
  return [
    "Shown once.",
    mcpUrl === null
      ? `No app runs: \`sallyport gateway status\` shows the address once it does. Header Authorization: Bearer ${token}`
      : `Address ${mcpUrl}, header Authorization: Bearer ${token}`,
    ...(client.mapping === "mapped"
      ? []
      : [`Then: sallyport clients map ${client.id} --agent ${client.agentId}`]),
  ];
}

function mapCommand(context: CliContext): Command {
  return new Command("map")
    .description("Say which agent a client acts as")
    .argument("<client>", "id or name")
    .requiredOption("--agent <id>", "agent")
    .option("--owner", "its calls count as the owner's")
    .option("--no-owner", "its calls do not count as the owner's")
    .option("--provider <name>", "model provider, when known")
    .option("--model <name>", "model, when known")
    .option("--json", "print JSON")
    .action(
      (
        idOrName: string,
        options: { agent: string; owner?: boolean; provider?: string; model?: string; json?: boolean },
      ) =>
        withAccess(context, true, async (access) => {
          const { id } = await findClient(access, idOrName);
          const { agent, owner, provider, model, json } = options;
          const client = await access.rpc.call("clients.update", {
            id,
            agentId: agent,
            ...(owner === undefined ? {} : { isOwner: owner }),
            ...(provider === undefined ? {} : { provider }),
            ...(model === undefined ? {} : { model }),
          });
          print(context, json, client, [
            `${client.id}  ${mappingText(client)}`,
            `  tools ${client.effectiveTools.join(", ") || "none"}`,
          ]);
        }),
    );
}

function tokenCommand(context: CliContext): Command {
  return new Command("rotate-token")
    .description("Make a new token and show it, once; the old one stops working")
    .argument("<client>", "id or name")
    .option("--json", "print JSON")
    .action((idOrName: string, { json }: { json?: boolean }) =>
      withAccess(context, true, async (access) => {
        const { id } = await findClient(access, idOrName);
        const made = await access.rpc.call("clients.rotateToken", { id });
        print(context, json, made, [`${id}`, `token ${made.token}`]);
      }),
    );
}

function revokeCommand(context: CliContext): Command {
  return new Command("revoke")
    .description("Forget a client and close its connections")
    .argument("<client>", "id or name")
    .option("--json", "print JSON")
    .action((idOrName: string, { json }: { json?: boolean }) =>
      withAccess(context, true, async (access) => {
        const { id } = await findClient(access, idOrName);
        await access.rpc.call("clients.revoke", { id });
        print(context, json, { id }, [`${id} was revoked.`]);
      }),
    );
}

function mappingText(client: McpClient): string {
  if (client.isAgentGone === true)
    return `agent ${safeLine(client.agentId)} is not in the config any more: sees what \`minimal\` names`;
  if (client.mapping === "unmapped") return "not mapped: sees what `minimal` names";
  return `agent ${client.agentId}${client.isOwner ? ", owner" : ""}`;
}
