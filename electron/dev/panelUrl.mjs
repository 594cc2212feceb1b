/** Finds the address that opens the panel among the lines of the program without windows. */

/** @returns the one-time address, or null: other addresses in these lines open nothing in a browser */
export function panelUrlIn(line) {
  return /https?:\/\/\S+\/\?token=\S+/.exec(line)?.[0] ?? null;
}
