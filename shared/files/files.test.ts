import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  allFilesHardening,
  applyChunks,
  applyEdits,
  diffLines,
  editArgs,
  numberedDiff,
  parsePatch,
  readPages,
  unifiedDiff,
  utf8Length,
} from "./index.ts";

const none: ReadonlySet<string> = new Set();
const lineTexts = fc.array(fc.constantFrom("a", "b", "c", "", "“q”", "x  ", "你"), { maxLength: 30 });

describe("differences", () => {
  it("hold both texts, whatever they are", () => {
    fc.assert(
      fc.property(lineTexts, lineTexts, (a, b) => {
        const { oldLines, newLines, runs } = diffLines(a.join("\n"), b.join("\n"));
        let oldAt = 0;
        let newAt = 0;
        for (const { kind, count } of runs) {
          if (kind === "same") {
            expect(oldLines.slice(oldAt, oldAt + count)).toEqual(newLines.slice(newAt, newAt + count));
          }
          if (kind !== "added") oldAt += count;
          if (kind !== "removed") newAt += count;
        }
        expect([oldAt, newAt]).toEqual([oldLines.length, newLines.length]);
      }),
    );
  });

  it("read as unified diffs with right positions", () => {
    const old = Array.from({ length: 20 }, (_, index) => `${index + 1}\n`).join("");
    const changed = old.replace("3\n", "three\n").replace("18\n", "");
    expect(unifiedDiff(old, changed, 10_000).text.split("\n")).toEqual([
      "@@ -1,6 +1,6 @@",
      " 1",
      " 2",
      "-3",
      "+three",
      " 4",
      " 5",
      " 6",
      "@@ -15,6 +15,5 @@",
      " 15",
      " 16",
      " 17",
      "-18",
      " 19",
      " 20",
    ]);
    expect(unifiedDiff("", "new\n", 100).text).toBe("@@ -0,0 +1,1 @@\n+new");
    expect(numberedDiff("same\n", "same\n", 100)).toEqual({ diff: "", firstChangedLine: null, isCut: false });
  });

  it("stay quick and bounded for huge texts", () => {
    const old = "x\n".repeat(300_000);
    const startedAtMs = performance.now();
    const { text, isCut } = unifiedDiff(old, "y\n".repeat(300_000), 2000);
    expect(performance.now() - startedAtMs).toBeLessThan(1500);
    expect(isCut).toBe(true);
    expect(text.length).toBeLessThan(2200);
  });
});

describe("edits", () => {
  it("change only the matched place, for any surroundings", () => {
    const around = fc.array(fc.constantFrom("“a”  ", "b\r", "Ａ", "–", "c", "ﬁ", "e\u0301"), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(around, around, (before, after) => {
        const head = before.map((line) => `${line}\n`).join("");
        const tail = after.map((line) => `\n${line}`).join("");
        const raw = `${head}say “hi” – now${tail}`;
        const result = applyEdits(raw, [{ oldText: 'say "hi" - now', newText: "done" }], allFilesHardening);
        expect(result).toMatchObject({ ok: true, text: `${head}done${tail}` });
      }),
    );
  });

  it("take linear time on blanks", () => {
    const raw = `${" ".repeat(400_000)}x\n“q”\n`;
    const startedAtMs = performance.now();
    expect(applyEdits(raw, [{ oldText: '"q"', newText: "r" }], allFilesHardening)).toMatchObject({
      ok: true,
    });
    expect(performance.now() - startedAtMs).toBeLessThan(2000);
  });

  it("put every form of the arguments into one list", () => {
    expect(editArgs({ file: "a", edits: '[{"old_text":"x","newString":"y"}]' })).toEqual({
      path: "a",
      edits: [{ oldText: "x", newText: "y" }],
    });
    expect(editArgs(null)).toBe(null);
    expect(editArgs([1])).toEqual([1]);
  });
});

describe("patches", () => {
  it("parse or say why, and never throw", () => {
    const pieces = fc.constantFrom(
      "*** Begin Patch",
      "*** End Patch",
      "*** Add File: a",
      "*** Update File: b",
      "*** Delete File: c",
      "*** Move to: d",
      "*** End of File",
      "@@",
      "@@ x",
      "+n",
      "-o",
      " c",
      "",
      "<<EOF",
      "EOF",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 14 }), (lines) => {
        const parsed = parsePatch(["*** Begin Patch", ...lines, "*** End Patch"].join("\n"));
        if (parsed.ok) expect(parsed.files.length).toBeGreaterThan(0);
        else expect(parsed.problem).not.toBe("");
      }),
    );
  });

  it("drop a blank context line at the end only when it does not match", () => {
    const chunks = [
      {
        context: null,
        lines: [
          { kind: "old" as const, text: "a" },
          { kind: "new" as const, text: "b" },
          { kind: "context" as const, text: "" },
        ],
        isAtEnd: false,
      },
    ];
    for (const hardening of [none, allFilesHardening]) {
      expect(applyChunks("a\nx\n", chunks, hardening)).toEqual({ ok: true, text: "b\nx\n" });
      expect(applyChunks("a\n\nx\n", chunks, hardening)).toEqual({ ok: true, text: "b\n\nx\n" });
    }
  });
});

describe("pages", () => {
  it("hold whole lines and lead through the whole text", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 30_000 }), { maxLength: 40 }), (lengths) => {
        const text = lengths.map((length) => "字".repeat(length % 9000)).join("\n");
        const pages: string[] = [];
        for (let offset = 1; ; ) {
          const page = readPages({ text, offset, path: "f", hardening: allFilesHardening });
          if (!page.ok) throw new Error("past the end");
          const notice = page.text.lastIndexOf("\n\n[");
          pages.push(page.cut === null ? page.text : page.text.slice(0, notice));
          if (page.cut === null) break;
          if (page.cut.nextOffset === null) throw new Error("a line is too long");
          offset = page.cut.nextOffset;
        }
        expect(pages.join("\n")).toBe(text);
      }),
      { numRuns: 30 },
    );
  });

  it("count bytes as UTF-8 does", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length);
      }),
    );
  });
});
