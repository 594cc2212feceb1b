/** The npm packages of the checkout: installed exactly as the lock file says, and marked when that succeeded. */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { SetupProblem } from "./problem.mjs";
import { runCommand } from "./runCommand.mjs";

// Outside of npm's own files; `npm ci` deletes it first thing, so that an interrupted install has no marker.
const MARKER = path.join("node_modules", ".sallyport");
const NATIVE_BUILD = path.join("node_modules", "node-pty", "build", "Release", "pty.node");
const NATIVE_PREBUILDS = path.join("node_modules", "node-pty", "prebuilds");

/**
 * @param {string} rootDir
 * @returns {Promise<string | null>} why packages have to be installed; null when they are as the lock file says
 */
export async function whyInstallPackages(rootDir) {
  if (!existsSync(path.join(rootDir, "node_modules"))) return "no packages are installed yet";
  if (!hasNativeTerminal(rootDir)) return "the terminal module node-pty is not built";
  const marker = await readFile(path.join(rootDir, MARKER), "utf8").catch(() => "");
  if (marker === (await lockDigest(rootDir))) return null;
  // Somebody ran npm by hand: what npm itself recorded when it finished is as good as our marker.
  if (await installedAsLocked(rootDir)) {
    await writeMarker(rootDir);
    return null;
  }
  return "the installed packages are not those of package-lock.json";
}

/**
 * Runs `npm ci`. Safe to interrupt: the next run starts over.
 * @param {string} rootDir
 * @param {import("./progress.mjs").Progress} progress
 * @param {string} reason shown to the person
 * @throws SetupProblem with npm's last lines
 */
export async function installPackages(rootDir, progress, reason) {
  await progress.step(`Installing npm packages (${reason})`, async (detail) => {
    const args = ["ci", "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"];
    const result = await runCommand("npm", args, { cwd: rootDir, env: npmEnvironment(), onLine: detail });
    if (result.exitCode !== 0) {
      throw new SetupProblem(
        `npm ci failed:\n${result.output.trim()}`,
        "check that the npm registry can be reached (npm ping), then run the command again.",
      );
    }
    if (!hasNativeTerminal(rootDir)) {
      throw new SetupProblem(
        "npm ci ended well, but node-pty was not built.",
        "allow install scripts for it (npm config get ignore-scripts must say false) and run the command again.",
      );
    }
    await writeMarker(rootDir);
  });
}

/** With an empty home folder node-gyp would download Node's headers; the running Node usually brings them. */
export function npmEnvironment(env = process.env, nodePath = process.execPath) {
  const prefix = path.dirname(path.dirname(nodePath));
  const hasHeaders = existsSync(path.join(prefix, "include", "node", "node_api.h"));
  return hasHeaders && env.npm_config_nodedir === undefined ? { ...env, npm_config_nodedir: prefix } : env;
}

function hasNativeTerminal(rootDir) {
  const prebuilt = path.join(rootDir, NATIVE_PREBUILDS, `${process.platform}-${process.arch}`);
  return existsSync(path.join(rootDir, NATIVE_BUILD)) || existsSync(prebuilt);
}

async function lockDigest(rootDir) {
  const lock = await readFile(path.join(rootDir, "package-lock.json"));
  return createHash("sha256").update(`${process.platform} ${process.arch}\n`).update(lock).digest("hex");
}

async function writeMarker(rootDir) {
  await writeFile(path.join(rootDir, MARKER), await lockDigest(rootDir));
}

async function installedAsLocked(rootDir) {
  const wanted = await readPackageTable(path.join(rootDir, "package-lock.json"));
  const installed = await readPackageTable(path.join(rootDir, "node_modules", ".package-lock.json"));
  if (wanted === null || installed === null) return false;
  for (const [name, entry] of wanted) {
    if (name === "" || (entry.optional === true && !installed.has(name))) continue;
    if (installed.get(name)?.version !== entry.version) return false;
  }
  return [...installed.keys()].every((name) => wanted.has(name));
}

async function readPackageTable(file) {
  try {
    return new Map(Object.entries(JSON.parse(await readFile(file, "utf8")).packages));
  } catch {
    // Absent or cut off: npm did not finish, and a fresh install mends it.
    return null;
  }
}
