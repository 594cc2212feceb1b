/** The browser service: everything that the tool, the panel and the command line do with browsers goes through here. */

import { browserConfigOf } from "../../../../shared/browser/configSchema.ts";
import type { BrowserInput, BrowserProfileView, BrowserTab } from "../../../../shared/contract/browser.ts";
import { clip } from "../../../../shared/files/index.ts";
import { actionProblem } from "../actions/actionProblem.ts";
import { createElementFinder } from "../actions/elements.ts";
import { parseAct } from "../actions/parseAct.ts";
import { withinTime } from "../actions/withinTime.ts";
import type { BrowserProfile, Snapshot, SnapshotRequest } from "../browserTypes.ts";
import { browserProblem, problemKind } from "../problems.ts";
import type { SavedDownload } from "../records/downloads.ts";
import { checkedDownloadPath, checkedUploads, type FileRoots, openFileRoots } from "../records/fileRoots.ts";
import { type Tab, tabInfo } from "../tabs/tab.ts";
import { type ActOutcome, type Observe, runAct } from "./acts.ts";
import { createFilm, type Film } from "./film.ts";
import { boxesFor, printPdf, type ScreenshotRequest, takeScreenshot, takeSnapshot } from "./look.ts";
import { createMediaStore } from "./media.ts";
import { checkAddress, goInHistory, goTo, navigateDefaultMs } from "./navigation.ts";
import { type Box, drawLabels, maxLabels, type Picture } from "./pictures.ts";
import type { Actor, BrowserServiceDeps, CausedEvent, PageFacts, TabChoice } from "./serviceTypes.ts";
import { type BrowserSession, createBrowserSessions } from "./sessions.ts";
import { causedEvents, settle } from "./settle.ts";

const armDefaultMs = 120_000;

export interface NavigateOutcome extends PageFacts {
  /** The document was not whole when the time was over. */
  stillLoading: boolean;
  events: CausedEvent[];
  /** Tabs that were closed to keep the limit. */
  closedTabs: string[];
}

export interface ScreenshotOutcome extends PageFacts {
  picture: Picture;
  /** Picture pixels per CSS pixel. */
  scale: number;
  boxes: Box[];
}

export interface BrowserService {
  film: Film;
  /** Whether an agent's act waits for a person now. */
  asksBeforeActs(): boolean;
  /** Tells that profiles, tabs or records changed; not throttled. */
  onChanged(listener: () => void): () => void;
  profileView(name: string | undefined): BrowserProfileView;
  profileViews(): BrowserProfileView[];
  pause(name: string | undefined, isPaused: boolean): void;
  start(name: string | undefined, signal?: AbortSignal): Promise<BrowserProfileView>;
  stop(name: string | undefined): Promise<{ stopped: boolean }>;
  /** Of one profile, or of all running ones. Starts nothing. */
  tabs(profile?: string): Promise<BrowserTab[]>;
  /** Starts nothing. @throws AppError not_running, tab_not_found */
  tab(choice: TabChoice): Promise<Tab>;
  open(
    choice: { profile?: string | undefined; url: string; timeoutMs?: number },
    actor: Actor,
  ): Promise<NavigateOutcome>;
  focus(choice: TabChoice, actor: Actor): Promise<PageFacts>;
  close(choice: TabChoice, actor: Actor): Promise<PageFacts>;
  navigate(
    choice: TabChoice & {
      to: { url: string } | { history: "back" | "forward" | "reload" };
      timeoutMs?: number;
    },
    actor: Actor,
  ): Promise<NavigateOutcome>;
  snapshot(
    choice: TabChoice,
    request: SnapshotRequest,
    actor: Actor,
  ): Promise<PageFacts & { snapshot: Snapshot }>;
  screenshot(
    choice: TabChoice,
    request: ScreenshotRequest & { withBoxes?: boolean; labels?: boolean },
    actor: Actor,
  ): Promise<ScreenshotOutcome>;
  pdf(choice: TabChoice, actor: Actor): Promise<PageFacts & { path: string }>;
  act(choice: TabChoice, request: unknown, actor: Actor, options: { observe: Observe }): Promise<ActOutcome>;
  upload(
    choice: TabChoice & {
      paths: string[];
      ref?: string | undefined;
      inputRef?: string | undefined;
      element?: string | undefined;
      timeoutMs?: number | undefined;
    },
    actor: Actor,
  ): Promise<PageFacts & { armed: boolean; files: number }>;
  dialog(
    choice: TabChoice & { accept: boolean; promptText?: string | undefined; timeoutMs?: number | undefined },
    actor: Actor,
  ): Promise<PageFacts & { armedForMs: number }>;
  /** With a ref: clicks it and keeps what it downloads; without: waits for the next download. */
  download(
    choice: TabChoice & {
      ref?: string | undefined;
      path?: string | undefined;
      timeoutMs?: number | undefined;
    },
    actor: Actor,
  ): Promise<PageFacts & { download: SavedDownload }>;
  /** By a person's hand on the live view. */
  input(choice: TabChoice, input: BrowserInput): Promise<void>;
  saveMedia(bytes: Uint8Array, ending: "png" | "jpg" | "pdf"): Promise<string>;
  fileRoots(): Promise<FileRoots>;
  /** Closes the tabs of sessions that are over. */
  endSessions(isEnded: (sessionKey: string) => boolean): Promise<void>;
  dispose(): Promise<void>;
}

