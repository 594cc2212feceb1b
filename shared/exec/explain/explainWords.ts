/** Explains a command word by word from the local knowledge of programs. For readers; decides nothing. */

import { type KnownProgram, type KnownWord, knownProgram } from "./knowledge.ts";
import { splitForReading, type Token } from "./tokens.ts";
import type { ExplainedWord, WordRole } from "./types.ts";

export { abilitiesOf, allKnownCodes } from "./knowledge.ts";
export type { ExplainedWord, WordRole } from "./types.ts";
export { explainedWord } from "./types.ts";

/** Programs that start the command behind their own options; the number of plain words before it. */
const wrappers: ReadonlyMap<string, number> = new Map([
  ["sudo", 0],
  ["env", 0],
  ["nohup", 0],
  ["nice", 0],
  ["time", 0],
  ["timeout", 1],
  ["xargs", 0],
]);

/** Flags whose next word is a command. */
const commandFlags: ReadonlySet<string> = new Set(["find -exec", "find -execdir", "find -ok"]);

/** Sentences about operators, under these codes. */
const operatorNames: ReadonlyMap<string, { code: string; isDanger: boolean; endsCommand: boolean }> = new Map(
  [
    ["&&", { code: "op and", isDanger: false, endsCommand: true }],
    ["||", { code: "op or", isDanger: false, endsCommand: true }],
    [";", { code: "op then", isDanger: false, endsCommand: true }],
    ["\n", { code: "op then", isDanger: false, endsCommand: true }],
    ["|", { code: "op pipe", isDanger: false, endsCommand: true }],
    ["|&", { code: "op pipe", isDanger: false, endsCommand: true }],
    ["&", { code: "op background", isDanger: true, endsCommand: true }],
    [">", { code: "op write", isDanger: true, endsCommand: false }],
    ["&>", { code: "op write", isDanger: true, endsCommand: false }],
    [">>", { code: "op append", isDanger: true, endsCommand: false }],
    ["<", { code: "op read", isDanger: false, endsCommand: false }],
    ["<<", { code: "op heredoc", isDanger: false, endsCommand: false }],
    ["$(", { code: "op substitution", isDanger: true, endsCommand: true }],
    ["<(", { code: "op substitution", isDanger: true, endsCommand: true }],
    [">(", { code: "op substitution", isDanger: true, endsCommand: true }],
    ["(", { code: "op group", isDanger: false, endsCommand: true }],
    [")", { code: "op group", isDanger: false, endsCommand: true }],
  ],
);

export const operatorCodes: readonly string[] = [
  ...new Set([...operatorNames.values()].map((operator) => operator.code)),
  "op assignment",
];

interface Place {
  program: KnownProgram | null;
  /** The next plain word starts a command; this many plain words come before. */
  skipToProgram: number | null;
  subcommand: string;
  sawPlainWord: boolean;
  /** The word before this one wants a value. */
  wantsValue: KnownWord | null;
  /** The next word is a file of a redirection. */
  wantsFile: boolean;
}

const atStart = (): Place => ({
  program: null,
  skipToProgram: 0,
  subcommand: "",
  sawPlainWord: false,
  wantsValue: null,
  wantsFile: false,
});

/** @returns every word and operator in order, also of commands that cannot be analysed */
export function explainWords(command: string): ExplainedWord[] {
  let place = atStart();
  return splitForReading(command).map((token) => {
    if (token.kind === "operator") {
      const operator = operatorNames.get(token.text);
      if (operator?.endsCommand !== false) place = atStart();
      else place = { ...place, wantsFile: true };
      return say(token, "operator", operator === undefined ? [] : [operator]);
    }
    const answer = explainWord(token, place);
    place = answer.next;
    return answer.word;
  });
}

