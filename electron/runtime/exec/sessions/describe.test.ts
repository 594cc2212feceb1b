import { describe, expect, it } from "vitest";
import { compactDuration, deriveName, exitNoticeText } from "./describe.ts";
import { createSessionId } from "./sessionIds.ts";
import { completeLimits, limitsFromEnv, resolveWindow } from "./window.ts";

describe("deriveName", () => {
  it.each([
    ["pnpm --silent dev --host", "pnpm dev"],
    ["/usr/bin/python3 -q", "python3"],
    ["'my tool' x", "my tool"],
    ["  ", ""],
  ])("%s → %s", (command, name) => {
    expect(deriveName(command)).toBe(name);
  });
});

describe("compactDuration", () => {
  it.each([
    [0, "0ms"],
    [820, "820ms"],
    [14_000, "14s"],
    [131_000, "2m11s"],
    [21_840_000, "6h04m"],
    [266_400_000, "3d02h"],
  ])("%d → %s", (durationMs, text) => {
    expect(compactDuration(durationMs)).toBe(text);
  });
});

describe("exitNoticeText", () => {
  it("cuts long output and collapses white space", () => {
    const text = exitNoticeText({
      sessionId: "brisk-harbor",
      outcome: { kind: "signalled", signal: "SIGTERM" },
      aggregated: "word \n\t".repeat(200),
      notifyOnEmptySuccess: false,
    });
    expect(text).toMatch(/^Exec failed \(brisk-ha, signal SIGTERM\) :: word word .*…$/);
    expect(text?.split(" :: ")[1]).toHaveLength(180);
  });

  it("says nothing about a silent success unless wanted", () => {
    const facts = { sessionId: "a-b", outcome: { kind: "exited" as const, exitCode: 0 }, aggregated: " \n" };
    expect(exitNoticeText({ ...facts, notifyOnEmptySuccess: false })).toBeNull();
    expect(exitNoticeText({ ...facts, notifyOnEmptySuccess: true })).toBe("Exec completed (a-b, code 0)");
  });
});

describe("createSessionId", () => {
  it("adds numbers, then words, then letters while names are taken", () => {
    const taken = new Set<string>();
    const ids = Array.from({ length: 15 }, () => {
      const id = createSessionId(
        (candidate) => taken.has(candidate),
        () => 0,
      );
      taken.add(id);
      return id;
    });
    expect(ids[0]).toMatch(/^[a-z]+-[a-z]+$/);
    expect(ids[1]).toBe(`${ids[0]}-2`);
    expect(ids[11]).toBe(`${ids[0]}-12`);
    expect(ids[12]).toMatch(/^[a-z]+-[a-z]+-[a-z]+$/);
    expect(ids[13]).toMatch(/^[a-z]+-[a-z]+-[a-z]+-[a-z0-9]{3}$/);
    expect(new Set(ids).size).toBe(15);
  });
});

describe("resolveWindow", () => {
  const base = { allowBackground: true, backgroundMs: 10_000, defaultTimeoutMs: 1_800_000 };
  it.each([
    ["the default counts without a request", {}, { delayMs: 10_000, timeoutMs: 1_800_000 }],
    ["background alone has no timeout", { background: true }, { delayMs: 0, timeoutMs: null }],
    ["any yield time has no timeout, and is clamped", { yieldMs: 1 }, { delayMs: 10, timeoutMs: null }],
    ["a yield time is at most two minutes", { yieldMs: 1e9 }, { delayMs: 120_000, timeoutMs: null }],
    ["an explicit timeout wins", { background: true, timeoutMs: 5000 }, { delayMs: 0, timeoutMs: 5000 }],
    ["zero means none", { timeoutMs: 0 }, { delayMs: 10_000, timeoutMs: null }],
  ])("%s", (_title, request, expected) => {
    const window = resolveWindow({ ...base, ...request });
    expect(window.wait).toEqual({ kind: "yieldAfter", delayMs: expected.delayMs });
    expect(window.timeoutMs).toBe(expected.timeoutMs);
  });

  it("always keeps the default timeout where nothing may be left running", () => {
    const window = resolveWindow({ ...base, allowBackground: false, background: true });
    expect(window).toMatchObject({ wait: { kind: "untilEnd" }, timeoutMs: 1_800_000 });
    expect(window.warnings).toHaveLength(1);
  });
});

describe("limits", () => {
  it("are clamped, and taken from the environment when they are numbers", () => {
    expect(completeLimits({ cleanupMs: 1, maxOutputChars: 5, backgroundMs: Number.NaN })).toMatchObject({
      cleanupMs: 60_000,
      maxOutputChars: 1000,
      backgroundMs: 10_000,
    });
    expect(limitsFromEnv({ PI_BASH_YIELD_MS: "500", PI_BASH_JOB_TTL_MS: "soon" })).toEqual({
      backgroundMs: 500,
    });
  });
});
