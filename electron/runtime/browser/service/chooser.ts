/** Gives the next file chooser of a page the files that were named for it. */

import type { FileChooser } from "playwright-core";
import { browserProblem } from "../problems.ts";
import type { Tab } from "../tabs/tab.ts";

/** What takes back the answer that a tab's next chooser would get. */
const armed = new WeakMap<Tab, () => void>();

/**
 * A newer answer replaces an older one.
 * @param files checked again when the chooser opens: they can be exchanged meanwhile
 * @returns resolves when they were given; rejects when no chooser opened in time or an answer replaced this one
 */
export function armChooser(tab: Tab, limitMs: number, files: () => Promise<string[]>): Promise<void> {
  const { page } = tab;
  armed.get(tab)?.();
  return new Promise((resolve, reject) => {
    const disarm = () => {
      clearTimeout(timer);
      page.off("filechooser", give);
      if (armed.get(tab) === replace) armed.delete(tab);
    };
    const give = (chooser: FileChooser) => {
      disarm();
      files()
        .then((paths) => chooser.setFiles(paths))
        .then(resolve, (error: unknown) => {
          // The page's dialog must not stay open behind a refusal.
          page.keyboard.press("Escape").catch(() => {});
          reject(error);
        });
    };
    const replace = () => {
      disarm();
      reject(browserProblem("cancelled", "Another upload was named for the next file chooser."));
    };
    const timer = setTimeout(() => {
      disarm();
      reject(
        browserProblem(
          "slow_page",
          "No file chooser opened. Use inputRef with the ref of the file input itself.",
        ),
      );
    }, limitMs);
    timer.unref();
    page.on("filechooser", give);
    armed.set(tab, replace);
  });
}
