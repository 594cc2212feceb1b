/** Servers over the contract: looking at them, a person's word, starting and ending. */

import type { McpServer, SallyportContract } from "../../../shared/contract/index.ts";
import { AppError } from "../../../shared/errors/index.ts";
import type { Handlers, Principal } from "../../../shared/rpc/index.ts";
import type { ServerEntry } from "./entries.ts";
import { plainLine } from "./plainText.ts";
import type { ServerMachine } from "./serverMachine.ts";
import type { Standing } from "./standing.ts";
import { toolNameFor } from "./toolNames.ts";

type Methods = Extract<keyof SallyportContract["methods"], `mcpServers.${string}`>;
export type McpServerHandlers = Pick<Handlers<SallyportContract>, Methods>;

interface Known {
  entry: ServerEntry;
  machine: ServerMachine;
  isStopped: boolean;
}

export interface HandlerDeps<K extends Known> {
  snapshot(): { servers: McpServer[] };
  find(name: string): K | undefined;
  view(server: K): McpServer;
  standing: Standing;
  mayRun(server: K): boolean;
  /** Writes a person's word down and records it; what runs follows behind. */
  decided(work: () => Promise<void>): Promise<void>;
  /** Makes what runs agree with what was said. */
  reconcile(): void;
  record(kind: string, by: string, data: Record<string, unknown>): void;
}

/** Of the tools that are listed when one is not known. */
const maxNamedTools = 40;

export function createMcpServerHandlers<K extends Known>(deps: HandlerDeps<K>): McpServerHandlers {
  const { standing } = deps;
  const known = (name: string): K => {
    const found = deps.find(name);
    if (found !== undefined) return found;
    throw new AppError("NOT_FOUND", `There is no server ${name} under mcp.servers.`, {
      data: { reason: "MCP_SERVER_NOT_FOUND", name },
    });
  };
  const note = (kind: string, by: Principal, { entry }: Known, more: Record<string, unknown> = {}) =>
    deps.record(`mcpServer.${kind}`, by.id, { server: entry.name, digest: entry.digest, ...more });

  return {
    "mcpServers.list": () => deps.snapshot(),
    "mcpServers.confirm": async ({ name, digest }, { principal }) => {
      if (principal.kind === "panel" && !principal.approvalSurface) {
        throw new AppError(
          "FORBIDDEN",
          "Only the approval surface may let a server start. Open Approvals and decide there.",
        );
      }
      const server = known(name);
      if (!server.entry.spec.ok) {
        throw new AppError(
          "INVALID_INPUT",
          `The entry of ${name} cannot be started. Mend it in openclaw.json.`,
          {
            data: { reason: server.entry.spec.reason },
          },
        );
      }
      if (digest !== server.entry.digest) {
        throw new AppError(
          "INVALID_INPUT",
          `The entry of ${name} changed after it was shown. Nothing was confirmed; look at it again.`,
          { data: { reason: "MCP_SERVER_STALE", name } },
        );
      }
      await deps.decided(async () => {
        await standing.confirm(server.entry, principal.id);
        server.isStopped = false;
        note("confirmed", principal, server);
      });
      return deps.view(known(name));
    },
    "mcpServers.withdraw": async ({ name }, { principal }) => {
      const server = known(name);
      await deps.decided(async () => {
        if (await standing.withdraw(name)) note("withdrawn", principal, server);
      });
      await stopUnlessItMayRun(server);
      return deps.view(known(name));
    },
    "mcpServers.restart": async ({ name }, { principal }) => {
      const server = known(name);
      const wasStopped = server.isStopped;
      server.isStopped = false;
      if (!deps.mayRun(server)) {
        server.isStopped = wasStopped;
        throw new AppError("INVALID_INPUT", whyNot(server, standing), {
          data: { reason: "MCP_SERVER_NOT_STARTED", name },
        });
      }
      note("restarted", principal, server);
      await server.machine.stop();
      deps.reconcile();
      return deps.view(known(name));
    },
    "mcpServers.stop": async ({ name }, { principal }) => {
      const server = known(name);
      server.isStopped = true;
      note("stoppedByPerson", principal, server);
      await server.machine.stop();
      deps.reconcile();
      return deps.view(known(name));
    },
    "mcpServers.askAgain": async ({ name, tool, agentId }, { principal }) => {
      const server = known(name);
      if (deps.view(server).state.kind === "unconfirmed") {
        throw new AppError("INVALID_INPUT", notConfirmed(name), {
          data: { reason: "MCP_SERVER_NOT_STARTED", name },
        });
      }
      const remote = tool === undefined ? undefined : remoteNameOf(server, tool, standing);
      let takenBack = 0;
      await deps.decided(async () => {
        takenBack = await standing.askAgain(name, { tool: remote, agentId });
        if (takenBack > 0)
          note("askAgain", principal, server, {
            tool: remote ?? "*",
            agentId: agentId ?? "*",
            count: takenBack,
          });
      });
      return { ...deps.view(known(name)), takenBack };
    },
  };

  async function stopUnlessItMayRun(server: K): Promise<void> {
    if (!deps.mayRun(server)) await server.machine.stop();
  }
}

/**
 * People and lists know a tool by its name here, the settings by the server's. A server that does not run tells no
 * tools; then those count about which something is stored.
 * @throws AppError INVALID_INPUT for a tool that nobody knows
 */
function remoteNameOf({ entry, machine }: Known, tool: string, standing: Standing): string {
  const live = machine.tools();
  const stored = standing
    .toolsWithWords(entry.name)
    .filter((name) => !live.some((one) => one.remoteName === name));
  const known = [
    ...live.map(({ name, remoteName }) => ({ name, remoteName })),
    ...stored.map((remoteName) => ({ name: toolNameFor(entry.id, remoteName, new Set()), remoteName })),
  ];
  const meant =
    known.find(({ name }) => name === tool) ?? known.find(({ remoteName }) => remoteName === tool);
  if (meant !== undefined) return meant.remoteName;
  const names = known.slice(0, maxNamedTools).map(({ name }) => name);
  const more = known.length > names.length ? `, and ${known.length - names.length} more` : "";
  throw new AppError(
    "INVALID_INPUT",
    `${entry.name} has no tool ${plainLine(tool, 100)}. ${names.length === 0 ? "None of its tools is known: it does not run, and nothing is stored." : `Tools: ${names.join(", ")}${more}.`} Nothing was changed.`,
    { data: { reason: "MCP_TOOL_NOT_FOUND", name: entry.name } },
  );
}

function notConfirmed(name: string): string {
  return `${name} is not confirmed. Confirm it first: \`sallyport servers confirm ${name}\`.`;
}

function whyNot({ entry }: Known, standing: Standing): string {
  if (!entry.spec.ok) return `The entry of ${entry.name} cannot be started. Mend it in openclaw.json.`;
  if (standing.confirmation(entry) !== "confirmed") return notConfirmed(entry.name);
  return "No server is started here: Sallyport does not run. Start the app, or `sallyport gateway run`.";
}
