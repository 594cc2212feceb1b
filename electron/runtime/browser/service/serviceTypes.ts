/** What the browser service needs, who asks it, and what it answers. */

import type { Hardening } from "../../../../shared/hardening/rules.ts";
import type { Approvals } from "../../approvals/createApprovals.ts";
import type { Clock } from "../../clock.ts";
import type { Logger } from "../../logging/logger.ts";
import type { BlockedRequest, BrowserProfiles, GuardVerdict, SnapshotEngine } from "../browserTypes.ts";
import type { DownloadLimits } from "../records/downloads.ts";

export interface BrowserServiceDeps {
  profiles: BrowserProfiles;
  engine: SnapshotEngine;
  /** openclaw.json as it counts now. */
  config(): object;
  hardening(): Hardening;
  guard: {
    /** Before an address is opened. */
    judgeNavigation(url: string): Promise<GuardVerdict>;
    /** Where a navigation led. */
    judgeArrival(url: string): Promise<GuardVerdict>;
    /** Requests that were refused on their way, newest last. */
    blocked: { list(profile?: string): BlockedRequest[] };
  };
  /** "See before click": an agent's act waits for a person. */
  asksBeforeActs(): boolean;
  approvals: Approvals;
  stateDir: string;
  /** Folder for temporary files; uploads and downloads are exchanged below it. */
  tempDir: string;
  clock: Clock;
  logger: Logger;
  /** For tests; absent: the product's. */
  downloadLimits?: DownloadLimits;
}

/** On whose behalf something is done. */
export interface Actor {
  kind: "agent" | "person";
  /** For a person to read; untrusted text when a client chose it. */
  label: string;
  callerId: string;
  agentId: string | null;
  sessionKey: string | null;
  toolCallId: string | null;
  signal: AbortSignal | undefined;
  /** Absent: nobody is told that the call waits for a person. */
  reportWaiting?: (waiting: { approvalId: string } | null) => void;
}

/** Which tab is meant; both absent: the last used one of the default profile. */
export interface TabChoice {
  profile?: string | undefined;
  targetId?: string | undefined;
}

/** One line of what an act caused. `text` is page text. */
export interface CausedEvent {
  kind: "dialog" | "download" | "popup" | "console" | "error" | "request" | "blocked" | "tab";
  text: string;
}

/** Where a page stands. Title and address are the page's. */
export interface PageFacts {
  profile: string;
  targetId: string;
  url: string;
  title: string;
}

/** Changes of the profiles themselves; a person confirms each in the panel. */
export interface ProfileAdmin {
  create(input: {
    name: string;
    color?: string | undefined;
    cdpUrl?: string | undefined;
    driver?: "openclaw" | "existing-session" | undefined;
    userDataDir?: string | undefined;
  }): Promise<void>;
  /** @returns where its data went; null when there was none */
  remove(name: string): Promise<{ movedTo: string | null }>;
  reset(name: string): Promise<{ movedTo: string | null }>;
}
