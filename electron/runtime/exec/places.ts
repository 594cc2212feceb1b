/** Where a command of an agent starts, and with which environment. */

import { realpathSync, statSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { AppError } from "../../../shared/errors/index.ts";
import { buildHostEnv } from "../../../shared/exec/index.ts";
import type { Hardening } from "../../../shared/hardening/rules.ts";
import type { ConfigStore } from "../config/index.ts";
import type { Logger } from "../logging/logger.ts";
import { agentExecConfig } from "./execSettings.ts";
import { joinPaths } from "./loginPath.ts";

export interface PlacesDeps {
  config: ConfigStore;
  hardening(): Hardening;
  baseEnv: Record<string, string>;
  /** PATH of a login shell; asked once, may still be running when the first call arrives. */
  loginPath: Promise<string | null>;
  homeDir: string;
  stateDir: string;
  logger: Logger;
}

export interface Places {
  /** The agent's own folder; it may not exist yet. */
  workspaceOf(agentId: string): string;
  /** The wanted folder, else the workspace (made when missing), else home; links followed. `warning` names a fallback. */
  chooseFolder(wanted: string | undefined, agentId: string): Promise<{ cwd: string; warning: string | null }>;
  /** @throws AppError INVALID_INPUT when an override is refused (exec.md §3.8) */
  hostEnvFor(agentId: string, overrides: Record<string, string>): Promise<Record<string, string>>;
}

/** @returns the folder of an agent by a config; it may not exist */
export function workspaceFolder(
  config: unknown,
  agentId: string,
  { stateDir, homeDir }: { stateDir: string; homeDir: string },
): string {
  const agent = agentExecConfig(config, agentId);
  if (agent.workspace !== undefined) return resolve(expandHome(agent.workspace, homeDir));
  return join(stateDir, agent.isDefaultAgent || agentId === "main" ? "workspace" : `workspace-${agentId}`);
}

export function createPlaces(deps: PlacesDeps): Places {
  const workspaceOf = (agentId: string) => workspaceFolder(deps.config.effective().config, agentId, deps);

  const chooseFolder = async (wanted: string | undefined, agentId: string) => {
    const workspace = workspaceOf(agentId);
    const asked =
      wanted === undefined || wanted.trim() === ""
        ? null
        : resolve(workspace, expandHome(wanted.trim(), deps.homeDir));
    // Links are followed once, here: what is judged, shown, bound and run is the same folder.
    if (asked !== null && isDirectory(asked)) return { cwd: realpathSync.native(asked), warning: null };
    if (!isDirectory(workspace))
      await mkdir(workspace, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
        deps.logger.warn("exec.workspaceMissing", { workspace, error });
      });
    const cwd = isDirectory(workspace) ? workspace : deps.homeDir;
    const warning = asked === null ? null : `Warning: workdir "${asked}" is unavailable; using "${cwd}".`;
    return { cwd: realpathSync.native(cwd), warning };
  };

  const hostEnvFor = async (agentId: string, overrides: Record<string, string>) => {
    const agent = agentExecConfig(deps.config.effective().config, agentId);
    const built = buildHostEnv(deps.baseEnv, overrides, deps.hardening());
    if (!built.ok)
      throw new AppError(
        "INVALID_INPUT",
        built.message ?? "An environment variable of this call is not allowed.",
      );
    const prepend = (agent.agent?.pathPrepend ?? agent.global?.pathPrepend ?? []).map((entry) =>
      expandHome(entry.trim(), deps.homeDir),
    );
    const path = joinPaths(prepend.join(":"), await deps.loginPath, deps.baseEnv.PATH);
    return { ...built.env, PATH: path };
  };

  return { workspaceOf, chooseFolder, hostEnvFor };
}

/** Asked at once: a look at one folder takes less than handing it to another thread. */
function isDirectory(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    // Whatever the reason, it cannot be a working directory.
    return false;
  }
}

function expandHome(path: string, home: string): string {
  return path === "~" || path.startsWith("~/") ? join(home || homedir(), path.slice(1)) : path;
}
