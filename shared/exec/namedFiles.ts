/** Programs and scripts that a text names which cannot be analysed: a guess on the wide side, for binding only. */

import { absoluteFrom, expandHome } from "./paths.ts";
import { isBareName } from "./patterns.ts";
import { classifyProgram } from "./programs.ts";
import type { AnalyzeOptions, PlannedCommand } from "./types.ts";

type Pinned = PlannedCommand["pinned"];

/** Different words; what stands behind so many is read by nobody, and each costs a look at the disk. */
const maxWords = 512;

/**
 * `./build.sh > log 2>&1` is no simple command, and still depends on `build.sh`. Every word is tried: a bare name as
 * a program on PATH, a path as an executable file, and the word after an interpreter as a script.
 * @returns each file once; nothing here decides whether a command may run
 */
export function findNamedFiles(text: string, options: AnalyzeOptions): Pinned {
  const found = new Map<string, Pinned[number]>();
  let isAfterInterpreter = false;
  for (const word of wordsOf(text)) {
    if (word.startsWith("-")) continue;
    const wasAfterInterpreter = isAfterInterpreter;
    const kind = classifyProgram(word);
    isAfterInterpreter = kind === "shell" || kind === "interpreter";
    if (isBareName(word)) {
      const onPath = options.lookup.findOnPath(word, options.env);
      if (onPath?.realPath != null) {
        const { lexicalPath: path, realPath } = onPath;
        found.set(path, { path, realPath, role: "program", name: word });
        if (!wasAfterInterpreter) continue;
      }
    }
    const path = absoluteFrom(
      expandHome(word, options.env.HOME ?? options.home),
      options.cwd,
      options.platform,
    );
    const { realPath, isExecutable } = options.lookup.inspect(path);
    if (realPath === null || found.has(path)) continue;
    if (isExecutable && word.includes("/")) found.set(path, { path, realPath, role: "program" });
    else if (wasAfterInterpreter && !options.lookup.isDirectory(path))
      found.set(path, { path, realPath, role: "script" });
  }
  return [...found.values()];
}

/** Quotes and escapes both as borders and as nothing, so that neither hides a name. */
function wordsOf(text: string): string[] {
  const words = [text, text.replace(/['"\\]/g, "")].flatMap((one) => one.split(/[\s;&|()<>"'`={}]+/));
  return [...new Set(words.filter((word) => word !== ""))].slice(0, maxWords);
}
