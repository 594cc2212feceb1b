/** The life of one profile's browser: started or attached to once, shared by all who connect, its end noticed. */

import type { Browser } from "playwright-core";
import { AppError, messageOf } from "../../../../shared/errors/index.ts";
import type { Clock } from "../../clock.ts";
import type { Logger } from "../../logging/logger.ts";
import { whileNotAborted } from "../../net/abort.ts";
import { pause, withinTime } from "../actions/withinTime.ts";
import type { BrowserConnection, BrowserProfile, ProfileState } from "../browserTypes.ts";
import { openBrowserSocket } from "../guard/browserSocket.ts";
import type { GuardDesk, ProfileGuard } from "../guard/profileGuard.ts";
import { attach } from "./attach.ts";
import type { BrowserProcess } from "./browserProcess.ts";
import { askEndpoint, type EndpointFacts } from "./endpoint.ts";
import type { LaunchedBrowser } from "./launch.ts";
import { removeRecord } from "./ownershipRecord.ts";

/** How the browser of a profile comes to be, chosen by its kind. */
export type ConnectPlan =
  | { kind: "launch"; run(guard: ProfileGuard): Promise<LaunchedBrowser> }
  | { kind: "attach"; endpoint(): Promise<string>; timeoutMs: number; handshakeTimeoutMs: number | null };

export interface ProfileSlotDeps {
  profile: BrowserProfile;
  stateDir: string;
  guard: GuardDesk;
  plan(): ConnectPlan;
  clock: Clock;
  logger: Logger;
  onChanged(): void;
}

export interface ProfileSlot {
  profile: BrowserProfile;
  state(): ProfileState;
  connection(): BrowserConnection | null;
  /** How the running browser's requests are held; null when none runs. */
  guardedBy(): BrowserConnection["guardedBy"] | null;
  connect(signal: AbortSignal | undefined): Promise<BrowserConnection>;
  stop(): Promise<{ stopped: boolean }>;
}

/** A browser that is there, with or without an attachment to it. */
interface Running {
  process: BrowserProcess | null;
  facts: EndpointFacts;
  guard: ProfileGuard;
  sinceMs: number;
  connection: BrowserConnection | null;
  detach(reason: string): Promise<void>;
}

type Phase =
  | { kind: "down"; state: ProfileState }
  | { kind: "starting"; work: Promise<BrowserConnection> }
  | { kind: "up"; running: Running }
  | { kind: "stopping"; work: Promise<void> };

const exitNoticeMs = 1_500;
/** Pages of a person's browser are spoken to; one that hangs must not hold up everything. */
const guardLimitMs = 20_000;
const detachLimitMs = 5_000;

