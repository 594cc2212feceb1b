#!/usr/bin/env node
/**
 * `sallyport`: the terminal's way in. In a checkout it builds first when sources changed; what it has to say about
 * that goes to stderr, because stdout may be an MCP connection.
 */
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { isBuildFresh } from "../dev/build/stamp.mjs";

const rootDir = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");

if (!isBuildFresh(rootDir)) {
  if (!existsSync(path.join(rootDir, "node_modules", "vite"))) {
    process.stderr.write(
      "sallyport: packages are not installed in this checkout. Run `npm start` there once.\n",
    );
    process.exit(1);
  }
  const { buildIfChanged } = await import("../dev/build.mjs");
  const { createProgress } = await import("../dev/setup/progress.mjs");
  const { printProblem } = await import("../dev/setup/problem.mjs");
  try {
    await buildIfChanged(createProgress());
  } catch (error) {
    printProblem(error);
    process.exit(1);
  }
}

await import("../../out/cli/index.js");
