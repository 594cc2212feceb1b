/** The environment that a managed browser is started with. Pure. */

import type { BrowserConnection } from "../browserTypes.ts";

/** Each of them is a way to the network, or a flag, that the guard has not seen. */
const unguarded: ReadonlySet<string> = new Set([
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "ALL_PROXY",
  "NO_PROXY",
  "CHROMIUM_FLAGS",
  "CHROMIUM_USER_FLAGS",
]);

/** A guarded browser does not inherit proxies: its only way out is the one of the guard. */
export function browserEnv(
  env: Readonly<Record<string, string>>,
  guardedBy: BrowserConnection["guardedBy"],
): Record<string, string> {
  const isKept = (name: string) =>
    // The embedded browser would come up as plain Node.
    name !== "ELECTRON_RUN_AS_NODE" && !(guardedBy !== "none" && unguarded.has(name.toUpperCase()));
  return Object.fromEntries(Object.entries(env).filter(([name]) => isKept(name)));
}
