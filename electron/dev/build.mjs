/** `npm run build`: builds `out/` when sources changed; `--force` builds anyway. */
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { stripVTControlCharacters } from "node:util";
import { isBuildFresh, sourceStamp, stampName } from "./build/stamp.mjs";
import { withLock } from "./setup/lock.mjs";
import { cacheDir, isProgram, rootDir } from "./setup/paths.mjs";
import { printProblem, SetupProblem } from "./setup/problem.mjs";
import { createProgress } from "./setup/progress.mjs";

/**
 * @param {import("./setup/progress.mjs").Progress} progress
 * @param {{ force?: boolean }} [options]
 * @returns {Promise<boolean>} whether anything was built
 * @throws SetupProblem when a source does not build; the former `out/` is then left as it was
 */
export async function buildIfChanged(progress, { force = false } = {}) {
  if (!force && isBuildFresh(rootDir)) return false;
  return withLock("build", progress.say, async () => {
    // Another process may have built while this one waited.
    if (!force && isBuildFresh(rootDir)) return false;
    await progress.step("Building", (detail) => buildAll(detail));
    return true;
  });
}

async function buildAll(detail) {
  const { build } = await import("vite");
  const { nodeTarget, preloadTarget, rendererTarget } = await import("./build/targets.mjs");
  const stamp = sourceStamp(rootDir);
  const temporaryDir = path.join(cacheDir, "build");
  const outDir = path.join(rootDir, "out");
  await rm(temporaryDir, { recursive: true, force: true });
  await mkdir(temporaryDir, { recursive: true });
  try {
    for (const [name, target] of [
      ["main, headless and command line", nodeTarget],
      ["preload", preloadTarget],
      ["panel", rendererTarget],
    ]) {
      detail(name);
      await build(await target(rootDir, temporaryDir));
    }
  } catch (cause) {
    throw new SetupProblem(
      `The build failed: ${plain(cause instanceof Error ? cause.message : String(cause))}`,
      "mend the file named above and run the command again.",
      { cause },
    );
  }
  await writeFile(path.join(temporaryDir, stampName), stamp);
  await rm(outDir, { recursive: true, force: true });
  await rename(temporaryDir, outDir);
}

/** Colours are for terminals; in a log they are noise. */
function plain(text) {
  return process.stderr.isTTY ? text : stripVTControlCharacters(text);
}

if (isProgram(import.meta.url)) {
  try {
    const progress = createProgress();
    const built = await buildIfChanged(progress, { force: process.argv.includes("--force") });
    if (!built) progress.say("✓ out/ is up to date");
  } catch (error) {
    printProblem(error);
  }
}
