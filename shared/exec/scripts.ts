/** Script operands: the file that a shell or an interpreter is told to run. */
import { absoluteFrom, expandHome } from "./paths.ts";
import { plainInterpreterName } from "./programs.ts";
import { readShellInvocation } from "./shellInvocation.ts";
import type { AnalyzeOptions } from "./types.ts";

export interface ScriptOperand {
  /** Index in the effective argv. */
  argvIndex: number;
  /** Absolute, links not followed. */
  path: string;
  realPath: string | null;
  exists: boolean;
}

function toOperand(argv: readonly string[], argvIndex: number, options: AnalyzeOptions): ScriptOperand {
  const word = argv[argvIndex] ?? "";
  // The argument is passed as it stands; only the reference looks for the file that a shell would have named.
  const isLiteral = options.hardening.has("exec.realPathMatch");
  const path = absoluteFrom(
    isLiteral ? word : expandHome(word, options.env.HOME ?? options.home),
    options.cwd,
    options.platform,
  );
  const facts = options.lookup.inspect(path);
  return { argvIndex, path, realPath: facts.realPath, exists: facts.exists };
}

/** @returns the script that a shell invocation names; null for inline commands, stdin, and anything else. */
export function findShellScript(argv: readonly string[], options: AnalyzeOptions): ScriptOperand | null {
  const invocation = readShellInvocation(argv, options.hardening.has("exec.versionedInterpreters"));
  return invocation?.kind === "script" ? toOperand(argv, invocation.argvIndex, options) : null;
}

/** The first existing file among the arguments of a shell or interpreter: what has to be pinned. */
export function findScriptToPin(argv: readonly string[], options: AnalyzeOptions): ScriptOperand | null {
  const shellScript = findShellScript(argv, options);
  if (shellScript !== null) return shellScript.exists ? shellScript : null;
  if (plainInterpreterName(argv[0] ?? "") === null) return null;
  for (let at = 1; at < argv.length; at += 1) {
    const word = argv[at] ?? "";
    if (word.startsWith("-") || word === "") continue;
    const operand = toOperand(argv, at, options);
    if (operand.exists && !options.lookup.isDirectory(operand.path)) return operand;
  }
  return null;
}
