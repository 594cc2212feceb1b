/** Why an address does not answer, from the error at the bottom of what a request failed with. */

import type { AppError } from "../../../shared/errors/index.ts";
import { messageOf } from "../../../shared/errors/index.ts";
import { mcpProblem } from "./problems.ts";

/** Codes of reasons that say: there is no connection (any more). */
export const connectCodes: ReadonlySet<string> = new Set([
  "mcp.connect",
  "mcp.portForbidden",
  "mcp.refused",
  "mcp.unanswered",
  "mcp.unknownHost",
]);

const maxDepth = 8;

/** @returns null for an error that says nothing about the connection */
export function connectionProblem(error: unknown, url: URL): AppError | null {
  for (let at = error, depth = 0; depth < maxDepth && at !== undefined; depth += 1) {
    const { code, cause } = partsOf(at);
    if (typeof code === "string" && /^[A-Z][A-Z0-9_]+$/.test(code)) return ofCode(code, url, error);
    // Requests on the web never go to some ports, such as 1 or 25; the error has no code.
    if (at instanceof Error && messageOf(at) === "bad port")
      return mcpProblem("mcp.portForbidden", { port: url.port }, `Port ${url.port} cannot be used.`, error);
    at = cause;
  }
  return null;
}

function ofCode(code: string, url: URL, error: unknown): AppError {
  const address = addressOf(url);
  switch (code) {
    case "ECONNREFUSED":
      return mcpProblem("mcp.refused", { address }, `Nothing answers at ${address}.`, error);
    case "ENOTFOUND":
      return mcpProblem(
        "mcp.unknownHost",
        { host: url.hostname },
        `There is no host ${url.hostname}.`,
        error,
      );
    case "ETIMEDOUT":
    case "UND_ERR_CONNECT_TIMEOUT":
      return mcpProblem("mcp.unanswered", { address }, `${address} does not answer.`, error);
    default:
      return mcpProblem("mcp.connect", { error: code }, `It cannot be reached (${code}).`, error);
  }
}

function addressOf(url: URL): string {
  return url.port === "" ? `${url.host}:${url.protocol === "https:" ? 443 : 80}` : url.host;
}

/** @returns undefined for what the error does not have */
export function partsOf(error: unknown): { code: unknown; cause: unknown } {
  if (typeof error !== "object" || error === null) return { code: undefined, cause: undefined };
  return { code: Reflect.get(error, "code"), cause: Reflect.get(error, "cause") };
}
