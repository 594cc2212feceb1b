/** The one error class that may cross a boundary, with a closed set of codes. */

export const errorCodes = [
  "INVALID_INPUT",
  "NOT_FOUND",
  "UNAUTHENTICATED",
  "FORBIDDEN",
  "POLICY_DENIED",
  "APPROVAL_REJECTED",
  "TIMEOUT",
  "CANCELLED",
  "TOOL_FAILED",
  "UNAVAILABLE",
  "INTERNAL",
] as const;

export type ErrorCode = (typeof errorCodes)[number];

/** Wire form of an error: what a client may see. Never holds a stack or a cause. */
export interface WireError {
  code: ErrorCode;
  message: string;
  /** Plain JSON for the client: paths, line numbers, ids. */
  data?: Record<string, unknown> | undefined;
}

export interface AppErrorOptions {
  cause?: unknown;
  data?: Record<string, unknown>;
}

/**
 * A failure that its reader can act on. Expected outcomes (denied, exit code 1, expired) are values, not errors.
 * @param message a sentence for a person: what happened and what to do now
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly data: Record<string, unknown> | undefined;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "AppError";
    this.code = code;
    this.data = options.data;
  }
}

/** @returns the message of anything that was thrown, for logs and for wrapping. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/**
 * Turns anything thrown into what a client may see. Unknown errors lose their text: it can hold paths or secrets.
 * @param logId names the log line that holds the details
 */
export function toWireError(thrown: unknown, logId: string): WireError {
  if (thrown instanceof AppError) return { code: thrown.code, message: thrown.message, data: thrown.data };
  return {
    code: "INTERNAL",
    message: `Something failed inside Sallyport. The log has the details under ${logId}.`,
    data: { logId },
  };
}

/** @returns the AppError that a client throws for an error it received. */
export function fromWireError(wire: WireError): AppError {
  return new AppError(wire.code, wire.message, wire.data === undefined ? {} : { data: wire.data });
}
