/** The browser service: everything that the tool, the panel and the command line do with browsers goes through here. */

import { browserConfigOf } from "../../../../shared/browser/configSchema.ts";
import type { BrowserProfileView, BrowserTab } from "../../../../shared/contract/index.ts";
import { clip } from "../../../../shared/files/index.ts";
import { parseAct } from "../actions/parseAct.ts";
import { withinTime } from "../actions/withinTime.ts";
import type { BrowserProfile } from "../browserTypes.ts";
import { browserProblem, problemKind } from "../problems.ts";
import { type FileRoots, openFileRoots } from "../records/fileRoots.ts";
import { type Tab, tabInfo } from "../tabs/tab.ts";
import { changesOf, type Observe, runAct } from "./acts.ts";
import type { BrowserService, NavigateOutcome } from "./browserService.ts";
import { inputByHand } from "./byHand.ts";
import { askConsent } from "./consent.ts";
import { createExchanges } from "./exchanges.ts";
import { createFilm } from "./film.ts";
import { boxesFor, printPdf, takeScreenshot, takeSnapshot } from "./look.ts";
import { createMediaStore } from "./media.ts";
import { checkAddress, goInHistory, goTo, navigateDefaultMs } from "./navigation.ts";
import { drawLabels, maxLabels } from "./pictures.ts";
import type { Actor, BrowserServiceDeps, PageFacts, TabChoice } from "./serviceTypes.ts";
import { type BrowserSession, createBrowserSessions } from "./sessions.ts";
import { causedEvents, settle } from "./settle.ts";
import { createUnseen } from "./unseen.ts";
import { tabView, withoutSecrets } from "./views.ts";

/** Characters of a page that come with going there; about 1000 tokens. */
const maxPageChars = 4000;

