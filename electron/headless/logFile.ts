/** The log of a program without a window: one file per state directory, private, started anew when it grows. */

import { appendFileSync, mkdirSync, renameSync, statSync } from "node:fs";
import path from "node:path";
import { createLogger, type Logger } from "../runtime/logging/logger.ts";

const maxSizeBytes = 5_000_000;

/**
 * @param logsDir made when it is missing
 * @param name of the program, becomes `<name>.log`; the one before is kept as `<name>.1.log`
 */
export function createFileLogger(logsDir: string, name: string): Logger {
  const file = path.join(logsDir, `${name}.log`);
  mkdirSync(logsDir, { recursive: true, mode: 0o700 });
  let sizeBytes = sizeOf(file);
  return createLogger((line) => {
    try {
      if (sizeBytes > maxSizeBytes) {
        renameSync(file, path.join(logsDir, `${name}.1.log`));
        sizeBytes = 0;
      }
      appendFileSync(file, `${line}\n`, { mode: 0o600 });
      sizeBytes += Buffer.byteLength(line) + 1;
    } catch {
      // A full disk must not end the program that guards the computer; the ledger reports its own failures.
    }
  });
}

function sizeOf(file: string): number {
  try {
    return statSync(file).size;
  } catch {
    // It is not there yet.
    return 0;
  }
}
