import { describe, expect, it } from "vitest";
import { withinOutputBudget } from "./outputBudget.ts";

describe("the output of a call", () => {
  it("is measured: characters, pictures, tokens", () => {
    const { content, size } = withinOutputBudget([
      { type: "text", text: "日本語 text" },
      { type: "image", data: "AAAA", mimeType: "image/png" },
    ]);
    expect(size).toEqual({ chars: 8, images: 1, tokenEstimate: 1602, cutChars: 0 });
    expect(content).toHaveLength(2);
  });

  it("is cut at the last limit, and says how much is missing and what to do", () => {
    const { content, size } = withinOutputBudget(
      [
        { type: "text", text: "a".repeat(8) },
        { type: "text", text: `${"b".repeat(1)}🙂🙂` },
      ],
      10,
    );
    expect(size).toMatchObject({ chars: 9, cutChars: 4 });
    expect(content[0]).toEqual({ type: "text", text: "aaaaaaaa" });
    // No half of a surrogate pair is given.
    expect(content[1]).toEqual({ type: "text", text: "b" });
    expect(content[2]).toMatchObject({
      text: expect.stringMatching(/^\[Cut here: 4 more characters\. .*limit/),
    });
  });

  it("is bounded however many parts it comes in, and however large its pictures are", () => {
    const picture = (chars: number) => ({
      type: "image" as const,
      data: "A".repeat(chars),
      mimeType: "image/png",
    });
    const { content, size } = withinOutputBudget(
      [
        ...Array.from({ length: 1000 }, () => ({ type: "text" as const, text: "ab" })),
        picture(9 * 1024 * 1024),
        ...Array.from({ length: 40 }, () => picture(4)),
      ],
      10,
    );
    expect(size).toMatchObject({ chars: 10, cutChars: 1990, images: 32 });
    expect(content).toHaveLength(5 + 32 + 1);
    expect(content.at(-1)).toMatchObject({
      text: expect.stringMatching(/^\[Cut here: 1990 more characters and 9 more pictures\./),
    });
  });
});
