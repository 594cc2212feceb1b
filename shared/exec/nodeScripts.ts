/** Finds the one file whose content a command depends on, so that an approval can hold it fast (spec/exec.md 10). */
import { analyzeCommand, segmentsOf } from "./analyze.ts";
import { allExecHardening } from "./hardening.ts";
import { findInlineEval } from "./inlineEval.ts";
import { absoluteFrom, programName } from "./paths.ts";
import { classifyProgram, plainInterpreterName } from "./programs.ts";
import { findScriptToPin } from "./scripts.ts";
import { readShellInvocation } from "./shellInvocation.ts";
import type { AnalyzeOptions } from "./types.ts";
import { unwrapAll } from "./wrappers.ts";

/** What of a command may change between approval and run. */
export type MutableOperand =
  /** Everything that runs stands in argv. */
  | { kind: "none" }
  /** @property argvIndex word of the plan's argv that names the file, or the text that names it */
  | { kind: "file"; argvIndex: number; path: string }
  /** Something runs a file that cannot be told, or more than one. */
  | { kind: "unbindable"; program: string };

/** Deeper nests of shells are nothing that a person reads. */
const maxNesting = 3;

/** Interpreters whose whole program is in argv when no option names a file. */
const programInArgv = new Set(["awk", "gawk", "mawk", "nawk", "sed", "gsed", "find", "xargs"]);

/**
 * @param argv as it will be started; a shell with inline text is looked into
 * @returns a file only when it is the single one
 */
export function findMutableOperand(argv: readonly string[], options: AnalyzeOptions): MutableOperand {
  // The reference's narrower reading of interpreters would miss files; a node is never run that way.
  return search(argv, { ...options, hardening: allExecHardening }, 0);
}

function search(argv: readonly string[], options: AnalyzeOptions, depth: number): MutableOperand {
  const { executionOffset, blockedWrapper } = unwrapAll(argv, options.platform);
  const unbindable: MutableOperand = { kind: "unbindable", program: argv[executionOffset] ?? "" };
  if (blockedWrapper !== null || depth > maxNesting) return unbindable;
  const inner = argv.slice(executionOffset);
  const invocation = readShellInvocation(inner, true);
  if (invocation?.kind === "inline") {
    const found = searchText(invocation.command, options, depth);
    if (found.kind !== "file") return found;
    const at = argv.lastIndexOf(invocation.command);
    return at === -1 ? unbindable : { ...found, argvIndex: at };
  }
  const [word = ""] = inner;
  const name = plainInterpreterName(word);
  if (invocation === null && name === null) {
    // A program that is named by its place may be a script itself.
    return word.includes("/")
      ? {
          kind: "file",
          argvIndex: executionOffset,
          path: absoluteFrom(word, options.cwd, options.platform),
        }
      : { kind: "none" };
  }
  if (name !== null && programInArgv.has(name)) return programFile(inner, executionOffset, options);
  // Code from stdin, modules and preloaded files are all more than one named script.
  if (findInlineEval(inner, options.hardening) !== null) return unbindable;
  const script = findScriptToPin(inner, options);
  if (script === null) return unbindable;
  return { kind: "file", argvIndex: executionOffset + script.argvIndex, path: script.path };
}

/** `awk -f x.awk`, `sed --file=x.sed`: the file after the option; several of them cannot be bound as one. */
function programFile(argv: readonly string[], offset: number, options: AnalyzeOptions): MutableOperand {
  const name = programName(argv[0] ?? "");
  if (name === "find" || name === "xargs") return startsOthers(argv, name);
  const files: { at: number; path: string }[] = [];
  for (let at = 1; at < argv.length; at += 1) {
    const word = argv[at] ?? "";
    if (word === "--") break;
    const glued = /^(?:-[a-zA-Z]*f|--file=)(.+)$/.exec(word)?.[1];
    if (glued !== undefined) files.push({ at, path: glued });
    else if (/^(?:-[a-zA-Z]*f|--file)$/.test(word)) files.push({ at: at + 1, path: argv[at + 1] ?? "" });
    else if (/^(?:--(?:include|load|exec|source)|-[ilE])/.test(word) && !/^-i$|^-E$/.test(word))
      return { kind: "unbindable", program: name };
  }
  const [only, ...others] = files;
  if (only === undefined) return { kind: "none" };
  if (others.length > 0 || only.path === "" || only.path === "-") {
    return { kind: "unbindable", program: name };
  }
  return {
    kind: "file",
    argvIndex: offset + only.at,
    path: absoluteFrom(only.path, options.cwd, options.platform),
  };
}

/** What `find -exec` and `xargs` start may be a script or an interpreter of its own. */
function startsOthers(argv: readonly string[], name: string): MutableOperand {
  const starts =
    name === "xargs" ? argv.length > 1 : argv.some((word) => /^-(?:exec|execdir|ok|okdir)$/i.test(word));
  return starts ? { kind: "unbindable", program: name } : { kind: "none" };
}

function searchText(text: string, options: AnalyzeOptions, depth: number): MutableOperand {
  const analysis = analyzeCommand(text, options);
  if (!analysis.ok) {
    // The text itself is bound. What it would run besides cannot be told, so nothing in it may name an interpreter.
    const program = interpreterIn(text);
    return program === null ? { kind: "none" } : { kind: "unbindable", program };
  }
  let found: MutableOperand = { kind: "none" };
  for (const segment of segmentsOf(analysis)) {
    const next = search(segment.argv, options, depth + 1);
    if (next.kind === "unbindable") return next;
    if (next.kind === "none") continue;
    if (found.kind === "file" && found.path !== next.path)
      return { kind: "unbindable", program: segment.argv[0] ?? "" };
    found = next;
  }
  return found;
}

/** Any word that is named like an interpreter or a path to a program, quotes and escapes removed or not. */
function interpreterIn(text: string): string | null {
  const spellings = [text, text.replace(/['"\\]/g, "")];
  for (const word of spellings.flatMap((one) => one.split(/[\s;&|()<>"'`$={}]+/))) {
    const kind = classifyProgram(word);
    if (word !== "" && kind !== "plain") return word;
    if (/^\.{0,2}\/.*[^/]$|^~\//.test(word)) return word;
  }
  return null;
}
