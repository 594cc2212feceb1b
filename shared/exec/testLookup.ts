/** A file system made of a list of programs, for tests of analysis and decision. */
import type { AnalyzeOptions, ExecutableLookup, PathFacts } from "./types.ts";

/**
 * @param programs absolute paths of executables
 * @param links absolute path of a link to the program it leads to
 */
export function createTestLookup(
  programs: readonly string[],
  links: Readonly<Record<string, string>> = {},
): ExecutableLookup {
  const executables = new Set(programs);
  const targets = new Map(Object.entries(links));
  const inspect = (absolutePath: string): PathFacts => {
    const realPath = targets.get(absolutePath) ?? (executables.has(absolutePath) ? absolutePath : null);
    return {
      lexicalPath: absolutePath,
      realPath,
      exists: realPath !== null,
      isExecutable: realPath !== null,
    };
  };
  return {
    inspect,
    findOnPath(name, env) {
      for (const directory of (env.PATH ?? "").split(":")) {
        const facts = inspect(`${directory}/${name}`);
        if (facts.isExecutable) return facts;
      }
      return null;
    },
    isDirectory: () => false,
  };
}

/** Options for a Linux machine with `/bin/foo`, `/bin/bar`, `/bin/sh`, `/usr/bin/timeout`. */
export function testOptions(hardening: ReadonlySet<string>): AnalyzeOptions {
  return {
    platform: "linux",
    cwd: "/ws",
    env: { PATH: "/bin:/usr/bin", HOME: "/home/me" },
    home: "/home/me",
    lookup: createTestLookup(["/bin/foo", "/bin/bar", "/bin/sh", "/usr/bin/timeout", "/home/me/tool"]),
    hardening,
  };
}
