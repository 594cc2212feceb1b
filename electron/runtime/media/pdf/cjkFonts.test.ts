import { describe, expect, it } from "vitest";
import { makePdf } from "../testing/testPdf.ts";
import { aliasCjkFonts } from "./cjkFonts.ts";
import { readPdf } from "./readPdf.ts";

const used = (...families: string[]) =>
  Object.fromEntries(
    aliasCjkFonts({ families: families.map((family) => ({ family })), setAlias: () => undefined }),
  );

describe("fonts for CJK texts", () => {
  it("are the first that are installed, one of the other kind where there is none", () => {
    expect(used("DejaVu Sans", "Noto Sans CJK JP", "Noto Serif CJK JP")).toEqual({
      "sans-serif": "Noto Sans CJK JP",
      serif: "Noto Serif CJK JP",
    });
    expect(used("Microsoft YaHei")).toEqual({ "sans-serif": "Microsoft YaHei", serif: "Microsoft YaHei" });
    expect(used("DejaVu Sans")).toEqual({});
  });

  it("are used for letters whose font is not in the document", async () => {
    const bytes = makePdf({ pages: ["会议", "记录"] });
    const outcome = await readPdf(
      {
        bytes: new Uint8Array(bytes),
        pages: [1, 2],
        maxPages: 2,
        maxTextChars: 0,
        drawBelowChars: 1,
        maxPixels: 1_000_000,
        maxScale: 1,
        format: "png",
        maxPictureBytes: 10_000_000,
        isByLine: true,
        timeLimitMs: 30_000,
      },
      () => {},
    );
    if (outcome.kind !== "read") throw new Error(outcome.kind);
    const [first, second] = outcome.pictures.map((picture) => Buffer.from(picture.bytes));
    expect(outcome.pictures).toHaveLength(2);
    // Without a font both would be the same two boxes.
    expect(first?.equals(second ?? Buffer.alloc(0))).toBe(false);
  });
});
