/** The snapshot action: which format, which limits, and how the text is handed over. */

import { browserConfigOf } from "../../../../shared/browser/configSchema.ts";
import type { Hardening } from "../../../../shared/hardening/rules.ts";
import type { SnapshotRequest } from "../../browser/browserTypes.ts";
import { browserProblem } from "../../browser/problems.ts";
import type { BrowserService } from "../../browser/service/browserService.ts";
import { viewerOf } from "../../browser/service/createBrowserService.ts";
import type { Actor, TabChoice } from "../../browser/service/serviceTypes.ts";
import type { ToolResult } from "../defineTool.ts";
import { answer, pageLines } from "./answers.ts";
import type { BrowserToolInput } from "./schema.ts";

const efficientDepth = 6;
const efficientMaxChars = 10_000;
const aiMaxChars = 80_000;
/** About 6000 tokens; the cut names how to go on. */
const denseMaxChars = 24_000;

type Input = Pick<
  BrowserToolInput,
  | "snapshotFormat"
  | "mode"
  | "refs"
  | "interactive"
  | "compact"
  | "labels"
  | "depth"
  | "selector"
  | "frame"
  | "maxChars"
  | "limit"
  | "incremental"
  | "after"
  | "urls"
>;

/**
 * The format of a call: named ones as named; options of the role family choose it; else the product's own.
 * @throws AppError bad_request for options that do not go together
 */
export function snapshotRequest(
  input: Input,
  config: object,
  hardening: Hardening,
  viewer: string,
): SnapshotRequest {
  const { snapshotFormat, interactive, compact, labels, depth, selector, frame, refs, limit, after, urls } =
    input;
  const asksEfficient =
    input.mode === "efficient" ||
    (snapshotFormat !== "aria" &&
      snapshotFormat !== "dense" &&
      browserConfigOf(config).snapshotDefaults?.mode === "efficient");
  if (snapshotFormat === "aria") {
    if (labels === true || input.mode === "efficient") {
      throw browserProblem("bad_request", "labels/mode=efficient require format=ai");
    }
    return {
      format: "aria",
      viewer,
      ...(limit === undefined ? {} : { limit: Math.min(Math.max(Math.trunc(limit), 1), 2000) }),
    };
  }
  const isRole =
    asksEfficient || interactive === true || compact === true || depth !== undefined || refs !== undefined;
  const isPart = selector !== undefined || frame !== undefined || labels === true;
  const own = hardening.has("browser.denseSnapshots") ? "dense" : isPart ? "role" : "ai";
  const format =
    snapshotFormat === "role" || (isRole && snapshotFormat !== "dense")
      ? "role"
      : snapshotFormat === "ai"
        ? isPart
          ? "role"
          : "ai"
        : (snapshotFormat ?? own);
  const isCompact = compact ?? (asksEfficient ? true : undefined);
  const isInteractive = interactive ?? (asksEfficient ? true : undefined);
  const maxDepth = depth ?? (asksEfficient ? efficientDepth : undefined);
  const defaultMax = format === "dense" ? denseMaxChars : asksEfficient ? efficientMaxChars : aiMaxChars;
  const asked = input.maxChars !== undefined && input.maxChars > 0 ? Math.trunc(input.maxChars) : defaultMax;
  return {
    format,
    viewer,
    maxChars: asked,
    ...(isInteractive === undefined ? {} : { interactive: isInteractive }),
    ...(isCompact === undefined ? {} : { compact: isCompact }),
    ...(maxDepth === undefined ? {} : { maxDepth: Math.max(0, Math.trunc(maxDepth)) }),
    ...(selector === undefined ? {} : { selector }),
    ...(frame === undefined ? {} : { frame }),
    ...(refs === undefined ? {} : { refs }),
    ...(after === undefined ? {} : { after }),
    ...(urls === undefined ? {} : { urls }),
    ...(input.incremental === true && format === "dense" ? { incremental: true } : {}),
  };
}

export async function snapshotAnswer(
  deps: { service: BrowserService; config(): object; hardening(): Hardening },
  input: BrowserToolInput,
  choice: TabChoice,
  actor: Actor,
): Promise<ToolResult> {
  const request = snapshotRequest(input, deps.config(), deps.hardening(), viewerOf(actor));
  const { snapshot, targetId, url, profile } = await deps.service.snapshot(choice, request, actor);
  const { stats, extent, format } = snapshot;
  const size = `${stats.lines} lines, ${stats.refs} refs, about ${snapshot.tokenEstimate} tokens`;
  const head =
    extent === "unchanged"
      ? `snapshot: nothing changed since your last one. Tab ${targetId}`
      : `snapshot (${format}${extent === "changes" ? ", changes only" : ""}): ${size}. Tab ${targetId}`;
  const shot =
    input.labels === true
      ? await deps.service.screenshot(
          choice,
          { fullPage: false, type: "jpeg", maxSide: 1200, labels: true },
          actor,
        )
      : null;
  const imagePath = shot === null ? null : await deps.service.saveMedia(shot.picture.bytes, "jpg");
  const details = {
    ok: true,
    format,
    targetId,
    profile,
    url: url.slice(0, 2000),
    extent,
    truncated: snapshot.truncated,
    stats,
    refs: snapshot.refs.size,
    documentId: snapshot.documentId,
    ...(shot === null
      ? {}
      : { labels: true, labelsCount: Math.min(shot.boxes.length, 150), imagePath, imageType: "jpeg" }),
  };
  const result = answer({
    head,
    page: extent === "unchanged" ? "" : [...pageLines(snapshot), "", snapshot.text].join("\n"),
    // Once for each whole look is enough; changes follow on one.
    withWarning: extent === "full",
    notes: snapshot.more === null ? [] : [`[Cut here. ${snapshot.more}]`],
    details,
    images:
      shot === null
        ? []
        : [{ type: "image", data: shot.picture.bytes.toString("base64"), mimeType: shot.picture.mimeType }],
  });
  const given = result.details as Record<string, unknown>;
  return {
    ...result,
    details: {
      ...given,
      externalContent: {
        untrusted: true,
        source: "browser",
        kind: "snapshot",
        format,
        wrapped: extent !== "unchanged",
      },
    },
  };
}
