import { describe, expect, it } from "vitest";
import { testRequest } from "../../testing/fixtures.ts";
import { groupBurst, isBurst } from "./burstGroups.ts";

const many = (count: number, gapMs: number) =>
  Array.from({ length: count }, (_, index) =>
    testRequest(`git show c${index}`, { createdAtMs: index * gapMs }),
  );

describe("isBurst", () => {
  it("counts more than 8 waiting", () => {
    expect(isBurst(many(8, 60_000))).toBe(false);
    expect(isBurst(many(9, 60_000))).toBe(true);
  });

  it("counts more than 5 within 10 s", () => {
    expect(isBurst(many(6, 1_000))).toBe(true);
    expect(isBurst(many(6, 5_000))).toBe(false);
    expect(isBurst(many(5, 1))).toBe(false);
  });
});

describe("groupBurst", () => {
  it("groups commands that differ in free words only, and shows the holes", () => {
    const [group] = groupBurst([testRequest("git show --stat a1"), testRequest("git show --stat b2")]);
    expect(group?.shape).toEqual(["git", "show", "--stat", null]);
    expect(group?.rows.map((row) => row.oddity)).toEqual([null, null]);
  });

  it("leaves the odd one out", () => {
    const commands = ["git show a", "git show b", "git show c -- Cargo.lock"];
    const [group, ...others] = groupBurst(commands.map((command) => testRequest(command)));
    expect(others).toEqual([]);
    expect(group?.rows.map((row) => row.oddity)).toEqual([null, null, "shape"]);
  });

  it.each([
    ["folder", { cwd: "/elsewhere" }],
    ["agent", { agentId: "other" }],
    ["session", { sessionKey: "agent:main:other" }],
    ["environment", { env: [{ name: "A", shown: "1", isMasked: false }] }],
    ["warnings", { warnings: [{ level: "danger" as const, reason: { code: "obfuscation", params: {} } }] }],
  ])("never joins requests that differ in %s", (_, changes) => {
    expect(groupBurst([testRequest("git show a"), testRequest("git show b", changes)])).toHaveLength(2);
  });

  it("keeps verbs apart", () => {
    expect(groupBurst([testRequest("git show a"), testRequest("git push a")])).toHaveLength(2);
  });

  it("groups text that could not be analysed only when it is identical", () => {
    const raw = (command: string) => testRequest(command, { segments: null });
    expect(groupBurst([raw("a & b"), raw("a & b"), raw("a & c")]).map((group) => group.rows.length)).toEqual([
      2, 1,
    ]);
  });
});
