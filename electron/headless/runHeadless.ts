/** Runs the Gateway in the foreground until a signal ends it; what `sallyport gateway run` and the headless entry do. */

import os from "node:os";
import type { AppStatus } from "../../shared/contract/index.ts";
import { AppError, messageOf } from "../../shared/errors/index.ts";
import { commandText } from "../../shared/text/commandText.ts";
import { checkoutCommand } from "../runtime/checkoutCommand.ts";
import { resolveHome, resolveStateDir, statePaths } from "../runtime/storage/index.ts";
import { createFileLogger } from "./logFile.ts";
import { startHeadless } from "./startHeadless.ts";

export interface RunHeadlessOptions {
  env: Record<string, string | undefined>;
  port?: number;
  panelDir: string | null;
  version: string;
  /** How a client starts the command line; absent: as from a checkout, if this is one. */
  commandLine?: AppStatus["commandLine"];
  /** One JSON line when ready instead of sentences. */
  json: boolean;
  stdout: (text: string) => void;
  stderr: (text: string) => void;
}

/** Exit codes: 0 ended by a signal, 1 could not start or start again, 3 another Sallyport holds the state directory. */
export const alreadyRunsExitCode = 3;

/** How long an orderly end may take before the process goes anyway. */
const disposeTimeoutMs = 10_000;

/** @returns the exit code, after everything has ended */
export async function runHeadless(options: RunHeadlessOptions): Promise<number> {
  const { env, stdout, stderr } = options;
  const homeDir = os.homedir();
  const stateDir = resolveStateDir(env, homeDir);
  const signal = nextSignal();
  let lost: unknown;
  try {
    const logger = createFileLogger(statePaths(stateDir, resolveHome(env, homeDir)).logsDir, "headless");
    const headless = await startHeadless({
      env,
      homeDir,
      stateDir,
      panelDir: options.panelDir,
      version: options.version,
      ...(options.commandLine === undefined ? {} : { commandLine: options.commandLine }),
      logger,
      onLost: (error) => {
        lost = error;
        signal.raise("lost");
      },
      ...(options.port === undefined ? {} : { port: options.port }),
    });
    const { gateway } = headless;
    const panelUrl = options.panelDir === null ? null : gateway.panelUrl();
    const mcpUrl = `${gateway.url}/mcp`;
    if (options.json) {
      const { address, port, url } = gateway;
      stdout(
        `${JSON.stringify({ event: "ready", address, port, url, panelUrl, mcpUrl, stateDir, pid: process.pid })}\n`,
      );
    } else {
      stdout(`Sallyport ${options.version} runs without a window on ${gateway.url} (state: ${stateDir}).\n`);
      if (panelUrl !== null) stdout(`Panel, opens once within ten minutes: ${panelUrl}\n`);
      const { file, args } = options.commandLine ?? checkoutCommand() ?? { file: "sallyport", args: [] };
      stdout(
        `MCP clients: \`${commandText([file, ...args, "mcp"])}\` over stdio, or ${mcpUrl} with a token from the panel's Clients view.\n`,
      );
      stdout("Ctrl+C ends it, and every process that it started.\n");
    }
    const name = await signal.received;
    logger.info("headless.ending", { signal: name });
    const forced = setTimeout(() => process.exit(1), disposeTimeoutMs);
    await headless.dispose();
    clearTimeout(forced);
    if (lost === undefined) return 0;
    stderr(`sallyport: could not start again: ${messageOf(lost)}\n`);
    return 1;
  } catch (error) {
    stderr(`sallyport: ${messageOf(error)}\n`);
    return error instanceof AppError && error.data?.alreadyRuns === true ? alreadyRunsExitCode : 1;
  } finally {
    signal.stop();
  }
}

/** Listens from the start, so that a signal during start-up is not lost. */
function nextSignal(): { received: Promise<string>; raise(name: string): void; stop(): void } {
  const names = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  let resolveName: (name: string) => void = () => {};
  const received = new Promise<string>((resolve) => {
    resolveName = resolve;
  });
  const listener = (name: string) => resolveName(name);
  for (const name of names) process.on(name, listener);
  return {
    received,
    raise: (name) => resolveName(name),
    stop: () => {
      for (const name of names) process.off(name, listener);
    },
  };
}
