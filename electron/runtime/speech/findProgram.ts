/** Finds a program along PATH, in absolute folders only: a relative one would mean the working directory. */

import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import path from "node:path";

/** @returns the absolute path of the first name that can be executed, or null */
export async function findProgram(names: readonly string[], searchPath: string): Promise<string | null> {
  const folders = searchPath.split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  for (const name of names) {
    for (const folder of folders) {
      const file = path.join(folder, name);
      if (await isProgram(file)) return file;
    }
  }
  return null;
}

export async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    // Missing and not executable are the same answer.
    return false;
  }
}
