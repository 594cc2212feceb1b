/** What an approval for a run on a node holds fast, and the checks before and at that run (spec/exec.md 10). */
import { findMutableOperand } from "./nodeScripts.ts";
import { readShellInvocation } from "./shellInvocation.ts";
import type { AnalyzeOptions, ExecPlatform } from "./types.ts";
import { singleQuote } from "./words.ts";
import { unwrapAll } from "./wrappers.ts";

export interface MutableFileOperand {
  /** Word of argv that names the file, or the inline text that names it. */
  argvIndex: number;
  /** Real path. */
  path: string;
  /** Hex. */
  sha256: string;
}

export interface SystemRunPlan {
  argv: string[];
  /** Canonical. */
  cwd: string;
  /** The whole argv as one line; what is shown and approved. */
  commandText: string;
  /** The inline text of a wrapped shell; null when the command text says it all. */
  commandPreview: string | null;
  agentId: string | null;
  sessionKey: string | null;
  mutableFileOperand: MutableFileOperand | null;
}

/** One step on the way to a folder. */
export interface PathStep {
  path: string;
  isLink: boolean;
  /** This user may replace it: its parent folder is writable. */
  isReplaceable: boolean;
}

export interface FolderFacts {
  realPath: string;
  isDirectory: boolean;
  device: number;
  inode: number;
  /** Every component of the path as given, the folder itself last. */
  steps: readonly PathStep[];
}

export interface FileFacts {
  realPath: string;
  sha256: string;
}

/** The node's file system; null = not there or not readable. */
export interface NodeFiles {
  folder(path: string): FolderFacts | null;
  file(path: string): FileFacts | null;
}

/** @returns SHA-256 of the UTF-8 text, hex */
export type HashText = (text: string) => string;

/** Text needs a shell; argv that the caller gave is left alone. */
export function wrapCommandText(text: string, platform: ExecPlatform): string[] {
  return platform === "win32" ? ["cmd.exe", "/d", "/s", "/c", text] : ["/bin/sh", "-lc", text];
}

/** @returns the text that a shell in this argv would read, seen through wrappers; null when none does */
export function inlineTextOf(argv: readonly string[], platform: ExecPlatform): string | null {
  const { executionOffset } = unwrapAll(argv, platform);
  const invocation = readShellInvocation(argv.slice(executionOffset), true);
  return invocation?.kind === "inline" ? invocation.command : null;
}

/**
 * Under allowlist a list speaks about programs; a shell that reads text is none of them.
 * @param isSatisfied what the list says about argv
 */
export function isSatisfiedOnNode(
  argv: readonly string[],
  isSatisfied: boolean,
  platform: ExecPlatform,
): boolean {
  const { executionOffset, blockedWrapper } = unwrapAll(argv, platform);
  const shell = readShellInvocation(argv.slice(executionOffset), true);
  const readsText = shell !== null && shell.kind !== "script";
  return isSatisfied && !readsText && blockedWrapper === null;
}

/** @returns hex; null when there is nothing to bind. The order in which overrides were given does not matter. */
export function envBindingHash(
  env: Readonly<Record<string, string>> | undefined,
  hash: HashText,
): string | null {
  const entries = Object.entries(env ?? {}).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return entries.length === 0 ? null : hash(JSON.stringify(entries));
}

export type FolderProblem = "missing" | "notDirectory" | "link" | "replaceableLink" | "replaced";

/**
 * @param before the facts at approval; then identity must be the same as well
 * @returns null when a run may start there
 */
export function folderProblem(
  facts: FolderFacts | null,
  before?: Pick<FolderFacts, "realPath" | "device" | "inode">,
): FolderProblem | null {
  if (facts === null) return "missing";
  if (!facts.isDirectory) return "notDirectory";
  if (facts.steps.at(-1)?.isLink === true) return "link";
  if (facts.steps.some((step) => step.isLink && step.isReplaceable)) return "replaceableLink";
  if (before === undefined) return null;
  const isSame =
    facts.realPath === before.realPath && facts.device === before.device && facts.inode === before.inode;
  return isSame ? null : "replaced";
}

export type OperandProblem = "gone" | "linkChanged" | "contentChanged";

/** @param now facts of the operand's path just before the run */
export function operandProblem(bound: MutableFileOperand, now: FileFacts | null): OperandProblem | null {
  if (now === null) return "gone";
  if (now.realPath !== bound.path) return "linkChanged";
  return now.sha256 === bound.sha256 ? null : "contentChanged";
}

export interface PrepareRequest {
  /** Either argv or text. */
  command: { kind: "argv"; argv: readonly string[] } | { kind: "text"; text: string };
  agentId?: string | null;
  sessionKey?: string | null;
}

export type PreparedRun =
  | { ok: true; plan: SystemRunPlan; folder: FolderFacts }
  | { ok: false; reason: FolderProblem | "empty" | "cannotSafelyBind"; message: string };

const folderMessages: Record<FolderProblem, string> = {
  missing: "does not exist",
  notDirectory: "is not a folder",
  link: "is a link",
  replaceableLink: "leads through a link that could be replaced",
  replaced: "is another folder than the one that was approved",
};

/** Builds the plan of `system.run.prepare`. @param options its cwd is the folder that was asked for */
export function prepareSystemRun(
  request: PrepareRequest,
  options: AnalyzeOptions,
  files: NodeFiles,
): PreparedRun {
  const { command } = request;
  const argv = command.kind === "argv" ? [...command.argv] : wrapCommandText(command.text, options.platform);
  if ((argv[0] ?? "") === "" || (command.kind === "text" && command.text.trim() === ""))
    return { ok: false, reason: "empty", message: "There is no command to run. Send one." };
  const folder = files.folder(options.cwd);
  const problem = folderProblem(folder);
  if (folder === null || problem !== null) {
    const what = folderMessages[problem ?? "missing"];
    return {
      ok: false,
      reason: problem ?? "missing",
      message: `The working directory ${options.cwd} ${what}. Name a folder by its real path.`,
    };
  }
  const found = findMutableOperand(argv, { ...options, cwd: folder.realPath });
  const facts = found.kind === "file" ? files.file(found.path) : null;
  if (found.kind === "unbindable" || (found.kind === "file" && facts === null)) {
    const program = found.kind === "unbindable" ? found.program : found.path;
    return {
      ok: false,
      reason: "cannotSafelyBind",
      message: `An approval cannot safely bind what ${program} would run. Name one script file that exists.`,
    };
  }
  const text = inlineTextOf(argv, options.platform);
  const commandText = argv.map(shownWord).join(" ");
  return {
    ok: true,
    folder,
    plan: {
      argv,
      cwd: folder.realPath,
      commandText,
      commandPreview: text === null || text === commandText ? null : text,
      agentId: request.agentId ?? null,
      sessionKey: request.sessionKey ?? null,
      mutableFileOperand:
        found.kind === "file" && facts !== null
          ? { argvIndex: found.argvIndex, path: facts.realPath, sha256: facts.sha256 }
          : null,
    },
  };
}

function shownWord(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : singleQuote(word);
}
