/** Replaces and removes files through an open handle of their folder, so that nothing can be moved underneath. */

import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { access, type FileHandle, mkdir, open, readlink, realpath, rename, unlink } from "node:fs/promises";
import path from "node:path";
import { fileProblem } from "./problems.ts";
import { isAt } from "./readFile.ts";

export interface Replacement {
  /** Links resolved; the last part is replaced and never followed. */
  realPath: string;
  bytes: Uint8Array;
  /** Mode and owner of the file that is replaced; null for a new one. */
  existing: { mode: number; uid: number; gid: number } | null;
  /** A new file and new folders are for the user alone; else the umask decides. */
  isPrivate: boolean;
  /** Last look before the old file goes; a throw leaves it. */
  beforeRename?: () => Promise<void>;
}

/**
 * Writes a temporary sibling, flushes it to the disk and renames it: a reader, or a crash at any moment, finds the old
 * or the new file whole. (The product's own files use storage/atomicWrite.ts, which follows a link as target; here a
 * link must not be followed, and mode and owner of somebody else's file are kept.)
 * @throws the file system's error, or AppError changed
 */
export async function replaceFile(replacement: Replacement): Promise<void> {
  const { realPath, existing, isPrivate } = replacement;
  const folder = path.dirname(realPath);
  await mkdir(folder, { recursive: true, ...(isPrivate ? { mode: 0o700 } : {}) });
  if (existing !== null) await access(realPath, constants.W_OK);
  await inFolder(folder, async (base, handle) => {
    const temporary = path.join(base, `.sallyport-${randomBytes(9).toString("hex")}.tmp`);
    const flags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY;
    const file = await open(temporary, flags, existing === null && !isPrivate ? 0o666 : 0o600);
    try {
      try {
        await file.writeFile(replacement.bytes);
        if (existing !== null) await keepOwnerAndMode(file, existing);
        await file.sync();
      } finally {
        await file.close();
      }
      await replacement.beforeRename?.();
      await rename(temporary, path.join(base, path.basename(realPath)));
    } catch (error) {
      await unlink(temporary).catch(() => {
        // The first error is the one to report; a leftover has a name that nothing reads.
      });
      throw error;
    }
    await syncFolder(handle);
  });
}

/** Removes one entry; a link goes, what it points to stays. */
export async function removeFile(realPath: string): Promise<void> {
  await inFolder(path.dirname(realPath), async (base, handle) => {
    await unlink(path.join(base, path.basename(realPath)));
    await syncFolder(handle);
  });
}

async function keepOwnerAndMode(
  file: FileHandle,
  existing: NonNullable<Replacement["existing"]>,
): Promise<void> {
  const now = await file.stat();
  if (now.uid !== existing.uid || now.gid !== existing.gid) {
    await file.chown(existing.uid, existing.gid).catch(() => {
      // Only root may give files away; for others the new file is theirs, as with any editor that renames.
    });
  }
  // After chown, which clears bits. Set-user-id bits are not carried over to new content.
  await file.chmod(existing.mode & 0o777);
}

/** Opens a folder and works through the handle where the system allows it. */
async function inFolder(
  folder: string,
  work: (base: string, handle: FileHandle | null) => Promise<void>,
): Promise<void> {
  if (process.platform === "win32") {
    if ((await realpath(folder)) !== folder) throw moved(folder);
    return work(folder, null);
  }
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    if (!(await isAt(handle.fd, folder)) || (await realpath(folder)) !== folder) throw moved(folder);
    await work(await handleBase(handle, folder), handle);
  } finally {
    await handle.close();
  }
}

/** @returns a path that reaches the open folder itself, wherever it is moved; else the folder's path */
async function handleBase(handle: FileHandle, folder: string): Promise<string> {
  if (process.platform !== "linux") return folder;
  const own = `/proc/self/fd/${handle.fd}`;
  try {
    await readlink(own);
    return own;
  } catch {
    // No /proc in this container.
    return folder;
  }
}

async function syncFolder(handle: FileHandle | null): Promise<void> {
  await handle?.sync().catch(() => {
    // Some network file systems cannot flush a folder; the file itself is already on the disk.
  });
}

function moved(folder: string): Error {
  return fileProblem(
    "changed",
    `The folder ${folder} was moved or replaced by a link just now. Nothing was changed.`,
    {
      data: { path: folder },
    },
  );
}
