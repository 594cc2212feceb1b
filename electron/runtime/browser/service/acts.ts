/** The life of one act: read, allowed, performed, settled, reported, with what it caused and what changed. */

import type { ElementHandle, JSHandle } from "playwright-core";
import { actionProblem } from "../actions/actionProblem.ts";
import { type Act, budgetOf } from "../actions/actTypes.ts";
import { createElementFinder, type FoundElement } from "../actions/elements.ts";
import { describeElement, isSecretField } from "../actions/pageScripts.ts";
import { evaluateDisabled, type Performed, perform } from "../actions/perform.ts";
import { withinTime } from "../actions/withinTime.ts";
import type { Snapshot } from "../browserTypes.ts";
import { browserProblem, problemKind } from "../problems.ts";
import type { Tab } from "../tabs/tab.ts";
import { tabInfo } from "../tabs/tab.ts";
import { askConsent } from "./consent.ts";
import type { Film, FilmShot } from "./film.ts";
import { rememberSecret, withoutSecrets } from "./knownSecrets.ts";
import { takeSnapshot } from "./look.ts";
import type { MediaStore } from "./media.ts";
import type { Actor, BrowserServiceDeps, CausedEvent, PageFacts } from "./serviceTypes.ts";
import { causedEvents, settle } from "./settle.ts";
import type { Unseen } from "./unseen.ts";

/** Whether the answer carries what changed on the page. */
export type Observe = "auto" | "none";

export interface ActOutcome extends PageFacts {
  act: Act["kind"];
  urlBefore: string;
  performed: Performed;
  events: CausedEvent[];
  /** What changed since this actor's last look; null when it was not asked for, or is too much to show by the way. */
  changes: Snapshot | null;
  /** The page changed more than fits here. */
  isChangeTooLarge: boolean;
  /** The tab is gone: closed by the act or by the page. */
  isClosed: boolean;
}

export interface ActDeps
  extends Pick<BrowserServiceDeps, "engine" | "guard" | "approvals" | "asksBeforeActs"> {
  film: Film;
  media: MediaStore;
  unseen: Unseen;
  /** Whether what was typed as a secret is kept out of results. */
  masksSecrets(): boolean;
  evaluateEnabled(): boolean;
  closeTab(tab: Tab): Promise<void>;
}

/** Characters of changes that come with an act; about 500 tokens. */
const maxChangeChars = 2000;
const changeTimeoutMs = 4000;
const marginMs = 15_000;
const personLimitMs = 3_600_000;

/** Kinds that can change something or send something; looking and moving the view is free. */
const consentKinds: ReadonlySet<string> = new Set(["click", "drag", "select", "press", "evaluate", "close"]);

/** @throws AppError with `data.kind`; `cancelled` when the caller ended it */
export async function runAct(
  tab: Tab,
  act: Act,
  actor: Actor,
  options: { observe: Observe; viewer: string },
  deps: ActDeps,
): Promise<ActOutcome> {
  // Before any work on the page: what is switched off must not even look for its element.
  if (!deps.evaluateEnabled() && runsScript(act)) throw evaluateDisabled();
  const { records, page } = tab;
  const mark = records.mark();
  const before = { ...tab.inFlight };
  const urlBefore = page.url();
  const blockedBefore = deps.guard.blocked.list(tab.profile).length;
  const shot = deps.film.begin(actor, act.kind, tab.profile, tab, plainDetail(act));
  try {
    const work = perform(act, {
      page,
      finder: createElementFinder(page, deps.engine),
      signal: actor.signal,
      evaluateEnabled: deps.evaluateEnabled(),
      before: (step, element, detail) => allow(tab, step, element, detail, { actor, shot, deps }),
      closeTab: () => deps.closeTab(tab),
      // Playwright would size the window instead, and guess at its frame.
      resize: async (width, height) => {
        const metrics = { width, height, deviceScaleFactor: 0, mobile: false };
        await tab.cdp.send("Emulation.setDeviceMetricsOverride", metrics);
      },
    });
    // Some of what an act asks of the page has no limit of its own. A person may take as long as they like.
    const waitsForPerson = actor.kind === "agent" && deps.asksBeforeActs();
    const performed = await withinTime(work, {
      timeoutMs: waitsForPerson ? personLimitMs : budgetOf(act) + marginMs,
      signal: actor.signal,
      onTimeout: () =>
        browserProblem(
          "busy_page",
          "The page no longer answers. Close the tab, or navigate it elsewhere; other tabs are not affected.",
        ),
    });
    const isClosed = () => tab.state.kind !== "open" || page.isClosed();
    if (!isClosed() && changesPage(act)) await settle(tab, mark, before, actor.signal);
    if (tab.state.kind === "crashed") throw crashed();
    const blocked = deps.guard.blocked.list(tab.profile).slice(blockedBefore);
    const events = causedEvents(tab, mark, blocked);
    if (isClosed() && act.kind !== "close")
      events.push({ kind: "tab", text: `the tab is gone: ${closedReason(tab)}` });
    const wantsChanges = options.observe === "auto" && !isClosed() && changesPage(act);
    const changes = wantsChanges ? await changesOf(tab, options.viewer, actor.signal, deps) : null;
    const { url, title } = await tabInfo(tab);
    shot.done(url);
    const told = { performed, events };
    return {
      profile: tab.profile,
      targetId: tab.targetId,
      url,
      title,
      act: act.kind,
      urlBefore,
      ...(deps.masksSecrets() ? withoutSecrets(tab, told) : told),
      changes: changes?.truncated === true ? null : changes,
      isChangeTooLarge: changes?.truncated === true,
      isClosed: isClosed(),
    };
  } catch (error) {
    const problem = sharpen(error, tab);
    shot.failed(problem, page.url());
    throw problem;
  }
}

