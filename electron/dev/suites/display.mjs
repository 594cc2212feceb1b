/** A virtual display of our own: on a free number, ended by its process id. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { SetupProblem } from "../setup/problem.mjs";
import { findProgram } from "../setup/programs.mjs";

const START_TIMEOUT_MS = 10_000;

/**
 * @returns {Promise<{ env: NodeJS.ProcessEnv, stop: () => Promise<void> }>} variables for the programs that shall use
 *   it; on systems whose windows need no X server, nothing is started
 * @throws SetupProblem when Xvfb is missing or does not start
 */
export async function startDisplay() {
  if (process.platform !== "linux") return { env: {}, stop: async () => {} };
  const program = findProgram("Xvfb");
  if (program === null) {
    throw new SetupProblem(
      "Xvfb is not installed.",
      "install it (Debian: apt-get install xvfb) and try again.",
    );
  }
  // The server itself picks a free display and writes its number to file descriptor 3.
  const args = ["-displayfd", "3", "-screen", "0", "1440x900x24", "-nolisten", "tcp"];
  const server = spawn(program, args, { stdio: ["ignore", "ignore", "ignore", "pipe"] });
  const ended = once(server, "exit");
  const stop = async () => {
    if (server.exitCode === null && server.signalCode === null) server.kill("SIGTERM");
    await ended;
  };
  const number = await Promise.race([
    readNumber(server.stdio[3]),
    ended.then(() => null),
    new Promise((resolve) => setTimeout(resolve, START_TIMEOUT_MS, null).unref()),
  ]);
  if (number === null) {
    await stop();
    throw new SetupProblem("Xvfb did not start.", "run  Xvfb -displayfd 1  by hand to see why.");
  }
  // A Wayland display of the person must not be used beside ours.
  return { env: { DISPLAY: `:${number}`, WAYLAND_DISPLAY: "" }, stop };
}

async function readNumber(stream) {
  let text = "";
  for await (const chunk of stream) {
    text += chunk;
    const match = /^(\d+)\n/.exec(text);
    if (match !== null) return match[1];
  }
  return null;
}
