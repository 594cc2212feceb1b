/** Runs one outside program to its end, keeping the last lines of its output for the error message. */
import { spawn } from "node:child_process";

const TAIL_LINES = 40;

/**
 * @typedef {object} CommandResult
 * @property {number | null} exitCode null when a signal ended it or it could not be started
 * @property {string} output last lines of stdout and stderr together
 * @property {string} stdout last lines of stdout alone
 */

/**
 * Never throws for a failing program: look at `exitCode`. Standard input ends at once, so nothing can wait for a key.
 * @param {string} command program name or path
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, onLine?: (line: string) => void, timeoutMs?: number,
 *   input?: string }} [options] `input` goes to its standard input, which is empty otherwise
 * @returns {Promise<CommandResult>}
 */
export function runCommand(command, args, { cwd, env, onLine, timeoutMs, input = "" } = {}) {
  return new Promise((resolve) => {
    // npm is a .cmd file on Windows, which only a shell can start; every argument here is our own constant.
    const shell = process.platform === "win32" && command === "npm";
    const child = spawn(command, args, {
      cwd,
      env,
      shell,
      stdio: ["pipe", "pipe", "pipe"],
      timeout: timeoutMs,
    });
    // A program that ends without reading its input breaks the pipe; its exit code tells what is to be told.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    const all = [];
    const out = [];
    const keep = (list, line) => {
      list.push(line);
      if (list.length > TAIL_LINES) list.shift();
    };
    const listen = (stream, alsoOut) => {
      let rest = "";
      stream.setEncoding("utf8");
      stream.on("data", (chunk) => {
        const lines = (rest + chunk).split(/\r?\n/);
        rest = lines.pop() ?? "";
        for (const line of lines) take(line);
      });
      stream.on("end", () => {
        if (rest !== "") take(rest);
      });
      const take = (line) => {
        keep(all, line);
        if (alsoOut) keep(out, line);
        onLine?.(line);
      };
    };
    listen(child.stdout, true);
    listen(child.stderr, false);
    child.on("error", (error) => {
      keep(all, error.message);
      resolve({ exitCode: null, output: all.join("\n"), stdout: out.join("\n") });
    });
    child.on("close", (exitCode) => resolve({ exitCode, output: all.join("\n"), stdout: out.join("\n") }));
  });
}

/**
 * @param {string} command program name looked up in PATH
 * @param {string[]} [args] arguments that make it print its version and end
 * @returns {Promise<boolean>} whether it could be started
 */
export async function canRun(command, args = ["--version"]) {
  const result = await runCommand(command, args, { timeoutMs: 10_000 });
  return result.exitCode === 0;
}
