/** Runs a small helper program (a probe, a clean-up) to its end, with a limit on time and output. */

import { execFile } from "node:child_process";

export interface QuietResult {
  /** null when it could not be started, or was ended by a signal or the time-out. */
  exitCode: number | null;
  stdout: string;
  /** The last lines of stderr, else why it could not run; for people. */
  problem: string;
}

/** Never throws. */
export function runQuietly(
  file: string,
  args: readonly string[],
  options: { env: Record<string, string>; timeoutMs: number },
): Promise<QuietResult> {
  return new Promise((resolve) => {
    const child = execFile(
      file,
      [...args],
      {
        env: options.env,
        timeout: options.timeoutMs,
        killSignal: "SIGKILL",
        maxBuffer: 1024 * 1024,
        encoding: "utf8",
        windowsHide: true,
      },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : error.code;
        resolve({
          exitCode: typeof code === "number" ? code : null,
          stdout,
          problem: stderr.trim().split("\n").slice(-3).join(" ") || (error?.message ?? ""),
        });
      },
    );
    child.stdin?.end();
  });
}
