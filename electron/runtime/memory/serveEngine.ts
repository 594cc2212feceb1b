/** Answers the calls of one port with an engine. */

import type { MessagePort } from "node:worker_threads";
import { AppError, messageOf } from "../../../shared/errors/index.ts";
import type { GuardedFetch } from "../net/guardedFetch.ts";
import { createMemoryEngine } from "./createMemoryEngine.ts";
import type { FromEngine, ToEngine } from "./memoryTypes.ts";

/** Ends with the message `close`: the port is closed once the index is. */
export function serveEngine(port: MessagePort, fetch: GuardedFetch): void {
  const send = (message: FromEngine) => port.postMessage(message);
  const engine = createMemoryEngine({
    fetch,
    log: (level, event, fields) => send({ id: 0, kind: "log", level, event, fields }),
  });
  const running = new Map<number, AbortController>();
  const answer = async (id: number, call: Extract<ToEngine, { call: unknown }>["call"]) => {
    const control = new AbortController();
    running.set(id, control);
    try {
      const value = await engine.handle(call, control.signal, (state) =>
        send({ id, kind: "progress", state }),
      );
      send({ id, kind: "answer", value });
    } catch (error) {
      const isOurs = error instanceof AppError;
      send({
        id,
        kind: "error",
        message: messageOf(error),
        code: isOurs ? error.code : "INTERNAL",
        data: isOurs ? error.data : undefined,
      });
    } finally {
      running.delete(id);
    }
  };
  port.on("message", (message: ToEngine | "close") => {
    if (message === "close") void engine.dispose().finally(() => port.close());
    else if ("cancel" in message)
      running.get(message.id)?.abort(new AppError("CANCELLED", "The call was cancelled."));
    else void answer(message.id, message.call);
  });
}
