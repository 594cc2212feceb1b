/** Starts Sallyport without a window in the background, for a bridge that found none running. */

import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import path from "node:path";
import { AppError } from "../../../shared/errors/index.ts";
import type { GatewayFileInfo } from "../../runtime/storage/index.ts";
import { findGateway, type Place } from "../access.ts";

const readyTimeoutMs = 30_000;
const pollMs = 100;

/** From a checkout Node with the built file, from the package the app's own executable. */
export interface StartCommand {
  file: string;
  args: string[];
}

export interface StartAppOptions {
  place: Place;
  /** Starts the program without a window and prints one JSON line when it is ready. */
  command: StartCommand;
  env: Record<string, string | undefined>;
  readyTimeoutMs?: number;
}

/**
 * The program outlives this one. When two bridges start at once, one of them wins the state directory and the other
 * connects to it.
 * @throws AppError UNAVAILABLE with what the program said when it could not start
 */
export async function startApp(options: StartAppOptions): Promise<GatewayFileInfo> {
  const { place } = options;
  mkdirSync(place.paths.logsDir, { recursive: true, mode: 0o700 });
  const outputFile = path.join(place.paths.logsDir, `headless-start-${process.pid}.log`);
  const output = openSync(outputFile, "w", 0o600);
  const child = spawn(options.command.file, options.command.args, {
    detached: true,
    stdio: ["ignore", output, output],
    env: options.env as NodeJS.ProcessEnv,
  });
  closeSync(output);
  let exitCode: number | null = null;
  let failure: Error | null = null;
  child.on("exit", (code) => {
    exitCode = code ?? 1;
  });
  child.on("error", (error) => {
    failure = error;
  });
  child.unref();

  const deadlineMs = Date.now() + (options.readyTimeoutMs ?? readyTimeoutMs);
  while (Date.now() < deadlineMs) {
    const info = await findGateway(place);
    if (info !== null) return info;
    if (failure !== null || (exitCode !== null && exitCode !== alreadyRuns)) {
      throw new AppError("UNAVAILABLE", `Sallyport could not be started: ${said(outputFile, failure)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  throw new AppError("UNAVAILABLE", `Sallyport was started but is not ready: ${said(outputFile, failure)}`);
}

/** Exit code of the headless program when another one holds the state directory: that one will be ready soon. */
const alreadyRuns = 3;

function said(outputFile: string, failure: Error | null): string {
  if (failure !== null) return failure.message;
  const text = readFileSync(outputFile, "utf8").trim();
  return text === "" ? `it said nothing; see ${path.dirname(outputFile)}.` : text.replace(/^sallyport: /, "");
}
