import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { allSpeechHardening, cutForSpeech, stripMarkdownForSpeech } from "./index.ts";

const reference: ReadonlySet<string> = new Set();
const strip = (text: string) => stripMarkdownForSpeech(text, reference);
const read = (text: string) => stripMarkdownForSpeech(text, allSpeechHardening);

/** The rules as patterns, as tools-files-web-media.md 12 lists them; slow on hostile text, but short to read. */
function byPatterns(text: string): string {
  const steps: [RegExp, string][] = [
    [/\*\*(.+?)\*\*/g, "$1"],
    [/__(.+?)__/g, "$1"],
    [/(?<!\*)\*(?!\*)(.+?)(?<!\*)\*(?!\*)/g, "$1"],
    [/(?<![\p{L}\p{N}])_(?!_)(.+?)(?<!_)_(?![\p{L}\p{N}])/gu, "$1"],
    [/~~(.+?)~~/g, "$1"],
    [/^#{1,6}\s+(.+)$/gm, "$1"],
    [/^>\s?(.*)$/gm, "$1"],
    [/^[-*_]{3,}$/gm, ""],
    [/`([^`]+)`/g, "$1"],
    [/\n{3,}/g, "\n\n"],
  ];
  return steps.reduce((result, [pattern, by]) => result.replace(pattern, by), text).trim();
}

describe("Markdown for the ear, as the reference strips it", () => {
  it("is what the patterns say, for any mixture of marks and words", () => {
    const piece = fc.constantFrom(
      ...["*", "**", "_", "__", "~~", "`", "```", "#", "## ", "> ", "---", "\n", "\n\n\n", " ", "a", "word"],
      ...["你好", "é", "𝒳", "😀", "1", ".", "\r", "\u2028"],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join("");
        expect(strip(text)).toBe(byPatterns(text));
      }),
      { numRuns: 3000 },
    );
  });

  it("takes no longer than the text is long, whatever the text is", () => {
    const startedMs = performance.now();
    for (const mark of [
      "*",
      "**a",
      "_a ",
      "__",
      "~~",
      "`",
      "# ",
      "> ",
      "[",
      "![",
      "<a",
      "| ",
      "- ",
      "http://",
    ]) {
      strip(mark.repeat(100_000));
      read(mark.repeat(100_000));
    }
    read(" ".repeat(200_000));
    expect(performance.now() - startedMs).toBeLessThan(10_000);
  });
});

describe("Markdown for the ear, as a person would read it", () => {
  it.each([
    ["[label](https://example.com/x) and ![a cat](cat.png)", "label and a cat"],
    ["see https://example.com/a/b?c=d for more", "see example.com for more"],
    ["请看https://example.com/a，谢谢", "请看example.com，谢谢"],
    ["before\n```js\nconst a = 1;\n```\nafter", "before\nafter"],
    ["before\n~~~\nnever closed", "before"],
    ["| a | b |\n| - | - |\n| 1 | 2 |", "a, b\n1, 2"],
    ["- one\n* two\n+ three\n1. four", "one\ntwo\nthree\n1. four"],
    ["2 * 3 * 4 = 24 and *stress*", "2 * 3 * 4 = 24 and stress"],
    ["a<br>b <b>bold</b> 3 < 4", "ab bold 3 < 4"],
    ["a\n\n***\n\nb", "a\n\nb"],
  ])("%j becomes %j", (text, spoken) => {
    expect(read(text)).toBe(spoken);
  });
});

describe("cutting a long text", () => {
  it("ends with three dots within the limit", () => {
    expect(cutForSpeech("abcdefghij", 8, false)).toBe("abcde...");
    expect(cutForSpeech("abcdefghij", 8, true)).toBe("abcde...");
  });

  it.each(["😀", "👩‍👩‍👧", "👍🏽", "é", "❤️"])("never cuts %s in two", (emoji) => {
    const text = `ab${emoji}cdef`;
    for (let max = 4; max < text.length + 3; max += 1) {
      const kept = cutForSpeech(text, max, true).slice(0, -3);
      expect(["", "a", "ab", ...[0, 1, 2, 3, 4].map((n) => `ab${emoji}${"cdef".slice(0, n)}`)]).toContain(
        kept,
      );
    }
  });

  it("cuts by code units on the reference's preset", () => {
    expect(cutForSpeech("ab😀cd", 6, false)).toBe("ab\ud83d...");
  });
});
