/** Tabs, console, errors and requests as the model reads them: one line each, newest last, bounded. */

import type { BrowserTab } from "../../../../shared/contract/index.ts";
import { clip } from "../../../../shared/files/index.ts";
import type { Hardening } from "../../../../shared/hardening/rules.ts";
import { consoleLevel, importance } from "../../browser/records/pageRecords.ts";
import type { Tab } from "../../browser/tabs/tab.ts";
import type { ToolResult } from "../defineTool.ts";
import { answer, oneLine } from "./answers.ts";

const defaultEntries = 50;
const maxLineChars = 500;

export function tabsAnswer(profile: string, tabs: readonly BrowserTab[]): ToolResult {
  const lines = tabs.map(({ targetId, url, title, state, isLastUsed, sessionKey }) => {
    const marks = [
      ...(isLastUsed ? ["last used"] : []),
      ...(state === "crashed" ? ["crashed"] : []),
      ...(sessionKey === null ? [] : [`opened by ${sessionKey}`]),
    ];
    return `${targetId}${marks.length === 0 ? "" : ` (${marks.join(", ")})`} ${clip(url, 300)} ${clip(oneLine(title), 150)}`.trim();
  });
  return answer({
    head: `tabs: ${tabs.length} in profile ${profile}`,
    page: lines.join("\n"),
    details: { ok: true, profile, tabCount: tabs.length, targetIds: tabs.map((tab) => tab.targetId) },
  });
}

/** Keeps the newest; says how many were left out. */
function newest<T>(
  entries: readonly T[],
  limit: number | undefined,
): { shown: readonly T[]; notes: string[] } {
  const count = Math.min(Math.max(Math.trunc(limit ?? defaultEntries), 1), 500);
  const shown = entries.slice(-count);
  const left = entries.length - shown.length;
  return { shown, notes: left > 0 ? [`[${left} older ones are not shown; limit takes up to 500.]`] : [] };
}

export function consoleAnswer(
  tab: Tab,
  level: string | undefined,
  limit: number | undefined,
  hardening: Hardening,
): ToolResult {
  const least = consoleLevel(level, hardening.has("browser.consoleWarn"));
  const all = tab.records.list("console").filter((entry) => importance(entry.type) >= least);
  const { shown, notes } = newest(all, limit);
  const lines = shown.map(
    ({ type, text, location }) =>
      `[${type}] ${clip(oneLine(text), maxLineChars)}${location === null ? "" : ` (${clip(location, 200)})`}`,
  );
  return answer({
    head: `console: ${all.length} messages. Tab ${tab.targetId}`,
    page: lines.join("\n"),
    notes,
    details: { ok: true, targetId: tab.targetId, messageCount: all.length },
  });
}

export function errorsAnswer(tab: Tab, limit: number | undefined, clear: boolean): ToolResult {
  const all = tab.records.list("errors");
  const { shown, notes } = newest(all, limit);
  const lines = shown.map(({ name, message, stack }) => {
    const at = stack
      ?.split("\n")
      .find((line) => line.trim().startsWith("at "))
      ?.trim();
    return `${clip(name, 80)}: ${clip(oneLine(message), maxLineChars)}${at === undefined ? "" : ` (${clip(at, 200)})`}`;
  });
  if (clear) tab.records.clear("errors");
  return answer({
    head: `errors: ${all.length} page errors${clear ? ", now cleared" : ""}. Tab ${tab.targetId}`,
    page: lines.join("\n"),
    notes,
    details: { ok: true, targetId: tab.targetId, errorCount: all.length },
  });
}

export function requestsAnswer(
  tab: Tab,
  input: { filter?: string | undefined; limit?: number | undefined; clear?: boolean | undefined },
): ToolResult {
  const { filter } = input;
  const all = tab.records
    .list("requests")
    .filter((request) => filter === undefined || request.url.includes(filter));
  const { shown, notes } = newest(all, input.limit);
  const lines = shown.map(({ method, url, resourceType, status, failure }) => {
    const outcome = failure ?? (status === null ? "no answer yet" : String(status));
    return `${method} ${clip(url, maxLineChars)} ${resourceType} ${outcome}`;
  });
  if (input.clear === true) tab.records.clear("requests");
  return answer({
    head: `requests: ${all.length}${input.clear === true ? ", now cleared" : ""}. Tab ${tab.targetId}`,
    page: lines.join("\n"),
    notes,
    details: { ok: true, targetId: tab.targetId, requestCount: all.length },
  });
}
