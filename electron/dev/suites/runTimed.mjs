/** Runs one program of a suite within the suite's time, keeping everything it prints. */
import { createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { endOnInterrupt, startGroup } from "../childGroup.mjs";
import { rootDir } from "../setup/paths.mjs";

const KEPT_LINES = 400;

/** Where suites leave logs, reports and screenshots; ignored by git. */
export const resultsDir = path.join(rootDir, "e2e", "results");

/**
 * @typedef {object} TimedResult
 * @property {number | null} exitCode null when it was ended or could not be started
 * @property {boolean} isTimedOut
 * @property {string} output its last lines
 */

/**
 * @param {string} suite names the log file in `e2e/results`
 * @param {string} command
 * @param {string[]} args
 * @param {{ deadlineMs: number, env?: NodeJS.ProcessEnv, onLine?: (line: string) => void }} options `deadlineMs` as a
 *   `performance.now()` reading
 * @returns {Promise<TimedResult>}
 */
export async function runTimed(suite, command, args, { deadlineMs, env, onLine }) {
  await mkdir(resultsDir, { recursive: true });
  const log = createWriteStream(path.join(resultsDir, `${suite}.log`), { flags: "a" });
  const lines = [];
  const options = { cwd: rootDir, env: env ?? process.env, stdio: ["ignore", "pipe", "pipe"] };
  // Test runners take Ctrl-C as a request to end their browsers too.
  const group = startGroup(command, args, options, "SIGINT");
  const stopListening = endOnInterrupt(group.end);
  const closed = [group.child.stdout, group.child.stderr].map((stream) =>
    collect(stream, log, lines, onLine),
  );
  let isTimedOut = false;
  const timer = setTimeout(
    () => {
      isTimedOut = true;
      void group.end();
    },
    Math.max(0, deadlineMs - performance.now()),
  );
  const { exitCode, error } = await group.ended;
  clearTimeout(timer);
  // Anything still running in the group would keep the pipes open.
  await group.end();
  await Promise.all(closed);
  stopListening();
  await new Promise((resolve) => log.end(resolve));
  if (error !== undefined) lines.push(error.message);
  return { exitCode: isTimedOut ? null : exitCode, isTimedOut, output: lines.join("\n") };
}

function collect(stream, log, lines, onLine) {
  let rest = "";
  const take = (line) => {
    lines.push(line);
    if (lines.length > KEPT_LINES) lines.shift();
    onLine?.(line);
  };
  stream.setEncoding("utf8");
  stream.on("data", (chunk) => {
    log.write(chunk);
    const parts = (rest + chunk).split(/\r?\n/);
    rest = parts.pop() ?? "";
    parts.forEach(take);
  });
  return new Promise((resolve) => {
    stream.on("close", () => {
      if (rest !== "") take(rest);
      resolve();
    });
  });
}

/**
 * @param {string} name of an npm package's program
 * @returns {string} its JavaScript file, to be run with this very Node
 */
export function packageProgram(name) {
  return path.join(rootDir, "node_modules", name);
}
