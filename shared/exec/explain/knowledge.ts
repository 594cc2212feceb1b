/** What is known of common programs and their words; the sentences live in the catalogues under the same codes. */

import { programName } from "../paths.ts";
import { plainInterpreterName } from "../programs.ts";
import { fileAndTextPrograms } from "./fileAndTextPrograms.ts";
import { projectPrograms } from "./projectPrograms.ts";
import { systemPrograms } from "./systemPrograms.ts";

export type Ability =
  | "delete"
  | "overwrite"
  | "rewrite"
  | "sendData"
  | "download"
  | "runCode"
  | "changeRights"
  | "stopProcesses"
  | "changeSystem"
  | "install";

/**
 * One program. A word is written `[sub-command ]spelling,spelling` with `!` for what deserves a second look and `=`
 * for what takes a value: `push -f,--force!`, `-m,--message=`. Its code is `<name> [sub-command ]<spelling>`, by the
 * last spelling of a flag and the first of anything else. Without a dash, `of=!` stands for every word that begins so.
 */
export interface ProgramKnowledge {
  name: string;
  aliases?: readonly string[];
  can: readonly Ability[];
  words: readonly string[];
}

export interface KnownWord {
  code: string;
  takesValue: boolean;
  isDanger: boolean;
}

export interface KnownProgram {
  name: string;
  can: readonly Ability[];
  /** Plain words: sub-commands, `777`. */
  words: ReadonlyMap<string, KnownWord>;
  /** By what words begin with: `of=`. */
  prefixes: ReadonlyMap<string, KnownWord>;
  /** Flags by sub-command; the empty one holds those of the program itself. */
  flags: ReadonlyMap<string, ReadonlyMap<string, KnownWord>>;
}

function read(program: ProgramKnowledge): KnownProgram {
  const words = new Map<string, KnownWord>();
  const prefixes = new Map<string, KnownWord>();
  const flags = new Map<string, Map<string, KnownWord>>();
  for (const spec of program.words) {
    const marks = /[=!]*$/.exec(spec)?.[0] ?? "";
    const [subcommand, body] = splitSubcommand(spec.slice(0, spec.length - marks.length));
    const isFlag = body.startsWith("-");
    const spellings = body.split(",");
    const isPrefix = !isFlag && marks.includes("=");
    const last = `${(isFlag ? spellings.at(-1) : spellings[0]) ?? ""}${isPrefix ? "=" : ""}`;
    const code = [program.name, subcommand, last].filter((part) => part !== "").join(" ");
    const known = { code, takesValue: marks.includes("="), isDanger: marks.includes("!") };
    if (isFlag) {
      const own = flags.get(subcommand) ?? new Map<string, KnownWord>();
      for (const spelling of spellings) own.set(spelling, known);
      flags.set(subcommand, own);
    } else if (isPrefix) {
      prefixes.set(`${body}=`, known);
    } else {
      for (const spelling of spellings) words.set(spelling, known);
    }
  }
  return { name: program.name, can: program.can, words, prefixes, flags };
}

function splitSubcommand(text: string): [string, string] {
  const space = text.indexOf(" ");
  return space < 0 ? ["", text] : [text.slice(0, space), text.slice(space + 1)];
}

const byName = new Map<string, KnownProgram>();
for (const program of [...fileAndTextPrograms, ...projectPrograms, ...systemPrograms]) {
  const known = read(program);
  for (const name of [program.name, ...(program.aliases ?? [])]) byName.set(name, known);
}

/** @param word a command word: name or path, versioned interpreters included */
export function knownProgram(word: string): KnownProgram | null {
  const name = programName(word);
  return byName.get(name) ?? byName.get(plainInterpreterName(name) ?? "") ?? null;
}

/** What a program can do at worst; empty when nothing is known of it. */
export function abilitiesOf(word: string): Ability[] {
  return [...(knownProgram(word)?.can ?? [])];
}

/** Every code that a sentence is needed for. */
export function allKnownCodes(): string[] {
  const codes = new Set<string>();
  for (const program of byName.values()) {
    codes.add(program.name);
    const all = [program.words, program.prefixes, ...program.flags.values()];
    for (const map of all) for (const known of map.values()) codes.add(known.code);
  }
  return [...codes];
}
