/** Code in arguments: the reference's strict list, and the forms it misses (spec/exec.md 8.4). */
import type { Hardening } from "../hardening/rules.ts";
import { baseName, programName } from "./paths.ts";
import { plainInterpreterName } from "./programs.ts";
import { readShellInvocation } from "./shellInvocation.ts";
import type { CommandSegment } from "./types.ts";

interface Flags {
  /** Exact words, compared lower-cased. */
  exact: ReadonlySet<string>;
  /** Options whose next word is their value, so that a positional program can be told apart. */
  valued?: ReadonlySet<string>;
}

const set = (text: string): ReadonlySet<string> => new Set(text.split(" ").filter((one) => one !== ""));

const exactFlags = new Map<string, Flags>();
for (const name of "python python2 python3 pypy pypy3".split(" ")) exactFlags.set(name, { exact: set("-c") });
for (const name of "node nodejs bun deno".split(" "))
  exactFlags.set(name, { exact: set("-e --eval -p --print") });
for (const name of "ruby lua osascript perl".split(" ")) exactFlags.set(name, { exact: set("-e") });
exactFlags.set("php", { exact: set("-r") });

const awkNames = set("awk gawk mawk nawk");
const sedNames = set("sed gsed");
const makeNames = set("make gmake");
const awkValued = set("-F -v --field-separator --assign -f --file");
const xargsValued = set(
  "-a -d -E -I -L -n -P -s --arg-file --delimiter --max-args --max-procs --max-chars --process-slot-var",
);

/** The first word that is neither an option nor an option's value. */
function firstPositional(argv: readonly string[], valued: ReadonlySet<string>): string | null {
  for (let at = 1; at < argv.length; at += 1) {
    const word = argv[at] ?? "";
    if (word === "--") return argv[at + 1] ?? null;
    if (!word.startsWith("-") || word === "-") return word;
    if (valued.has(word)) at += 1;
  }
  return null;
}

function beforeDoubleDash(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf("--");
  return end === -1 ? argv.slice(1) : argv.slice(1, end);
}

function awkHit(argv: readonly string[]): string | null {
  const options = beforeDoubleDash(argv);
  for (const word of options) {
    if (word === "-e" || word === "--source" || word.startsWith("--source="))
      return word.split("=")[0] ?? word;
  }
  if (options.some((word) => word === "-f" || word === "--file" || word.startsWith("--file="))) return null;
  return firstPositional(argv, awkValued) === null ? null : "<program>";
}

function sedHit(argv: readonly string[]): string | null {
  const options = beforeDoubleDash(argv);
  for (const word of options) {
    if (word === "--expression" || word.startsWith("--expression=")) return "--expression";
    if (/^-e/i.test(word) && word !== "-E") return "-e";
  }
  if (options.some((word) => word === "-f" || word === "--file" || word.startsWith("--file="))) return null;
  return firstPositional(argv, set("-f --file -l --line-length")) === null ? null : "<program>";
}

function makeHit(argv: readonly string[]): string | null {
  for (const word of beforeDoubleDash(argv)) {
    const name = word.split("=")[0] ?? word;
    if (["--file", "--makefile", "--eval"].includes(name)) return name;
    if (word === "-E") return "-E";
    if (word.startsWith("-f")) return "-f";
  }
  return null;
}

/** The reference's check on one effective argv. @returns the label of the hit, or null. */
export function referenceInlineEval(argv: readonly string[]): string | null {
  const name = programName(argv[0] ?? "");
  if (awkNames.has(name)) return awkHit(argv);
  if (sedNames.has(name)) return sedHit(argv);
  if (makeNames.has(name)) return makeHit(argv);
  if (name === "find")
    return (
      argv
        .slice(1)
        .map((word) => word.toLowerCase())
        .find((word) => ["-exec", "-execdir", "-ok", "-okdir"].includes(word)) ?? null
    );
  if (name === "xargs") return firstPositional(argv, xargsValued) === null ? null : "<command>";
  const flags = exactFlags.get(name);
  if (flags === undefined) return null;
  return (
    beforeDoubleDash(argv)
      .map((word) => word.toLowerCase())
      .find((word) => flags.exact.has(word)) ?? null
  );
}

