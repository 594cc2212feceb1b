/** Puts what the browser service answers into the words and the bounds of a tool result. */

import { AppError } from "../../../../shared/errors/index.ts";
import { clip, tokenEstimate } from "../../../../shared/files/index.ts";
import type { Hardening } from "../../../../shared/hardening/rules.ts";
import { neutralizeMarkers, wrapUntrusted } from "../../../../shared/web/index.ts";
import type { ApprovalAnswer } from "../../approvals/createApprovals.ts";
import { type BrowserProblemKind, problemKind } from "../../browser/problems.ts";
import type { ActOutcome } from "../../browser/service/acts.ts";
import type { NavigateOutcome } from "../../browser/service/browserService.ts";
import type { CausedEvent, PageFacts } from "../../browser/service/serviceTypes.ts";
import type { ToolContent, ToolResult } from "../defineTool.ts";

export interface AnswerParts {
  /** Our own words. */
  head: string;
  /** Page text; wrapped. Absent or blank: nothing to wrap. */
  page?: string;
  /** Our own words behind it. */
  notes?: readonly string[];
  withWarning?: boolean;
  /** Safe metadata only. */
  details: Record<string, unknown>;
  images?: readonly ToolContent[];
}

/** Everything of a result goes through here, so that its size is always known. */
export function answer({ head, page, notes, withWarning, details, images }: AnswerParts): ToolResult {
  const isWrapped = page !== undefined && page.trim() !== "";
  const wrapped = isWrapped
    ? wrapUntrusted(page, { source: "Browser", withWarning: withWarning ?? false }).text.trimStart()
    : "";
  const text = [head, wrapped, ...(notes ?? [])].filter((part) => part !== "").join("\n");
  return {
    content: [{ type: "text", text }, ...(images ?? [])],
    details: {
      ...details,
      ...(isWrapped ? { externalContent: { untrusted: true, source: "browser", wrapped: true } } : {}),
      sizeChars: text.length,
      tokenEstimate: tokenEstimate(text),
    },
  };
}

/** What a page is called, for the inside of a wrapper. */
export function pageLines({ url, title }: Pick<PageFacts, "url" | "title">): string[] {
  return [`url: ${clip(url, 1000)}`, ...(title === "" ? [] : [`title: ${clip(oneLine(title), 300)}`])];
}

export function eventLines(events: readonly CausedEvent[]): string[] {
  return events.map(({ kind, text }) => `${kind}: ${clip(oneLine(text), 600)}`);
}

/** Characters of an evaluate result; more is cut. */
const maxValueChars = 20_000;

export function actAnswer(outcome: ActOutcome, hardening: Hardening): ToolResult {
  if (!hardening.has("browser.actReport")) return plainAct(outcome, hardening);
  const { performed, changes, targetId, events } = outcome;
  const page = outcome.isClosed ? [] : pageLines(outcome);
  page.push(performed.text, ...eventLines(events));
  const notes: string[] = [];
  for (const [index, step] of (performed.steps ?? []).entries()) {
    const value = step.value === null ? "" : ` → ${clip(step.value, 2000)}`;
    page.push(`${index + 1}. ${step.ok ? "done" : "failed"}: ${step.text}${value}`);
  }
  if (outcome.act === "evaluate") {
    const value = performed.value ?? "undefined";
    page.push(`result: ${clip(value, maxValueChars)}`);
    if (value.length > maxValueChars) {
      notes.push(`[Cut here: the result has ${value.length} characters. Return less, or a part of it.]`);
    }
  }
  if (changes !== null && changes.extent !== "unchanged") {
    page.push(changes.extent === "changes" ? "changed:" : "page:", changes.text);
  } else if (changes !== null) notes.push("[The page looks the same as before.]");
  if (outcome.isChangeTooLarge) {
    notes.push("[The page changed too much to show here. Take a snapshot.]");
  }
  const failed = performed.steps?.filter((step) => !step.ok).length ?? 0;
  const result = answer({
    head: `${outcome.act}: ${failed > 0 ? `${failed} steps failed` : "done"}. Tab ${targetId}`,
    page: page.join("\n"),
    notes,
    details: {
      ok: true,
      targetId,
      profile: outcome.profile,
      act: outcome.act,
      url: clip(outcome.url, 2000),
      events: events.map((event) => event.kind),
      ...(performed.steps === undefined ? {} : { results: performed.steps.map(({ ok }) => ({ ok })) }),
      ...(changes === null ? {} : { changes: changes.extent }),
    },
  });
  return result;
}

/** The bare facts. */
function plainAct({ targetId, performed, urlBefore, act }: ActOutcome, hardening: Hardening): ToolResult {
  const hasUrl = act === "click" || act === "resize" || act === "evaluate";
  const facts = { ok: true, targetId, ...(hasUrl ? { url: urlBefore } : {}) };
  const results = performed.steps?.map(({ ok, text }) => (ok ? { ok } : { ok, error: text }));
  const whole = {
    ...facts,
    ...(results === undefined ? {} : { results }),
    ...(act === "evaluate" && performed.value !== null
      ? { result: JSON.parse(performed.value) as unknown }
      : {}),
  };
  return jsonAnswer(whole, { ok: true, targetId, act }, hardening);
}

