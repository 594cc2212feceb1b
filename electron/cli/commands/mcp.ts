/** `sallyport mcp`: the stdio way in for MCP clients. Standard output carries the protocol and nothing else. */

import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { Command } from "commander";
import { AppError } from "../../../shared/errors/index.ts";
import { connectGateway } from "../../gateway/gatewayClient.ts";
import { findGateway, placeOf } from "../access.ts";
import type { CliContext } from "../context.ts";
import { runBridge } from "../mcp/bridge.ts";
import { ensureClientToken } from "../mcp/clientToken.ts";
import { startApp } from "../mcp/startApp.ts";

const defaultName = "stdio";

export function mcpCommand(context: CliContext): Command {
  return new Command("mcp")
    .description(
      "Be an MCP server on standard input and output, for the running app; starts it when none runs",
    )
    .option(
      "--client <name>",
      "name of this client in the Clients view: each name has its own mapping",
      defaultName,
    )
    .action(async ({ client: name }: { client: string }) => {
      if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) {
        throw new AppError(
          "INVALID_INPUT",
          "A client name has 1 to 64 letters, digits, dots, dashes or underscores, and begins with a letter or digit.",
          { data: { usage: true } },
        );
      }
      const { io, version } = context;
      const place = placeOf(io);
      const log = (text: string) => io.stderr(`sallyport mcp: ${text}\n`);
      const openUpstream = async (refusedToken: string | null) => {
        const info = (await findGateway(place)) ?? (await start(context));
        const rpc = await connectGateway({ ...info, version, displayName: `sallyport mcp (${name})` });
        try {
          const token = await ensureClientToken(place, name, rpc, refusedToken);
          return { url: `http://${info.address}:${info.port}/mcp`, token };
        } finally {
          rpc.close();
        }
      };
      const downstream = new StdioServerTransport();
      // The client ends the bridge by closing our input, or by a signal.
      const end = () => {
        downstream.close().catch((error: unknown) => log(String(error)));
      };
      process.stdin.once("end", end);
      process.stdin.once("close", end);
      io.signal.addEventListener("abort", end, { once: true });
      await runBridge({ downstream, openUpstream, log });
    });
}

function start(context: CliContext) {
  if (context.startCommand === null) {
    throw new AppError(
      "UNAVAILABLE",
      "Sallyport does not run, and this build has no headless program to start.",
    );
  }
  context.io.stderr("sallyport mcp: Sallyport does not run; starting it without a window.\n");
  return startApp({ place: placeOf(context.io), command: context.startCommand, env: context.io.env });
}
