import { describe, expect, it } from "vitest";
import { allMediaHardening, pagesText, parsePages } from "./index.ts";

const strict = (text: string, maxPages = 20) => parsePages(text, maxPages, allMediaHardening);
const reference = (text: string, maxPages = 20) => parsePages(text, maxPages, new Set());

describe("pages of a document", () => {
  it("are unique and ascending, with spaces and empty parts allowed", () => {
    expect(strict(" 7 - 9 ,, 3,8, 3")).toEqual({ ok: true, pages: [3, 7, 8, 9] });
    expect(strict(" , ")).toEqual({ ok: true, pages: [] });
  });

  it("beyond the limit are an error that names the limit and its key; the reference drops them", () => {
    expect(strict("18-25")).toMatchObject({ ok: false, error: "beyond_limit" });
    expect(strict("21")).toMatchObject({ message: expect.stringMatching(/Page 21 .*page 20.*pdfMaxPages/) });
    expect(strict("30-40", 40)).toMatchObject({ ok: true });
    expect(reference("18-25")).toEqual({ ok: true, pages: [18, 19, 20] });
  });

  it.each(["1.5", "0x3", "+2", "1e1", "３", "1–3", "Infinity"])(
    "are written in digits, not as %s",
    (text) => {
      expect(strict(text)).toMatchObject({ ok: false, error: "invalid_number" });
    },
  );

  it("cost nothing however far a range goes", () => {
    expect(reference("1-999999999999999")).toMatchObject({ ok: true });
    expect(strict("1-999999999999999")).toMatchObject({ error: "beyond_limit" });
    expect(strict("9".repeat(500))).toMatchObject({ ok: false });
  });

  it("are written as short as they can be", () => {
    expect(pagesText([1, 2, 3, 7, 9, 10])).toBe("1-3, 7, 9-10");
    expect(pagesText([])).toBe("");
  });
});
