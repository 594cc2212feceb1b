/** The reference's own way, for preset `reference`: Playwright's texts, refs by role, name and place in the order. */

import type { ElementHandle, FrameLocator, Locator, Page } from "playwright-core";
import {
  toRoleSnapshot,
  toRoleSnapshotWithAriaRefs,
} from "../../../../shared/browser/snapshot/roleSnapshot.ts";
import { estimateTokens } from "../../../../shared/browser/snapshot/snapshotTypes.ts";
import type { Hardening } from "../../../../shared/hardening/index.ts";
import type { RefInfo, ResolvedRef, Snapshot, SnapshotRequest } from "../browserTypes.ts";
import { browserProblem } from "../problems.ts";
import { cutChars, cutLines } from "./budget.ts";
import type { TabState } from "./createSnapshotEngine.ts";
import { unknownRef } from "./resolveRef.ts";

export interface ReferenceRefs {
  /** `role`: looked up by role and name. `aria`: Playwright's own ids. */
  mode: "role" | "aria";
  refs: ReadonlyMap<string, RefInfo>;
  /** Role refs of a frame's snapshot are looked up in that frame. */
  frame: string | undefined;
}

const AI_MAX_CHARS = 80_000;
const EFFICIENT_MAX_CHARS = 10_000;
const REF_TIMEOUT_MS = 2_000;

export async function takeReference(
  tab: TabState,
  request: SnapshotRequest,
  rules: Hardening,
): Promise<Snapshot> {
  const { page } = tab;
  const mode = request.format === "ai" || request.refs === "aria" ? "aria" : "role";
  if (mode === "aria" && request.format === "role" && (request.selector ?? request.frame) !== undefined) {
    throw browserProblem("bad_request", 'refs "aria" cannot be combined with selector or frame.');
  }
  const readsYaml = rules.has("browser.readNames");
  const options = {
    ...(request.interactive === undefined ? {} : { interactive: request.interactive }),
    ...(request.compact === undefined ? {} : { compact: request.compact }),
    ...(request.maxDepth === undefined ? {} : { maxDepth: request.maxDepth }),
  };
  const yaml =
    mode === "aria"
      ? await page.ariaSnapshot({ mode: "ai" })
      : await scopeOf(page, request.frame)
          .locator(request.selector ?? ":root")
          .first()
          .ariaSnapshot();
  const aiOptions = request.format === "ai" ? {} : options;
  const made =
    mode === "aria"
      ? toRoleSnapshotWithAriaRefs(yaml, aiOptions, { readsYaml })
      : toRoleSnapshot(yaml, options, { readsYaml });
  const isEfficient = request.interactive === true && request.compact === true;
  const limit =
    request.maxChars !== undefined && request.maxChars > 0
      ? request.maxChars
      : isEfficient
        ? EFFICIENT_MAX_CHARS
        : AI_MAX_CHARS;
  let text = request.format === "ai" ? yaml : made.text;
  let isTruncated = false;
  let more: string | null = null;
  if (rules.has("browser.lineBudget")) {
    const cut = cutLines(text.split("\n"), limit, request.after);
    ({ text, isTruncated, more } = cut);
  } else if (request.format === "ai") {
    ({ text, isTruncated } = cutChars(text, limit));
  }
  const refs =
    isTruncated && mode === "aria" ? toRoleSnapshotWithAriaRefs(text, {}, { readsYaml }).refs : made.refs;
  tab.reference = { mode, refs, frame: request.frame };
  return {
    format: request.format,
    text,
    refs,
    stats: { ...made.stats, lines: text.split("\n").length, chars: text.length },
    truncated: isTruncated,
    more,
    extent: "full",
    tokenEstimate: estimateTokens(text),
    documentId: page.url(),
    url: page.url(),
    title: await page.title(),
  };
}

function scopeOf(page: Page, frame: string | undefined): Page | FrameLocator {
  return frame === undefined ? page : page.frameLocator(frame).first();
}

/**
 * What a ref of the reference's way stands for; may match several elements, or none.
 * @throws AppError unknown_ref
 */
export function referenceLocator(page: Page, known: ReferenceRefs, text: string): Locator {
  const ref = text.trim().replace(/^(?:@|ref=)/, "");
  if (known.mode === "aria" || !/^e\d+$/.test(ref)) return page.locator(`aria-ref=${ref}`);
  const info = known.refs.get(ref);
  if (info === undefined) throw unknownRef(ref);
  const found = scopeOf(page, known.frame).getByRole(
    info.role as Parameters<Page["getByRole"]>[0],
    info.name === undefined ? {} : { name: info.name, exact: true },
  );
  return info.nth === undefined ? found : found.nth(info.nth);
}

/** @throws AppError unknown_ref at once; strict-mode and time-out errors of Playwright as it gives them */
export async function resolveReference(
  tab: TabState,
  known: ReferenceRefs,
  text: string,
): Promise<ResolvedRef> {
  const handle = await referenceLocator(tab.page, known, text).elementHandle({ timeout: REF_TIMEOUT_MS });
  if (handle === null) throw unknownRef(text);
  const info = known.refs.get(text.trim().replace(/^(?:@|ref=)/, ""));
  return { handle: handle as ElementHandle, role: info?.role ?? "", name: info?.name ?? "" };
}
