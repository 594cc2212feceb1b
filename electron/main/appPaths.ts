/** Where the built app's own files are, from a checkout and from a package alike. */

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const builtDir = dirname(fileURLToPath(import.meta.url));

/** `out/`: the folder above the one this file was built into. */
const outDir = join(builtDir, "..");

export const appPaths = {
  preload: join(outDir, "preload", "index.cjs"),
  renderer: join(outDir, "renderer"),
  icons: join(outDir, "..", "resources", "icons"),
};
