/** `sallyport <command>` from the packaged app: the same command line, in a process that opens no window. */

const commands = new Set([
  "approvals",
  "exec-approvals",
  "tools",
  "skills",
  "exec",
  "gateway",
  "mcp",
  "browser",
  "clients",
  "servers",
  "policy",
  "tts",
  "config",
  "configure",
  "ledger",
  "help",
]);
const informational = new Set(["--version", "-V", "--help", "-h"]);

/**
 * Switches of Chromium and Electron stand before the command and are not ours; what follows a command belongs to it.
 * @param argv of the process
 * @param isPackaged a checkout names the app's folder as the first argument
 * @returns the arguments of the command line, or null when the app itself is meant
 */
export function commandLineOf(argv: readonly string[], isPackaged: boolean): string[] | null {
  const args = argv.slice(isPackaged ? 1 : appFolderIndex(argv) + 1);
  const start = args.findIndex((arg) => commands.has(arg) || informational.has(arg));
  if (start < 0) return null;
  // A word that is not a switch and not a command means that something else was asked for: open the app.
  return args.slice(0, start).every((arg) => arg.startsWith("-")) ? args.slice(start) : null;
}

/** Switches may stand before the folder too: `electron --no-sandbox . tools list`. */
function appFolderIndex(argv: readonly string[]): number {
  const index = argv.findIndex((arg, at) => at > 0 && !arg.startsWith("-"));
  return index < 0 ? argv.length : index;
}
