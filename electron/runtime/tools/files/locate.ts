/** Finds out which file a path really reaches, and whether an agent's limits let it be used. */

import type { BigIntStats } from "node:fs";
import { lstat, readlink, realpath } from "node:fs/promises";
import path from "node:path";
import { cleanPath } from "../../../../shared/files/index.ts";
import { errnoOf } from "../../storage/atomicWrite.ts";
import { fileProblem } from "./problems.ts";

/** As many links as Linux follows before it calls a loop. */
const maxLinks = 40;

export interface Target {
  /** As the model wrote it. */
  given: string;
  /** Absolute, links not followed. */
  path: string;
  /** What a read or write reaches; for `isLinkItself` the parent is followed and the last part is not. */
  realPath: string;
  /** null when there is nothing yet. */
  facts: BigIntStats | null;
  isLinkItself: boolean;
  workspace: string;
  realWorkspace: string;
  /** Whether `realPath` lies in the workspace. */
  isInside: boolean;
}

export interface LocateOptions {
  /** Absolute. */
  workspace: string;
  home: string;
  /** Deleting removes a link, not what it points to. */
  isLinkItself?: boolean;
  /** The path is absolute and exact: nothing in it is cleaned up. */
  isExact?: boolean;
  /** The path as whoever gave it wrote it, for messages; absent: `given`. */
  shownAs?: string;
}

/** @throws AppError bad_path, no_access, not_a_file (a part of the path is a file) */
export async function locate(given: string, options: LocateOptions): Promise<Target> {
  if (given.includes("\0"))
    throw fileProblem("bad_path", "The path holds a NUL character. Give the path without it.");
  const workspace = path.resolve(options.workspace);
  const isLinkItself = options.isLinkItself === true;
  const shown = options.shownAs ?? given;
  const absolute = path.resolve(workspace, options.isExact === true ? given : cleanPath(given, options.home));
  try {
    const realWorkspace = await realTarget(workspace);
    const realPath = isLinkItself
      ? path.join(await realTarget(path.dirname(absolute)), path.basename(absolute))
      : await realTarget(absolute);
    const facts = await factsOf(realPath);
    const isInside = isWithin(realWorkspace, realPath);
    return {
      given: shown,
      path: absolute,
      realPath,
      facts,
      isLinkItself,
      workspace,
      realWorkspace,
      isInside,
    };
  } catch (cause) {
    throw pathError(shown, cause);
  }
}

/** Turns an error of the file system about a path into one that says what to do. */
export function pathError(given: string, cause: unknown): Error {
  const data = { path: given };
  switch (errnoOf(cause)) {
    case "ENOENT":
      return fileProblem("not_found", `There is no file ${given}. Check the path.`, { cause, data });
    case "ENOTDIR":
      return fileProblem("not_a_file", `A part of ${given} is a file, not a folder. Check the path.`, {
        cause,
        data,
      });
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return fileProblem("no_access", `The operating system does not allow access to ${given}.`, {
        cause,
        data,
      });
    case "ELOOP":
      return fileProblem("bad_path", `The links of ${given} lead in a circle or changed just now.`, {
        cause,
        data,
      });
    case "ENAMETOOLONG":
      return fileProblem("bad_path", `The path ${given.slice(0, 200)}… is too long.`, { cause });
    default:
      return cause instanceof Error ? cause : new Error(String(cause));
  }
}

/**
 * Like `realpath`, for a file that need not exist yet.
 * @returns the path that the operating system would reach
 */
export async function realTarget(absolute: string, links = 0): Promise<string> {
  try {
    return await realpath(absolute);
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error;
  }
  const parent = path.dirname(absolute);
  if (parent === absolute) return absolute;
  const link = await linkOf(absolute);
  if (link === null) return path.join(await realTarget(parent, links), path.basename(absolute));
  if (links >= maxLinks) throw Object.assign(new Error(`too many links at ${absolute}`), { code: "ELOOP" });
  return realTarget(path.resolve(await realTarget(parent, links), link), links + 1);
}

async function linkOf(absolute: string): Promise<string | null> {
  try {
    return await readlink(absolute);
  } catch (error) {
    // Nothing there, or something that is no link.
    if (errnoOf(error) === "ENOENT" || errnoOf(error) === "EINVAL" || errnoOf(error) === "UNKNOWN")
      return null;
    throw error;
  }
}

/** @returns facts about exactly this entry; null when there is none */
export async function factsOf(realPath: string): Promise<BigIntStats | null> {
  try {
    return await lstat(realPath, { bigint: true });
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return null;
    throw error;
  }
}

export function isWithin(folder: string, candidate: string): boolean {
  const relative = path.relative(folder, candidate);
  return relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

/**
 * The workspace guard: lexical, then real, then links for writes, then hard links.
 * @throws AppError path_escape, symlinked_parent
 * @see tools-files-web-media.md 1.4
 */
export function guardWorkspace(
  target: Target,
  access: "read" | "write" | "delete",
  shownRealPath = target.realPath,
): void {
  const { given, workspace, realWorkspace } = target;
  const base = [workspace, realWorkspace].find((folder) => isWithin(folder, target.path));
  if (base === undefined || !target.isInside) {
    throw fileProblem(
      "path_escape",
      `${given} lies outside the workspace ${workspace}, and this agent is held to it. Use a path inside, or ask the operator.`,
      { data: { path: given, workspace } },
    );
  }
  const isStraight = target.realPath === path.join(realWorkspace, path.relative(base, target.path));
  if (access !== "read" && !isStraight) {
    throw fileProblem(
      "symlinked_parent",
      `${given} goes through a symbolic link, which writes inside the workspace do not follow. Use the real path ${shownRealPath}.`,
      { data: { path: given, realPath: shownRealPath } },
    );
  }
  if (access !== "delete" && target.facts !== null && target.facts.isFile() && target.facts.nlink > 1n) {
    throw fileProblem(
      "path_escape",
      `${given} is a hard link: the same file has another name that may lie outside the workspace. Copy it first.`,
      { data: { path: given } },
    );
  }
}

/** @throws AppError not_a_file when something is there that is no regular file: a folder, a pipe, a device */
export function requireRegular(target: Target): void {
  const { facts, given } = target;
  if (facts === null || facts.isFile() || (target.isLinkItself && facts.isSymbolicLink())) return;
  const what = facts.isDirectory()
    ? "a folder; list it with exec"
    : facts.isFIFO()
      ? "a named pipe, which could block for ever"
      : facts.isSocket()
        ? "a socket"
        : facts.isCharacterDevice() || facts.isBlockDevice()
          ? "a device"
          : "no regular file";
  throw fileProblem("not_a_file", `${given} is ${what}. Only regular files are read and written here.`, {
    data: { path: given },
  });
}
