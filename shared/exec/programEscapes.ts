/** Arguments through which an ordinary program starts another one, loads code, or writes where it is told. */
import { programName } from "./paths.ts";

interface EscapeRule {
  programs: string;
  /** The first word that matches any of these is the escape. */
  words: readonly RegExp[];
  /** Long options without their dashes; unambiguous or not, an abbreviation counts as the option. */
  long?: string;
  /** Tested on all arguments joined by NUL: where the meaning hangs on what stands before. */
  joined?: readonly RegExp[];
}

const anyWord = /^[\s\S]*$/;

const rules: readonly EscapeRule[] = [
  {
    programs: "git",
    words: [
      /^-c/,
      /^-O/,
      /^(?:bisect|filter-branch|rebase|difftool|mergetool|submodule|daemon|instaweb|credential|hook|maintenance|send-email|svn|p4|config|web--browse|archive|upload-pack|shell)$/,
      /^ext::/,
    ],
    joined: [/(?:^|\0)clone\0(?:[\s\S]*\0)?-u/],
    long: "config-env exec-path upload-pack receive-pack exec ext-diff textconv open-files-in-pager extcmd template tool work-tree git-dir output upload-archive extra-config",
  },
  {
    programs: "tar gtar bsdtar",
    words: [/^-[a-zA-Z]*[IFP]/],
    // The old style writes the letters without a dash, as the first argument.
    joined: [/^[a-zA-Z]*[IFP][a-zA-Z]*(?:\0|$)/],
    long: "checkpoint-action to-command use-compress-program info-script new-volume-script rsh-command rmt-command absolute-names transform xform checkpoint unlink-first owner-map",
  },
  {
    programs: "ssh sftp scp rsh mosh slogin",
    words: [/^-(?:o|F|S|D|L|R|W|J|w|E|I|A|X|Y)/, /^-oProxyCommand/i],
    long: "ssh",
  },
  {
    programs: "rsync",
    words: [/^-[a-zA-Z]*e/, /::|^rsync:/],
    long: "rsh rsync-path daemon config files-from log-file write-batch temp-dir",
  },
  {
    programs: "curl",
    words: [/^-[a-zA-Z]*[oOKTFDcE]/, /^-d/, /^(?:file|scp|sftp|ldap|dict|gopher|telnet):/i],
    long: "output remote-name config upload-file form output-dir dump-header cookie-jar trace trace-ascii engine create-dirs libcurl stderr next data-binary data proxy unix-socket netrc-file",
  },
  {
    programs: "wget wget2",
    words: [/^-[a-zA-Z]*[OiPaoe]/],
    long: "output-document input-file directory-prefix execute use-askpass config post-file body-file output-file append-output load-cookies save-cookies warc-file",
  },
  { programs: "zip zipcloak", words: [/^-[a-zA-Z]*TT/], long: "unzip-command" },
  {
    programs: "7z 7za 7zz unzip cpio pax ar",
    words: [/^-(?:si|so|w)/, /^-F/],
    long: "to-command rsh-command",
  },
  { programs: "sort gsort", words: [/^-[a-zA-Z]*[oT]/, /^--(?:comp|out|temp|files0|random-s)/] },
  { programs: "rg ripgrep", words: [/^-[a-zA-Z]*z/], long: "pre pre-glob hostname-bin search-zip" },
  { programs: "grep egrep fgrep zgrep", words: [], long: "devices directories" },
  { programs: "ag ack", words: [], long: "pager ackrc" },
  { programs: "fd fdfind", words: [/^-[a-zA-Z]*[xX]/], long: "exec exec-batch" },
  {
    programs: "man apropos whatis",
    words: [/^-[a-zA-Z]*[PHCM]/],
    long: "pager html browser config-file manpath preprocessor",
  },
  { programs: "less more most pg", words: [/^\+/, /^-[a-zA-Z]*[oOkTt]/, /^--(?:log-file|LOG-FILE|lesskey)/] },
  { programs: "vi vim nvim view vimdiff ex ed rvim gvim emacs nano pico micro", words: [anyWord] },
  { programs: "gdb lldb strace ltrace perf valgrind", words: [anyWord] },
  {
    programs: "npm pnpm yarn cnpm",
    words: [/^(?:exec|x|dlx|explore|edit|config|set|init|create|install-test|rebuild)$/, /^-(?:C|c)$/],
    long: "script-shell node-options prefix userconfig globalconfig cwd dir shell call package registry",
  },
  { programs: "npx pnpx bunx uvx pipx", words: [anyWord] },
  { programs: "uv poetry pdm pipenv rye hatch", words: [/^(?:run|tool|shell|x|exec|script)$/] },
  { programs: "pip pip3 conda mamba gem cpan cpanm luarocks", words: [anyWord] },
  {
    programs: "cargo",
    words: [/^-Z/, /^(?:install|script)$/],
    long: "manifest-path target-dir registry config",
  },
  {
    programs: "go",
    words: [
      /^-(?:exec|toolexec|overlay|modfile|ldflags|gcflags|asmflags|C|vettool|pkgdir)(?:=|$)/,
      /^(?:generate|run|install|tool|env|work)$/,
    ],
  },
  {
    programs:
      "docker podman nerdctl kubectl helm nsenter unshare chroot systemd-run systemd-nspawn machinectl lxc flatpak snap",
    words: [anyWord],
  },
  {
    programs:
      "parallel watch entr screen tmux expect at batch crontab flock script socat nc ncat netcat telnet inotifywait ld.so ld-linux-x86-64.so.2 ld-linux.so.2 ld-linux-aarch64.so.1 run-parts start-stop-daemon runuser su sg setpriv capsh dbus-run-session dbus-launch xvfb-run fakeroot proot bwrap firejail unbuffer rlwrap chpst daemonize nsjail pkexec ssh-agent gpg-agent eatmydata faketime choom prlimit numactl cgexec setarch linux32 linux64 i386 x86_64 logsave time chronic ts errno sem sponge ifne pee mispipe",
    words: [anyWord],
  },
  {
    programs: "sqlite3 psql mysql mariadb redis-cli mongo mongosh",
    words: [
      /^[.\\!]/,
      /^-(?:c|e|init|cmd|f)/,
      /\.(?:shell|system|load|import|output|once|excel|edit)\b/,
      /\bcopy\b[\s\S]*\bprogram\b/i,
    ],
    long: "command file execute init-command pager eval",
  },
  {
    programs: "openssl",
    words: [/^-(?:engine|provider|provider-path|config|out|writerand)$/, /^(?:s_client|s_server|engine)$/],
  },
  {
    programs: "dd truncate install ln cp mv tee split csplit shred",
    words: [/^of=/, /^\/(?:dev|proc|sys)\//],
    long: "filter",
  },
  {
    programs: "logrotate pdflatex latex tex xelatex lualatex",
    words: [/^--?(?:shell-escape|enable-write18|state|output-directory)/],
  },
  {
    programs: "ffmpeg convert magick gs",
    words: [/^-dNOSAFER/, /^(?:msl|ephemeral|https?|mvg):/i, /^-f$/, /^-sOutputFile/],
  },
  {
    programs: "java",
    words: [
      /^-(?:javaagent|agentpath|agentlib|cp|classpath|XX:OnError|XX:OnOutOfMemoryError)/,
      /^--class-path/,
      /^@/,
      /^[^-][\s\S]*\.java$/,
    ],
  },
  { programs: "gcc g++ cc c++ clang clang++", words: [/^-(?:wrapper|fplugin|B|specs|o)/, /^@/, /^-x/] },
  { programs: "ip", words: [/^-(?:b|batch|force)/, /^netns$/, /^vrf$/] },
  { programs: "systemctl journalctl service loginctl", words: [anyWord] },
  {
    programs: "date hostname tcpdump nmap",
    words: [/^-z$/, /^-s$/],
    long: "script postrotate-command set interactive",
  },
  { programs: "gh glab hub", words: [/^(?:alias|extension|config|codespace)$/] },
  {
    programs: "jq yq",
    words: [/^-[a-zA-Z]*[fL]/],
    long: "from-file library-path slurpfile rawfile argfile",
  },
  { programs: "ctags etags cscope", words: [], long: "options" },
];

const byProgram = new Map<string, EscapeRule>();
for (const rule of rules) for (const name of rule.programs.split(" ")) byProgram.set(name, rule);

/** Programs that make a file into arguments: `@file` hides words from the reader. */
const argumentFilePrograms: ReadonlySet<string> = new Set(
  "javac java gcc g++ cc c++ clang clang++ ld ar nm as rustc swiftc dotnet csc kotlinc scalac bazel".split(
    " ",
  ),
);

/**
 * @param argv the effective argv of a program that a rule satisfied
 * @returns the word that hands execution on, or null
 */
export function findProgramEscape(argv: readonly string[]): string | null {
  const name = programName(argv[0] ?? "");
  const rule = byProgram.get(name);
  const args = argv.slice(1);
  if (argumentFilePrograms.has(name)) {
    const file = args.find((word) => word.startsWith("@"));
    if (file !== undefined) return file;
  }
  if (rule === undefined) return null;
  const long = rule.long?.split(" ") ?? [];
  for (const word of args) {
    if (rule.words.some((pattern) => pattern.test(word))) return word;
    const option = /^--([a-zA-Z][\w-]*)/.exec(word)?.[1];
    if (option !== undefined && long.some((name) => name.startsWith(option))) return word;
  }
  const joined = args.join("\0");
  return rule.joined?.some((pattern) => pattern.test(joined)) === true ? (args[0] ?? null) : null;
}
