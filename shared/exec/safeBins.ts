/** Safe bins: stdin-only filters that need no entry, judged by their arguments alone (spec/exec.md 9). */
import type { Hardening } from "../hardening/rules.ts";
import { baseName, dirName } from "./paths.ts";
import { classifyProgram, isInterpreterLikeBin } from "./programs.ts";
import type { ExecPlatform, SafeBinProfile, SafeBinSettings } from "./types.ts";

export const defaultSafeBins: readonly string[] = ["cut", "uniq", "head", "tail", "tr", "wc"];
export const defaultTrustedDirs: readonly string[] = ["/bin", "/usr/bin"];

interface Profile {
  minPositional: number;
  maxPositional: number;
  allowed: ReadonlySet<string>;
  denied: ReadonlySet<string>;
}

function profile(minPositional: number, maxPositional: number, allowed: string, denied = ""): Profile {
  const words = (text: string): ReadonlySet<string> => new Set(text.split(" ").filter((one) => one !== ""));
  return { minPositional, maxPositional, allowed: words(allowed), denied: words(denied) };
}

const builtinProfiles = new Map<string, Profile>([
  [
    "jq",
    profile(
      0,
      1,
      "--arg --argjson --argstr",
      "--argfile --rawfile --slurpfile --from-file --library-path -L -f",
    ),
  ],
  [
    "grep",
    profile(
      0,
      0,
      "--regexp --max-count --after-context --before-context --context --devices --binary-files --exclude --include --label -e -m -A -B -C -D",
      "--file --exclude-from --dereference-recursive --directories --recursive -f -d -r -R",
    ),
  ],
  ["cut", profile(0, 0, "--bytes --characters --fields --delimiter --output-delimiter -b -c -f -d")],
  [
    "sort",
    profile(
      0,
      0,
      "--key --field-separator --buffer-size --parallel --batch-size -k -t -S",
      "--compress-program --files0-from --output --random-source --temporary-directory -T -o",
    ),
  ],
  ["uniq", profile(0, 0, "--skip-fields --skip-chars --check-chars --group -f -s -w")],
  ["head", profile(0, 0, "--lines --bytes -n -c")],
  ["tail", profile(0, 0, "--lines --bytes --sleep-interval --max-unchanged-stats --pid -n -c")],
  ["tr", profile(1, 2, "")],
  ["wc", profile(0, 0, "", "--files0-from")],
]);

const neverSafe: ReadonlySet<string> = new Set("awk gawk mawk nawk sed gsed".split(" "));

function fromCustom(custom: SafeBinProfile): Profile {
  const minPositional = custom.minPositional ?? 0;
  const maxPositional = custom.maxPositional ?? Number.POSITIVE_INFINITY;
  const words = (list: readonly string[] | undefined): ReadonlySet<string> =>
    new Set((list ?? []).map((one) => one.trim()).filter((one) => one !== ""));
  return {
    minPositional,
    maxPositional: Math.max(minPositional, maxPositional),
    allowed: words(custom.allowedValueFlags),
    denied: words(custom.deniedFlags),
  };
}

function isSafeLiteral(word: string, refusesSeparators: boolean): boolean {
  if (/[*?[\]]/.test(word)) return false;
  if (/^(?:\.\.?\/|~|\/|[A-Za-z]:[\\/])/.test(word)) return false;
  return !(refusesSeparators && (word.includes("/") || word === ".."));
}

/** Finds a long flag exactly or by an unambiguous prefix. */
function findLongFlag(name: string, known: Profile): string | null {
  const all = [...known.allowed, ...known.denied].filter((flag) => flag.startsWith("--"));
  if (all.includes(name)) return name;
  const candidates = all.filter((flag) => flag.startsWith(name));
  return candidates.length === 1 ? (candidates[0] ?? null) : null;
}

