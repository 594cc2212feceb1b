/** What the life of a profile needs from the guard: how requests are held, and hooks around every attachment. */

import type { BrowserContext } from "playwright-core";
import type { BrowserConnection, BrowserProfile } from "../browserTypes.ts";

/** The guard of one running browser. */
export interface ProfileGuard {
  guardedBy: BrowserConnection["guardedBy"];
  /** For the command line of a browser that is started; null when nothing is filtered by a proxy. */
  proxyUrl: string | null;
  /** Before anything else attaches. @throws AppError when requests cannot be held: then there is no connection */
  beforeAttach(wsUrl: string): Promise<void>;
  /** Before the connection is handed out. */
  onAttached(contexts: readonly BrowserContext[]): Promise<void>;
  /** Settles with the reason when requests are held no longer, so that the connection must end. */
  lost: Promise<string>;
  dispose(): Promise<void>;
}

export interface GuardDesk {
  /** How a profile would be held by the config as it is now. */
  modeFor(profile: BrowserProfile): BrowserConnection["guardedBy"];
  open(profile: BrowserProfile): Promise<ProfileGuard>;
}
