/** Runs a speech program without a shell: text to its input, an end after the time limit, no output kept but errors. */

import { spawn } from "node:child_process";
import { AppError } from "../../../shared/errors/index.ts";
import { netProblem } from "../net/netProblem.ts";

export interface SpeakerRun {
  file: string;
  args: readonly string[];
  stdin: string;
  env: Record<string, string>;
  timeoutMs: number;
  signal: AbortSignal;
}

const keptOutputChars = 20_000;

/** @returns what it printed, at most 20,000 characters */
export function runSpeaker(run: SpeakerRun): Promise<string> {
  return new Promise((resolve, reject) => {
    if (run.signal.aborted) return reject(run.signal.reason);
    const child = spawn(run.file, run.args, {
      env: run.env,
      stdio: ["pipe", "pipe", "pipe"],
      shell: false,
      windowsHide: true,
    });
    let output = "";
    let errors = "";
    let isLate = false;
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      output = (output + chunk).slice(0, keptOutputChars);
    });
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      errors = (errors + chunk).slice(0, keptOutputChars);
    });
    // A program that ends before it has read everything breaks the pipe; its exit code is the answer.
    child.stdin.on("error", () => {});
    child.stdin.end(run.stdin);
    const kill = () => {
      child.kill("SIGKILL");
      // What the program itself started may hold the pipes open, and "close" would wait for it.
      child.stdout.destroy();
      child.stderr.destroy();
    };
    run.signal.addEventListener("abort", kill, { once: true });
    const timer = setTimeout(() => {
      isLate = true;
      kill();
    }, run.timeoutMs);
    const end = (finish: () => void) => {
      clearTimeout(timer);
      run.signal.removeEventListener("abort", kill);
      finish();
    };
    child.once("error", (cause) => {
      end(() => reject(netProblem("connect", "The speech program cannot be started.", { cause })));
    });
    child.once("close", (code) => {
      end(() => {
        if (run.signal.aborted) return reject(run.signal.reason);
        if (isLate) {
          const seconds = run.timeoutMs / 1000;
          return reject(
            new AppError("TIMEOUT", `The speech program did not finish within ${seconds} seconds.`),
          );
        }
        if (code === 0) return resolve(output);
        // The last line says most; the text that was spoken is not in it.
        const reason = errors.trim().split("\n").at(-1)?.slice(0, 200) ?? "";
        reject(
          new AppError("TOOL_FAILED", `The speech program failed with exit code ${code ?? "none"}.`, {
            data: { reason },
          }),
        );
      });
    });
  });
}
