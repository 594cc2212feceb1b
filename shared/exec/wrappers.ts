/** Programs that only start another one: which are seen through, which block (spec/exec.md 8.3). */
import { programName } from "./paths.ts";
import { multiplexerNames, shellNames } from "./programs.ts";
import type { ExecPlatform } from "./types.ts";

export type Unwrapped =
  | { kind: "none" }
  | { kind: "blocked"; wrapper: string }
  | { kind: "unwrapped"; wrapper: string; innerOffset: number };

interface OptionSpec {
  /** Options without a value. */
  flags: ReadonlySet<string>;
  /** Options that take `--x=v`, or the next word. */
  valued: ReadonlySet<string>;
  /** One-letter options may carry their value glued: `-n5`. */
  isGlueAllowed?: boolean;
  /** An option that is a number: `nice -5`. */
  isNumberAllowed?: boolean;
  /** Words to skip after the options: the duration of `timeout`. */
  operands?: number;
}

const set = (text: string): ReadonlySet<string> => new Set(text === "" ? [] : text.split(" "));

const transparent = new Map<string, OptionSpec>([
  [
    "nice",
    { flags: set(""), valued: set("-n --adjustment --priority"), isGlueAllowed: true, isNumberAllowed: true },
  ],
  ["nohup", { flags: set("--help --version"), valued: set("") }],
  [
    "timeout",
    {
      flags: set("--foreground --preserve-status -v --verbose"),
      valued: set("-k -s --kill-after --signal"),
      operands: 1,
    },
  ],
  [
    "time",
    {
      flags: set("-a -h -l -p -q -v -V --append --human-readable --portability --quiet --verbose --version"),
      valued: set("-f -o --format --output"),
    },
  ],
  ["stdbuf", { flags: set(""), valued: set("-i -o -e --input --output --error") }],
  ["caffeinate", { flags: set("-d -i -m -s -u"), valued: set("-t -w") }],
  ["sandbox-exec", { flags: set(""), valued: set("-f -p -d") }],
]);

const alwaysBlocked = set("sudo doas setsid ionice chrt taskset");
const maxDepth = 4;

function afterOptions(argv: readonly string[], spec: OptionSpec): number | null {
  let at = 1;
  for (; at < argv.length; at += 1) {
    const word = argv[at] ?? "";
    if (word === "--") {
      at += 1;
      break;
    }
    if (!word.startsWith("-") || word === "-") break;
    const equals = word.startsWith("--") ? word.indexOf("=") : -1;
    const name = equals === -1 ? word : word.slice(0, equals);
    if (spec.flags.has(name) && equals === -1) continue;
    if (spec.valued.has(name)) {
      if (equals === -1) at += 1;
      continue;
    }
    if (spec.isNumberAllowed === true && /^-\d+$/.test(word)) continue;
    if (spec.isGlueAllowed === true && spec.valued.has(word.slice(0, 2)) && /^-[a-z]-?\d+$/.test(word))
      continue;
    return null;
  }
  const inner = at + (spec.operands ?? 0);
  return inner < argv.length ? inner : null;
}

function unwrapScript(argv: readonly string[]): number | null {
  // BSD form: script [-adeFkpqrw] [-t time] file command…
  const at = afterOptions(argv, { flags: set("-a -d -e -F -k -p -q -r"), valued: set("-t -T"), operands: 1 });
  return at;
}

function isAssignment(word: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*=/.test(word);
}

/** Looks at the outermost program only. */
export function unwrapDispatcher(argv: readonly string[], platform: ExecPlatform): Unwrapped {
  const wrapper = programName(argv[0] ?? "");
  const result = (innerOffset: number | null): Unwrapped =>
    innerOffset === null ? { kind: "blocked", wrapper } : { kind: "unwrapped", wrapper, innerOffset };
  if (alwaysBlocked.has(wrapper)) return { kind: "blocked", wrapper };
  if (wrapper === "env") {
    const at = argv[1] === "--" ? 2 : 1;
    const first = argv[at];
    if (first === undefined || (at === 1 && first.startsWith("-")) || isAssignment(first))
      return { kind: "blocked", wrapper };
    return result(at);
  }
  if (wrapper === "script") {
    return result(platform === "darwin" || platform === "freebsd" ? unwrapScript(argv) : null);
  }
  if (platform === "darwin" && wrapper === "arch") {
    const spec = { flags: set("-32 -64 -arm64 -arm64e -i386 -x86_64 -x86_64h"), valued: set("-arch") };
    return result(afterOptions(argv, spec));
  }
  if (platform === "darwin" && wrapper === "xcrun") {
    const spec = {
      flags: set("-v --verbose -n --no-cache -k --kill-cache -l --log -r --run"),
      valued: set("--sdk --toolchain"),
    };
    return result(afterOptions(argv, spec));
  }
  const spec = transparent.get(wrapper);
  return spec === undefined ? { kind: "none" } : result(afterOptions(argv, spec));
}

function unwrapMultiplexer(argv: readonly string[]): Unwrapped {
  const wrapper = programName(argv[0] ?? "");
  if (!multiplexerNames.has(wrapper)) return { kind: "none" };
  const at = argv[1] === "--" ? 2 : 1;
  const applet = argv[at];
  if (applet === undefined || !shellNames.has(programName(applet))) return { kind: "blocked", wrapper };
  return { kind: "unwrapped", wrapper, innerOffset: at };
}

export interface UnwrapResult {
  /** Where each removed wrapper starts in argv, outermost first. */
  wrappers: { name: string; offset: number }[];
  /** Where the command that runs starts in argv. */
  executionOffset: number;
  /** Where the command that is matched starts: before the first multiplexer. */
  policyOffset: number;
  blockedWrapper: string | null;
}

/**
 * Removes wrappers from the outside, at most four in all; one more blocks.
 * A block inside a run of dispatchers forgets the names of that run, as the reference does.
 */
export function unwrapAll(argv: readonly string[], platform: ExecPlatform): UnwrapResult {
  const wrappers: { name: string; offset: number }[] = [];
  let offset = 0;
  let policyOffset = 0;
  let sawMultiplexer = false;
  let runStart = 0;
  for (;;) {
    const current = argv.slice(offset);
    const dispatcher = unwrapDispatcher(current, platform);
    const step = dispatcher.kind === "none" ? unwrapMultiplexer(current) : dispatcher;
    const isOverflow = step.kind === "unwrapped" && wrappers.length >= maxDepth;
    if (step.kind === "blocked" || isOverflow) {
      const isDispatcher = dispatcher.kind !== "none";
      return {
        wrappers: isDispatcher ? wrappers.slice(0, runStart) : wrappers,
        executionOffset: offset,
        policyOffset: isDispatcher ? offset : policyOffset,
        blockedWrapper: step.wrapper,
      };
    }
    if (step.kind === "none") break;
    wrappers.push({ name: step.wrapper, offset });
    offset += step.innerOffset;
    if (dispatcher.kind === "none") {
      sawMultiplexer = true;
      runStart = wrappers.length;
    } else if (!sawMultiplexer) {
      policyOffset = offset;
    }
  }
  return { wrappers, executionOffset: offset, policyOffset, blockedWrapper: null };
}
