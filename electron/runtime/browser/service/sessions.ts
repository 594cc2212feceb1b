/** The running browsers with their tabs and downloads; each attachment gets a book of its own. */

import type { Clock } from "../../clock.ts";
import type { Logger } from "../../logging/logger.ts";
import { pause, withinTime } from "../actions/withinTime.ts";
import type { BrowserConnection, BrowserProfiles } from "../browserTypes.ts";
import { browserProblem } from "../problems.ts";
import {
  createDownloadDesk,
  type DownloadDesk,
  type DownloadLimits,
  downloadLimits,
} from "../records/downloads.ts";
import type { FileRoots } from "../records/fileRoots.ts";
import { createTabBook, type TabBook } from "../tabs/tabBook.ts";

/** From the attachment until its tabs are known. */
const openLimitMs = 30_000;
/** How long the end of a browser's process may take to be noticed after its connection broke. */
const deathNoticeMs = 1500;

export interface BrowserSession {
  connection: BrowserConnection;
  book: TabBook;
  /** Only of browsers of ours: elsewhere files stay there, and a person's own browser saves as it is set. */
  downloads: DownloadDesk | null;
}

export interface BrowserSessions {
  /** Of a running profile; never starts anything. */
  current(profile: string): Promise<BrowserSession | null>;
  /** Starts or attaches as needed. @throws AppError saying what to do */
  ensure(profile: string, signal: AbortSignal | undefined): Promise<BrowserSession>;
  /** Those that are ready now. */
  all(): BrowserSession[];
  dispose(): Promise<void>;
}

export function createBrowserSessions(deps: {
  profiles: BrowserProfiles;
  roots(): Promise<FileRoots>;
  limits?: DownloadLimits;
  closesLeastRecent(): boolean;
  masksSecrets(): boolean;
  clock: Clock;
  logger: Logger;
  onChanged(): void;
  onRecorded(): void;
}): BrowserSessions {
  const { profiles, clock, logger } = deps;
  const opening = new Map<BrowserConnection, Promise<BrowserSession>>();
  const ready = new Map<BrowserConnection, BrowserSession>();

  const open = async (connection: BrowserConnection): Promise<BrowserSession> => {
    const book = createTabBook({
      profile: connection.profile.name,
      isOwn: connection.profile.kind === "managed",
      context: connection.context,
      clock,
      logger,
      closesLeastRecent: deps.closesLeastRecent,
      masksSecrets: deps.masksSecrets,
      onChanged: deps.onChanged,
      onRecorded: deps.onRecorded,
    });
    const downloads =
      connection.profile.kind !== "managed"
        ? null
        : await createDownloadDesk({
            browser: connection.browser,
            folder: (await deps.roots()).downloads,
            limits: deps.limits ?? downloadLimits,
            recordsOf: async (frameId) => (await book.byFrame(frameId))?.records ?? null,
            clock,
            logger,
          });
    await book.ready;
    const session = { connection, book, downloads };
    ready.set(connection, session);
    void connection.closed.then(() => end(connection));
    deps.onChanged();
    return session;
  };

  const end = async (connection: BrowserConnection) => {
    const session = ready.get(connection);
    ready.delete(connection);
    opening.delete(connection);
    session?.book.dispose();
    await session?.downloads?.dispose();
    deps.onChanged();
  };

  const sessionOf = (connection: BrowserConnection): Promise<BrowserSession> => {
    const known = opening.get(connection);
    if (known !== undefined) return known;
    const work = withinTime(open(connection), {
      timeoutMs: openLimitMs,
      onTimeout: () =>
        browserProblem(
          "browser_dead",
          `The browser of profile ${connection.profile.name} runs but does not answer. Stop it and start it again.`,
        ),
    });
    opening.set(connection, work);
    // A failed opening must not stick: the next call tries again.
    work.catch(() => opening.delete(connection));
    return work;
  };

  const diedMeanwhile = async (profile: string): Promise<boolean> => {
    for (let waitedMs = 0; waitedMs <= deathNoticeMs; waitedMs += 50) {
      if (profiles.state(profile).kind === "crashed") return true;
      if (profiles.state(profile).kind !== "running") return false;
      await pause(50);
    }
    return false;
  };

  return {
    async current(profile) {
      const connection = profiles.connection(profile);
      return connection === null ? null : sessionOf(connection);
    },
    async ensure(profile, signal) {
      const options = signal === undefined ? {} : { signal };
      let connection: BrowserConnection;
      try {
        connection = await profiles.connect(profile, options);
      } catch (error) {
        // A browser that is dying still looks alive for a moment; once its end is noticed a new one can start.
        if (signal?.aborted === true || !(await diedMeanwhile(profile))) throw error;
        connection = await profiles.connect(profile, options);
      }
      return sessionOf(connection);
    },
    all: () => [...ready.values()],
    async dispose() {
      await Promise.all([...ready.keys()].map(end));
    },
  };
}
