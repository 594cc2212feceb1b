/** Packages the app as a folder and starts what came out: the fuses, the archive and the native modules are real. */

import { rm } from "node:fs/promises";
import path from "node:path";
import { rootDir } from "../setup/paths.mjs";
import { startDisplay } from "./display.mjs";
import { packageProgram, runTimed } from "./runTimed.mjs";

/**
 * @param {import("./suites.mjs").SuiteContext} context
 * @returns {Promise<import("./suites.mjs").SuiteResult>} two tests: it packages; the packaged app tells its version
 */
export async function packageAndStart(context) {
  const { electron } = context.prepared;
  if (electron?.kind !== "runtime") {
    return { passed: 0, failed: 2, output: "There is no Electron to package." };
  }
  if (process.platform !== "linux") return { passed: 0, failed: 0, output: "" };
  const outDir = path.join(rootDir, "dist", "test");
  await rm(outDir, { recursive: true, force: true });
  const args = [
    packageProgram("electron-builder/cli.js"),
    "--linux",
    "dir",
    "--publish=never",
    `-c.directories.output=${outDir}`,
    `-c.electronDist=${path.dirname(electron.executable)}`,
    `-c.electronVersion=${electron.version}`,
    "-c.npmRebuild=false",
  ];
  const built = await runTimed("package", process.execPath, args, context);
  if (built.exitCode !== 0) return { passed: 0, failed: 2, output: built.output };
  const started = await tellVersion(path.join(outDir, "linux-unpacked", "sallyport"), context);
  return { passed: started === null ? 2 : 1, failed: started === null ? 0 : 1, output: started ?? "" };
}

/** Null when the packaged app printed its version; else what it printed instead. */
async function tellVersion(executable, context) {
  const display = await startDisplay();
  try {
    const asRoot = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
    const env = { ...process.env, ...display.env };
    const { exitCode, output } = await runTimed("package", executable, [...asRoot, "--version"], {
      ...context,
      env,
    });
    const version = await ownVersion();
    const isRight = exitCode === 0 && output.split("\n").some((line) => line.trim() === version);
    return isRight
      ? null
      : `The packaged app did not print ${version} and end (exit code ${exitCode}):\n${output}`;
  } finally {
    await display.stop();
  }
}

async function ownVersion() {
  const { default: manifest } = await import("../../../package.json", { with: { type: "json" } });
  return manifest.version;
}
