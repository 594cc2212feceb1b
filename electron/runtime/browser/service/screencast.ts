/** The live view: frames of one page for those who look, acknowledged one by one, at a bounded rate. */

import { randomUUID } from "node:crypto";
import type { browserContract } from "../../../../shared/contract/index.ts";
import type { EventPayload } from "../../../../shared/rpc/index.ts";
import type { Clock } from "../../clock.ts";
import type { Logger } from "../../logging/logger.ts";
import { withinTime } from "../actions/withinTime.ts";
import { browserProblem } from "../problems.ts";
import type { Tab } from "../tabs/tab.ts";

type Frame = EventPayload<typeof browserContract, "browser.frame">;

export interface CastRequest {
  connectionId: string;
  maxWidth: number;
  maxHeight: number;
  quality: number;
  maxFps: number;
}

export interface Screencasts {
  start(tab: Tab, request: CastRequest): Promise<{ castId: string; profile: string; targetId: string }>;
  /** Only by the connection that started it. */
  stop(castId: string, connectionId: string): Promise<boolean>;
  /** A connection closed: whatever it looked at ends. */
  leave(connectionId: string): void;
  dispose(): Promise<void>;
}

interface Cast {
  castId: string;
  connectionId: string;
  tab: Tab;
  seq: number;
  end(reason: string | null): Promise<void>;
}

interface ScreencastFrame {
  data: string;
  sessionId: number;
  metadata: { deviceWidth: number; deviceHeight: number };
}

/** Pages that may be looked at at the same time; each costs encoding. */
const maxCasts = 6;
const answerLimitMs = 5000;

export function createScreencasts(deps: {
  clock: Clock;
  logger: Logger;
  onFrame(frame: Frame): void;
  onEnded(castId: string, reason: string): void;
}): Screencasts {
  const { clock, logger } = deps;
  const casts = new Map<string, Cast>();

  const start: Screencasts["start"] = async (tab, request) => {
    const { connectionId, maxFps } = request;
    for (const cast of [...casts.values()]) {
      if (cast.connectionId === connectionId && cast.tab === tab) await cast.end(null);
    }
    if (casts.size >= maxCasts) {
      throw browserProblem(
        "unsupported",
        `${maxCasts} pages are being looked at already. Close one of the views.`,
      );
    }
    const castId = randomUUID();
    // A session of its own: each can have a size and a rate of its own.
    const session = await bounded(tab.page.context().newCDPSession(tab.page));
    let nextAtMs = 0;
    let cancelPause = () => {};
    let renewals = 0;
    const onClose = () => void cast.end("The page was closed.");
    const options = {
      format: "jpeg" as const,
      quality: request.quality,
      maxWidth: request.maxWidth,
      maxHeight: request.maxHeight,
      everyNthFrame: 1,
    };
    /** A page that does not change sends no frame by itself: begun anew, it sends one of what it shows now. */
    const beginAnew = () => {
      renewals += 1;
      session
        .send("Page.stopScreencast")
        .then(() => {
          renewals -= 1;
          return casts.has(castId) ? session.send("Page.startScreencast", options) : undefined;
        })
        .catch((error: unknown) => logger.debug("browser.screencastNotRenewed", { error }));
    };
    const cast: Cast = {
      castId,
      connectionId,
      tab,
      seq: 0,
      async end(reason) {
        if (!casts.delete(castId)) return;
        cancelPause();
        tab.resizing.onOver.delete(beginAnew);
        tab.page.off("close", onClose);
        tab.page.off("crash", onClose);
        // The page or its browser may be gone, and the cast with it.
        await bounded(session.send("Page.stopScreencast")).catch(() => {});
        await bounded(session.detach()).catch(() => {});
        if (reason !== null) deps.onEnded(castId, reason);
      },
    };
    casts.set(castId, cast);
    tab.resizing.onOver.add(beginAnew);
    tab.page.once("close", onClose);
    tab.page.once("crash", onClose);
    const acknowledge = (sessionId: number) => {
      session.send("Page.screencastFrameAck", { sessionId }).catch(() => {});
    };
    session.on("Page.screencastFrame", ({ data, sessionId, metadata }: ScreencastFrame) => {
      if (!casts.has(castId)) return;
      // Not what the page looks like; the cast begins anew when it has its own size again.
      if (tab.resizing.count > 0 || renewals > 0) return acknowledge(sessionId);
      cast.seq += 1;
      deps.onFrame({
        castId,
        profile: tab.profile,
        targetId: tab.targetId,
        seq: cast.seq,
        base64: data,
        viewportWidth: metadata.deviceWidth,
        viewportHeight: metadata.deviceHeight,
        atMs: clock.nowMs(),
      });
      // The next frame is made after the acknowledgement: holding it back bounds the rate.
      const nowMs = clock.nowMs();
      nextAtMs = Math.max(nowMs, nextAtMs) + 1000 / maxFps;
      cancelPause = clock.after(nextAtMs - nowMs, () => acknowledge(sessionId));
    });
    try {
      await bounded(session.send("Page.startScreencast", options));
    } catch (error) {
      logger.warn("browser.screencastFailed", { error });
      await cast.end(null);
      throw browserProblem("unsupported", "This page cannot be shown live. Take a screenshot instead.", {
        cause: error,
      });
    }
    return { castId, profile: tab.profile, targetId: tab.targetId };
  };

  return {
    start,
    async stop(castId, connectionId) {
      const cast = casts.get(castId);
      if (cast === undefined || cast.connectionId !== connectionId) return false;
      await cast.end(null);
      return true;
    },
    leave(connectionId) {
      for (const cast of [...casts.values()]) {
        if (cast.connectionId === connectionId) void cast.end(null);
      }
    },
    async dispose() {
      await Promise.all([...casts.values()].map((cast) => cast.end("Sallyport is ending.")));
    },
  };
}

/** A page whose script hangs, or a browser that is ending, may never answer. */
function bounded<T>(work: Promise<T>): Promise<T> {
  return withinTime(work, {
    timeoutMs: answerLimitMs,
    onTimeout: () =>
      browserProblem("busy_page", "The page did not answer, so it cannot be shown live now. Try again."),
  });
}
