import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { silentLogger } from "../logging/logger.ts";
import { createPresence } from "./presence.ts";
import { checkAfterMs, createPromptCheck } from "./promptCheck.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function setUp(options: { isLocked?: boolean; waitForOperator?: boolean } = {}) {
  const presence = createPresence({
    screenLock: { isLocked: () => options.isLocked ?? false },
    waitForOperator: () => options.waitForOperator ?? false,
  });
  const recorded: [string, Record<string, unknown>][] = [];
  const onChecked = vi.fn();
  const check = createPromptCheck({
    presence,
    record: (kind, _by, data) => void recorded.push([kind, data]),
    onChecked,
    logger: silentLogger,
  });
  return { presence, recorded, onChecked, check };
}

describe("the self-test at start", () => {
  it("passes when a panel attends, and tells once", () => {
    const { presence, recorded, onChecked, check } = setUp();
    expect(check.current()).toEqual({ reach: "noPanel", checkAtStart: "pending" });
    presence.attend("panel");
    vi.advanceTimersByTime(checkAfterMs);
    expect(recorded).toEqual([["prompt.checked", { result: "passed", reach: "reachable" }]]);
    expect(onChecked).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(10 * checkAfterMs);
    expect(recorded).toHaveLength(1);
  });

  it("fails when nobody attends, and the status follows who comes later", () => {
    const { presence, recorded, check } = setUp();
    vi.advanceTimersByTime(checkAfterMs);
    expect(recorded).toEqual([["prompt.checked", { result: "failed", reach: "noPanel" }]]);
    presence.attend("panel");
    expect(check.current()).toEqual({ reach: "reachable", checkAtStart: "failed" });
  });

  it("fails behind a locked screen", () => {
    const { presence, recorded } = setUp({ isLocked: true });
    presence.attend("panel");
    vi.advanceTimersByTime(checkAfterMs);
    expect(recorded).toEqual([["prompt.checked", { result: "failed", reach: "screenLocked" }]]);
  });

  it("passes without anybody when requests wait for an operator by setting", () => {
    const { recorded } = setUp({ waitForOperator: true });
    vi.advanceTimersByTime(checkAfterMs);
    expect(recorded).toEqual([["prompt.checked", { result: "passed", reach: "waitsForOperator" }]]);
  });

  it("does nothing after disposal", () => {
    const { recorded, check } = setUp();
    check.dispose();
    vi.advanceTimersByTime(checkAfterMs);
    expect(recorded).toEqual([]);
  });
});
