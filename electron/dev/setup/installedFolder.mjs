/** Folders that appear whole or not at all: filled under a temporary name, marked, then renamed. */
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";

const MARKER = ".sallyport-installed.json";

/**
 * @param {string} dir
 * @returns {Promise<Record<string, unknown> | null>} what was recorded when it was filled; null when it is absent,
 *   was not finished, or its marker cannot be read (then it is to be filled again)
 */
export async function readInstalled(dir) {
  try {
    const value = JSON.parse(await readFile(path.join(dir, MARKER), "utf8"));
    return typeof value === "object" && value !== null ? value : null;
  } catch {
    // Absent and damaged mean the same here: not installed, and the repair is the same.
    return null;
  }
}

/**
 * Fills `dir` through `fill`; an interruption at any moment leaves either the old state or the finished folder.
 * @param {string} dir final place
 * @param {Record<string, unknown>} facts version and checksum, kept in the marker
 * @param {(temporaryDir: string) => Promise<void>} fill
 */
export async function installFolder(dir, facts, fill) {
  const temporaryDir = `${dir}.partial-${process.pid}`;
  await rm(temporaryDir, { recursive: true, force: true });
  await mkdir(temporaryDir, { recursive: true });
  try {
    await fill(temporaryDir);
    await writeFile(path.join(temporaryDir, MARKER), `${JSON.stringify(facts, null, 2)}\n`);
    await rm(dir, { recursive: true, force: true });
    await rename(temporaryDir, dir);
  } finally {
    await rm(temporaryDir, { recursive: true, force: true });
  }
}
