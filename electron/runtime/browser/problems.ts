/** The failures of browser work, each with its own kind and a sentence on what to do next. */

import { AppError, type ErrorCode } from "../../../shared/errors/index.ts";

/** What went wrong; stands in `data.kind` of the error, for programs and for the panel. */
export type BrowserProblemKind =
  | "bad_request"
  | "slow_page"
  | "busy_page"
  | "disabled"
  | "covered"
  | "not_visible"
  | "moving"
  | "off_screen"
  | "no_option"
  | "not_fillable"
  | "read_only"
  | "wrong_element"
  | "bad_value"
  | "detached"
  | "ambiguous_selector"
  | "nothing_matches"
  | "stale_ref"
  | "unknown_ref"
  | "tab_not_found"
  | "ambiguous_tab"
  | "tab_closed"
  | "page_crashed"
  | "browser_dead"
  | "not_running"
  | "navigation_failed"
  | "navigation_blocked"
  | "evaluate_failed"
  | "evaluate_disabled"
  | "bad_path"
  | "download_failed"
  | "unsupported"
  | "no_sandbox"
  | "no_node"
  | "paused"
  | "disabled_in_config"
  | "cancelled"
  | "failed";

const codes: ReadonlyMap<BrowserProblemKind, ErrorCode> = new Map<BrowserProblemKind, ErrorCode>([
  ["bad_request", "INVALID_INPUT"],
  ["bad_path", "INVALID_INPUT"],
  ["ambiguous_selector", "INVALID_INPUT"],
  ["ambiguous_tab", "INVALID_INPUT"],
  ["unsupported", "INVALID_INPUT"],
  ["slow_page", "TIMEOUT"],
  ["busy_page", "TIMEOUT"],
  ["nothing_matches", "NOT_FOUND"],
  ["stale_ref", "NOT_FOUND"],
  ["unknown_ref", "NOT_FOUND"],
  ["tab_not_found", "NOT_FOUND"],
  ["navigation_blocked", "POLICY_DENIED"],
  ["evaluate_disabled", "FORBIDDEN"],
  ["paused", "FORBIDDEN"],
  ["browser_dead", "UNAVAILABLE"],
  ["not_running", "UNAVAILABLE"],
  ["no_sandbox", "UNAVAILABLE"],
  ["no_node", "UNAVAILABLE"],
  ["disabled_in_config", "UNAVAILABLE"],
  ["cancelled", "CANCELLED"],
]);

/** @param message what happened and what to do now; page text in it is the caller's to clip */
export function browserProblem(
  kind: BrowserProblemKind,
  message: string,
  options: { cause?: unknown; data?: Record<string, unknown> } = {},
): AppError {
  return new AppError(codes.get(kind) ?? "TOOL_FAILED", message, {
    ...(options.cause === undefined ? {} : { cause: options.cause }),
    data: { ...options.data, kind },
  });
}

/** @returns the kind of a failure of ours; null for anything else */
export function problemKind(error: unknown): string | null {
  const kind = error instanceof AppError ? error.data?.kind : undefined;
  return typeof kind === "string" ? kind : null;
}
