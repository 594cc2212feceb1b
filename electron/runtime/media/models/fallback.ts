/** Tries one model after the other and keeps what each said. */

import { AppError, messageOf } from "../../../../shared/errors/index.ts";
import { clip } from "../../../../shared/files/index.ts";
import { type ModelRef, refText } from "../../../../shared/media/index.ts";
import { neutralizeMarkers, wrapUntrusted } from "../../../../shared/web/index.ts";
import { mediaProblem } from "../problems.ts";

/** One failed try. */
export interface Attempt {
  provider: string;
  model: string;
  /** Our own words. */
  error: string;
  /** Kind of the problem, `http_error` or `timeout` for instance. */
  reason?: string;
  /** HTTP status, when there was an answer. */
  status?: number;
  /** The service's words, cut and without markers; untrusted. */
  detail?: string;
}

const maxErrorChars = 500;
const maxDetailChars = 300;

/**
 * @returns what the first working candidate gave, with the failed tries before it
 * @throws AppError kind all_failed with `data.attempts`; the signal's reason on cancel
 */
export async function firstWorking<T>(
  candidates: readonly ModelRef[],
  signal: AbortSignal,
  ask: (candidate: ModelRef) => Promise<T>,
): Promise<{ value: T; model: ModelRef; attempts: Attempt[] }> {
  const attempts: Attempt[] = [];
  let cause: unknown;
  for (const model of candidates) {
    signal.throwIfAborted();
    try {
      // What the failed services said stays out of a good result.
      return { value: await ask(model), model, attempts: attempts.map(({ detail: _said, ...rest }) => rest) };
    } catch (error) {
      signal.throwIfAborted();
      // Wrong arguments stay wrong with every model.
      if (error instanceof AppError && error.data?.kind === "bad_pages") throw error;
      cause = error;
      attempts.push(attemptOf(model, error));
    }
  }
  throw allFailed(attempts, cause);
}

function attemptOf(model: ModelRef, error: unknown): Attempt {
  const data = error instanceof AppError ? error.data : undefined;
  const { kind, status, detail } = { kind: data?.kind, status: data?.status, detail: data?.detail };
  return {
    provider: model.provider,
    model: model.model,
    error: clip(messageOf(error), maxErrorChars),
    ...(typeof kind === "string" ? { reason: kind } : {}),
    ...(typeof status === "number" ? { status } : {}),
    ...(typeof detail === "string" ? { detail: clip(neutralizeMarkers(detail), maxDetailChars) } : {}),
  };
}

function allFailed(attempts: Attempt[], cause: unknown): AppError {
  // The cause lies in the request, not in a model: said once is enough.
  const [first] = attempts;
  const isSame = first !== undefined && attempts.every(({ error }) => error === first.error);
  if (isSame && cause instanceof AppError && cause.data?.detail === undefined) {
    const data = { reason: first.reason, attempts };
    return mediaProblem("all_failed", first.error, { cause, data });
  }
  const lines = attempts.map((attempt) => `${refText(attempt)}: ${attempt.error}`);
  const details = attempts.flatMap((attempt) =>
    attempt.detail === undefined ? [] : [`${refText(attempt)}: ${attempt.detail}`],
  );
  const said =
    details.length === 0
      ? ""
      : wrapUntrusted(details.join("\n"), { source: "External", withWarning: false }).text;
  const head = attempts.length === 1 ? "The model gave no answer." : "None of the models gave an answer.";
  return mediaProblem("all_failed", `${head}\n${lines.join("\n")}${said}`, { cause, data: { attempts } });
}
