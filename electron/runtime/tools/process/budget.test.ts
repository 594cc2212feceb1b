import { describe, expect, it } from "vitest";
import { shownCommand, withinLogBudget } from "./budget.ts";

describe("the budget of a log page", () => {
  it("cuts at a line and names the next one", () => {
    expect(withinLogBudget("one\ntwo\nthree", 7, 9)).toEqual({
      shown: "one\ntwo",
      note: "[Cut after 7 characters. Go on with offset 9 and a smaller limit.]",
    });
    expect(withinLogBudget("one\ntwo", 0, 7)).toEqual({ shown: "one\ntwo", note: null });
  });

  it("cuts within a line that is longer than all, without half a character", () => {
    const { shown, note } = withinLogBudget(`abc🙂def`, 3, 4);
    expect(shown).toBe("abc");
    expect(note).toMatch(/Cut in line 3.*offset 4/);
  });

  it("shows a long command by its beginning", () => {
    expect(shownCommand("echo hi")).toBe("echo hi");
    expect(shownCommand("x".repeat(9000))).toMatch(/^x{4000}… \(9000 characters\)$/);
  });
});