/** Who ended it is known here better than where it was noticed. */
function sharpen(error: unknown, tab: Tab): unknown {
  if (tab.state.kind === "crashed") return crashed();
  const kind = problemKind(error);
  if (tab.state.kind === "closed" && kind !== "cancelled" && kind !== "denied") {
    return browserProblem(
      "tab_closed",
      `The tab is gone: ${closedReason(tab)} List the tabs and choose another.`,
      {
        cause: error,
      },
    );
  }
  return kind === null ? actionProblem(error, "The act", 0) : error;
}

function crashed() {
  return browserProblem(
    "page_crashed",
    "The page crashed. Navigate to load it again in a new tab, or close it; its refs are gone.",
  );
}

function closedReason(tab: Tab): string {
  return tab.state.kind === "closed" ? tab.state.reason : "it was closed";
}

async function allow(
  tab: Tab,
  step: Act,
  element: FoundElement | null,
  detail: string | null,
  { actor, shot, deps }: { actor: Actor; shot: FilmShot; deps: ActDeps },
): Promise<void> {
  const isSecret =
    element !== null &&
    detail !== null &&
    detail !== "" &&
    (await element.handle.evaluate(isSecretField)) === true;
  if (isSecret && (step.kind === "type" || step.kind === "fill")) rememberSecret(tab, detail);
  const shown = isSecret ? `(secret, ${Array.from(detail).length} characters)` : detail;
  if (element !== null) shot.aim({ ref: element.ref, role: element.role, name: element.name }, shown);
  const asks = consentKinds.has(step.kind) || (step.kind === "type" && step.submit);
  if (actor.kind !== "agent" || !asks || !deps.asksBeforeActs()) return;
  const action =
    step.kind === "press"
      ? `press ${step.key}`
      : step.kind === "click" && step.doubleClick
        ? "double click"
        : step.kind;
  // A key goes to what has the focus, and may send its form.
  const asked = element ?? (step.kind === "press" ? await focused(tab) : null);
  await askConsent({ tab, actor, action, element: asked, detail: shown }, deps);
}

function changesPage(act: Act): boolean {
  return act.kind !== "close";
}

async function focused(tab: Tab): Promise<FoundElement | null> {
  const found: JSHandle = await tab.page.evaluateHandle("document.activeElement");
  const handle = found.asElement() as ElementHandle | null;
  if (handle === null) return null;
  const { role, name } = (await handle.evaluate(describeElement)) as { role: string; name: string };
  return { handle, ref: null, role, name, label: `in the focused ${role}` };
}

/** What an act without an element does, for the film. */
function plainDetail(act: Act): string | null {
  switch (act.kind) {
    case "press":
      return act.key;
    case "resize":
      return `${act.width} × ${act.height}`;
    case "evaluate":
      return act.fn;
    case "fill":
      return `${act.fields.length} fields`;
    case "batch":
      return act.actions.map((step) => step.kind).join(", ");
    default:
      return null;
  }
}

function runsScript(act: Act): boolean {
  return act.kind === "evaluate" || (act.kind === "wait" && act.fn !== undefined);
}

/**
 * What changed for this viewer, or the whole page when it is new to them.
 * @returns `truncated` when it is more than fits beside something else; null when the page cannot be looked at now
 */
export async function changesOf(
  tab: Tab,
  viewer: string,
  signal: AbortSignal | undefined,
  deps: Pick<ActDeps, "engine" | "unseen">,
  maxChars = maxChangeChars,
): Promise<Snapshot | null> {
  try {
    // Behind a change that was not shown there is nothing to compare with.
    const incremental = !deps.unseen.has(tab, viewer);
    const request = { format: "dense" as const, incremental, viewer, maxChars };
    const changes = await takeSnapshot(tab, deps.engine, request, signal, changeTimeoutMs);
    if (changes.truncated) deps.unseen.add(tab, viewer);
    else deps.unseen.clear(tab, viewer);
    return changes;
  } catch (error) {
    if (signal?.aborted === true) throw error;
    // The act is done; a page that cannot be looked at now is looked at by the next snapshot.
    return null;
  }
}
