/** Tells whether the built files belong to the sources as they are now. Quick: it only looks at sizes and dates. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";

const SOURCES = ["electron", "renderer", "shared", "package.json", "package-lock.json"];
const STAMP_FILE = path.join("out", ".stamp");

// Neither tests nor set-up scripts end up in what is built; the build scripts themselves do shape it.
const isBuilt = (name) => !/\.test\.tsx?$/.test(name);
const skippedFolders = new Set([
  path.join("electron", "dev", "setup"),
  path.join("electron", "dev", "suites"),
]);

/**
 * @param {string} rootDir
 * @returns {string} digest over path, size and date of every source file
 */
export function sourceStamp(rootDir) {
  const hash = createHash("sha256");
  const visit = (name) => {
    const full = path.join(rootDir, name);
    const stat = statSync(full, { throwIfNoEntry: false });
    if (stat === undefined || skippedFolders.has(name)) return;
    if (stat.isDirectory()) {
      for (const child of readdirSync(full).sort()) visit(path.join(name, child));
    } else if (isBuilt(name)) {
      hash.update(`${name}\0${stat.size}\0${stat.mtimeMs}\n`);
    }
  };
  for (const source of SOURCES) visit(source);
  return hash.digest("hex");
}

/**
 * @param {string} rootDir
 * @returns {boolean} false when nothing was built, a build was not finished, or a source changed since
 */
export function isBuildFresh(rootDir) {
  try {
    return readFileSync(path.join(rootDir, STAMP_FILE), "utf8") === sourceStamp(rootDir);
  } catch (error) {
    if (error.code === "ENOENT") return false;
    throw error;
  }
}

/** Name of the stamp inside the output folder. */
export const stampName = path.basename(STAMP_FILE);
