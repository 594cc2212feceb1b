/** Where the built panel lies beside the built programs. */

import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Programs are built to `out/<program>/` and shared pieces to `out/chunks/`: from both the panel is at `../renderer`.
 * @returns null when there is no built panel
 */
export function builtPanelDir(moduleUrl: string): string | null {
  const dir = path.join(path.dirname(fileURLToPath(moduleUrl)), "..", "renderer");
  return existsSync(path.join(dir, "index.html")) ? dir : null;
}
