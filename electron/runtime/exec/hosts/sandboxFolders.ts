/** Which folders of this machine a sandbox sees, under which names, and which it must never see. */

import { createHash } from "node:crypto";
import { mkdir, realpath, stat } from "node:fs/promises";
import { isAbsolute, join, posix, relative, resolve, sep } from "node:path";
import type { HostSession } from "./execHost.ts";
import type { SandboxSettings } from "./sandboxSettings.ts";

export interface SandboxMount {
  /** Real path on this machine. */
  source: string;
  /** Absolute path inside. */
  target: string;
  isWritable: boolean;
}

export interface SandboxFolders {
  /** The workspace first. */
  mounts: SandboxMount[];
  /** Paths inside that are covered with an empty folder, because a mount would show protected state. */
  covered: string[];
  /** Real path of the folder that stands at `workdir`. */
  workspace: string;
}

export type FoldersAnswer =
  | { ok: true; folders: SandboxFolders }
  | { ok: false; code: string; message: string };

export interface FolderDeps {
  stateDir: string;
  homeDir: string;
  workspaceOf(agentId: string): string;
}

/** Where the agent's own workspace is found with access `ro`. */
const agentMountTarget = "/agent";

/** Never mounted, nor anything below: through these (sockets of services among them) a command leaves its sandbox. */
const forbiddenSources = ["/etc", "/proc", "/sys", "/dev", "/boot", "/run", "/var/run"];

/**
 * Makes the workspace when it is missing.
 * @returns a refusal when a folder would show what must stay out of reach, naming the setting to change
 */
export async function sandboxFolders(
  settings: SandboxSettings,
  session: HostSession,
  deps: FolderDeps,
): Promise<FoldersAnswer> {
  const state = await protectedPaths(deps);
  const agentWorkspace = deps.workspaceOf(session.agentId);
  const own = join(rootOf(settings, deps), slugOf(settings, session));
  const workspace = settings.workspaceAccess === "rw" ? agentWorkspace : own;
  const wanted: { source: string; target: string; isWritable: boolean; setting: string; make: boolean }[] = [
    {
      source: workspace,
      target: settings.workdir,
      isWritable: true,
      setting: settings.workspaceAccess === "rw" ? "agents.*.workspace" : "sandbox.workspaceRoot",
      make: true,
    },
  ];
  if (settings.workspaceAccess === "ro")
    wanted.push({
      source: agentWorkspace,
      target: agentMountTarget,
      isWritable: false,
      setting: "agents.*.workspace",
      make: true,
    });
  for (const text of settings.binds) {
    const [source, target, mode, ...rest] = text.split(":");
    const isWellFormed =
      source?.startsWith("/") === true && target?.startsWith("/") === true && rest.length === 0;
    if (!isWellFormed || (mode !== undefined && mode !== "ro" && mode !== "rw"))
      return refuse(
        "sandboxBind",
        `sandbox.docker.binds: ${JSON.stringify(text)} is not /source:/target[:ro|rw].`,
      );
    wanted.push({
      source: source ?? "",
      target: target ?? "",
      isWritable: mode === "rw",
      setting: "sandbox.docker.binds",
      make: false,
    });
  }

  const mounts: SandboxMount[] = [];
  const covered: string[] = [];
  for (const { source, target, isWritable, setting, make } of wanted) {
    if (!isPlainTarget(target))
      return refuse(
        "sandboxTarget",
        `sandbox: ${JSON.stringify(target)} is no place for a mount. Use an absolute path of its own, such as /workspace.`,
      );
    if (make) await mkdir(source, { recursive: true, mode: 0o700 }).catch(() => undefined); // realpath below tells
    const real = await realpath(source).catch(() => null);
    if (real === null)
      return refuse(
        "sandboxFolderMissing",
        `sandbox: the folder ${source} (${setting}) does not exist and cannot be made.`,
      );
    const problem = sourceProblem(real, state, deps.stateDir);
    if (problem !== null)
      return refuse("sandboxFolderProtected", `sandbox: ${source} (${setting}) ${problem}`);
    mounts.push({ source: real, target, isWritable });
    for (const path of state)
      if (isInside(path, real)) covered.push(posix.join(target, relative(real, path).split(sep).join("/")));
  }
  return {
    ok: true,
    folders: { mounts, covered: [...new Set(covered)], workspace: mounts[0]?.source ?? workspace },
  };
}

