/** Whether a call that was asked for is one: a session with too much open takes no more in. */

import { AppError } from "../../../shared/errors/index.ts";
import type { Calls, StartedCall } from "./createCalls.ts";

/**
 * @returns the call, once it is known that there is one to wait for
 * @throws AppError UNAVAILABLE with what the session was told
 */
export async function takenIn(calls: Pick<Calls, "get">, started: StartedCall): Promise<StartedCall> {
  if (calls.get(started.toolCallId) !== undefined) return started;
  const outcome = await started.outcome;
  const content = outcome.kind === "result" ? outcome.content : [];
  const text = content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  throw new AppError("UNAVAILABLE", text);
}
