/** Limits around work that may never answer. */

import { expect, test } from "vitest";
import { withinTime } from "./withinTime.ts";

const late = () => new Error("late");
const never = new Promise<never>(() => {});

test("gives the result, the failure, or the limit's error", async () => {
  expect(await withinTime(Promise.resolve(1), { timeoutMs: 60_000, onTimeout: late })).toBe(1);
  const failing = Promise.reject(new Error("own"));
  await expect(withinTime(failing, { timeoutMs: 60_000, onTimeout: late })).rejects.toThrow("own");
  await expect(withinTime(never, { timeoutMs: 1, onTimeout: late })).rejects.toThrow("late");
});

test("ends with the signal, and a failure of the work that comes later is no unhandled one", async () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  process.on("unhandledRejection", note);
  try {
    for (const isEarly of [true, false]) {
      const controller = new AbortController();
      if (isEarly) controller.abort();
      let fail: (error: Error) => void = () => {};
      const work = new Promise<never>((_resolve, reject) => {
        fail = reject;
      });
      const limited = withinTime(work, {
        timeoutMs: 60_000,
        signal: controller.signal,
        onTimeout: late,
      });
      controller.abort();
      await expect(limited).rejects.toMatchObject({ code: "CANCELLED" });
      fail(new Error("afterwards"));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(unhandled).toEqual([]);
  } finally {
    process.off("unhandledRejection", note);
  }
});
