/** Reads the arguments of a shell: inline command, script operand, or neither (spec/exec.md 7.1, 8.3). */
import { programName } from "./paths.ts";
import { isShellName } from "./programs.ts";

export type ShellInvocation =
  | { kind: "inline"; command: string; flag: string }
  | { kind: "script"; argvIndex: number }
  /** Reads commands from stdin or a terminal, or says nothing we understand. */
  | { kind: "other" };

const valuedOptions: ReadonlySet<string> = new Set(["-o", "-O", "+O"]);
const disqualifying: ReadonlySet<string> = new Set(["-s", "--rcfile", "--init-file", "--startup-file"]);

/**
 * @param anySpelling also shells by other names and versions
 * @returns null when argv does not start a shell
 */
export function readShellInvocation(argv: readonly string[], anySpelling: boolean): ShellInvocation | null {
  const name = programName(argv[0] ?? "");
  if (!isShellName(name, anySpelling)) return null;
  const isPowerShell = name === "powershell" || name === "pwsh";
  for (let at = 1; at < argv.length; at += 1) {
    const word = argv[at] ?? "";
    if (isPowerShell || name === "cmd") {
      if (/^[-/](?:c|co|com.*|k|e|ec|en.*)$/i.test(word))
        return { kind: "inline", command: argv.slice(at + 1).join(" "), flag: word };
      if (/^-(?:f|file)$/i.test(word))
        return at + 1 < argv.length ? { kind: "script", argvIndex: at + 1 } : { kind: "other" };
      if (/^[-/]/.test(word)) continue;
      return name === "cmd" ? { kind: "other" } : { kind: "script", argvIndex: at };
    }
    if (word === "--")
      return at + 1 < argv.length ? { kind: "script", argvIndex: at + 1 } : { kind: "other" };
    if (word === "-") return { kind: "other" };
    if (word.startsWith("--")) {
      if (word === "--command" || word.startsWith("--command=")) {
        const glued = word.slice("--command=".length);
        return {
          kind: "inline",
          command: word.includes("=") ? glued : (argv[at + 1] ?? ""),
          flag: "--command",
        };
      }
      if (disqualifying.has(word.split("=")[0] ?? "")) return { kind: "other" };
      continue;
    }
    if (/^[-+]/.test(word)) {
      // A cluster with c takes the first word that is no option as the command: bash -lc 'x', sh -c -e 'x'.
      if (word.startsWith("-") && word.includes("c")) {
        let next = at + 1;
        while (/^[-+]/.test(argv[next] ?? "") && argv[next] !== "--") next += 1;
        if (argv[next] === "--") next += 1;
        return { kind: "inline", command: argv[next] ?? "", flag: "-c" };
      }
      if (word.startsWith("-") && word.includes("s")) return { kind: "other" };
      if (valuedOptions.has(word) || /^[-+][a-zA-Z]*[oO]$/.test(word)) at += 1;
      continue;
    }
    return { kind: "script", argvIndex: at };
  }
  return { kind: "other" };
}
