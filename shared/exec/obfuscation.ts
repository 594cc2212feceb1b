/** Text patterns of commands that hide what they run (spec/exec.md 8.5). Linear passes: input is hostile. */
import type { Hardening } from "../hardening/rules.ts";

const maxLength = 10_000;
const shell = "(?:sh|bash|zsh|dash|ksh|fish)";

const dropped = new RegExp(
  "[\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164" +
    "\\ufe00-\\ufe0f\\ufeff\\uffa0\\u{e0001}\\u{e0020}-\\u{e007f}\\u{e0100}-\\u{e01ef}]",
  "gu",
);

/** NFKC without characters that cannot be seen. */
export function normalizeForDetection(command: string): string {
  // Plain ASCII is its own normal form.
  if (!/[^\x00-\x7f]/.test(command)) return command;
  return command.normalize("NFKC").replace(dropped, "");
}

/** Whether the patterns occur in this order on one line, anything between them. Compiled once: every command is looked at. */
function onOneLine(firstSource: string, ...sources: string[]): (text: string) => boolean {
  const first = new RegExp(firstSource, "gi");
  const rest = sources.map((source) => new RegExp(source, "gi"));
  return (text) => isOnOneLine(text, first, rest);
}

function isOnOneLine(text: string, first: RegExp, rest: readonly RegExp[]): boolean {
  first.lastIndex = 0;
  for (let hit = first.exec(text); hit !== null; hit = first.exec(text)) {
    let from = first.lastIndex;
    const isWhole = rest.every((pattern) => {
      pattern.lastIndex = from;
      const next = pattern.exec(text);
      if (next === null) return false;
      const newline = text.indexOf("\n", from);
      if (newline !== -1 && newline < next.index) return false;
      from = pattern.lastIndex;
      return true;
    });
    if (isWhole) return true;
    // The parts that follow are missing on this line: look again on the next one.
    const newline = text.indexOf("\n", first.lastIndex);
    if (newline === -1) return false;
    first.lastIndex = Math.max(first.lastIndex, newline);
  }
  return false;
}

const pipeToShell = `\\|\\s*${shell}\\b`;
const base64Decode = "base64\\s+(?:-d|--decode)\\b";
const fetchPipedIntoShell = onOneLine("(?:curl|wget)\\s+", pipeToShell);
const shellAtLineEnd = new RegExp(`${pipeToShell}(?:[^\\S\\n][^|;\\n\\r]*)?\\s*?$`, "im");
const shellWithCode = new RegExp(`${shell}\\s+-c\\s+(["'])`, "gi");
const remoteSubstitution = new RegExp(`\\b${shell}\\s+<\\(\\s*(?:curl|wget)\\b`, "i");
const shellHeredoc = new RegExp(`\\b${shell}\\s+<<-?\\s*['"]?[a-z_][\\w-]*`, "i");

/** Counts escapes inside each `$'…'` without backtracking. */
function hasEscapes(text: string, pattern: RegExp): boolean {
  for (let at = text.indexOf("$'"); at !== -1; at = text.indexOf("$'", at + 2)) {
    const close = text.indexOf("'", at + 2);
    if (close === -1) return false;
    if ((text.slice(at + 2, close).match(pattern)?.length ?? 0) >= 2) return true;
  }
  return false;
}

function decodesInSubstitution(text: string): boolean {
  const opener = shellWithCode;
  opener.lastIndex = 0;
  for (let hit = opener.exec(text); hit !== null; hit = opener.exec(text)) {
    const close = text.indexOf(hit[1] ?? '"', opener.lastIndex);
    if (close === -1) continue;
    const body = text.slice(opener.lastIndex, close);
    const substitution = body.indexOf("$(");
    if (substitution === -1) continue;
    if (/base64\s+(?:-d|--decode)|xxd\s+-r|printf\s[\s\S]*\\x[0-9a-f]{2}/i.test(body.slice(substitution)))
      return true;
  }
  return false;
}

const waivedHosts = new Set([
  "brew.sh",
  "get.pnpm.io",
  "sh.rustup.rs",
  "get.docker.com",
  "install.python-poetry.org",
]);