function explainWord(token: Token, place: Place): { word: ExplainedWord; next: Place } {
  const { text } = token;
  if (place.wantsFile) return { word: say(token, "argument", []), next: { ...place, wantsFile: false } };
  if (place.wantsValue !== null)
    return { word: say(token, "flagValue", []), next: { ...place, wantsValue: null } };
  if (place.skipToProgram !== null) {
    const flag = place.program === null ? null : findFlags(place, text);
    if (flag !== null) return asFlag(token, place, flag);
    if (/^[A-Za-z_][A-Za-z0-9_]*\+?=/.test(text))
      return { word: say(token, "assignment", [{ code: "op assignment", isDanger: false }]), next: place };
    if (text.startsWith("-") && place.program !== null) return { word: say(token, "flag", []), next: place };
    if (place.skipToProgram > 0)
      return {
        word: say(token, "argument", []),
        next: { ...place, skipToProgram: place.skipToProgram - 1 },
      };
    return startProgram(token);
  }
  if (text.startsWith("-") && text !== "-") {
    const flags = findFlags(place, text);
    return flags === null
      ? { word: say(token, "flag", substitution(text)), next: place }
      : asFlag(token, place, flags);
  }
  return explainPlain(token, place);
}

function startProgram(token: Token): { word: ExplainedWord; next: Place } {
  const program = knownProgram(token.text);
  const skip = program === null ? undefined : wrappers.get(program.name);
  const codes = program === null ? [] : [{ code: program.name, isDanger: false }];
  return {
    word: say(token, skip === undefined ? "program" : "wrapper", [...codes, ...substitution(token.text)]),
    next: { ...atStart(), program, skipToProgram: skip ?? null },
  };
}

function asFlag(token: Token, place: Place, flags: KnownWord[]): { word: ExplainedWord; next: Place } {
  const last = flags.at(-1);
  const startsCommand = flags.some((flag) => commandFlags.has(flag.code));
  const wantsValue = last?.takesValue === true && !/^--[^=]+=/.test(token.text) ? last : null;
  return {
    word: say(token, "flag", flags),
    next: startsCommand ? { ...atStart() } : { ...place, wantsValue },
  };
}

function explainPlain(token: Token, place: Place): { word: ExplainedWord; next: Place } {
  const { text } = token;
  const { program } = place;
  const prefix = [...(program?.prefixes ?? [])].find(([start]) => text.startsWith(start))?.[1];
  if (prefix !== undefined) return { word: say(token, "argument", [prefix]), next: place };
  // `tar xzf a.tgz` writes its flags without a dash; a sub-command is the first plain word only.
  const known = program?.words.get(text) ?? program?.flags.get("")?.get(text);
  const isFirst = !place.sawPlainWord;
  const counts = known !== undefined && (isFirst || known.isDanger);
  const next: Place = {
    ...place,
    sawPlainWord: true,
    subcommand: isFirst && known !== undefined ? text : place.subcommand,
    wantsValue: counts && known.takesValue ? known : null,
  };
  const role = isFirst && known !== undefined ? "subcommand" : "argument";
  return { word: say(token, role, [...(counts ? [known] : []), ...substitution(text)]), next };
}

/** The whole word, its part before `=`, or its single letters when each is known. */
function findFlags(place: Place, text: string): KnownWord[] | null {
  const { program, subcommand } = place;
  if (program === null) return null;
  const look = (word: string) => {
    const canonical = program.words.get(subcommand)?.code.split(" ")[1] ?? subcommand;
    return program.flags.get(canonical)?.get(word) ?? program.flags.get("")?.get(word);
  };
  const whole = look(text) ?? look(text.split("=")[0] ?? text);
  if (whole !== undefined) return [whole];
  if (!/^-[A-Za-z0-9]{2,}$/.test(text)) return null;
  const letters = [...text.slice(1)].map((letter) => look(`-${letter}`));
  const known = letters.filter((letter) => letter !== undefined);
  return known.length === letters.length ? known : null;
}

/** `$(…)`, backticks and process substitution run other commands wherever they stand. */
function substitution(text: string): { code: string; isDanger: boolean }[] {
  return /\$\(|`|^[<>]\(/.test(text) ? [{ code: "op substitution", isDanger: true }] : [];
}

function say(
  token: Token,
  role: WordRole,
  known: readonly { code: string; isDanger: boolean }[],
): ExplainedWord {
  return {
    start: token.start,
    end: token.end,
    text: token.text,
    role,
    codes: [...new Set(known.map((one) => one.code))],
    isDanger: known.some((one) => one.isDanger),
  };
}
