/** The environment of a sandboxed command, and the text that sets it up inside: values never stand on a command line. */

import { AppError } from "../../../../shared/errors/index.ts";

export const defaultSandboxPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/**
 * Programs outside (bubblewrap, a container client, the loader) read variables too. Under this prefix none of them
 * means anything to these; the shell inside gives them their names back.
 */
const carrierPrefix = "SALLYPORT_SET_";

/** Shells refuse to set these, and end over it. */
const readOnlyNames = new Set(["UID", "EUID", "PPID", "SHELLOPTS", "BASHOPTS", "BASH_VERSINFO"]);

export interface SandboxEnv {
  /** Names and values for the process that is started outside. */
  carriers: Record<string, string>;
  /** PATH before and HOME; plain arguments, they are no secrets. */
  path: string;
  home: string;
  warnings: string[];
}

/**
 * Only PATH, HOME, the sandbox's own variables and those of the call; unlike on the host they are not filtered.
 * @throws AppError INVALID_INPUT for a name that no shell can set
 * @see exec.md §3.7
 */
export function sandboxEnv(input: {
  home: string;
  own: ReadonlyMap<string, string>;
  call: Record<string, string>;
  pathPrepend: readonly string[];
}): SandboxEnv {
  const values = new Map([...input.own, ...Object.entries(input.call)]);
  const path = [...input.pathPrepend, values.get("PATH") ?? defaultSandboxPath].join(":");
  const carriers: Record<string, string> = {};
  const warnings: string[] = [];
  for (const [name, value] of values) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || value.includes("\0"))
      throw new AppError(
        "INVALID_INPUT",
        `${JSON.stringify(name)} cannot be set as a variable in the sandbox. Nothing was run.`,
      );
    if (name === "PATH" || name === "HOME") continue;
    if (readOnlyNames.has(name)) warnings.push(`Warning: ${name} is read-only in a shell and was not set.`);
    else carriers[`${carrierPrefix}${name}`] = value;
  }
  if (values.has("HOME"))
    warnings.push("Warning: HOME is the working folder of the sandbox; it was not changed.");
  if (path !== defaultSandboxPath) carriers.OPENCLAW_PREPEND_PATH = path;
  return { carriers, path: defaultSandboxPath, home: input.home, warnings };
}

/** Text for `sh -lc`. The command stands on lines of its own, so that a comment or a heredoc in it stays what it is. */
export function bootstrapText(env: SandboxEnv, command: string): string {
  const lines = Object.keys(env.carriers)
    .filter((name) => name.startsWith(carrierPrefix))
    .map((name) => `export ${name.slice(carrierPrefix.length)}="$${name}"; unset ${name}`);
  // After the profile, which may have set a PATH of its own.
  if (env.carriers.OPENCLAW_PREPEND_PATH !== undefined)
    lines.push('export PATH="$OPENCLAW_PREPEND_PATH:$PATH"; unset OPENCLAW_PREPEND_PATH');
  return [...lines, command].join("\n");
}
