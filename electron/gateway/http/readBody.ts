/** Reads the body of a request up to a limit of size and time. */

import type { IncomingMessage } from "node:http";

export type BodyResult =
  | { kind: "ok"; text: string }
  | { kind: "tooLarge" }
  | { kind: "timeout" }
  /** The client went away while it was sending. */
  | { kind: "gone" };

export function readBody(
  request: IncomingMessage,
  { maxBytes, timeoutMs }: { maxBytes: number; timeoutMs: number },
): Promise<BodyResult> {
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) return Promise.resolve({ kind: "tooLarge" });
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    const done = (result: BodyResult) => {
      clearTimeout(timer);
      request.off("data", onData).off("end", onEnd).off("close", onGone).off("error", onGone);
      // What still comes is thrown away, so that the answer gets through where the client lets it.
      if (result.kind !== "ok") request.on("error", () => {}).resume();
      resolve(result);
    };
    const onData = (chunk: Buffer) => {
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes) return done({ kind: "tooLarge" });
      chunks.push(chunk);
    };
    const onEnd = () => done({ kind: "ok", text: Buffer.concat(chunks).toString("utf8") });
    const onGone = () => done({ kind: "gone" });
    const timer = setTimeout(() => done({ kind: "timeout" }), timeoutMs);
    request.on("data", onData).on("end", onEnd).on("close", onGone).on("error", onGone);
  });
}
