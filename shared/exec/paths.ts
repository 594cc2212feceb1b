/** Path arithmetic without a file system: what `node:path` would give, for both families of paths. */

import { rememberWords } from "./rememberWords.ts";
import type { ExecPlatform } from "./types.ts";

export function isAbsolutePath(path: string, platform: ExecPlatform): boolean {
  if (path.startsWith("/")) return true;
  return platform === "win32" && (/^[A-Za-z]:[\\/]/.test(path) || path.startsWith("\\"));
}

/** Collapses `.`, `..`, `//` and a trailing slash of an absolute path. Pure text: links are not considered. */
export function normalizePath(path: string, platform: ExecPlatform): string {
  const text = platform === "win32" ? path.replaceAll("\\", "/") : path;
  const drive = platform === "win32" ? (/^[A-Za-z]:/.exec(text)?.[0] ?? "") : "";
  const kept: string[] = [];
  for (const piece of text.slice(drive.length).split("/")) {
    if (piece === "" || piece === ".") continue;
    if (piece === "..") kept.pop();
    else kept.push(piece);
  }
  return `${drive}/${kept.join("/")}`;
}

/** @returns `path` made absolute against `cwd` and normalised; absolute paths are returned as they are. */
export function absoluteFrom(path: string, cwd: string, platform: ExecPlatform): string {
  return isAbsolutePath(path, platform) ? path : normalizePath(`${cwd}/${path}`, platform);
}

/** Replaces a leading `~` that stands alone or before a separator. `~user` stays as it is. */
export function expandHome(path: string, home: string): string {
  return /^~(?=$|[\\/])/.test(path) ? home + path.slice(1) : path;
}

export function baseName(path: string): string {
  const cut = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"));
  return path.slice(cut + 1);
}

export function dirName(path: string): string {
  const cut = path.lastIndexOf("/");
  return cut <= 0 ? "/" : path.slice(0, cut);
}

/** Lower-cased base name without a Windows suffix: the name by which programs are recognised. */
export const programName: (word: string) => string = rememberWords((word) =>
  baseName(word)
    .toLowerCase()
    .replace(/\.(?:exe|cmd|bat|com)$/, ""),
);
