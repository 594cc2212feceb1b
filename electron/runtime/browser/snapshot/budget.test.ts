import { expect, test } from "vitest";
import { cutChars, cutLines } from "./budget.ts";

test("cuts between lines and goes on from the mark", () => {
  const lines = ["one", "two", "three"];
  const first = cutLines(lines, 8, undefined);
  expect(first).toMatchObject({ isTruncated: true });
  expect(first.text.split("\n").slice(0, -1)).toEqual(["one", "two"]);
  expect(first.more).toContain('after "L2"');
  expect(cutLines(lines, 8, "L2")).toEqual({ text: "three", isTruncated: false, more: null });
  expect(cutLines(lines, 100, "nonsense").text).toBe("one\ntwo\nthree");
});

test("a single line that is too long is cut and said so", () => {
  const cut = cutLines(["x".repeat(50)], 10, undefined);
  expect(cut.text.startsWith(`${"x".repeat(10)}…\n`)).toBe(true);
  expect(cut.more).toMatch(/last line was cut/);
});

test("the reference's cut is at exactly that many characters", () => {
  expect(cutChars("abcdef", 3)).toEqual({
    text: "abc\n\n[...TRUNCATED - page too large]",
    isTruncated: true,
  });
  expect(cutChars("abc", 3)).toEqual({ text: "abc", isTruncated: false });
});
