/** Structured log: events with fields, child loggers carry ids, secrets are redacted here. */

export type LogLevel = "debug" | "info" | "warn" | "error";

export interface Logger {
  debug(event: string, fields?: Record<string, unknown>): void;
  info(event: string, fields?: Record<string, unknown>): void;
  warn(event: string, fields?: Record<string, unknown>): void;
  error(event: string, fields?: Record<string, unknown>): void;
  /** @returns a logger that adds `fields` to every line */
  child(fields: Record<string, unknown>): Logger;
}

const secretKey = /token|secret|password|authorization|api[-_]?key|cookie|^env$/i;
const maxTextLength = 2000;

/**
 * @param write gets one JSON line without its line break
 * @param minLevel lines below it are dropped
 */
export function createLogger(write: (line: string) => void, minLevel: LogLevel = "info"): Logger {
  const order: LogLevel[] = ["debug", "info", "warn", "error"];
  const make = (bound: Record<string, unknown>): Logger => {
    const log = (level: LogLevel, event: string, fields: Record<string, unknown> = {}) => {
      if (order.indexOf(level) < order.indexOf(minLevel)) return;
      write(
        JSON.stringify({ at: new Date().toISOString(), level, event, ...redact({ ...bound, ...fields }) }),
      );
    };
    return {
      debug: (event, fields) => log("debug", event, fields),
      info: (event, fields) => log("info", event, fields),
      warn: (event, fields) => log("warn", event, fields),
      error: (event, fields) => log("error", event, fields),
      child: (fields) => make({ ...bound, ...fields }),
    };
  };
  return make({});
}

/** For tests and for parts whose log nobody reads. */
export const silentLogger: Logger = createLogger(() => {}, "error");

function redact(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, redactValue(key, value)]));
}

function redactValue(key: string, value: unknown): unknown {
  if (secretKey.test(key)) return "[redacted]";
  if (value instanceof Error) return { name: value.name, message: value.message, stack: value.stack };
  if (typeof value === "string")
    return value.length > maxTextLength ? `${value.slice(0, maxTextLength)}…` : value;
  if (Array.isArray(value)) return value.slice(0, 50).map((item) => redactValue("", item));
  if (typeof value === "object" && value !== null) return redact(value as Record<string, unknown>);
  return value;
}
