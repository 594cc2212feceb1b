/** The real file system behind command analysis: finds programs, follows links, tells what may be executed. */
import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import type { ExecEnv, ExecutableLookup, PathFacts } from "../../../../shared/exec/types.ts";

const isWindows = process.platform === "win32";

function inspect(absolutePath: string): PathFacts {
  const nothing = { lexicalPath: absolutePath, realPath: null, exists: false, isExecutable: false };
  if (absolutePath.includes("\0")) return nothing;
  try {
    const stats = statSync(absolutePath);
    const realPath = realpathSync.native(absolutePath);
    return {
      lexicalPath: absolutePath,
      realPath,
      exists: true,
      isExecutable: stats.isFile() && mayExecute(absolutePath),
    };
  } catch {
    // Missing and unreadable mean the same to a decision: this path cannot be vouched for.
    return nothing;
  }
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

/**
 * @returns a lookup that reads the disk on every question: a decision must not be made from an old answer.
 * The caller may wrap it when one decision asks about one path often.
 */
export function createFsExecutableLookup(): ExecutableLookup {
  return {
    inspect,
    findOnPath(name, env) {
      for (const directory of (env.PATH ?? env.Path ?? "").split(delimiter)) {
        // Empty and relative entries depend on the working directory, which is never searched.
        if (!isAbsolute(directory)) continue;
        for (const extension of extensionsFor(name, env)) {
          const facts = inspect(join(directory, name + extension));
          if (facts.isExecutable) return facts;
        }
      }
      return null;
    },
    isDirectory(absolutePath) {
      try {
        return statSync(absolutePath).isDirectory();
      } catch {
        // A path that cannot be looked at is no working directory.
        return false;
      }
    },
  };
}
