import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { allExecHardening, analyzeCommand, segmentsOf, singleQuote } from "./index.ts";
import { testOptions } from "./testLookup.ts";

const reference: ReadonlySet<string> = new Set();
const presets = [
  ["reference", testOptions(reference)],
  ["sallyport", testOptions(allExecHardening)],
] as const;

/** Shell-like noise: pieces that mean something, glued at random. */
const shellText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ..."foo|bar|&&|||;| |'|\"|\\|$|$(|`|(|)|<|<<EOF|EOF|\n|\r|#|*|{a,b}|~|X=1|timeout|5|-c|sh|\u200b|\u00a0|\ud800|é|😀|\0".split(
          "|",
        ),
        "|",
        "||",
      ),
      fc.string({ maxLength: 4 }),
    ),
    { maxLength: 24 },
  )
  .map((pieces) => pieces.join(""));

describe.each(presets)("analysis on preset %s", (_name, options) => {
  test("never throws, and its spans cut the source where they say", () => {
    fc.assert(
      fc.property(shellText, (command) => {
        const analysis = analyzeCommand(command, options);
        if (!analysis.ok) {
          expect(analysis.span.start).toBeGreaterThanOrEqual(0);
          expect(analysis.span.end).toBeGreaterThanOrEqual(analysis.span.start);
          expect(analysis.span.end).toBeLessThanOrEqual(command.length);
          return;
        }
        for (const segment of segmentsOf(analysis)) {
          expect(command.slice(segment.span.start, segment.span.end)).toBe(segment.text);
          for (const word of segment.words) {
            expect(command.slice(word.span.start, word.span.end)).toBe(word.raw);
            if (!word.isHeredoc) expect(word.parts.map((part) => part.text).join("")).toBe(word.text);
            for (const { span } of word.expansions) {
              expect(span.start).toBeGreaterThanOrEqual(word.span.start);
              expect(span.end).toBeLessThanOrEqual(word.span.end);
            }
          }
        }
      }),
      { numRuns: 3000 },
    );
  });

  test("gives back any argv that was single-quoted", () => {
    const word = fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 12 })
      .filter((text) => !/[\u0000-\u001f\u007f-\u009f\\]|[\ud800-\udfff]/.test(text));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), (argv) => {
        const analysis = analyzeCommand(`foo ${argv.map(singleQuote).join(" ")}`, options);
        expect(segmentsOf(analysis)[0]?.argv).toEqual(["foo", ...argv]);
        expect(segmentsOf(analysis)[0]?.words.some((one) => one.expansions.length > 0)).toBe(false);
      }),
      { numRuns: 1000 },
    );
  });

  test("text of 200,000 characters is read in linear time", () => {
    const started = performance.now();
    analyzeCommand(`foo ${"'a b' ".repeat(33_000)}`, options);
    analyzeCommand(`foo ${"<<A ".repeat(20_000)}`, options);
    expect(performance.now() - started).toBeLessThan(2000);
  });
});

describe("comments", () => {
  test("begin at a word, not inside one that holds an escaped blank", () => {
    const argvOf = (command: string) =>
      segmentsOf(analyzeCommand(command, testOptions(new Set()))).map((segment) => segment.argv);
    expect(argvOf("foo \\ #a b")).toEqual([["foo", " #a", "b"]]);
    expect(argvOf("foo a #b")).toEqual([["foo", "a"]]);
    expect(argvOf("#foo")).toEqual([]);
  });
});

describe("chains and pipelines", () => {
  test("operators stand between the segments they join", () => {
    const analysis = analyzeCommand("foo a | bar && foo; bar", testOptions(allExecHardening));
    expect(segmentsOf(analysis).map((segment) => [segment.text, segment.operatorAfter])).toEqual([
      ["foo a", "|"],
      ["bar", "&&"],
      ["foo", ";"],
      ["bar", null],
    ]);
  });

  test("a refusal names the spot", () => {
    const analysis = analyzeCommand("foo a > b", testOptions(allExecHardening));
    expect(analysis).toEqual({ ok: false, code: "redirection", token: ">", span: { start: 6, end: 7 } });
  });

  test("words say what a shell would expand in them", () => {
    const [segment] = segmentsOf(
      analyzeCommand(`foo $A "$B" '$C' \\$D *.c "*" {a,b} ~/x '~' "\\$E"`, testOptions(reference)),
    );
    expect(segment?.words.map((word) => word.expansions.map((one) => one.kind).join())).toEqual([
      "",
      "variable",
      "variable",
      "",
      "",
      "glob",
      "",
      "brace",
      "tilde",
      "",
      "",
    ]);
  });
});