/** @param value holds page text; unmarked only without the rule that marks it */
function jsonAnswer(value: unknown, details: Record<string, unknown>, hardening: Hardening): ToolResult {
  const text = JSON.stringify(value, null, 2);
  return hardening.has("browser.wrapResults")
    ? answer({ head: "", page: text, details })
    : answer({ head: text, details });
}

export function navigateAnswer(action: string, outcome: NavigateOutcome, hardening: Hardening): ToolResult {
  if (!hardening.has("browser.wrapResults")) {
    const { targetId, url, title } = outcome;
    const value = action === "open" ? { targetId, title, url, type: "page" } : { ok: true, targetId, url };
    return jsonAnswer(value, { ok: true, targetId }, hardening);
  }
  const notes = [
    ...(outcome.stillLoading ? ["[The page is still loading; what is there can be read already.]"] : []),
    ...(outcome.closedTabs.length > 0
      ? [`[Closed to keep at most 8 tabs, least recently used first: ${outcome.closedTabs.join(", ")}.]`]
      : []),
  ];
  const { page, isPageTooLarge } = outcome;
  if (isPageTooLarge) notes.push("[The page is too large to show by the way. Take a snapshot.]");
  const shown = page === null || page.extent === "unchanged" ? [] : ["", page.text];
  return answer({
    head: `${action}: done. Tab ${outcome.targetId}`,
    page: [...pageLines(outcome), ...eventLines(outcome.events), ...shown].join("\n"),
    withWarning: shown.length > 0,
    notes,
    details: {
      ok: true,
      targetId: outcome.targetId,
      profile: outcome.profile,
      url: clip(outcome.url, 2000),
      stillLoading: outcome.stillLoading,
      closedTabs: outcome.closedTabs,
      ...(page === null
        ? {}
        : { snapshot: { format: page.format, extent: page.extent, refs: page.refs.size } }),
      events: outcome.events.map((event) => event.kind),
    },
  });
}

/** Told apart by the rule `browser.specificErrors` only. */
const lumped: ReadonlySet<string> = new Set([
  "disabled",
  "no_option",
  "not_fillable",
  "read_only",
  "not_visible",
  "moving",
]);

/** Failures whose message quotes the page: names of elements, its errors, what covers what. */
const quotesPage: ReadonlySet<string> = new Set<BrowserProblemKind>([
  "disabled",
  "covered",
  "not_visible",
  "moving",
  "off_screen",
  "no_option",
  "not_fillable",
  "read_only",
  "wrong_element",
  "bad_value",
  "detached",
  "ambiguous_selector",
  "nothing_matches",
  "evaluate_failed",
  "slow_page",
  "busy_page",
  "navigation_failed",
  "download_failed",
  "failed",
]);

/**
 * A failure as a result: what quotes the page is wrapped like any other text of it.
 * @throws the error itself when it quotes nothing, so that it is told as the pipeline tells failures
 */
export function failedAnswer(error: unknown, hardening: Hardening): ToolResult {
  const kind = problemKind(error);
  if (kind !== null && !hardening.has("browser.specificErrors") && lumped.has(kind)) {
    throw new AppError(
      "TOOL_FAILED",
      "Element not found or not visible. Run a new snapshot and use a ref from it.",
      {
        cause: error,
      },
    );
  }
  if (!(error instanceof AppError) || kind === null) throw error;
  if (kind === "denied") return deniedAnswer(error);
  if (!quotesPage.has(kind)) throw error;
  const result = answer({
    head: `failed: ${kind}`,
    page: error.message,
    details: { ok: false, problem: kind, code: error.code },
  });
  return { ...result, isError: true };
}

function deniedAnswer(error: AppError): ToolResult {
  const given = error.data?.answer as ApprovalAnswer | undefined;
  const approvalId = given?.approvalId ?? null;
  const content: ToolContent[] = [{ type: "text", text: neutralizeMarkers(error.message) }];
  if (given === undefined || given.outcome === "cancelled")
    return { content, refusal: { kind: "cancelled" } };
  if (given.outcome === "expired") {
    return {
      content,
      details: { status: "expired", executed: false, approvalId },
      refusal: { kind: "expired", approvalId: given.approvalId },
    };
  }
  const { by, note } = given;
  const code = by.kind === "person" ? "userDenied" : by.kind === "system" ? by.reason.code : "denied";
  return {
    content,
    details: { status: "denied", executed: false, approvalId, ...(note === null ? {} : { note }) },
    refusal: { kind: "denied", by, reason: { code, params: {} }, note, approvalId },
  };
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
