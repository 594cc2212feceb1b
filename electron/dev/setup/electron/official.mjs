/** The official Electron release: where it is, whether it can be reached, and how it gets into the cache. */
import { createWriteStream, readFileSync } from "node:fs";
import { mkdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { installFolder, readInstalled } from "../installedFolder.mjs";
import { SetupProblem } from "../problem.mjs";
import { sha256File } from "./sha256File.mjs";
import { unpackZip } from "./unpackZip.mjs";

const DEFAULT_MIRROR = "https://github.com/electron/electron/releases/download/";
const PROBE_TIMEOUT_MS = 5000;
const IDLE_TIMEOUT_MS = 30_000;

/**
 * @typedef {object} Release
 * @property {string} version without "v"
 * @property {string} fileName
 * @property {string} folderUrl ends with "/"
 * @property {string} url of the archive
 */

/**
 * @param {string} rootDir
 * @returns {string} the exact version that package.json pins
 */
export function pinnedElectronVersion(rootDir) {
  return JSON.parse(readFileSync(path.join(rootDir, "package.json"), "utf8")).devDependencies.electron;
}

/**
 * Follows the variables of Electron's own installer: ELECTRON_MIRROR, ELECTRON_CUSTOM_DIR and their npm_config forms.
 * @param {string} version
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Release}
 */
export function describeRelease(version, env = process.env) {
  const mirror = env.npm_config_electron_mirror || env.ELECTRON_MIRROR || DEFAULT_MIRROR;
  const custom = env.npm_config_electron_custom_dir || env.ELECTRON_CUSTOM_DIR || `v${version}`;
  const folder = custom.replace("{{ version }}", version);
  const folderUrl = `${mirror.endsWith("/") ? mirror : `${mirror}/`}${folder}/`;
  const fileName = `electron-v${version}-${process.platform}-${process.arch}.zip`;
  return { version, fileName, folderUrl, url: folderUrl + fileName };
}

/**
 * Asks for the first byte only.
 * @param {Release} release
 * @param {number} [timeoutMs]
 * @returns {Promise<string | null>} why it cannot be had; null when it can
 */
export async function whyUnreachable(release, timeoutMs = PROBE_TIMEOUT_MS) {
  try {
    const response = await fetch(release.url, {
      headers: { range: "bytes=0-0" },
      signal: AbortSignal.timeout(timeoutMs),
    });
    await response.body?.cancel();
    return response.ok ? null : `${release.url} answers ${response.status}`;
  } catch (error) {
    if (error.name === "TimeoutError")
      return `${new URL(release.url).host} did not answer in ${timeoutMs / 1000} s`;
    return `${new URL(release.url).host}: ${error.cause?.code ?? error.message}`;
  }
}

/**
 * @param {string} electronCacheDir
 * @param {string} version
 * @returns {Promise<string | null>} executable of the release when it was installed before
 */
export async function findOfficial(electronCacheDir, version) {
  const dir = officialDir(electronCacheDir, version);
  return (await readInstalled(dir)) === null ? null : path.join(dir, executableName());
}

/**
 * Downloads, checks and unpacks the release.
 * @param {string} electronCacheDir
 * @param {Release} release
 * @param {string} checksum SHA-256 that the archive must have
 * @param {import("../progress.mjs").Progress} progress
 * @returns {Promise<string>} its executable
 * @throws SetupProblem for a wrong checksum (nothing is installed); other errors when the connection breaks
 */
export async function installOfficial(electronCacheDir, release, checksum, progress) {
  const dir = officialDir(electronCacheDir, release.version);
  const downloadDir = path.join(electronCacheDir, `download.partial-${process.pid}`);
  const zipPath = path.join(downloadDir, release.fileName);
  await mkdir(downloadDir, { recursive: true });
  try {
    await progress.step(`Downloading Electron ${release.version} from ${release.folderUrl}`, (detail) =>
      download(release.url, zipPath, detail),
    );
    const sha256 = await sha256File(zipPath);
    if (sha256 !== checksum) {
      throw new SetupProblem(
        `${release.url} does not have the expected checksum (SHA-256 ${sha256}, expected ${checksum}); it was refused.`,
        "check ELECTRON_MIRROR, or unset it to use the official address, and run the command again.",
      );
    }
    await progress.step(`Unpacking Electron ${release.version}`, (detail) =>
      installFolder(dir, { version: release.version, sha256, url: release.url }, (temporaryDir) =>
        unpackZip(
          zipPath,
          temporaryDir,
          (name) => name,
          (count) => detail(`${count} files`),
        ),
      ),
    );
    return path.join(dir, executableName());
  } finally {
    await rm(downloadDir, { recursive: true, force: true });
  }
}

/**
 * The checksum to hold the download against: by default the one that came with the npm package, which the lock file
 * pins; with `electron_use_remote_checksums` (for mirrors with own builds) the mirror's SHASUMS256.txt.
 * @param {string} rootDir
 * @param {Release} release
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<string>} lower-case hex
 * @throws SetupProblem when there is none for this file
 */
export async function expectedChecksum(rootDir, release, env = process.env) {
  const remote = env.electron_use_remote_checksums || env.npm_config_electron_use_remote_checksums;
  const known = remote ? await remoteChecksums(release) : await packagedChecksums(rootDir);
  const checksum = known.get(release.fileName);
  if (checksum !== undefined) return checksum.toLowerCase();
  throw new SetupProblem(
    `There is no checksum for ${release.fileName}, so it cannot be trusted.`,
    "this platform may have no Electron release; set ELECTRON_OVERRIDE_DIST_PATH to a folder with one.",
  );
}

async function packagedChecksums(rootDir) {
  const file = path.join(rootDir, "node_modules", "electron", "checksums.json");
  return new Map(Object.entries(JSON.parse(await readFile(file, "utf8"))));
}

async function remoteChecksums(release) {
  const response = await fetch(`${release.folderUrl}SHASUMS256.txt`, {
    signal: AbortSignal.timeout(IDLE_TIMEOUT_MS),
  });
  if (!response.ok) {
    throw new SetupProblem(
      `${release.folderUrl}SHASUMS256.txt answers ${response.status}.`,
      "put the checksum list beside the archive on the mirror, or unset electron_use_remote_checksums.",
    );
  }
  const lines = (await response.text())
    .split("\n")
    .map((line) => /^([0-9a-fA-F]{64}) [ *](.+?)\s*$/.exec(line));
  return new Map(lines.flatMap((match) => (match === null ? [] : [[match[2], match[1]]])));
}

async function download(url, target, detail) {
  const idle = new AbortController();
  const giveUp = () => idle.abort(new Error(`no data for ${IDLE_TIMEOUT_MS / 1000} s`));
  let timer = setTimeout(giveUp, IDLE_TIMEOUT_MS);
  try {
    const response = await fetch(url, { signal: idle.signal });
    if (!response.ok || response.body === null) throw new Error(`${url} answers ${response.status}`);
    const total = Number(response.headers.get("content-length") ?? 0);
    let receivedBytes = 0;
    const count = async function* (chunks) {
      for await (const chunk of chunks) {
        clearTimeout(timer);
        timer = setTimeout(giveUp, IDLE_TIMEOUT_MS);
        receivedBytes += chunk.length;
        detail(`${megabytes(receivedBytes)}${total > 0 ? ` of ${megabytes(total)}` : ""}`);
        yield chunk;
      }
    };
    await pipeline(Readable.fromWeb(response.body), count, createWriteStream(target));
  } finally {
    clearTimeout(timer);
  }
}

function megabytes(sizeBytes) {
  return `${(sizeBytes / 1e6).toFixed(1)} MB`;
}

function officialDir(electronCacheDir, version) {
  return path.join(electronCacheDir, `official-${version}-${process.platform}-${process.arch}`);
}

/** @returns {string} path of the executable inside a distribution for this platform */
export function executableName() {
  if (process.platform === "darwin") return "Electron.app/Contents/MacOS/Electron";
  return process.platform === "win32" ? "electron.exe" : "electron";
}
