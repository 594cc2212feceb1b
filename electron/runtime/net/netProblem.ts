/** What goes wrong on the way to a server, by kind, with a sentence that says what to do. */

import { AppError, type ErrorCode } from "../../../shared/errors/index.ts";
import type { UrlRefusal } from "../../../shared/web/index.ts";

export type NetProblemKind =
  | "blocked"
  | "bad_url"
  | "dns"
  | "connect"
  | "timeout"
  | "redirect"
  | "encoding"
  | "too_large"
  | "http_error"
  | "bad_answer"
  | "not_text";

const codes: ReadonlyMap<NetProblemKind, ErrorCode> = new Map([
  ["blocked", "FORBIDDEN"],
  ["bad_url", "INVALID_INPUT"],
  ["timeout", "TIMEOUT"],
]);

/** @param data plain facts for the caller; `kind` is added */
export function netProblem(
  kind: NetProblemKind,
  message: string,
  options: { cause?: unknown; data?: Record<string, unknown> } = {},
): AppError {
  return new AppError(codes.get(kind) ?? "TOOL_FAILED", message, {
    ...(options.cause === undefined ? {} : { cause: options.cause }),
    data: { ...options.data, kind },
  });
}

export function isNetProblem(thrown: unknown, kind: NetProblemKind): thrown is AppError {
  return thrown instanceof AppError && thrown.data?.kind === kind;
}

/** @param where the address without user name, password, query; shown to the model */
export function refusedUrl(kind: UrlRefusal, where: string): AppError {
  switch (kind) {
    case "bad_url":
      return netProblem("bad_url", `This is no web address: ${where}. Give a full http or https address.`);
    case "scheme":
      return netProblem("bad_url", `Only http and https addresses can be loaded, not ${where}.`);
    case "credentials":
      return netProblem("bad_url", "Addresses with a user name or password are not loaded. Leave them out.");
    case "malformed":
      return netProblem(
        "blocked",
        `The host of ${where} is not written in the usual way, so it is not loaded. Give the host's name.`,
      );
    case "local_name":
    case "private_address":
      return netProblem(
        "blocked",
        `${where} is an address of this computer or of a private network. Pages are loaded from the public internet only.`,
      );
  }
}

/** @returns the address without what may be secret or endless */
export function shownUrl(text: string): string {
  const bare = text.replace(/[?#].*$/s, "").replace(/\/\/[^/@]*@/, "//");
  return bare.length > 200 ? `${bare.slice(0, 200)}…` : bare;
}
