import fc from "fast-check";
import JSON5 from "json5";
import { describe, expect, it } from "vitest";
import { parseDottedPath, parseJson5 } from "./json5Document.ts";

const parse = (text: string) => parseJson5(text, { path: "f" });

describe("reading JSON5 with places", () => {
  it("knows the place of keys, values and items", () => {
    const parsed = parse("// head\n{\r\n  a: [1,\n    {b: 'x'}],\n  'c-d': null,\n}");
    if (!parsed.ok) throw new Error(parsed.problem.message);
    const { document } = parsed;
    expect(document.positionOf(["a"])).toEqual({ line: 3, column: 3 });
    expect(document.positionOf(["a", 1, "b"])).toEqual({ line: 4, column: 6 });
    expect(document.positionOf(["a", 0])).toEqual({ line: 3, column: 7 });
    expect(document.positionOf(["c-d"])).toEqual({ line: 5, column: 3 });
    expect(document.positionOf(["a", 7])).toBeNull();
    expect(document.positionOf(["toString"])).toBeNull();
    expect(document.nearestPosition(["a", 1, "zz", "y"])).toEqual({ line: 4, column: 5 });
    expect(document.nearestPosition([])).toEqual({ line: 2, column: 1 });
  });

  it.each([
    ["", 1, 1, /empty/],
    ["{\n  a: 1\n  b: 2\n}", 3, 3, /Not valid/],
    ["{a: 1,\n", 2, 1, /Not valid/],
    ["{a: 'x\ny'}", 1, 7, /Not valid/],
    ["{a: 1, a: 2}", 1, 8, /twice/],
    ['{\n"a": 1,\n"\\u0061": 2}', 3, 1, /twice/],
    ["{x: {__proto__: {y: 1}}}", 1, 6, /__proto__/],
    ['{"__proto__": 1}', 1, 2, /__proto__/],
    ["{null: 1}", 1, 2, /quotes/],
  ])("refuses %j at %i:%i", (text, line, column, message) => {
    const parsed = parse(text);
    expect(parsed.ok).toBe(false);
    if (!parsed.ok) {
      expect(parsed.problem).toMatchObject({ line, column, path: "f" });
      expect(parsed.problem.message).toMatch(message);
    }
    expect(Reflect.get({}, "y")).toBeUndefined();
  });

  it.each([300, 100_000])("refuses %i levels without exhausting the stack", (depth) => {
    const parsed = parse("[".repeat(depth) + "]".repeat(depth));
    expect(parsed).toMatchObject({ ok: false, problem: { message: expect.stringMatching(/deeper/) } });
  });

  it("takes names of built-in properties as ordinary keys", () => {
    const parsed = parse("{constructor: {prototype: {a: 1}}, hasOwnProperty: 2}");
    expect(parsed.ok && JSON.stringify(parsed.document.value)).toBe(
      '{"constructor":{"prototype":{"a":1}},"hasOwnProperty":2}',
    );
  });

  it("reads what JSON5 reads, or refuses", () => {
    const piece = fc.constantFrom(
      ..."{}[],:'\"\\/*ab10.-+ \n\r\t\u2028eExXInfinityNaNnullüu{}",
      "//",
      "/*",
      "*/",
      "null",
      "'a'",
      "a:",
      "\\u0061",
      "0x1",
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join("")),
        (text) => {
          const parsed = parse(text);
          if (parsed.ok) expect(parsed.document.value).toEqual(JSON5.parse(text));
          else expect(parsed.problem.message).not.toBe("");
        },
      ),
      { numRuns: 3000 },
    );
  });

  it("splits dotted paths", () => {
    expect(parseDottedPath("agents.list.0.tools")).toEqual(["agents", "list", 0, "tools"]);
    expect(parseDottedPath("a.00")).toEqual(["a", "00"]);
  });
});
