/** Ties a decision to what was decided: the folder and the files that run, checked again just before spawning (A7). */

import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync, statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import type { Reason } from "../../../shared/contract/index.ts";
import { createFsExecutableLookup } from "../exec/analysis/fsLookup.ts";

/** A file that will run, or be run by an interpreter, as it was when the decision was made. */
export interface BoundFile {
  path: string;
  realPath: string;
  /** SHA-256 hex of the first 64 MiB plus the size; see `hashFile`. */
  sha256: string;
}

/** A bare name that a shell will look up once more when the text runs. */
export interface BoundName {
  name: string;
  path: string;
}

export interface Binding {
  cwd: { path: string; realPath: string; device: number; inode: number };
  files: BoundFile[];
  names: BoundName[];
  /** Where names were looked up. */
  searchPath: string | undefined;
}

const lookup = createFsExecutableLookup();

/** Big programs (browsers, runtimes) are hashed in part, so that a prompt appears at once. */
const hashedBytes = 64 * 1024 * 1024;
const chunkBytes = 1024 * 1024;
/** Up to this size a file is hashed at once: handing it to another thread takes longer than the work itself. */
const atOnceBytes = 256 * 1024;

/**
 * @returns SHA-256 hex over the first 64 MiB and the file's size
 * @throws the file system's error when the file cannot be read
 */
export async function hashFile(path: string): Promise<string> {
  const small = hashAtOnce(path);
  if (small !== null) return small;
  const handle = await open(path, "r");
  try {
    return await hashHandle(handle);
  } finally {
    await handle.close();
  }
}

/** @returns null for what is large, or no regular file */
function hashAtOnce(path: string): string | null {
  // Without blocking: to open a pipe would otherwise wait for its other end.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const facts = fstatSync(file);
    if (!facts.isFile() || facts.size > atOnceBytes) return null;
    return createHash("sha256").update(readFileSync(file)).digest("hex");
  } finally {
    closeSync(file);
  }
}

async function hashHandle(handle: FileHandle): Promise<string> {
  const hash = createHash("sha256");
  const { size } = await handle.stat();
  const buffer = Buffer.allocUnsafe(chunkBytes);
  let position = 0;
  while (position < Math.min(size, hashedBytes)) {
    const { bytesRead } = await handle.read(
      buffer,
      0,
      Math.min(chunkBytes, hashedBytes - position),
      position,
    );
    if (bytesRead === 0) break;
    hash.update(buffer.subarray(0, bytesRead));
    position += bytesRead;
  }
  if (size > hashedBytes) hash.update(`size:${size}`);
  return hash.digest("hex");
}

/**
 * Records what runs. A file that cannot be read gets no hash and cannot be bound: then the reason is returned.
 * @param files real paths as the analysis found them, by the path that was looked up; `name` when that was on PATH
 * @param searchPath the PATH of the run
 */
export async function bind(
  cwd: string,
  files: readonly { path: string; realPath: string; name?: string | undefined }[],
  searchPath?: string,
): Promise<{ ok: true; binding: Binding } | { ok: false; reason: Reason }> {
  try {
    const realPath = realpathSync.native(cwd);
    const facts = statSync(cwd);
    const bound: BoundFile[] = [];
    for (const file of uniqueByPath(files))
      bound.push({ path: file.path, realPath: file.realPath, sha256: await hashFile(file.realPath) });
    const names = files.flatMap(({ name, path }) => (name === undefined ? [] : [{ name, path }]));
    const folder = { path: cwd, realPath, device: facts.dev, inode: facts.ino };
    return { ok: true, binding: { cwd: folder, files: bound, names, searchPath } };
  } catch (error) {
    return { ok: false, reason: { code: "cannotBind", params: { detail: String(error) } } };
  }
}

/**
 * Compares the world with the binding.
 * @returns null when nothing changed, else which thing did
 */
export async function changedSince(binding: Binding): Promise<Reason | null> {
  const { cwd } = binding;
  try {
    const realPath = realpathSync.native(cwd.path);
    const facts = statSync(cwd.path);
    if (realPath !== cwd.realPath || facts.dev !== cwd.device || facts.ino !== cwd.inode) {
      return { code: "folderChanged", params: { path: cwd.path } };
    }
    for (const { name, path } of binding.names) {
      // A namesake in a folder that is searched earlier would run instead.
      const now = lookup.findOnPath(name, { PATH: binding.searchPath });
      if (now?.lexicalPath !== path)
        return { code: "nameChanged", params: { name, path: now?.lexicalPath ?? path } };
    }
    for (const file of binding.files) {
      if (realpathSync.native(file.path) !== file.realPath)
        return { code: "linkChanged", params: { path: file.path } };
      if ((await hashFile(file.realPath)) !== file.sha256)
        return { code: "fileChanged", params: { path: file.path } };
    }
    return null;
  } catch (error) {
    return { code: "fileGone", params: { detail: String(error) } };
  }
}

function uniqueByPath<T extends { path: string }>(files: readonly T[]): T[] {
  return [...new Map(files.map((file) => [file.path, file])).values()];
}
