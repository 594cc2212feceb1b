/** Turns what Playwright says about a failed action into the one thing that went wrong and what to do about it. */

import { AppError, messageOf } from "../../../../shared/errors/index.ts";
import { clip } from "../../../../shared/files/index.ts";
import { type BrowserProblemKind, browserProblem } from "../problems.ts";

interface Diagnosis {
  pattern: RegExp;
  kind: BrowserProblemKind;
  /** `what` names the element or the action; `match` is the pattern's. */
  text(what: string, match: RegExpMatchArray): string;
}

const diagnoses: readonly Diagnosis[] = [
  {
    pattern: /Page crashed|Target crashed/i,
    kind: "page_crashed",
    text: () => "The page crashed. Navigate to load it again, or close the tab; refs of it are gone.",
  },
  {
    pattern: /has been closed|Target closed|Browser closed|browser has disconnected|Session closed/i,
    kind: "tab_closed",
    text: () => "The tab was closed while this ran. List the tabs and choose another.",
  },
  {
    pattern:
      /not attached to the DOM|element was detached|JSHandle is disposed|Execution context was destroyed|Cannot find context|Unable to adopt/i,
    kind: "detached",
    text: (what) =>
      `${what} is no longer on the page: it changed since the snapshot. Take a new snapshot and use its refs.`,
  },
  {
    pattern: /did not find some options/,
    kind: "no_option",
    text: (what) => `${what} has no such option.`,
  },
  {
    pattern: /Element is not a <select> element/,
    kind: "wrong_element",
    text: (what) =>
      `${what} is no drop-down list. For a custom one click it, take a snapshot and click the option.`,
  },
  {
    pattern: /Not a checkbox or radio button/,
    kind: "wrong_element",
    text: (what) =>
      `${what} is neither a checkbox nor a radio button. Click it instead, or leave the type away to type text.`,
  },
  {
    pattern: /did not change its state/,
    kind: "failed",
    text: (what) =>
      `${what} was clicked but did not change its state. A radio button cannot be unset: set another one of its group.`,
  },
  {
    pattern: /Cannot type text into input\[type=(\w+)\]|Input of type "(\w+)" cannot be filled/,
    kind: "not_fillable",
    text: (what, match) => fillHint(what, match[1] ?? match[2] ?? ""),
  },
  {
    pattern: /Malformed value/,
    kind: "bad_value",
    text: (what) =>
      `${what} does not take this value. Dates are written 2026-03-31, times 14:30, colours #rrggbb, ranges as a number within their limits.`,
  },
  {
    pattern: /Element is not an <input>|does not have a role allowing/,
    kind: "not_fillable",
    text: (what) =>
      `${what} takes no text. Use the ref of the text box itself, or click this and type with press.`,
  },
  {
    pattern: /(<[^\n]{1,300}?>)[^\n]{0,400} intercepts pointer events/,
    kind: "covered",
    text: (what, match) =>
      `${what} is covered by ${clip(match[1] ?? "another element", 120)}. Close what lies above (a dialog, a banner), or scroll, then try again.`,
  },
  {
    pattern: /element is not enabled/,
    kind: "disabled",
    text: (what) => `${what} is disabled. Fill in or choose what it waits for first, then take a snapshot.`,
  },
  {
    pattern: /element is not editable/,
    kind: "read_only",
    text: (what) => `${what} is read-only and takes no text.`,
  },
  {
    pattern: /element is not visible/,
    kind: "not_visible",
    text: (what) =>
      `${what} is not visible. Open what contains it (a menu, a section, a tab), then take a new snapshot.`,
  },
  {
    pattern: /element is outside of the viewport/,
    kind: "off_screen",
    text: (what) => `${what} lies outside the visible area and cannot be scrolled there.`,
  },
  {
    pattern: /element is not stable/,
    kind: "moving",
    text: (what) => `${what} keeps moving. Wait for the animation to end, then try again.`,
  },
  {
    pattern: /Unknown key: "([^"\n]{0,60})"/,
    kind: "bad_request",
    text: (_what, match) =>
      `There is no key ${match[1]}. Names are as in Enter, Tab, Escape, ArrowDown, Space, a, or Control+a.`,
  },
  {
    pattern: /is not a valid selector|Unexpected token|Unknown engine|while parsing (?:css )?selector/i,
    kind: "bad_request",
    text: (what) => `${what} is no valid CSS selector.`,
  },
];

/**
 * @param what the element as a person would name it, with its ref: `button "Save" (e4)`
 * @param timeoutMs limit of the action that failed
 */
export function actionProblem(error: unknown, what: string, timeoutMs: number): AppError {
  if (error instanceof AppError) return error;
  const message = plain(messageOf(error));
  // The states before the last try are history; the newest line of the log that says something decides.
  const lines = message.split("\n");
  for (const lastFirst of [[message.slice(0, 600)], lines.toReversed()]) {
    for (const line of lastFirst) {
      for (const { pattern, kind, text } of diagnoses) {
        const match = line.match(pattern);
        if (match !== null) return browserProblem(kind, text(what, match), { cause: error });
      }
    }
    if (!isTimeout(error)) break;
  }
  if (isTimeout(error)) {
    return browserProblem(
      "slow_page",
      `${what}: the page did not answer within ${timeoutMs} ms. It may be busy; wait for it to settle, or give a larger timeoutMs.`,
      { cause: error },
    );
  }
  return browserProblem("failed", `${what}: ${clip(lines[0] ?? "it failed", 300)}`, { cause: error });
}

/** By name: loading the library for its error class would slow down every start. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === "TimeoutError";
}

/** Without the colours of a terminal and the name of the call. */
function plain(message: string): string {
  return message.replace(/\u001b\[\d+m/g, "").replace(/^[a-zA-Z]+\.[a-zA-Z]+: (?:Error: )?/, "");
}

function fillHint(what: string, type: string): string {
  switch (type) {
    case "checkbox":
    case "radio":
      return `${what} is a ${type}: give the field type "${type}" and value true, or click it.`;
    case "file":
      return `${what} is a file input: use action upload with inputRef.`;
    case "number":
      return `${what} takes a number only.`;
    default:
      return `${what} takes no text${type === "" ? "" : ` (it is of type ${type})`}.`;
  }
}
