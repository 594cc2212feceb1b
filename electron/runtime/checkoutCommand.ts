/** How a client starts `sallyport` from a checkout, where no such command is on the PATH. */

import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { AppStatus } from "../../shared/contract/index.ts";

/** Sources, built programs and shared chunks all lie two folders below the root. */
const script = path.join(path.dirname(fileURLToPath(import.meta.url)), "..", "..", "electron/cli/bin.mjs");

/** @returns null where this is no checkout */
export function checkoutCommand(): AppStatus["commandLine"] {
  return existsSync(script) ? { file: "node", args: [script] } : null;
}