export function createBrowserService(deps: BrowserServiceDeps): BrowserService {
  const { profiles, engine, clock, logger } = deps;
  const film = createFilm(clock);
  const media = createMediaStore(deps.stateDir);
  const paused = new Set<string>();
  const listeners = new Set<() => void>();
  let roots: Promise<FileRoots> | null = null;
  const fileRoots = () => {
    roots ??= openFileRoots(deps.tempDir, process.getuid?.() ?? null);
    // A folder that could not be made may be there later.
    roots.catch(() => {
      roots = null;
    });
    return roots;
  };
  const announce = () => {
    for (const listener of [...listeners]) listener();
  };
  const sessions = createBrowserSessions({
    profiles,
    roots: fileRoots,
    closesLeastRecent: () => deps.hardening().has("browser.leastRecentTabs"),
    ...(deps.downloadLimits === undefined ? {} : { limits: deps.downloadLimits }),
    clock,
    logger,
    onChanged: announce,
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

  const tabView = async (session: BrowserSession, tab: Tab): Promise<BrowserTab> => {
    const { title, url } = await tabInfo(tab);
    return {
      profile: tab.profile,
      targetId: tab.targetId,
      title: clip(title, 500),
      url: clip(url, 2000),
      state: tab.state.kind === "crashed" ? "crashed" : "open",
      sessionKey: tab.sessionKey,
      openerTargetId: tab.openerTargetId,
      lastUsedAtMs: tab.lastUsedAtMs,
      isLastUsed: session.book.lastUsed() === tab,
      counts: tab.records.counts(),
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
  const tabFor = async (choice: TabChoice, actor: Actor): Promise<{ session: BrowserSession; tab: Tab }> => {
    const profile = profiles.find(choice.profile);
    const session = await sessions.ensure(profile.name, actor.signal);
    const tab = session.book.find(choice.targetId) ?? (await session.book.create(actor.sessionKey));
    session.book.touch(tab);
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
    const { session, tab } = await tabFor(choice, actor);
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
      return { ...facts, stillLoading, events, closedTabs: closed.map((each) => each.targetId) };
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
    async open({ profile: name, url, timeoutMs }, actor) {
      const profile = profiles.find(name);
      refuseWhenPaused(profile.name, actor);
      // Before anything starts: a refused address costs no browser.
      await checkAddress(url, deps);
      const session = await sessions.ensure(profile.name, actor.signal);
      const tab = await session.book.create(actor.sessionKey);
      session.book.touch(tab);
      const options = { timeoutMs: timeoutMs ?? navigateDefaultMs, signal: actor.signal };
      try {
        return await travel(tab, session, actor, "open", url, () => goTo(tab, url, options, deps));
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
        const { to } = choice;
        if ("url" in to) {
          await checkAddress(to.url, deps);
          const tab = await usable(found, session);
          return travel(tab, session, actor, "navigate", to.url, () => goTo(tab, to.url, options, deps));
        }
        const tab = lively(found);
        return travel(tab, session, actor, to.history, to.history, () =>
          goInHistory(tab, to.history, options, deps),
        );
      }),
    snapshot: (choice, request, actor) =>
      onTab(choice, actor, false, async (tab) => {
        const snapshot = await takeSnapshot(lively(tab), engine, request, actor.signal);
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
            evaluateEnabled: () => browserConfigOf(deps.config()).evaluateEnabled !== false,
            closeTab: (each) => session.book.close(each, "it was closed"),
          },
        ),
      );
    },
    async upload({ paths, ref, inputRef, element, timeoutMs, ...choice }, actor) {
      if (inputRef !== undefined && element !== undefined) {
        throw browserProblem("bad_request", "Give inputRef or element, not both.");
      }
      if (ref !== undefined && (inputRef !== undefined || element !== undefined)) {
        throw browserProblem(
          "bad_request",
          "ref clicks what opens the file chooser; it does not go with inputRef or element.",
        );
      }
      if (paths.length === 0)
        throw browserProblem("bad_request", "paths are required: files below the uploads directory");
      const { uploads } = await fileRoots();
      await checkedUploads(uploads, paths, !deps.hardening().has("browser.checkUploads"));
      return onTab(choice, actor, true, async (tab) => {
        const { page } = lively(tab);
        const shot = film.begin(actor, "upload", tab.profile, tab, `${paths.length} files`);
        try {
          if (inputRef !== undefined || element !== undefined) {
            const found = await createElementFinder(page, engine).find(
              inputRef !== undefined
                ? { by: "ref", ref: inputRef }
                : { by: "selector", selector: element ?? "" },
              8000,
            );
            shot.aim({ ref: found.ref, role: found.role, name: found.name }, null);
            try {
              await found.handle.setInputFiles(await checkedUploads(uploads, paths), { timeout: 8000 });
            } catch (error) {
              throw /not an HTMLInputElement|non-multiple file input|\[type=file\]/i.test(String(error))
                ? browserProblem(
                    "wrong_element",
                    `${found.label} does not take ${paths.length === 1 ? "a file" : "these files"}. inputRef is the ref of the file input itself; otherwise use ref with what opens the chooser.`,
                  )
                : actionProblem(error, found.label, 8000);
            }
            shot.done(page.url());
            return { ...(await factsOf(tab)), armed: false, files: paths.length };
          }
          const limitMs = Math.min(Math.max(timeoutMs ?? armDefaultMs, 500), armDefaultMs);
          const chosen = armChooser(tab, limitMs, () => checkedUploads(uploads, paths));
          if (ref !== undefined) {
            const found = await createElementFinder(page, engine).byRef(ref);
            shot.aim({ ref: found.ref, role: found.role, name: found.name }, null);
            await found.handle.click({ timeout: 8000 }).catch((error: unknown) => {
              throw actionProblem(error, found.label, 8000);
            });
            await withinTime(chosen, {
              timeoutMs: Math.min(limitMs, 10_000),
              signal: actor.signal,
              onTimeout: () =>
                browserProblem(
                  "slow_page",
                  `${found.label} was clicked but opened no file chooser. Use inputRef with the ref of the file input.`,
                ),
            });
          } else {
            chosen.catch((error: unknown) => logger.debug("browser.chooserUnused", { error }));
          }
          shot.done(page.url());
          return { ...(await factsOf(tab)), armed: ref === undefined, files: paths.length };
        } catch (error) {
          shot.failed(error, page.url());
          throw error;
        }
      });
    },
    dialog: ({ accept, promptText, timeoutMs, ...choice }, actor) =>
      onTab(choice, actor, true, async (tab) => {
        const armedForMs = Math.min(Math.max(timeoutMs ?? armDefaultMs, 500), armDefaultMs);
        const text = promptText?.trim();
        lively(tab).dialogs.arm(
          { accept, ...(text === undefined || text === "" ? {} : { promptText: text }) },
          armedForMs,
        );
        return { ...(await factsOf(tab)), armedForMs };
      }),
    download: ({ ref, path, timeoutMs, ...choice }, actor) =>
      onTab(choice, actor, true, async (tab, session) => {
        const { downloads } = session;
        if (downloads === null) {
          throw browserProblem(
            "unsupported",
            "Files that a browser on another computer downloads stay there.",
          );
        }
        const limitMs = Math.min(Math.max(timeoutMs ?? 60_000, 500), 120_000);
        const target =
          path === undefined ? undefined : await checkedDownloadPath((await fileRoots()).downloads, path);
        const shot = film.begin(actor, "download", tab.profile, tab, path ?? null);
        try {
          const saved = downloads.next(lively(tab).records, {
            timeoutMs: limitMs,
            ...(target === undefined ? {} : { path: target }),
            ...(actor.signal === undefined ? {} : { signal: actor.signal }),
          });
          if (ref !== undefined) {
            const found = await createElementFinder(tab.page, engine).byRef(ref);
            shot.aim({ ref: found.ref, role: found.role, name: found.name }, null);
            const clicked = found.handle
              .click({ timeout: 8000, noWaitAfter: true })
              .catch((error: unknown) => {
                throw actionProblem(error, found.label, 8000);
              });
            await Promise.race([saved, clicked]);
          }
          const download = await saved;
          shot.done(tab.page.url());
          return { ...(await factsOf(tab)), download };
        } catch (error) {
          shot.failed(error, tab.page.url());
          throw error;
        }
      }),
    async input(choice, input) {
      const tab = lively(await service.tab(choice));
      const { keyboard, mouse } = tab.page;
      switch (input.kind) {
        case "mouse":
          await tab.cdp.send("Input.dispatchMouseEvent", {
            type:
              input.type === "down" ? "mousePressed" : input.type === "up" ? "mouseReleased" : "mouseMoved",
            x: input.x,
            y: input.y,
            button: input.type === "move" ? "none" : input.button,
            clickCount: input.clickCount,
          });
          return;
        case "wheel":
          await mouse.move(input.x, input.y);
          await mouse.wheel(input.deltaX, input.deltaY);
          return;
        case "key":
          await keyboard.press(input.key).catch((error: unknown) => {
            throw actionProblem(error, `Key ${input.key}`, 5000);
          });
          return;
        case "text":
          await keyboard.insertText(input.text);
      }
    },
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

/** Passwords and tokens of a debugging endpoint are nobody's business here. */
function withoutSecrets(url: string): string {
  try {
    const parsed = new URL(url);
    parsed.username = "";
    parsed.password = "";
    if (parsed.search !== "") parsed.search = "?…";
    return parsed.href;
  } catch {
    // What cannot be taken apart could hold a secret anywhere.
    return "(not a valid address)";
  }
}

/** Whom incremental snapshots are compared for. */
export function viewerOf(actor: Actor): string {
  return actor.sessionKey ?? actor.callerId;
}

/** Gives the next file chooser of the page these files; checked again then, because files can be exchanged. */
function armChooser(tab: Tab, limitMs: number, files: () => Promise<string[]>): Promise<void> {
  return tab.page.waitForEvent("filechooser", { timeout: limitMs }).then(async (chooser) => {
    await chooser.setFiles(await files());
  });
}