export function createProfileSlot(deps: ProfileSlotDeps): ProfileSlot {
  const { profile, logger, clock } = deps;
  let phase: Phase = { kind: "down", state: { kind: "stopped" } };
  /** What a browser left that ended by itself is removed; the next start waits for it, else it would take the new record. */
  let cleaning: Promise<void> = Promise.resolve();

  const enter = (next: Phase): void => {
    phase = next;
    deps.onChanged();
  };

  function state(): ProfileState {
    switch (phase.kind) {
      case "down":
        return phase.state;
      case "starting":
        return { kind: "starting" };
      case "stopping":
        return { kind: "stopping" };
      case "up": {
        const { process, facts, sinceMs } = phase.running;
        const { browserName, version } = facts;
        return { kind: "running", pid: process?.pid ?? null, sinceMs, browserName, version };
      }
    }
  }

  async function start(): Promise<BrowserConnection> {
    await cleaning;
    const plan = deps.plan();
    const guard = await deps.guard.open(profile);
    try {
      if (plan.kind === "launch") {
        const launched = await plan.run(guard);
        return await hold(launched.process, launched.facts, launched.browser, guard);
      }
      const facts = await askEndpoint(await plan.endpoint(), plan.timeoutMs);
      // A socket that does not open is said early. The person's own browser may ask at every connection: not there.
      if (plan.handshakeTimeoutMs !== null) {
        const tried = await openBrowserSocket(facts.wsUrl, plan.handshakeTimeoutMs);
        tried.close();
      }
      await guard.beforeAttach(facts.wsUrl);
      const browser = await attach(facts.wsUrl, () => true);
      return await hold(null, facts, browser, guard);
    } catch (error) {
      await guard.dispose();
      throw error;
    }
  }

  /** Puts the guard in force before anybody gets the connection. */
  async function hold(
    process: BrowserProcess | null,
    facts: EndpointFacts,
    browser: Browser,
    guard: ProfileGuard,
  ): Promise<BrowserConnection> {
    const running: Running = {
      process,
      facts: named(facts, browser),
      guard,
      sinceMs: clock.nowMs(),
      connection: null,
      detach: async () => {},
    };
    let connection: BrowserConnection;
    try {
      connection = await bind(running, browser);
    } catch (error) {
      await closeAttachment(browser).catch((closing: unknown) =>
        logger.debug("browser.detachFailed", { error: closing }),
      );
      await process?.end();
      if (process !== null) await removeRecord(deps.stateDir, profile.name);
      throw error;
    }
    enter({ kind: "up", running });
    void guard.lost.then((reason) => (running.connection === null ? undefined : running.detach(reason)));
    void process?.exited.then(({ code, signal }) =>
      ended(running, signal === null ? `It ended with exit code ${code}.` : `It was ended by ${signal}.`),
    );
    return connection;
  }

  /** Makes an attachment the one of the running browser. */
  async function bind(running: Running, browser: Browser): Promise<BrowserConnection> {
    await withinTime(running.guard.onAttached(browser.contexts()), {
      timeoutMs: guardLimitMs,
      onTimeout: () =>
        new AppError(
          "UNAVAILABLE",
          "The guard could not be put in force: a page of the browser does not answer. Close it and try again.",
        ),
    });
    const context = browser.contexts()[0] ?? (await browser.newContext());
    let settle: (reason: string) => void = () => {};
    const closed = new Promise<string>((resolve) => {
      settle = resolve;
    });
    const connection: BrowserConnection = {
      profile,
      browser,
      context,
      guardedBy: running.guard.guardedBy,
      closed,
    };
    running.connection = connection;
    running.detach = async (reason) => {
      running.connection = null;
      settle(reason);
      // Only the attachment: a browser that was attached to goes on living.
      await closeAttachment(browser);
    };
    browser.once("disconnected", () => {
      if (running.connection !== connection) return;
      running.connection = null;
      settle("The connection to the browser ended.");
      void lost(running);
    });
    if (!browser.isConnected())
      throw new AppError("UNAVAILABLE", "The browser ended while it was attached to.");
    return connection;
  }

  /** The socket closed: the browser may have ended, or only the attachment. */
  async function lost(running: Running): Promise<void> {
    if (phase.kind !== "up" || phase.running !== running) return;
    if (running.process === null) return ended(running, "The connection ended.");
    await Promise.race([running.process.exited, pause(exitNoticeMs)]);
    // Still there: the next `connect` attaches again.
    if (running.process.isAlive()) deps.onChanged();
  }

  /** The browser is gone without being asked to. What it left behind goes too. */
  async function ended(running: Running, detail: string): Promise<void> {
    if (phase.kind !== "up" || phase.running !== running) return;
    const { process } = running;
    logger.warn("browser.ended", { profile: profile.name, detail });
    enter({
      kind: "down",
      state:
        process === null ? { kind: "unreachable", detail } : { kind: "crashed", atMs: clock.nowMs(), detail },
    });
    cleaning = cleanUp(running, detail);
    await cleaning;
  }

  /** Never fails: what could not be removed is in the log, and the next start finds it again. */
  async function cleanUp(running: Running, detail: string): Promise<void> {
    try {
      await running.detach(detail).catch((error: unknown) => logger.debug("browser.detachFailed", { error }));
      await running.guard.dispose();
      if (running.process === null) return;
      await running.process.end();
      await removeRecord(deps.stateDir, profile.name);
    } catch (error) {
      logger.error("browser.treeNotEnded", { profile: profile.name, error });
    }
  }

  async function reattach(running: Running): Promise<BrowserConnection> {
    await running.guard.beforeAttach(running.facts.wsUrl);
    const browser = await attach(running.facts.wsUrl, () => running.process?.isAlive() ?? true);
    return bind(running, browser);
  }

  function begin(work: () => Promise<BrowserConnection>): Promise<BrowserConnection> {
    const before = phase.kind === "up" ? phase.running : null;
    const started = work().catch(async (error: unknown) => {
      if (before !== null) {
        enter({ kind: "up", running: before });
        // Its end was not noticed while the attachment was tried.
        if (before.process?.isAlive() !== true) await ended(before, messageOf(error));
      } else if (phase.kind === "starting") enter({ kind: "down", state: downStateOf(profile, error) });
      throw error;
    });
    enter({ kind: "starting", work: started });
    return started.then((connection) => {
      if (phase.kind === "starting" && before !== null) enter({ kind: "up", running: before });
      return connection;
    });
  }

  async function connect(signal: AbortSignal | undefined): Promise<BrowserConnection> {
    let hasSeenDeath = false;
    for (;;) {
      signal?.throwIfAborted();
      switch (phase.kind) {
        case "up": {
          const { running } = phase;
          if (running.connection !== null) return running.connection;
          try {
            return await waitFor(
              begin(() => reattach(running)),
              signal,
            );
          } catch (error) {
            // The socket of a killed browser breaks before its end is noticed: once it is, a new one is started.
            if (hasSeenDeath || signal?.aborted === true || !(await hasEnded(running))) throw error;
            hasSeenDeath = true;
            break;
          }
        }
        case "starting":
          return waitFor(phase.work, signal);
        case "stopping":
          await waitFor(phase.work, signal);
          break;
        case "down":
          return waitFor(begin(start), signal);
      }
    }
  }

  async function hasEnded(running: Running): Promise<boolean> {
    if (running.process === null) return false;
    await Promise.race([running.process.exited, pause(exitNoticeMs)]);
    if (running.process.isAlive()) return false;
    await ended(running, "It ended while it was attached to.");
    return true;
  }

  async function stop(): Promise<{ stopped: boolean }> {
    if (phase.kind === "starting") {
      // Its failure is told to those who wait for it; here only its end counts.
      await phase.work.catch(() => undefined);
    }
    if (phase.kind === "stopping") {
      await phase.work;
      return { stopped: true };
    }
    if (phase.kind !== "up") {
      await cleaning;
      return { stopped: false };
    }
    const { running } = phase;
    const work = (async () => {
      await running
        .detach("The browser was stopped.")
        .catch((error: unknown) => logger.debug("browser.detachFailed", { error }));
      await running.process?.end();
      await running.guard.dispose();
      if (running.process !== null) await removeRecord(deps.stateDir, profile.name);
    })();
    enter({ kind: "stopping", work });
    try {
      await work;
    } finally {
      enter({ kind: "down", state: { kind: "stopped" } });
    }
    // Of a browser that is not ours only the attachment ended.
    return { stopped: running.process !== null };
  }

  return {
    profile,
    state,
    connection: () => (phase.kind === "up" ? phase.running.connection : null),
    guardedBy: () => (phase.kind === "up" ? phase.running.guard.guardedBy : null),
    connect,
    stop,
  };
}

function waitFor<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return signal === undefined ? work : whileNotAborted(work, signal);
}

/** A socket address does not tell which browser it is; the attachment does. */
function named(facts: EndpointFacts, browser: Browser): EndpointFacts {
  if (facts.version !== "") return facts;
  return { ...facts, browserName: "Chromium", version: browser.version() };
}

function downStateOf(profile: BrowserProfile, error: unknown): ProfileState {
  if (profile.kind === "managed" && !profile.attachOnly) return { kind: "stopped" };
  return { kind: "unreachable", detail: messageOf(error) };
}

/** The browser may be gone without the connection knowing it. */
async function closeAttachment(browser: Browser): Promise<void> {
  await withinTime(browser.close(), {
    timeoutMs: detachLimitMs,
    onTimeout: () => new AppError("TIMEOUT", "The connection to the browser did not close."),
  });
}
