/** Replaces files so that a reader, and a crash at any moment, finds the old or the new text whole. */

import { createHash, randomBytes } from "node:crypto";
import { mkdir, open, readFile, readlink, rename, unlink } from "node:fs/promises";
import path from "node:path";
import { AppError, messageOf } from "../../../shared/errors/index.ts";

/** As many links as Linux follows before it calls a loop. */
const maxLinks = 40;

/** Texts of the product's files are far smaller; a larger one is a mistake or an attack. */
const maxTextBytes = 64 * 1024 * 1024;

/** @returns SHA-256 of the UTF-8 bytes, hex in lower case */
export function sha256Hex(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}

/**
 * Reads a UTF-8 text; text that is not valid UTF-8 is refused, since writing it back would change it.
 * @returns null when there is no such file
 * @throws AppError UNAVAILABLE for everything else that keeps it from being read
 */
export async function readTextFile(filePath: string): Promise<string | null> {
  let bytes: Buffer;
  try {
    bytes = await readFile(filePath);
  } catch (cause) {
    if (errnoOf(cause) === "ENOENT") return null;
    throw new AppError("UNAVAILABLE", `Cannot read ${filePath}: ${messageOf(cause)}.`, {
      cause,
      data: { path: filePath },
    });
  }
  if (bytes.length > maxTextBytes)
    throw new AppError("UNAVAILABLE", `${filePath} is larger than 64 MiB and was not read.`, {
      data: { path: filePath, sizeBytes: bytes.length },
    });
  try {
    // ignoreBOM keeps a byte order mark in the text, so that hash and positions are those of the file.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new AppError("UNAVAILABLE", `${filePath} is not valid UTF-8. Save it as UTF-8.`, {
      cause,
      data: { path: filePath },
    });
  }
}

/**
 * Writes a temporary file in the same folder, flushes it to the disk and renames it over the target.
 * A link as target stays a link: the file it points to is replaced. Missing folders are made with mode 0700.
 * @throws AppError UNAVAILABLE when it cannot be written; the old file is then untouched
 */
export async function writeFileAtomic(
  filePath: string,
  text: string,
  options: { mode?: number } = {},
): Promise<void> {
  const mode = options.mode ?? 0o600;
  let temporary: string | null = null;
  try {
    const target = await resolveLinks(filePath);
    const folder = path.dirname(target);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    temporary = path.join(
      folder,
      `.${path.basename(target)}.${process.pid}.${randomBytes(6).toString("hex")}.tmp`,
    );
    const handle = await open(temporary, "wx", mode);
    try {
      await handle.writeFile(text, "utf8");
      // The mode given to open is cut by the umask.
      await handle.chmod(mode);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, target);
    temporary = null;
    await syncFolder(folder);
  } catch (cause) {
    if (temporary !== null) await removeQuietly(temporary);
    throw new AppError("UNAVAILABLE", `Cannot write ${filePath}: ${messageOf(cause)}. Nothing was changed.`, {
      cause,
      data: { path: filePath },
    });
  }
}

/**
 * Follows links by hand, because the last target need not exist yet.
 * @returns the path of the file that a write to `filePath` reaches
 */
export async function resolveLinks(filePath: string): Promise<string> {
  let current = path.resolve(filePath);
  for (let links = 0; links < maxLinks; links += 1) {
    let next: string;
    try {
      next = await readlink(current);
    } catch (error) {
      // Not a link, or nothing there yet: this is the file.
      if (errnoOf(error) === "EINVAL" || errnoOf(error) === "ENOENT" || errnoOf(error) === "UNKNOWN")
        return current;
      throw error;
    }
    current = path.resolve(path.dirname(current), next);
  }
  throw new Error(`too many links at ${filePath}`);
}

/** @returns the code of a system error, such as `ENOENT`, or undefined */
export function errnoOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** Makes the rename itself durable. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, "r");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch {
    // Windows and some network file systems cannot flush a folder; the text itself is already on the disk.
  }
}

async function removeQuietly(filePath: string): Promise<void> {
  try {
    await unlink(filePath);
  } catch {
    // The write has failed already and that error is the one to report; a leftover of ours is never read.
  }
}
