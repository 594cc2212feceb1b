/** "See before click": shows a person what an agent is about to do on a page, and waits for the decision. */

import type { ElementHandle } from "playwright-core";
import { AppError } from "../../../../shared/errors/index.ts";
import { clip } from "../../../../shared/files/index.ts";
import type { Approvals } from "../../approvals/createApprovals.ts";
import { noCommand } from "../../approvals/noCommand.ts";
import type { FoundElement } from "../actions/elements.ts";
import { type FormFacts, formOf, markElement, unmarkElement } from "../actions/pageScripts.ts";
import { withinTime } from "../actions/withinTime.ts";
import { browserProblem } from "../problems.ts";
import type { Tab } from "../tabs/tab.ts";
import type { MediaStore } from "./media.ts";
import type { Actor } from "./serviceTypes.ts";

export interface ConsentQuestion {
  tab: Tab;
  actor: Actor;
  /** `click`, `press Enter`, `evaluate`, … */
  action: string;
  element: FoundElement | null;
  /** What is typed, chosen or run; masked already where it is secret. */
  detail: string | null;
}

/** How long a request waits for a person; the same as for commands. */
const lifetimeMs = 1_800_000;
const pageLimitMs = 3000;

/** @throws AppError APPROVAL_REJECTED when a person did not allow it: nothing was done */
export async function askConsent(
  question: ConsentQuestion,
  deps: { approvals: Approvals; media: MediaStore },
): Promise<void> {
  const { tab, actor, element } = question;
  const form = element === null ? null : await formFacts(element.handle);
  const picture = await highlighted(tab, element?.handle ?? null, deps.media);
  const origin = originOf(tab.page.url());
  const leavesFor = form === null ? null : originOf(form.to);
  const signal = actor.signal ?? new AbortController().signal;
  const shownAt = tab.page.url();
  try {
    const answer = await deps.approvals.request(
      {
        kind: "browserAct",
        agentId: actor.agentId ?? "",
        sessionKey: actor.sessionKey ?? "",
        callerId: actor.callerId,
        callerLabel: actor.label,
        toolCallId: actor.toolCallId ?? "",
        command: consentText(question, { origin, leavesFor, form, picture }),
        ...noCommand(),
        askedBecause: [
          {
            code: "browserAct",
            params: { action: question.action, origin, ...(leavesFor === null ? {} : { to: leavesFor }) },
          },
        ],
        warnings:
          leavesFor !== null && leavesFor !== origin
            ? [{ level: "danger", reason: { code: "otherOrigin", params: { origin, to: leavesFor } } }]
            : [],
        rule: {
          security: "allowlist",
          ask: "always",
          sources: [{ file: "sallyport.json5", configPath: "browser.askBeforeActs", line: null }],
        },
        always: { kind: "withheld", reason: { code: "always.browserAct", params: {} } },
        lifetimeMs,
        storeAlways: () =>
          Promise.reject(
            new AppError(
              "INVALID_INPUT",
              "An action on a page can only be allowed once. Nothing was stored.",
            ),
          ),
      },
      signal,
      (approvalId) => actor.reportWaiting?.({ approvalId }),
    );
    if (answer.outcome === "allowed-once" || answer.outcome === "allowed-always") {
      // What was allowed is what was shown: a page has had minutes to change meanwhile.
      const now = element === null ? null : await formFacts(element.handle);
      if (tab.page.url() === shownAt && JSON.stringify(now) === JSON.stringify(form)) return;
      throw browserProblem(
        "detached",
        "A person allowed this, but the page changed while they looked, so nothing was done. Take a snapshot and ask again.",
      );
    }
    const why =
      answer.outcome === "expired"
        ? "Nobody answered in time."
        : answer.outcome === "cancelled"
          ? "The request was cancelled."
          : answer.by.kind === "person"
            ? "A person denied this action."
            : "This action needs a person, and nobody can be asked now.";
    const note = answer.note === null ? "" : ` Note from the person: ${answer.note}`;
    throw new AppError(
      "APPROVAL_REJECTED",
      `${why} Nothing was done on the page; do not try it again in another form.${note}`,
      { data: { kind: "denied", outcome: answer.outcome, approvalId: answer.approvalId, answer } },
    );
  } finally {
    actor.reportWaiting?.(null);
  }
}

interface Shown {
  origin: string;
  leavesFor: string | null;
  form: FormFacts | null;
  picture: string | null;
}

/** The whole decision as text; every value stands on one line of its own. */
function consentText(question: ConsentQuestion, { origin, leavesFor, form, picture }: Shown): string {
  const { action, element, detail, tab } = question;
  const lines = [
    `browser: ${action}${element === null ? "" : ` ${oneLine(element.label, 200)}`}`,
    `page: ${origin}`,
    `address: ${oneLine(tab.page.url(), 500)}`,
    `profile: ${tab.profile}`,
  ];
  if (detail !== null && detail !== "") lines.push(`with: ${oneLine(detail, 500)}`);
  if (form !== null) {
    lines.push(`${form.kind === "form" ? "form goes to" : "link goes to"}: ${leavesFor ?? "nowhere"}`);
    for (const { label, value, length } of form.fields) {
      lines.push(
        `  ${oneLine(label, 80)}: ${value === null ? `(secret, ${length} characters)` : oneLine(value, 200)}`,
      );
    }
  }
  if (picture !== null) lines.push(`picture: ${picture}`);
  return lines.join("\n");
}

/** A line break in page text must not look like a line of the prompt. */
function oneLine(text: string, maxChars: number): string {
  const short = text.length > maxChars ? `${clip(text, maxChars)}…` : text;
  return /[\u0000-\u001F\u007F\u2028\u2029]/.test(short) ? JSON.stringify(short) : short;
}

async function formFacts(handle: ElementHandle): Promise<FormFacts | null> {
  return withinTime(handle.evaluate(formOf) as Promise<FormFacts | null>, {
    timeoutMs: pageLimitMs,
    onTimeout: () =>
      new AppError("TIMEOUT", "The page does not say what it would send, so nothing was done."),
  });
}

/** A picture with a frame around the element; null when the page cannot be drawn, the text is enough then. */
async function highlighted(
  tab: Tab,
  handle: ElementHandle | null,
  media: MediaStore,
): Promise<string | null> {
  const work = async () => {
    const before = handle === null ? null : await handle.evaluate(markElement);
    try {
      return await media.save(
        await tab.page.screenshot({ type: "jpeg", quality: 70, timeout: pageLimitMs }),
        "jpg",
      );
    } finally {
      if (handle !== null) await handle.evaluate(unmarkElement, before);
    }
  };
  try {
    return await withinTime(work(), { timeoutMs: pageLimitMs * 2, onTimeout: () => new Error("no picture") });
  } catch {
    // Nobody is asked to decide by the picture alone.
    return null;
  }
}

export function originOf(url: string): string {
  try {
    const parsed = new URL(url);
    return parsed.origin === "null" ? `${parsed.protocol}` : parsed.origin;
  } catch {
    // What is no address has no origin.
    return "unknown";
  }
}
