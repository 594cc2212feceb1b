/** Why a server cannot be used: errors that carry a reason with code and values for the panel. */

import type { Reason } from "../../../shared/contract/index.ts";
import { AppError, messageOf } from "../../../shared/errors/index.ts";
import { plainText } from "./plainText.ts";

const maxDetailChars = 300;

/** @param message for logs and agents; it must not hold secrets */
export function mcpProblem(
  code: string,
  params: Reason["params"],
  message: string,
  cause?: unknown,
): AppError {
  return new AppError("UNAVAILABLE", message, {
    data: { mcp: { code, params } },
    ...(cause === undefined ? {} : { cause }),
  });
}

/** @returns the reason that an error carries; any other error is quoted, cut and made harmless */
export function reasonOf(error: unknown): Reason {
  if (error instanceof AppError) {
    const reason = error.data?.mcp;
    if (isReason(reason)) return reason;
  }
  return { code: "mcp.protocol", params: { detail: plainText(messageOf(error), maxDetailChars) } };
}

function isReason(value: unknown): value is Reason {
  return (
    typeof value === "object" &&
    value !== null &&
    "code" in value &&
    typeof value.code === "string" &&
    "params" in value &&
    typeof value.params === "object"
  );
}
