/** What can be wrong with a file or a path, as errors that a model can act on. */

import { AppError, type ErrorCode } from "../../../../shared/errors/index.ts";

const codes = {
  missing_parameter: "INVALID_INPUT",
  bad_path: "INVALID_INPUT",
  path_escape: "FORBIDDEN",
  symlinked_parent: "FORBIDDEN",
  protected: "FORBIDDEN",
  not_found: "NOT_FOUND",
  not_a_file: "TOOL_FAILED",
  too_large: "TOOL_FAILED",
  not_text: "TOOL_FAILED",
  no_access: "TOOL_FAILED",
  changed: "TOOL_FAILED",
  write_failed: "TOOL_FAILED",
  offset_out_of_range: "INVALID_INPUT",
  edit_not_found: "TOOL_FAILED",
  edit_duplicate: "TOOL_FAILED",
  edit_overlap: "INVALID_INPUT",
  edit_no_change: "INVALID_INPUT",
  patch_syntax: "INVALID_INPUT",
  patch_context_not_found: "TOOL_FAILED",
  patch_lines_not_found: "TOOL_FAILED",
  patch_read_failed: "NOT_FOUND",
} as const satisfies Record<string, ErrorCode>;

export type FileProblemKind = keyof typeof codes;

/** @returns an error whose `data.kind` names the problem for programs */
export function fileProblem(
  kind: FileProblemKind,
  message: string,
  options: { cause?: unknown; data?: Record<string, unknown> } = {},
): AppError {
  return new AppError(codes[kind], message, {
    ...(options.cause === undefined ? {} : { cause: options.cause }),
    data: { kind, ...options.data },
  });
}