function isWaivedUrl(text: string): boolean {
  const urls = text.match(/https?:\/\/[^\s'"|;<>]+/gi) ?? [];
  if (urls.length !== 1) return false;
  const parsed = /^https:\/\/([^/?#]+)([^?#]*)/i.exec(urls[0] ?? "");
  if (parsed === null) return false;
  const host = (parsed[1] ?? "").toLowerCase();
  const path = parsed[2] ?? "";
  if (host.includes("@") || host.includes(":")) return false;
  if (waivedHosts.has(host)) return true;
  if (host === "bun.sh") return path === "/install";
  return host === "raw.githubusercontent.com" && /^\/(?:Homebrew|nvm-sh\/nvm)\//i.test(path);
}

interface Detector {
  id: string;
  fires: (text: string) => boolean;
}

const detectors: readonly Detector[] = [
  { id: "base64-pipe-exec", fires: onOneLine(base64Decode, pipeToShell) },
  { id: "hex-pipe-exec", fires: onOneLine("xxd\\s+-r\\b", pipeToShell) },
  { id: "printf-pipe-exec", fires: onOneLine("printf\\s+", "\\\\x[0-9a-f]{2}", pipeToShell) },
  { id: "eval-decode", fires: onOneLine("\\beval\\s+", "base64|xxd|printf|decode") },
  { id: "base64-decode-to-shell", fires: onOneLine(`\\|\\s*${base64Decode}`, pipeToShell) },
  { id: "pipe-to-shell", fires: (text) => shellAtLineEnd.test(text) },
  { id: "command-substitution-decode-exec", fires: decodesInSubstitution },
  {
    id: "process-substitution-remote-exec",
    fires: (text) => remoteSubstitution.test(text),
  },
  {
    id: "source-process-substitution-remote",
    fires: (text) => /(?:^|[;&|\s])(?:source|\.)\s+<\(\s*(?:curl|wget)\b/i.test(text),
  },
  {
    id: "shell-heredoc-exec",
    fires: (text) => shellHeredoc.test(text),
  },
  {
    id: "python-exec-encoded",
    fires: onOneLine("(?:python[23]?|perl|ruby)\\s+-[ec]\\s+", "base64|b64decode|decode|exec|system|eval"),
  },
  {
    id: "curl-pipe-shell",
    fires: (text) => fetchPipedIntoShell(text) && !isWaivedUrl(text),
  },
  { id: "octal-escape", fires: (text) => hasEscapes(text, /\\[0-7]{3}/g) },
  { id: "hex-escape", fires: (text) => hasEscapes(text, /\\x[0-9a-fA-F]{2}/g) },
  {
    id: "var-expansion-obfuscation",
    fires: (text) => {
      const chain = /(?:(?<![A-Za-z0-9_])[A-Za-z_][A-Za-z0-9_]{0,2}=[^;\s]+\s*;\s*){2,}/.exec(text);
      return chain !== null && /\$(?:[A-Za-z_]|\{[A-Za-z_])/.test(text.slice(chain.index + chain[0].length));
    },
  },
];

/** A pipe into any shell, by path or behind a starter, wherever on the line it stands. */
const pipeIntoAnyShell = new RegExp(
  "\\|&?\\s*(?:(?:[^\\s|;&]*/)?(?:sudo|doas|env|nice|nohup|command|exec|busybox|toybox|time|stdbuf|setsid)\\s+" +
    "(?:-\\S+\\s+|\\w+=\\S*\\s+)*)*(?:[^\\s|;&]*/)?" +
    "(?:(?:a|da|ba|z|k|mk|c|tc|fi)?sh|pwsh|powershell)(?:[-.]?\\d[\\d.]*)?(?=$|[\\s;|&)<>'\"])",
  "i",
);

/** @returns the ids that fired, in the order of the table; empty = nothing hidden was found. */
export function detectObfuscation(command: string, hardening: Hardening): string[] {
  if (command.length > maxLength) return ["command-too-long"];
  const text = normalizeForDetection(command);
  const hits = detectors.filter((detector) => detector.fires(text)).map((detector) => detector.id);
  const isPiped = hardening.has("exec.obfuscationAnywhere") && pipeIntoAnyShell.test(text);
  return isPiped ? [...hits, "pipe-to-any-shell"] : hits;
}