/** @returns null when the arguments fit, else the word that does not. */
function findUnfitArgument(
  args: readonly string[],
  known: Profile,
  refusesSeparators: boolean,
): string | null {
  const positional: string[] = [];
  let at = 0;
  const takeValue = (): boolean => {
    at += 1;
    const value = args[at];
    return value !== undefined && value !== "" && isSafeLiteral(value, refusesSeparators);
  };
  for (; at < args.length; at += 1) {
    const word = args[at] ?? "";
    if (word === "" || word === "-") continue;
    if (word === "--") {
      positional.push(...args.slice(at + 1).filter((one) => one !== "" && one !== "-"));
      break;
    }
    if (word.startsWith("--")) {
      const equals = word.indexOf("=");
      const flag = findLongFlag(equals === -1 ? word : word.slice(0, equals), known);
      if (flag === null || known.denied.has(flag)) return word;
      const fits = equals === -1 ? takeValue() : isSafeLiteral(word.slice(equals + 1), refusesSeparators);
      if (!fits) return word;
      continue;
    }
    if (!word.startsWith("-")) {
      positional.push(word);
      continue;
    }
    let isValueTaken = false;
    for (let letter = 1; letter < word.length && !isValueTaken; letter += 1) {
      const flag = `-${word[letter] ?? ""}`;
      if (known.denied.has(flag)) return word;
      if (!known.allowed.has(flag)) continue;
      const rest = word.slice(letter + 1);
      if (!(rest === "" ? takeValue() : isSafeLiteral(rest, refusesSeparators))) return word;
      isValueTaken = true;
    }
    if (!isValueTaken) return word;
  }
  const unsafe = positional.find((one) => !isSafeLiteral(one, refusesSeparators));
  if (unsafe !== undefined) return unsafe;
  if (positional.length < known.minPositional) return "";
  return positional.length > known.maxPositional ? (positional[known.maxPositional] ?? "") : null;
}

export type SafeBinVerdict =
  | { kind: "safe"; bin: string; profile: "builtin" | "custom" }
  /** Not a safe bin at all: nothing to say. */
  | { kind: "notListed" }
  | {
      kind: "refused";
      bin: string;
      why: "argument" | "interpreter" | "untrustedDirectory" | "noProfile";
      word: string;
    };

export function isTrustedDirectory(path: string, settings: SafeBinSettings): boolean {
  const directory = dirName(path);
  if (defaultTrustedDirs.includes(directory)) return true;
  return settings.trustedDirs?.some((one) => (one.replace(/(?<=.)\/+$/, "") || "/") === directory) === true;
}

/**
 * @param path where the program was found, links not followed; null = not found
 * @param argv the command that runs, without wrappers
 */
export function judgeSafeBin(
  path: string | null,
  argv: readonly string[],
  settings: SafeBinSettings,
  platform: ExecPlatform,
  hardening: Hardening,
): SafeBinVerdict {
  if (platform === "win32" || path === null) return { kind: "notListed" };
  const bin = baseName(path).toLowerCase();
  const listed = (settings.safeBins ?? defaultSafeBins).some((one) => one.trim().toLowerCase() === bin);
  if (!listed) return { kind: "notListed" };
  const custom = Object.entries(settings.profiles ?? {}).find(
    ([name]) => name.trim().toLowerCase() === bin,
  )?.[1];
  const known = custom === undefined ? builtinProfiles.get(bin) : fromCustom(custom);
  if (known === undefined) return { kind: "refused", bin, why: "noProfile", word: bin };
  if (!isTrustedDirectory(path, settings))
    return { kind: "refused", bin, why: "untrustedDirectory", word: dirName(path) };
  const isUnsafeProgram =
    hardening.has("exec.safeBinInterpreters") &&
    (isInterpreterLikeBin(bin) || classifyProgram(bin) !== "plain");
  if (neverSafe.has(bin) || isUnsafeProgram) return { kind: "refused", bin, why: "interpreter", word: bin };
  const args = argv.slice(1);
  const unfit = findUnfitArgument(args, known, hardening.has("exec.safeBinPaths"));
  if (unfit !== null) return { kind: "refused", bin, why: "argument", word: unfit };
  if (bin === "jq") {
    const reads = args.find(
      (one) => !one.startsWith("-") && (/(?<![.$\w])env\b/.test(one) || one.includes("$ENV")),
    );
    if (reads !== undefined) return { kind: "refused", bin, why: "argument", word: reads };
  }
  return { kind: "safe", bin, profile: custom === undefined ? "builtin" : "custom" };
}
