/** Unpacks a zip archive with file modes and symbolic links, leaving out what the caller does not want. */
import { createWriteStream } from "node:fs";
import { mkdir, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";

const FILE_TYPE_MASK = 0o170000;
const SYMBOLIC_LINK = 0o120000;

/**
 * @param {string} zipPath
 * @param {string} targetDir created when absent
 * @param {(name: string) => string | null} rename from the name in the archive (always with `/`) to the one below
 *   `targetDir`; null leaves the entry out
 * @param {(count: number) => void} [onEntry] called after each entry with how many were written
 * @throws Error for a damaged archive or a name that points outside of `targetDir`
 */
export async function unpackZip(zipPath, targetDir, rename, onEntry) {
  // Loaded late: this module is imported before packages are installed.
  const yauzl = createRequire(import.meta.url)("yauzl");
  const zip = await promisify(yauzl.open)(zipPath, { lazyEntries: true, autoClose: true });
  const openEntry = promisify(zip.openReadStream.bind(zip));
  const root = path.resolve(targetDir);
  let written = 0;

  const writeEntry = async (entry) => {
    const name = rename(entry.fileName);
    if (name === null || name === "") return;
    const target = path.resolve(root, name);
    if (target !== root && !target.startsWith(root + path.sep)) {
      throw new Error(`${zipPath} holds a name outside of its folder: ${entry.fileName}`);
    }
    if (entry.fileName.endsWith("/")) {
      await mkdir(target, { recursive: true });
      return;
    }
    await mkdir(path.dirname(target), { recursive: true });
    const mode = entry.externalFileAttributes >>> 16;
    const stream = await openEntry(entry);
    if ((mode & FILE_TYPE_MASK) === SYMBOLIC_LINK) await symlink(await text(stream), target);
    else await pipeline(stream, createWriteStream(target, { mode: mode & 0o777 || 0o644 }));
    written += 1;
    onEntry?.(written);
  };

  await new Promise((resolve, reject) => {
    zip.on("error", reject);
    zip.on("end", resolve);
    zip.on("entry", (entry) => {
      writeEntry(entry).then(
        () => zip.readEntry(),
        (error) => {
          zip.close();
          reject(error);
        },
      );
    });
    zip.readEntry();
  });
}
