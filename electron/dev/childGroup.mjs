/** A started program together with everything it starts, so that it can be ended as a whole. */
import { spawn } from "node:child_process";

const GRACE_MS = 5000;

/**
 * @typedef {object} ChildGroup
 * @property {import("node:child_process").ChildProcess} child
 * @property {Promise<{ exitCode: number | null, signal: string | null, error?: Error }>} ended
 * @property {() => Promise<void>} end asks the program to end, and after five seconds makes it; what is then left of
 *   its group is ended in any case
 */

/**
 * On POSIX the program leads a process group of its own, so Ctrl-C reaches only the caller, who then calls `end`.
 * @param {string} command
 * @param {string[]} args
 * @param {import("node:child_process").SpawnOptions} options
 * @param {NodeJS.Signals} [gentleSignal] what the program takes as a request to end
 * @returns {ChildGroup}
 */
export function startGroup(command, args, options, gentleSignal = "SIGTERM") {
  const ownsGroup = process.platform !== "win32";
  const child = spawn(command, args, { ...options, detached: ownsGroup });
  const ended = new Promise((resolve) => {
    child.on("error", (error) => resolve({ exitCode: null, signal: null, error }));
    child.on("exit", (exitCode, signal) => resolve({ exitCode, signal }));
  });
  const send = (pid, signal) => {
    try {
      process.kill(pid, signal);
    } catch (error) {
      // ESRCH: everything in it has ended already, which is what was asked for.
      if (error.code !== "ESRCH") throw error;
    }
  };
  const end = async () => {
    if (child.pid === undefined) return;
    const everything = ownsGroup ? -child.pid : child.pid;
    // Only the leader is asked: an app whose helper processes vanish under it cannot leave in good order.
    if (child.exitCode === null && child.signalCode === null) send(child.pid, gentleSignal);
    const timer = setTimeout(() => send(everything, "SIGKILL"), GRACE_MS);
    await ended;
    clearTimeout(timer);
    if (ownsGroup) send(everything, "SIGKILL");
  };
  return { child, ended, end };
}

/**
 * Ends what was started when the person interrupts, and then leaves with the customary exit code.
 * @param {() => Promise<void>} end
 * @returns {() => void} call it when the work is over
 */
export function endOnInterrupt(end) {
  const codes = new Map([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ]);
  const handlers = [...codes].map(([signal, exitCode]) => {
    const handler = () => {
      void end().finally(() => process.exit(exitCode));
    };
    process.on(signal, handler);
    return [signal, handler];
  });
  return () => {
    for (const [signal, handler] of handlers) process.off(signal, handler);
  };
}