export function createBrowserService(deps: BrowserServiceDeps): BrowserService {
  const { profiles, engine, clock, logger } = deps;
  const masksSecrets = () => deps.hardening().has("browser.maskSecrets");
  const film = createFilm({ clock, masksSecrets });
  const media = createMediaStore(deps.stateDir);
  const unseen = createUnseen();
  const paused = new Set<string>();
  const listeners = new Set<(what: "state" | "records") => void>();
  let roots: Promise<FileRoots> | null = null;
  const fileRoots = () => {
    roots ??= openFileRoots(deps.tempDir, process.getuid?.() ?? null);
    // A folder that could not be made may be there later.
    roots.catch(() => {
      roots = null;
    });
    return roots;
  };
  const announce = (what: "state" | "records" = "state") => {
    for (const listener of [...listeners]) listener(what);
  };
  const sessions = createBrowserSessions({
    profiles,
    roots: fileRoots,
    masksSecrets,
    closesLeastRecent: () => deps.hardening().has("browser.leastRecentTabs"),
    ...(deps.downloadLimits === undefined ? {} : { limits: deps.downloadLimits }),
    clock,
    logger,
    onChanged: () => announce(),
    onRecorded: () => announce("records"),
  });
  const offProfiles = profiles.onChanged((name) => {
    announce();
    // A browser that was started elsewhere gets its book at once: what happens in it is on record from then on.
    sessions.current(name).catch((error: unknown) => logger.warn("browser.notAttached", { name, error }));
  });

  const viewOf = (profile: BrowserProfile): BrowserProfileView => {
    const connection = profiles.connection(profile.name);
    const session = sessions.all().find((candidate) => candidate.connection === connection);
    return {
      ...profile,
      cdpUrl: profile.cdpUrl === null ? null : withoutSecrets(profile.cdpUrl),
      state: profiles.state(profile.name),
      tabCount: session?.book.list().length ?? 0,
      guardedBy: connection?.guardedBy ?? null,
      isPaused: paused.has(profile.name),
    };
  };

  const refuseWhenPaused = (profile: string, actor: Actor) => {
    if (actor.kind === "agent" && paused.has(profile)) {
      throw browserProblem(
        "paused",
        `A person has taken over the browser of profile ${profile}. Wait until they give it back; snapshots still work.`,
      );
    }
  };

  /** Starts the browser when needed, and opens an empty tab when there is none. */
  const tabFor = async (
    choice: TabChoice,
    actor: Actor,
    changes: boolean,
  ): Promise<{ session: BrowserSession; tab: Tab }> => {
    const profile = profiles.find(choice.profile);
    const session = await sessions.ensure(profile.name, actor.signal);
    const tab = session.book.find(choice.targetId) ?? (await session.book.create(actor.sessionKey));
    // A person who only looks does not move what an agent means by "the tab".
    if (changes || actor.kind === "agent") session.book.touch(tab);
    return { session, tab };
  };

  /** Says that the browser is gone instead of what the work noticed of it. */
  const onTab = async <T>(
    choice: TabChoice,
    actor: Actor,
    changes: boolean,
    work: (tab: Tab, session: BrowserSession) => Promise<T>,
  ): Promise<T> => {
    const profile = profiles.find(choice.profile);
    if (changes) refuseWhenPaused(profile.name, actor);
    const { session, tab } = await tabFor(choice, actor, changes);
    try {
      return await work(tab, session);
    } catch (error) {
      const kind = problemKind(error);
      const isGone = profiles.connection(profile.name) !== session.connection;
      if (isGone && kind !== "cancelled" && kind !== "denied") {
        const reason = await Promise.race([session.connection.closed, Promise.resolve("it was stopped")]);
        throw browserProblem(
          "browser_dead",
          `The browser of profile ${profile.name} ended while this ran (${clip(reason, 300)}). The next call starts it again; its tabs are gone.`,
          { cause: error },
        );
      }
      throw error;
    }
  };

  const factsOf = async (tab: Tab): Promise<PageFacts> => {
    const { title, url } = await tabInfo(tab);
    return { profile: tab.profile, targetId: tab.targetId, url, title };
  };

  const lively = (tab: Tab): Tab => {
    if (tab.state.kind === "crashed") {
      throw browserProblem(
        "page_crashed",
        "This page has crashed. Navigate to load it again in a new tab, or close it.",
      );
    }
    return tab;
  };

  /** A crashed page cannot be loaded again: a new tab takes its place. */
  const usable = async (tab: Tab, session: BrowserSession): Promise<Tab> => {
    if (tab.state.kind !== "crashed") return tab;
    const fresh = await session.book.create(tab.sessionKey);
    await session.book.close(tab, "it had crashed");
    session.book.touch(fresh);
    return fresh;
  };

  const travel = async (
    tab: Tab,
    session: BrowserSession,
    actor: Actor,
    action: string,
    detail: string,
    observe: Observe,
    go: () => Promise<{ stillLoading: boolean }>,
  ): Promise<NavigateOutcome> => {
    const shot = film.begin(actor, action, tab.profile, tab, detail);
    const mark = tab.records.mark();
    const blockedBefore = deps.guard.blocked.list(tab.profile).length;
    const before = { ...tab.inFlight };
    try {
      const { stillLoading } = await go();
      if (!stillLoading) await settle(tab, mark, before, actor.signal);
      const closed = await session.book.enforceLimit(tab, actor.sessionKey);
      const facts = await factsOf(tab);
      shot.done(facts.url);
      const events = causedEvents(tab, mark, deps.guard.blocked.list(tab.profile).slice(blockedBefore));
      const page =
        observe === "auto"
          ? await changesOf(tab, viewerOf(actor), actor.signal, { engine, unseen }, maxPageChars)
          : null;
      const isPageTooLarge = page?.truncated === true;
      return {
        ...facts,
        stillLoading,
        events,
        closedTabs: closed.map((each) => each.targetId),
        page: isPageTooLarge ? null : page,
        isPageTooLarge,
      };
    } catch (error) {
      const problem = tab.state.kind === "crashed" ? lateCrash(error) : error;
      shot.failed(problem, tab.page.url());
      throw problem;
    }
  };

  const service: BrowserService = {
    film,
    asksBeforeActs: deps.asksBeforeActs,
    onChanged(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    profileView: (name) => viewOf(profiles.find(name)),
    profileViews: () => profiles.all().map(viewOf),
    pause(name, isPaused) {
      const profile = profiles.find(name);
      if (isPaused) paused.add(profile.name);
      else paused.delete(profile.name);
      announce();
    },
    async start(name, signal) {
      const profile = profiles.find(name);
      await sessions.ensure(profile.name, signal);
      return viewOf(profile);
    },
    stop: (name) => profiles.stop(profiles.find(name).name),
    async tabs(name) {
      const names = name === undefined ? profiles.all().map((each) => each.name) : [profiles.find(name).name];
      const found: BrowserTab[] = [];
      for (const each of names) {
        const session = await sessions.current(each);
        if (session === null) continue;
        found.push(...(await Promise.all(session.book.list().map((tab) => tabView(session, tab)))));
      }
      return found;
    },
    async tab(choice) {
      const profile = profiles.find(choice.profile);
      const session = await sessions.current(profile.name);
      if (session === null) throw notRunning(profile.name);
      const tab = session.book.find(choice.targetId);
      if (tab === null) throw browserProblem("tab_not_found", `Profile ${profile.name} has no open tab.`);
      return tab;
    },
    async open({ profile: name, url, timeoutMs, observe = "none" }, actor) {
      const profile = profiles.find(name);
      refuseWhenPaused(profile.name, actor);
      // Before anything starts: a refused address costs no browser.
      await checkAddress(url, deps);
      const session = await sessions.ensure(profile.name, actor.signal);
      const tab = await session.book.create(actor.sessionKey);
      session.book.touch(tab);
      const options = { timeoutMs: timeoutMs ?? navigateDefaultMs, signal: actor.signal };
      try {
        return await travel(tab, session, actor, "open", url, observe, () => goTo(tab, url, options, deps));
      } catch (error) {
        // A tab that shows nothing is of no use to anyone.
        await session.book.close(tab, "its address could not be opened");
        throw error;
      }
    },
    async focus(choice, actor) {
      const profile = profiles.find(choice.profile);
      refuseWhenPaused(profile.name, actor);
      const session = await sessions.current(profile.name);
      if (session === null) throw notRunning(profile.name);
      const tab = session.book.find(choice.targetId);
      if (tab === null) throw browserProblem("tab_not_found", `Profile ${profile.name} has no open tab.`);
      session.book.touch(tab);
      await withinTime(tab.page.bringToFront(), {
        timeoutMs: 5000,
        signal: actor.signal,
        onTimeout: () => browserProblem("busy_page", "The tab did not come to the front within 5 s."),
      });
      return factsOf(tab);
    },
    async close(choice, actor) {
      const profile = profiles.find(choice.profile);
      refuseWhenPaused(profile.name, actor);
      const session = await sessions.current(profile.name);
      if (session === null) throw notRunning(profile.name);
      const tab = session.book.find(choice.targetId);
      if (tab === null) throw browserProblem("tab_not_found", `Profile ${profile.name} has no open tab.`);
      const facts = await factsOf(tab);
      const shot = film.begin(actor, "close", profile.name, tab, null);
      await session.book.close(tab, "it was closed");
      shot.done(null);
      return facts;
    },
    navigate: (choice, actor) =>
      onTab(choice, actor, true, async (found, session) => {
        const options = { timeoutMs: choice.timeoutMs ?? navigateDefaultMs, signal: actor.signal };
        const { to, observe = "none" } = choice;
        if ("url" in to) {
          await checkAddress(to.url, deps);
          const tab = await usable(found, session);
          return travel(tab, session, actor, "navigate", to.url, observe, () =>
            goTo(tab, to.url, options, deps),
          );
        }
        const tab = lively(found);
        return travel(tab, session, actor, to.history, to.history, observe, () =>
          goInHistory(tab, to.history, options, deps),
        );
      }),
    snapshot: (choice, request, actor) =>
      onTab(choice, actor, false, async (tab) => {
        const { viewer } = request;
        const isBlind = request.incremental === true && unseen.has(tab, viewer);
        const asked = isBlind ? { ...request, incremental: false } : request;
        const snapshot = await takeSnapshot(lively(tab), engine, asked, actor.signal);
        if (snapshot.extent === "full") unseen.clear(tab, viewer);
        return { ...(await factsOf(tab)), snapshot };
      }),
    screenshot: (choice, request, actor) =>
      onTab(choice, actor, false, async (tab) => {
        const { scale, ...picture } = await takeScreenshot(lively(tab), engine, request, actor.signal);
        const isViewport = !request.fullPage && request.ref === undefined && request.element === undefined;
        const wantsBoxes = isViewport && (request.withBoxes === true || request.labels === true);
        const boxes = wantsBoxes ? await boxesFor(tab, engine, scale) : [];
        const shown =
          request.labels === true ? await drawLabels(picture, boxes.slice(0, maxLabels)) : picture;
        return { ...(await factsOf(tab)), picture: shown, scale, boxes };
      }),
    pdf: (choice, actor) =>
      onTab(choice, actor, false, async (tab) => {
        const path = await media.save(await printPdf(lively(tab), actor.signal), "pdf");
        return { ...(await factsOf(tab)), path };
      }),
    act(choice, request, actor, { observe }) {
      // Read before anything starts: a mistake in the request costs no browser.
      const act = parseAct(request);
      return onTab(choice, actor, true, (tab, session) =>
        runAct(
          lively(tab),
          act,
          actor,
          { observe, viewer: viewerOf(actor) },
          {
            engine,
            guard: deps.guard,
            approvals: deps.approvals,
            asksBeforeActs: deps.asksBeforeActs,
            film,
            media,
            unseen,
            masksSecrets,
            evaluateEnabled: () => browserConfigOf(deps.config()).evaluateEnabled !== false,
            closeTab: (each) => session.book.close(each, "it was closed"),
          },
        ),
      );
    },
    ...createExchanges({
      engine,
      film,
      fileRoots,
      hardening: deps.hardening,
      logger,
      consent: async (question) => {
        if (question.actor.kind === "agent" && deps.asksBeforeActs()) {
          await askConsent(question, { approvals: deps.approvals, media });
        }
      },
      onTab,
      factsOf,
      lively,
    }),
    input: async (choice, input) => inputByHand(lively(await service.tab(choice)), input),
    saveMedia: (bytes, ending) => media.save(bytes, ending),
    fileRoots,
    async endSessions(isEnded) {
      await Promise.all(sessions.all().map(({ book }) => book.closeSessions(isEnded)));
    },
    async dispose() {
      offProfiles();
      listeners.clear();
      await sessions.dispose();
    },
  };
  return service;

  function lateCrash(cause: unknown) {
    return browserProblem(
      "page_crashed",
      "The page crashed while it loaded. Try once more, or go elsewhere.",
      { cause },
    );
  }
}

function notRunning(profile: string) {
  return browserProblem(
    "not_running",
    `browser not running: profile ${profile} has no open browser. Open an address to start it.`,
  );
}

/** Whom incremental snapshots are compared for. */
export function viewerOf(actor: Actor): string {
  return actor.sessionKey ?? actor.callerId;
}
