/** Where the state of the product lies on disk: one folder, and every file in it by name. */

import { chmod, mkdir } from "node:fs/promises";
import path from "node:path";
import { AppError, messageOf } from "../../../shared/errors/index.ts";

export interface StatePaths {
  /** Absolute. */
  stateDir: string;
  /** OpenClaw's own config, shared with it. */
  config: string;
  approvals: string;
  /**
   * The approvals file of the default state directory, when that is another one: OpenClaw goes on using it,
   * so it is read too and the stricter of both counts. null when the state directory is the default.
   */
  otherApprovals: string | null;
  /** Our own settings: OpenClaw's config is strict and would reject our keys. */
  settings: string;
  database: string;
  /** How the CLI and the stdio bridge find the running app. */
  gatewayFile: string;
  /** Held by the one runtime of this state directory. */
  instanceLock: string;
  operatorToken: string;
  /** Keys that a person typed in. */
  secrets: string;
  /** What a restart leaves for the program that comes after it. */
  restartNote: string;
  workspaceDir: string;
  logsDir: string;
}

/**
 * `OPENCLAW_STATE_DIR`, else `OPENCLAW_HOME/.openclaw`, else `~/.openclaw`. A leading `~` is the home.
 * Blank values, and the words `undefined` and `null` that scripts leave behind, count as unset.
 * @param homeDir absolute
 * @see supplement.md §7.1
 */
export function resolveStateDir(env: Readonly<Record<string, string | undefined>>, homeDir: string): string {
  const explicit = setValue(env.OPENCLAW_STATE_DIR);
  if (explicit !== null) return path.resolve(expandHome(explicit, homeDir));
  return path.join(resolveHome(env, homeDir), ".openclaw");
}

/** `OPENCLAW_HOME`, else the given home; absolute. */
export function resolveHome(env: Readonly<Record<string, string | undefined>>, homeDir: string): string {
  const home = setValue(env.OPENCLAW_HOME);
  return home === null ? path.resolve(homeDir) : path.resolve(expandHome(home, homeDir));
}

/**
 * @param stateDir as `resolveStateDir` gave it
 * @param homeDir the person's home (or OPENCLAW_HOME), to find the default approvals file
 */
export function statePaths(stateDir: string, homeDir: string): StatePaths {
  const defaultApprovals = path.join(path.resolve(homeDir), ".openclaw", "exec-approvals.json");
  const approvals = path.join(stateDir, "exec-approvals.json");
  return {
    stateDir,
    config: path.join(stateDir, "openclaw.json"),
    approvals,
    otherApprovals: defaultApprovals === approvals ? null : defaultApprovals,
    settings: path.join(stateDir, "sallyport.json5"),
    database: path.join(stateDir, "sallyport.db"),
    gatewayFile: path.join(stateDir, "sallyport-gateway.json"),
    instanceLock: path.join(stateDir, "sallyport.lock"),
    operatorToken: path.join(stateDir, "sallyport-operator-token"),
    secrets: path.join(stateDir, "sallyport-secrets.json"),
    restartNote: path.join(stateDir, "sallyport-restart.json"),
    workspaceDir: path.join(stateDir, "workspace"),
    logsDir: path.join(stateDir, "logs"),
  };
}

/**
 * Makes the folder and its parents, private to the user. An existing one keeps its mode: it may be shared on
 * purpose, and the audit reports it.
 * @throws AppError UNAVAILABLE when it cannot be made
 */
export async function ensureStateDir(stateDir: string): Promise<void> {
  try {
    const firstMade = await mkdir(stateDir, { recursive: true, mode: 0o700 });
    // The umask may have left less than the owner needs.
    if (firstMade !== undefined) await chmod(stateDir, 0o700);
  } catch (cause) {
    throw new AppError(
      "UNAVAILABLE",
      `Cannot make the state directory ${stateDir}: ${messageOf(cause)}. Make it by hand or set OPENCLAW_STATE_DIR to a folder that can be written.`,
      { cause, data: { path: stateDir } },
    );
  }
}

function setValue(value: string | undefined): string | null {
  const trimmed = value?.trim() ?? "";
  return trimmed === "" || trimmed === "undefined" || trimmed === "null" ? null : trimmed;
}

function expandHome(value: string, homeDir: string): string {
  if (value === "~") return homeDir;
  return /^~[\\/]/.test(value) ? path.join(homeDir, value.slice(2)) : value;
}
