/** The real file system behind command analysis: finds programs, follows links, tells what may be executed. */
import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join, normalize } from "node:path";
import type { ExecEnv, ExecutableLookup, PathFacts } from "../../../../shared/exec/types.ts";

const isWindows = process.platform === "win32";

function inspect(absolutePath: string): PathFacts {
  if (absolutePath.includes("\0")) return nothingAt(absolutePath);
  try {
    // Most looks along PATH find nothing: that must not cost an exception.
    const stats = statSync(absolutePath, { throwIfNoEntry: false });
    if (stats === undefined) return nothingAt(absolutePath);
    const realPath = realpathSync.native(absolutePath);
    return {
      lexicalPath: absolutePath,
      realPath,
      exists: true,
      isExecutable: stats.isFile() && mayExecute(absolutePath),
    };
  } catch {
    // Missing and unreadable mean the same to a decision: this path cannot be vouched for.
    return nothingAt(absolutePath);
  }
}

function nothingAt(absolutePath: string): PathFacts {
  return { lexicalPath: absolutePath, realPath: null, exists: false, isExecutable: false };
}

function mayExecute(path: string): boolean {
  if (isWindows) return /\.(?:exe|cmd|bat|com)$/i.test(path);
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // Not executable is an answer here, not a failure.
    return false;
  }
}

function extensionsFor(name: string, env: ExecEnv): string[] {
  if (!isWindows || /\.[^.\\/]+$/.test(name)) return [""];
  return (env.PATHEXT ?? ".EXE;.CMD;.BAT;.COM").split(";").filter((one) => one !== "");
}

let lastSearch: { path: string; folders: readonly string[] } = { path: "", folders: [] };

/** The folders of a PATH, on POSIX without a slash at their end; the same PATH is asked for again and again. */
function foldersOf(path: string): readonly string[] {
  if (lastSearch.path === path) return lastSearch.folders;
  const folders = path
    .split(delimiter)
    // Empty and relative entries depend on the working directory, which is never searched.
    .filter((folder) => isAbsolute(folder))
    .map((folder) => (isWindows ? folder : normalize(folder).replace(/(?<=.)\/+$/, "")));
  lastSearch = { path, folders };
  return folders;
}

/**
 * @returns a lookup that reads the disk on every question: a decision must not be made from an old answer.
 * The caller may wrap it when one decision asks about one path often.
 */
export function createFsExecutableLookup(): ExecutableLookup {
  return {
    inspect,
    findOnPath(name, env) {
      const extensions = extensionsFor(name, env);
      // Nothing can stand between a folder and a plain name that would have to be normalised away.
      const isPlain = !isWindows && !name.includes("/");
      for (const folder of foldersOf(env.PATH ?? env.Path ?? "")) {
        for (const extension of extensions) {
          const isRoot = folder === "/";
          const path = isPlain && !isRoot ? `${folder}/${name}` : join(folder, name + extension);
          const facts = inspect(path);
          if (facts.isExecutable) return facts;
        }
      }
      return null;
    },
    isDirectory(absolutePath) {
      try {
        return statSync(absolutePath, { throwIfNoEntry: false })?.isDirectory() === true;
      } catch {
        // A path that cannot be looked at is no working directory.
        return false;
      }
    },
  };
}
