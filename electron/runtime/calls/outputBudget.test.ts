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
    expect(content[1]).toMatchObject({
      text: expect.stringMatching(/^b\n\[Cut here: 4 more characters\. .*limit/),
    });
  });
});
