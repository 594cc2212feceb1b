/** What goes in and out of pages besides clicks and keys: files both ways, and answers to dialogs. */

import type { Hardening } from "../../../../shared/hardening/rules.ts";
import type { Logger } from "../../logging/logger.ts";
import { actionProblem } from "../actions/actionProblem.ts";
import { createElementFinder, type FoundElement } from "../actions/elements.ts";
import { withinTime } from "../actions/withinTime.ts";
import type { SnapshotEngine } from "../browserTypes.ts";
import { browserProblem } from "../problems.ts";
import { checkedDownloadPath, checkedUploads, type FileRoots } from "../records/fileRoots.ts";
import type { Tab } from "../tabs/tab.ts";
import type { BrowserService } from "./browserService.ts";
import { armChooser } from "./chooser.ts";
import type { ConsentQuestion } from "./consent.ts";
import type { Film, FilmShot } from "./film.ts";
import type { Actor, PageFacts, TabChoice } from "./serviceTypes.ts";
import type { BrowserSession } from "./sessions.ts";

export interface ExchangeDeps {
  engine: SnapshotEngine;
  film: Film;
  logger: Logger;
  hardening(): Hardening;
  fileRoots(): Promise<FileRoots>;
  /** Asks a person first where that is set. @throws AppError when it is not allowed */
  consent(question: ConsentQuestion): Promise<void>;
  onTab<T>(
    choice: TabChoice,
    actor: Actor,
    changes: boolean,
    work: (tab: Tab, session: BrowserSession) => Promise<T>,
  ): Promise<T>;
  factsOf(tab: Tab): Promise<PageFacts>;
  /** @throws AppError page_crashed */
  lively(tab: Tab): Tab;
}

const armDefaultMs = 120_000;
const elementMs = 8000;
const chooserMs = 10_000;
const downloadDefaultMs = 60_000;

export function createExchanges(deps: ExchangeDeps): Pick<BrowserService, "upload" | "dialog" | "download"> {
  const { engine, film, logger, onTab, factsOf, lively } = deps;

  /** Films the work, whatever comes of it. */
  const filmed = async <T>(
    actor: Actor,
    action: string,
    tab: Tab,
    detail: string | null,
    work: (shot: FilmShot) => Promise<T>,
  ): Promise<T> => {
    const shot = film.begin(actor, action, tab.profile, tab, detail);
    try {
      const result = await work(shot);
      shot.done(tab.page.url());
      return result;
    } catch (error) {
      shot.failed(error, tab.page.url());
      throw error;
    }
  };
  const aim = (shot: FilmShot, { ref, role, name }: FoundElement) => shot.aim({ ref, role, name }, null);
  const click = (element: FoundElement): Promise<void> =>
    element.handle.click({ timeout: elementMs }).catch((error: unknown) => {
      throw actionProblem(error, element.label, elementMs);
    });

  return {
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
      if (paths.length === 0) {
        throw browserProblem("bad_request", "paths are required: files below the uploads directory");
      }
      const { uploads } = await deps.fileRoots();
      await checkedUploads(uploads, paths, !deps.hardening().has("browser.checkUploads"));
      const files = () => checkedUploads(uploads, paths);
      const detail = paths.join(", ");
      const limitMs = clampArm(timeoutMs);
      return onTab(choice, actor, true, (tab) =>
        filmed(actor, "upload", lively(tab), detail, async (shot) => {
          const finder = createElementFinder(tab.page, engine);
          const done = async (armed: boolean) => ({ ...(await factsOf(tab)), armed, files: paths.length });
          if (inputRef !== undefined || element !== undefined) {
            const spec =
              inputRef !== undefined
                ? { by: "ref" as const, ref: inputRef }
                : { by: "selector" as const, selector: element ?? "" };
            const input = await finder.find(spec, elementMs);
            aim(shot, input);
            await deps.consent({ tab, actor, action: "upload", element: input, detail });
            await input.handle
              .setInputFiles(await files(), { timeout: elementMs })
              .catch((error: unknown) => {
                throw inputProblem(error, input, paths.length);
              });
            return done(false);
          }
          if (ref === undefined) {
            await deps.consent({ tab, actor, action: "upload", element: null, detail });
            armChooser(tab, limitMs, files).catch((error: unknown) =>
              logger.debug("browser.chooserUnused", { error }),
            );
            return done(true);
          }
          const opener = await finder.byRef(ref);
          aim(shot, opener);
          await deps.consent({ tab, actor, action: "upload", element: opener, detail });
          const given = armChooser(tab, Math.min(limitMs, chooserMs), files);
          // Looked at below; a failed click leaves it to its time limit.
          given.catch(() => {});
          await click(opener);
          await withinTime(given, {
            timeoutMs: chooserMs + 1000,
            signal: actor.signal,
            onTimeout: () => browserProblem("slow_page", `${opener.label} opened no file chooser.`),
          });
          return done(false);
        }),
      );
    },

    dialog: ({ accept, promptText, timeoutMs, ...choice }, actor) =>
      onTab(choice, actor, true, async (tab) => {
        const armedForMs = clampArm(timeoutMs);
        const text = promptText?.trim() ?? "";
        lively(tab).dialogs.arm({ accept, ...(text === "" ? {} : { promptText: text }) }, armedForMs);
        return { ...(await factsOf(tab)), armedForMs };
      }),

    download: ({ ref, path, timeoutMs, ...choice }, actor) =>
      onTab(choice, actor, true, async (tab, { downloads }) => {
        if (downloads === null) {
          throw browserProblem(
            "unsupported",
            "Only browsers that Sallyport starts hand their downloads over; this one keeps them where it is.",
          );
        }
        const limitMs = Math.min(Math.max(timeoutMs ?? downloadDefaultMs, 500), 120_000);
        const target =
          path === undefined
            ? undefined
            : await checkedDownloadPath((await deps.fileRoots()).downloads, path);
        return filmed(actor, "download", lively(tab), path ?? null, async (shot) => {
          const link = ref === undefined ? null : await createElementFinder(tab.page, engine).byRef(ref);
          if (link !== null) {
            aim(shot, link);
            await deps.consent({ tab, actor, action: "download", element: link, detail: path ?? null });
          }
          const saved = downloads.next(tab.records, {
            timeoutMs: limitMs,
            ...(target === undefined ? {} : { path: target }),
            ...(actor.signal === undefined ? {} : { signal: actor.signal }),
          });
          // Looked at below; a failed click leaves it to its time limit.
          saved.catch(() => {});
          if (link !== null) await Promise.race([saved, click(link)]);
          return { ...(await factsOf(tab)), download: await saved };
        });
      }),
  };
}

function clampArm(timeoutMs: number | undefined): number {
  return Math.min(Math.max(timeoutMs ?? armDefaultMs, 500), armDefaultMs);
}

function inputProblem(error: unknown, input: FoundElement, count: number) {
  if (!/not an HTMLInputElement|non-multiple file input|\[type=file\]/i.test(String(error))) {
    return actionProblem(error, input.label, elementMs);
  }
  const what = count === 1 ? "a file" : "these files";
  return browserProblem(
    "wrong_element",
    `${input.label} does not take ${what}. inputRef is the ref of the file input itself; otherwise use ref with what opens the chooser.`,
    { cause: error },
  );
}
