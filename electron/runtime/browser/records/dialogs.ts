/** Answers the dialogs of a page: as armed once, else dismissed and on record; a page that never stops is closed. */

import type { Dialog } from "playwright-core";
import { clip } from "../../../../shared/files/index.ts";
import type { Clock } from "../../clock.ts";
import type { PageRecords } from "./pageRecords.ts";

export interface DialogAnswer {
  accept: boolean;
  /** Text for a prompt; its default when absent. */
  promptText?: string;
}

export interface DialogDesk {
  /** The next dialog is answered so, when it comes within `timeoutMs`; a newer answer replaces an older one. */
  arm(answer: DialogAnswer, timeoutMs: number): void;
  handle(dialog: Dialog): void;
}

/**
 * A page that opens more dialogs than this within the window is caught in a loop. Its script cannot be ended from
 * outside while it shows dialogs (the interrupt is only seen seconds later), so the page is closed.
 */
const floodCount = 30;
const floodWindowMs = 5000;

/** @param deps.onFlood the page must be closed now */
export function createDialogDesk(deps: {
  clock: Clock;
  records: PageRecords;
  /** Dialogs of a tab that a person works in stay for the person. */
  isOurs(): boolean;
  onFlood(reason: string): void;
}): DialogDesk {
  const { clock, records } = deps;
  let armed: { answer: DialogAnswer; untilMs: number } | null = null;
  let recent: number[] = [];
  let isFlooded = false;

  const handle = async (dialog: Dialog): Promise<void> => {
    if (isFlooded || !deps.isOurs()) return;
    const nowMs = clock.nowMs();
    recent = [...recent.filter((atMs) => nowMs - atMs < floodWindowMs), nowMs];
    if (recent.length > floodCount) {
      isFlooded = true;
      deps.onFlood(
        `It opened more than ${floodCount} dialogs within ${floodWindowMs / 1000} seconds, so it was closed.`,
      );
      return;
    }
    const answer = armed !== null && armed.untilMs >= nowMs ? armed.answer : null;
    armed = null;
    records.add("dialogs", {
      atMs: nowMs,
      kind: kindOf(dialog.type()),
      message: clip(dialog.message(), 2000),
      answer: answer?.accept === true ? "accepted" : "dismissed",
      answeredBy: answer === null ? "automatic" : "armed",
    });
    if (answer?.accept === true) await dialog.accept(answer.promptText);
    else await dialog.dismiss();
  };

  return {
    arm(answer, timeoutMs) {
      armed = { answer, untilMs: clock.nowMs() + timeoutMs };
    },
    handle(dialog) {
      // The page went away with its dialog: there is nothing left to answer.
      handle(dialog).catch(() => {});
    },
  };
}

function kindOf(type: string): "alert" | "confirm" | "prompt" | "beforeunload" {
  return type === "confirm" || type === "prompt" || type === "beforeunload" ? type : "alert";
}