function refuse(code: string, message: string): FoldersAnswer {
  return { ok: false, code, message: `${message} Nothing was run.` };
}

/** State directories as they really are; OpenClaw's default one too. */
async function protectedPaths(deps: FolderDeps): Promise<string[]> {
  const paths = [deps.stateDir, join(deps.homeDir, ".openclaw")];
  const real = await Promise.all(paths.map((path) => realpath(path).catch(() => null)));
  return [...new Set(real.filter((path) => path !== null))];
}

function sourceProblem(real: string, state: readonly string[], stateDir: string): string | null {
  if (real === "/") return "is the root of this machine.";
  if (forbiddenSources.some((path) => real === path || isInside(real, path)))
    return "belongs to the system and is never shown to a sandbox.";
  if (state.includes(real)) return "is the state directory; choose a folder of its own.";
  const around = state.find((path) => isInside(real, path));
  if (around === undefined) return null;
  // In the state directory only workspaces may be shown.
  const [first = ""] = relative(around, real).split(sep);
  const isWorkspace = first === "sandboxes" ? real !== join(around, first) : /^workspace(?:-|$)/.test(first);
  return isWorkspace ? null : `is part of the state directory ${stateDir}; choose a folder of its own.`;
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

const systemTargets = [
  "/bin",
  "/dev",
  "/etc",
  "/lib",
  "/lib32",
  "/lib64",
  "/libx32",
  "/proc",
  "/sbin",
  "/sys",
  "/usr",
];

function isPlainTarget(target: string): boolean {
  if (!target.startsWith("/") || target === "/" || posix.normalize(target) !== target) return false;
  return !systemTargets.some((path) => target === path || target.startsWith(`${path}/`));
}

function rootOf(settings: SandboxSettings, deps: FolderDeps): string {
  const { workspaceRoot } = settings;
  if (workspaceRoot === null) return join(deps.stateDir, "sandboxes");
  return resolve(workspaceRoot.replace(/^~(?=$|\/)/, deps.homeDir));
}

/** Readable, and different for different keys. */
function slugOf(settings: SandboxSettings, session: HostSession): string {
  if (settings.scope === "shared") return "shared";
  const key = settings.scope === "session" ? session.sessionKey : `agent:${session.agentId}`;
  const words = key
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  return `${words.slice(0, 32)}-${createHash("sha256").update(key).digest("hex").slice(0, 8)}`;
}

/**
 * The folder of a call, on this machine and inside. `wanted` may be a path of either side, or relative to the
 * workspace. What is not a folder of the workspace falls back to it, with a warning.
 */
export async function sandboxCwd(
  wanted: string | undefined,
  folders: SandboxFolders,
  workdir: string,
): Promise<{ cwd: string; innerCwd: string; warning: string | null }> {
  const { workspace } = folders;
  const whole = { cwd: workspace, innerCwd: workdir };
  const asked = wanted?.trim() ?? "";
  if (asked === "" || asked === "~" || asked === workdir) return { ...whole, warning: null };
  const candidates = [
    asked.startsWith(`${workdir}/`) ? resolve(workspace, asked.slice(workdir.length + 1)) : null,
    resolve(workspace, asked.startsWith("~/") ? asked.slice(2) : asked),
  ];
  for (const candidate of candidates) {
    const real = candidate === null ? null : await realpath(candidate).catch(() => null);
    if (real === null || (real !== workspace && !isInside(real, workspace))) continue;
    if (!(await stat(real)).isDirectory()) continue;
    const innerCwd = posix.join(workdir, relative(workspace, real).split(sep).join("/"));
    return { cwd: real, innerCwd, warning: null };
  }
  return { ...whole, warning: `Warning: workdir "${asked}" is unavailable; using "${workdir}".` };
}
