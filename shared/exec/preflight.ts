/** Looks into a Python or JavaScript file before it runs: shell syntax in it is a slip, not a program (spec/exec.md 3.3). */
import { segmentsOf } from "./analyze.ts";
import { absoluteFrom } from "./paths.ts";
import type { AnalyzeOptions, CommandAnalysis } from "./types.ts";

export const preflightMaxBytes = 512 * 1024;

export interface PreflightTarget {
  language: "python" | "javascript";
  /** Absolute path of the file to read, when it is regular, small enough and inside the working directory. */
  path: string;
}

/** @returns the script of `python|python3 [flags] x.py` or `node [--flags] x.js`; null for anything else */
export function findPreflightTarget(
  analysis: CommandAnalysis,
  options: AnalyzeOptions,
): PreflightTarget | null {
  const segments = segmentsOf(analysis);
  const segment = segments[0];
  if (segments.length !== 1 || segment === undefined) return null;
  const [program, ...args] = segment.argv;
  const script = args.find((word) => !word.startsWith("-"));
  if (script === undefined) return null;
  const name = program?.split("/").at(-1);
  const toTarget = (language: PreflightTarget["language"]): PreflightTarget => ({
    language,
    path: absoluteFrom(script, options.cwd, options.platform),
  });
  if ((name === "python" || name === "python3") && script.endsWith(".py")) return toTarget("python");
  return name === "node" && script.endsWith(".js") ? toTarget("javascript") : null;
}

/** @returns why the file must not run, or null. `text` is the file's content. */
export function checkScriptText(target: PreflightTarget, text: string): string | null {
  const variable = /\$[A-Z_][A-Z0-9_]+/.exec(text);
  if (variable !== null) {
    const line = text.slice(0, variable.index).split("\n").length;
    return `exec preflight: ${target.path} line ${line} contains the shell variable ${variable[0]}. Read it from the environment in the script's own language instead.`;
  }
  const firstLine = text.split(/\r?\n/).find((line) => line.trim() !== "") ?? "";
  if (target.language === "javascript" && /^NODE\b/.test(firstLine.trim()))
    return `exec preflight: ${target.path} starts with a shell line (${firstLine.trim().slice(0, 60)}). Put JavaScript into it.`;
  return null;
}
