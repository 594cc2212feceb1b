/** Refuses commands that would answer an approval: an agent must not approve itself (spec/exec.md 3.3). */
import type { Hardening } from "../hardening/rules.ts";
import { programName } from "./paths.ts";

export interface SelfApprovalHit {
  /** The words that were recognised. */
  text: string;
  kind: "approveCommand" | "approvalsCli" | "approvalsMethod";
}

const decisions: ReadonlySet<string> = new Set(["allow-once", "allow-always", "always", "deny", "allow"]);
const maxDepth = 6;
const starters: ReadonlySet<string> = new Set(
  "env command builtin exec sudo doas nohup nice time timeout setsid stdbuf xargs eval then do else if while until ! { busybox".split(
    " ",
  ),
);

/** A forgiving tokenizer: every operator, bracket and line break ends a command; quotes are removed. */
function looseCommands(text: string): string[][] {
  const commands: string[][] = [];
  let words: string[] = [];
  let word: string | null = null;
  let quote = "";
  const endWord = (): void => {
    if (word !== null) words.push(word);
    word = null;
  };
  const endCommand = (): void => {
    endWord();
    if (words.length > 0) commands.push(words);
    words = [];
  };
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? "";
    if (quote !== "") {
      if (char === quote) quote = "";
      else if (char === "\\" && quote === '"') {
        at += 1;
        word = (word ?? "") + (text[at] ?? "");
      } else word = (word ?? "") + char;
    } else if (char === "'" || char === '"') {
      quote = char;
      word ??= "";
    } else if (char === "\\") {
      at += 1;
      // A continued line joins; everything else loses its special meaning.
      if (text[at] !== "\n") word = (word ?? "") + (text[at] ?? "");
    } else if (/[;&|()`\n\r<>]/.test(char)) {
      endCommand();
    } else if (/\s/.test(char)) {
      endWord();
    } else {
      word = (word ?? "") + char;
    }
  }
  endCommand();
  return commands;
}

function isApproveAt(words: readonly string[], at: number): boolean {
  return (
    /^\/approve(?:@[\w.-]+)?$/i.test(words[at] ?? "") &&
    words[at + 1] !== undefined &&
    decisions.has((words[at + 2] ?? "").toLowerCase())
  );
}

/** Where the command itself may start: first word, or behind starters, their options and assignments. */
function commandPositions(words: readonly string[]): number[] {
  const positions: number[] = [];
  for (let at = 0; at < words.length; at += 1) {
    positions.push(at);
    const word = words[at] ?? "";
    const isCarrier =
      starters.has(programName(word)) || /^-/.test(word) || /^\w+=/.test(word) || /^\d/.test(word);
    if (!isCarrier) break;
  }
  return positions;
}

/** The stem of every word that counts, however it is cut up by quotes and backslashes. */
const approvSpelled = /a['"\\]*p['"\\]*p['"\\]*r['"\\]*o['"\\]*v/i;

const cliWords: ReadonlySet<string> = new Set(["approvals", "exec-approvals"]);

function cliHit(words: readonly string[]): SelfApprovalHit | null {
  const group = words.findIndex((word) => cliWords.has(word.toLowerCase()));
  if (group === -1) return null;
  const before = words
    .slice(0, group)
    .some((word) => /(?:^|[\\/])(?:sallyport|openclaw)|cli\/bin\.mjs|@?sallyport|openclaw/i.test(word));
  const rest = words.slice(group + 1).map((word) => word.toLowerCase());
  const verb = rest.find((word) => ["resolve", "set", "allowlist", "resume"].includes(word));
  if (verb === undefined) return null;
  const isDecision = verb === "resolve" && rest.some((word) => decisions.has(word));
  if (!before && !isDecision) return null;
  return { text: words.join(" "), kind: "approvalsCli" };
}

/**
 * Looks through every command of the text, also inside quoted words (shell -c, env -S, eval, code of other languages).
 * @returns null when nothing of the kind is there
 */
export function findSelfApproval(text: string, hardening: Hardening, depth = 0): SelfApprovalHit | null {
  if (depth > maxDepth || !approvSpelled.test(text)) return null;
  const isHard = hardening.has("exec.selfApproval");
  if (
    isHard &&
    /exec\.approvals?\.(?:resolve|set|allowlistAdd|request)\b|\bapprovals\.(?:resolve|resumeAgent)\b|["']approvals\.resolve/i.test(
      text,
    )
  )
    return { text: "exec.approval.resolve", kind: "approvalsMethod" };
  for (const words of looseCommands(text)) {
    const positions = isHard ? words.map((_, index) => index) : commandPositions(words);
    const approve = positions.find((at) => isApproveAt(words, at));
    if (approve !== undefined)
      return { text: words.slice(approve, approve + 3).join(" "), kind: "approveCommand" };
    if (isHard) {
      const cli = cliHit(words);
      if (cli !== null) return cli;
    }
    const nested = words.filter((word) => /[\s;|&('"]/.test(word) && word !== text);
    for (const word of nested) {
      const isCarrier = isHard || carriesCommand(words);
      const hit = isCarrier ? findSelfApproval(word, hardening, depth + 1) : null;
      if (hit !== null) return hit;
    }
  }
  return null;
}

/** Shell -c, env -S and eval, behind starters or not. */
function carriesCommand(words: readonly string[]): boolean {
  const isShell = words.some((word) => /^(?:ba|da|z|k|fi|a)?sh$/.test(programName(word)));
  const hasCommandFlag = words.some((word) => /^-[a-zA-Z]*c[a-zA-Z]*$/.test(word));
  const isEnvSplit =
    words.some((word) => programName(word) === "env") &&
    words.some((word) => /^(?:-S|--split-string)/.test(word));
  return (isShell && hasCommandFlag) || isEnvSplit || words.some((word) => word === "eval");
}
