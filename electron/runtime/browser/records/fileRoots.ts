/** The two folders through which files go in and out of the browser, and what may pass there. */

import { constants } from "node:fs";
import { chmod, lstat, mkdir, realpath, stat } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { browserProblem } from "../problems.ts";

export interface FileRoots {
  uploads: string;
  downloads: string;
}

/**
 * The roots below OpenClaw's temporary folder: `/tmp/openclaw` when it is ours alone, else one with the user's id.
 * Both are made, for this user only.
 */
export async function openFileRoots(tempDir: string, uid: number | null): Promise<FileRoots> {
  const shared = join(tempDir, "openclaw");
  const own = join(tempDir, `openclaw-${uid ?? "user"}`);
  const base = (await isOurs(shared, uid)) ? shared : own;
  if (base === own && !(await isOurs(own, uid))) {
    throw browserProblem(
      "bad_path",
      `${own} belongs to another user or others may write there, so no files can be exchanged with the browser. Remove it or mend its rights.`,
    );
  }
  const roots = { uploads: join(base, "uploads"), downloads: join(base, "downloads") };
  for (const root of [roots.uploads, roots.downloads]) {
    await mkdir(root, { recursive: true, mode: 0o700 });
    await chmod(root, 0o700);
  }
  return roots;
}

/** Makes the folder when it is missing. */
async function isOurs(path: string, uid: number | null): Promise<boolean> {
  try {
    await mkdir(path, { mode: 0o700 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  const found = await lstat(path);
  const isPrivate =
    process.platform === "win32" || (found.mode & (constants.S_IWGRP | constants.S_IWOTH)) === 0;
  return found.isDirectory() && isPrivate && (uid === null || found.uid === uid);
}

/** @returns whether `path` is below `root`, both without links */
function isBelow(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/**
 * Files that may be given to a page. Relative paths start at the root.
 * @throws AppError INVALID_INPUT for a path outside, a link, a hard link, no file, or a missing one
 */
export async function checkedUploads(
  root: string,
  paths: readonly string[],
  mayBeMissing = false,
): Promise<string[]> {
  const realRoot = await realpath(root);
  const checked: string[] = [];
  for (const path of paths) {
    const full = resolve(realRoot, path);
    const inRoot = isBelow(realRoot, full)
      ? full
      : isBelow(root, full)
        ? join(realRoot, relative(root, full))
        : null;
    if (inRoot === null) {
      throw browserProblem(
        "bad_path",
        `Invalid path: must stay within uploads directory (${root}). Copy the file there first.`,
      );
    }
    const found = await lstat(inRoot).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
      throw error;
    });
    if (found === null && mayBeMissing) {
      checked.push(inRoot);
      continue;
    }
    if (found === null) {
      throw browserProblem(
        "bad_path",
        `There is no file ${inRoot}. Put it there first; relative paths start at ${root}.`,
      );
    }
    if (found.isSymbolicLink() || (await realpath(inRoot)) !== inRoot) {
      throw browserProblem(
        "bad_path",
        `${inRoot} is or goes through a symbolic link. Copy the file itself there.`,
      );
    }
    if (!found.isFile()) throw browserProblem("bad_path", `${inRoot} is no file.`);
    if (found.nlink > 1) {
      throw browserProblem(
        "bad_path",
        `${inRoot} is a hard link to a file elsewhere. Copy the file itself there.`,
      );
    }
    checked.push(inRoot);
  }
  return checked;
}

/**
 * Where a download may be saved. Relative paths start at the root.
 * @throws AppError INVALID_INPUT for a path outside, through a link, or onto something that exists
 */
export async function checkedDownloadPath(root: string, path: string): Promise<string> {
  const realRoot = await realpath(root);
  const full = resolve(realRoot, path);
  const inRoot = isBelow(realRoot, full)
    ? full
    : isBelow(root, full)
      ? join(realRoot, relative(root, full))
      : null;
  if (inRoot === null) {
    throw browserProblem("bad_path", `Invalid path: must stay within downloads directory (${root}).`);
  }
  const parent = dirname(inRoot);
  const realParent = await realpath(parent).catch(() => null);
  if (realParent === null) {
    throw browserProblem("bad_path", `There is no folder ${parent}. Save into ${root} itself.`);
  }
  if (realParent !== parent) throw browserProblem("bad_path", `${parent} goes through a symbolic link.`);
  const isThere = await lstat(inRoot).then(
    () => true,
    () => false,
  );
  if (isThere) throw browserProblem("bad_path", `${inRoot} exists already. Name another file.`);
  return inRoot;
}

/** @returns bytes of a file; null when it is gone */
export async function sizeOf(path: string): Promise<number | null> {
  return stat(path).then(
    (found) => found.size,
    () => null,
  );
}
