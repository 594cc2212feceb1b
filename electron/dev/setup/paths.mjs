/** Where the checkout and its untracked cache are. */
import { realpathSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** Root of the checkout. */
export const rootDir = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..");

/** Downloads, runtimes and stamps that can be deleted at any time; ignored by git. */
export const cacheDir = path.join(rootDir, ".cache");

/**
 * @param {string} moduleUrl `import.meta.url` of the caller
 * @returns {boolean} whether that module was started as a program, rather than imported
 */
export function isProgram(moduleUrl) {
  const started = process.argv[1];
  return started !== undefined && realpathSync(started) === realpathSync(fileURLToPath(moduleUrl));
}