interface CodeOptions {
  /** Letters that take code as the rest of their cluster or the next word. */
  codeLetters: string;
  /** Letters that take another value: the rest of their cluster is no flags. */
  valuedLetters: string;
  codeLong: ReadonlySet<string>;
  valuedLong: ReadonlySet<string>;
  /** Sub-commands that run code or fetch it. */
  codeCommands?: ReadonlySet<string>;
  /** Sub-commands after which the script stands. */
  runCommands?: ReadonlySet<string>;
}

const codeOptions: readonly [names: string, options: CodeOptions][] = [
  [
    "python python2 python3 pypy pypy3 ipython ipython3 jython micropython",
    {
      codeLetters: "cm",
      valuedLetters: "QWX",
      codeLong: set(""),
      valuedLong: set("--check-hash-based-pycs"),
    },
  ],
  [
    "node nodejs",
    {
      codeLetters: "epr",
      valuedLetters: "C",
      codeLong: set(
        "--eval --print --require --import --loader --experimental-loader --env-file --openssl-config --run --import-map --watch-path --test-reporter --build-sea",
      ),
      valuedLong: set("--conditions --title --input-type"),
    },
  ],
  [
    "bun",
    {
      codeLetters: "epr",
      valuedLetters: "c",
      codeLong: set("--eval --print --preload --require --import"),
      valuedLong: set("--config --cwd"),
      codeCommands: set("x exec create init install add"),
      runCommands: set("run test build"),
    },
  ],
  [
    "deno",
    {
      codeLetters: "ep",
      valuedLetters: "cL",
      codeLong: set("--eval --print --preload --import --require"),
      valuedLong: set("--config --import-map --lock"),
      codeCommands: set("eval repl task install x init serve"),
      runCommands: set("run test bench check"),
    },
  ],
  [
    "ruby jruby irb",
    {
      codeLetters: "er",
      valuedLetters: "CEFI",
      codeLong: set("--require"),
      valuedLong: set("--encoding --external-encoding"),
    },
  ],
  ["perl", { codeLetters: "eEMmdx", valuedLetters: "FI", codeLong: set(""), valuedLong: set("") }],
  [
    "php",
    {
      codeLetters: "rBREdcz",
      valuedLetters: "fStFH",
      codeLong: set("--run --process-begin --process-code --process-end --define"),
      valuedLong: set("--file --docroot"),
    },
  ],
  ["lua luajit texlua", { codeLetters: "el", valuedLetters: "bj", codeLong: set(""), valuedLong: set("") }],
  ["osascript", { codeLetters: "e", valuedLetters: "ls", codeLong: set(""), valuedLong: set("") }],
  [
    "r rscript julia guile racket tclsh expect elixir erl iex groovy scala jshell clisp sbcl swift qjs gjs tsx ts-node",
    {
      codeLetters: "eEcpr",
      valuedLetters: "",
      codeLong: set("--eval --expression --expr --print --load --require --import --evaluate"),
      valuedLong: set(""),
    },
  ],
];
const codeOptionsByName = new Map(
  codeOptions.flatMap(([names, options]) => names.split(" ").map((name) => [name, options] as const)),
);

/** Hits in one cluster of letters, and whether its last letter wants the next word as its value. */
function clusterHit(letters: string, options: CodeOptions): { hit: string | null; wantsValue: boolean } {
  for (const [index, letter] of [...letters].entries()) {
    if (options.codeLetters.includes(letter)) return { hit: `-${letter}`, wantsValue: false };
    if (options.valuedLetters.includes(letter))
      return { hit: null, wantsValue: index === letters.length - 1 };
  }
  return { hit: null, wantsValue: false };
}

/**
 * Sees glued, clustered and `=` forms, stdin programs and sub-commands. A word that may be an option's value is never
 * taken for the script that ends the options: what follows is still looked at.
 */
