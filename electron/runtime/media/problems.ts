/** What can be wrong with a picture, a document or a service, as errors that a model can act on. */

import { AppError, type ErrorCode } from "../../../shared/errors/index.ts";

const codes = {
  bad_picture: "TOOL_FAILED",
  not_a_picture: "TOOL_FAILED",
  not_a_pdf: "TOOL_FAILED",
  broken_pdf: "TOOL_FAILED",
  encrypted_pdf: "TOOL_FAILED",
  slow_pdf: "TIMEOUT",
  heavy_pdf: "TOOL_FAILED",
  empty_pdf: "TOOL_FAILED",
  bad_pages: "INVALID_INPUT",
  too_large: "TOOL_FAILED",
  too_many_pixels: "TOOL_FAILED",
  bad_reference: "INVALID_INPUT",
  outside_roots: "FORBIDDEN",
  no_sandbox: "UNAVAILABLE",
  no_codec: "UNAVAILABLE",
  no_model: "UNAVAILABLE",
  unknown_provider: "UNAVAILABLE",
  no_key: "UNAVAILABLE",
  unsupported: "INVALID_INPUT",
  bad_answer: "TOOL_FAILED",
  all_failed: "TOOL_FAILED",
  not_saved: "UNAVAILABLE",
} as const satisfies Record<string, ErrorCode>;

export type MediaProblemKind = keyof typeof codes;

/** @returns an error whose `data.kind` names the problem for programs */
export function mediaProblem(
  kind: MediaProblemKind,
  message: string,
  options: { cause?: unknown; data?: Record<string, unknown> } = {},
): AppError {
  return new AppError(codes[kind], message, {
    ...(options.cause === undefined ? {} : { cause: options.cause }),
    data: { kind, ...options.data },
  });
}
