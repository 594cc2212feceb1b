/** Where the checkout and its untracked cache are. */
import path from "node:path";
import { fileURLToPath } from "node:url";

/** Root of the checkout. */
export const rootDir = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..");

/** Downloads, runtimes and stamps that can be deleted at any time; ignored by git. */
export const cacheDir = path.join(rootDir, ".cache");