function interpreterHit(name: string, argv: readonly string[]): string | null {
  const options = codeOptionsByName.get(name);
  if (options === undefined) return null;
  if (argv.length === 2 && /^(?:-[hVv]|--help|--version)$/.test(argv[1] ?? "")) return null;
  let sawPositional = false;
  let before: "plain" | "wantsValue" | "mayWantValue" = "plain";
  for (let at = 1; at < argv.length; at += 1) {
    const word = argv[at] ?? "";
    if (word === "-") return "<stdin>";
    if (word === "--") {
      sawPositional ||= at + 1 < argv.length;
      break;
    }
    if (word.startsWith("--")) {
      const flag = (word.split("=")[0] ?? word).toLowerCase();
      if (options.codeLong.has(flag)) return flag;
      if (word.includes("=")) before = "plain";
      else before = options.valuedLong.has(flag) ? "wantsValue" : "mayWantValue";
    } else if (word.startsWith("-")) {
      const { hit, wantsValue } = clusterHit(word.slice(1), options);
      if (hit !== null) return hit;
      before = wantsValue ? "wantsValue" : "plain";
    } else if (before === "wantsValue") {
      before = "plain";
    } else {
      if (options.codeCommands?.has(word) === true) return word;
      if (options.runCommands?.has(word) === true) continue;
      if (/^[a-z][a-z0-9+.-]*:/i.test(word)) return "<remote>";
      sawPositional = true;
      if (before === "plain") break;
      before = "plain";
    }
  }
  return sawPositional ? null : "<stdin>";
}

function findHit(argv: readonly string[]): string | null {
  const actions = set("-exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls -files0-from");
  return argv.slice(1).find((word) => actions.has(word.toLowerCase())) ?? null;
}

function awkHardHit(argv: readonly string[]): string | null {
  const loads = argv.slice(1).find((word) => /^(?:-[eilEopdD]|--[eilsopd])/.test(word));
  return loads?.split("=")[0] ?? awkHit(argv);
}

/**
 * Code in arguments in any spelling: the reference's hits and, by rule, versioned names and the forms it misses.
 * @param argv the effective argv
 */
export function findInlineEval(argv: readonly string[], hardening: Hardening): string | null {
  const command = argv[0] ?? "";
  const plain = hardening.has("exec.versionedInterpreters") ? plainInterpreterName(command) : null;
  const name = plain ?? programName(command);
  const hit = referenceInlineEval([name, ...argv.slice(1)]);
  if (hit !== null || !hardening.has("exec.inlineEvalForms")) return hit;
  if (name === "find") return findHit(argv);
  if (awkNames.has(name)) return awkHardHit(argv);
  if (sedNames.has(name)) return argv.some((word) => /^-(?:[a-zA-Z]*e|-e)/.test(word)) ? "-e" : null;
  if (makeNames.has(name)) return makeClusterHit(argv);
  const shell = readShellInvocation(argv, true);
  if (shell !== null) {
    if (shell.kind === "inline") return shell.flag.toLowerCase();
    const isQuestion = argv.length === 2 && /^--(?:version|help)$/.test(argv[1] ?? "");
    return shell.kind === "other" && !isQuestion ? "<stdin>" : null;
  }
  return interpreterHit(name, argv);
}

/**
 * An argv under every name that counts: the word as written and, behind a link, the file that really runs.
 * `vi` may be a link to another program, and an innocent name may lead to a shell.
 */
export function argvSpellings(
  segment: Pick<CommandSegment, "effectiveArgv" | "execution">,
  hardening: Hardening,
): string[][] {
  const { effectiveArgv, execution } = segment;
  const spellings = [effectiveArgv];
  const realName = baseName(execution.realPath ?? "");
  if (hardening.has("exec.realPathMatch") && realName !== "" && realName !== baseName(effectiveArgv[0] ?? ""))
    spellings.push([realName, ...effectiveArgv.slice(1)]);
  return spellings;
}

/** {@link findInlineEval} for a segment, under every name of its program. */
export function findSegmentInlineEval(
  segment: Pick<CommandSegment, "effectiveArgv" | "execution">,
  hardening: Hardening,
): string | null {
  for (const argv of argvSpellings(segment, hardening)) {
    const hit = findInlineEval(argv, hardening);
    if (hit !== null) return hit;
  }
  return null;
}

function makeClusterHit(argv: readonly string[]): string | null {
  for (const word of beforeDoubleDash(argv)) {
    if (/^-[a-zA-Z]*[fEIC]/.test(word)) return word.slice(0, 2);
    if (/^--(?:d|i|env|ev|f|mak)/.test(word)) return word.split("=")[0] ?? word;
    // Variables such as SHELL=… and CC=… change what the rules run.
    if (/^[A-Za-z_.][\w.]*[:+?!]?=/.test(word)) return "<variable>";
  }
  return null;
}
