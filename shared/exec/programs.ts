/** Which programs can start other programs or run code: shells, interpreters, dispatchers, multiplexers, wrappers. */
import { programName } from "./paths.ts";
import { rememberWords } from "./rememberWords.ts";

export const shellNames: ReadonlySet<string> = new Set(
  "ash bash dash fish ksh sh zsh cmd powershell pwsh".split(" "),
);

/** The reference's names of programs whose arguments can be code (spec/exec.md 7.1). */
export const interpreterNames: ReadonlySet<string> = new Set(
  "python python2 python3 pypy pypy3 node nodejs bun deno awk gawk mawk nawk ruby perl php lua osascript find make gmake sed gsed xargs".split(
    " ",
  ),
);

/** Names that safe bins warn about (spec/exec.md 9.4). */
const interpreterLikeBins: ReadonlySet<string> = new Set(
  "ash awk bash busybox bun cmd cmd.exe cscript dash deno fish gawk gsed ksh lua mawk nawk node nodejs perl php powershell powershell.exe pypy pwsh pwsh.exe python python2 python3 ruby sed sh toybox wscript zsh".split(
    " ",
  ),
);

export const multiplexerNames: ReadonlySet<string> = new Set(["busybox", "toybox"]);

/** Programs whose purpose is to start a command that is named in their arguments. */
const dispatcherNames: ReadonlySet<string> = new Set(
  (
    "env sudo doas su runuser pkexec setsid ionice chrt taskset nice nohup timeout time stdbuf script caffeinate sandbox-exec arch xcrun " +
    "xargs find fd fdfind parallel watch strace ltrace gdb ssh mosh rsh scp rsync make gmake ninja just npx pnpx bunx tsx ts-node uvx uv pipx poetry " +
    "docker podman kubectl nsenter unshare chroot systemd-run at batch crontab screen tmux expect entr flock ld.so busctl command exec eval builtin source . " +
    "vi vim nvim view ex ed emacs nano less more man gawk mawk nawk awk sed gsed tclsh wish m4 bc dc gnuplot sqlite3 psql mysql ftp nc ncat socat telnet"
  ).split(" "),
);

/** Programs that run whatever a file of the project names: trusted only command by command. */
const runnerNames: ReadonlySet<string> = new Set(
  "npm pnpm yarn cnpm cargo go gradle gradlew mvn mvnw ant rake bundle composer tox nox task invoke meson cmake bazel pip pip3 conda gem cpan snap flatpak".split(
    " ",
  ),
);

/** Whether only exact commands of this program may be granted. */
export function isRunner(word: string): boolean {
  return runnerNames.has(programName(word));
}

/** Interpreters beyond the reference's list, by plain name. */
const moreInterpreters: ReadonlySet<string> = new Set(
  "tsx ts-node jruby rscript r julia guile racket clisp sbcl scheme ghci runghc runhaskell scala groovy kotlin jshell java dotnet wscript cscript tclsh wish expect elixir erl iex luajit texlua pwsh-preview ipython ipython3 micropython swift irb pry qjs d8 gjs".split(
    " ",
  ),
);

const versionSuffix = /[-_.]?\d+(?:\.\d+)*(?:[-.]?(?:dbg|debug|config|intel64|beta|dev|m|d|t|w))?$/;

/**
 * The name of a program without what versions and prefixes add: python3.11, node22, x86_64-linux-gnu-python3,
 * perl5.36.0 and pythonw give python3 or python, node, python3, perl, python.
 */
export const plainInterpreterName: (word: string) => string | null = rememberWords((word) => {
  const name = programName(word).replace(/^[\s*?[\]]+|[\s*?[\]]+$/g, "");
  const candidates = new Set<string>([name, name.replace(versionSuffix, "")]);
  for (const candidate of [...candidates]) {
    const dash = candidate.lastIndexOf("-");
    if (dash > 0)
      candidates.add(candidate.slice(dash + 1)).add(candidate.slice(dash + 1).replace(versionSuffix, ""));
    if (/^(?:python|pypy)/.test(candidate) && candidate.endsWith("w")) candidates.add(candidate.slice(0, -1));
  }
  for (const candidate of candidates) {
    if (interpreterNames.has(candidate) || moreInterpreters.has(candidate)) return candidate;
  }
  return null;
});

const otherShells: ReadonlySet<string> = new Set("csh tcsh mksh yash elvish nu xonsh rc es".split(" "));

const isShellInAnySpelling = rememberWords((name: string): boolean => {
  const plain = name.replace(/^r(?=(?:bash|ksh|zsh|sh)$)/, "").replace(versionSuffix, "");
  return shellNames.has(plain) || otherShells.has(plain);
});

export function isShellName(word: string, anySpelling: boolean): boolean {
  const name = programName(word);
  return shellNames.has(name) || (anySpelling && isShellInAnySpelling(name));
}

export type ProgramKind = "shell" | "interpreter" | "multiplexer" | "dispatcher" | "plain";

/** What kind of program a path or name stands for, in any spelling. */
export const classifyProgram: (word: string) => ProgramKind = rememberWords((word) => {
  const name = programName(word);
  if (multiplexerNames.has(name)) return "multiplexer";
  if (isShellName(name, true)) return "shell";
  if (plainInterpreterName(name) !== null) return "interpreter";
  if (dispatcherNames.has(name) || runnerNames.has(name)) return "dispatcher";
  return "plain";
});

/** Interpreter-like safe-bin names, versioned ones included (spec/exec.md 9.4). */
export function isInterpreterLikeBin(name: string): boolean {
  return interpreterLikeBins.has(name) || /^(?:python|ruby|perl|php|node)\d+(?:\.\d+)?$/.test(name);
}
