import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { printDense } from "./dense.ts";
import { printControls } from "./denseControls.ts";
import { diffLines } from "./denseDiff.ts";
import { parseDense } from "./testing/parseDense.ts";
import type { SnapNode } from "./tree.ts";

const node = (role: string, name: string, ...children: (SnapNode | string)[]): SnapNode => ({
  role,
  name,
  children,
});
const named = (role: string, name: string): SnapNode => ({
  ...node(role, name, name),
  isNameFromContent: true,
});

function print(...children: (SnapNode | string)[]): string {
  const numbers = new Map<SnapNode, number>();
  const numberOf = (one: SnapNode) => {
    const known = numbers.get(one) ?? numbers.size + 1;
    numbers.set(one, known);
    return known;
  };
  return printDense(node("fragment", "", ...children), { prefix: "", urls: false, numberOf }).lines.join(
    "\n",
  );
}

describe("the dense format", () => {
  test("has no wrapper lines and says nothing twice", () => {
    expect(
      print(
        node("generic", "", node("generic", "", "Name ", node("textbox", "Name", "Ada"))),
        named("button", "Save"),
      ),
    ).toBe('[e1:textbox "Name" Ada] [e2:button Save]');
  });

  test("prints rows as rows and options in the line of their drop-down", () => {
    const row: SnapNode = {
      ...node("row", "a b", named("cell", "a"), named("cell", "b")),
      isNameFromContent: true,
    };
    expect(print(node("table", "T", node("rowgroup", "", row)))).toBe('e1:table "T"\n :rowgroup\n | a | b');
    const options = [{ ...node("option", "One"), selected: true as const }, node("option", "Two; three")];
    expect(print(node("combobox", "Pick", ...options))).toBe('[e1:combobox "Pick": *One; Two\\; three]');
  });

  test("keeps every role and name apart from any text of a page", () => {
    const text = fc.string({ unit: fc.constantFrom(...'[]\\|#-¶:~+@"{*=^<…→;e1 x\n') });
    fc.assert(
      fc.property(text, text, text, (first, second, third) => {
        const clean = (value: string) => value.replace(/\s+/g, " ").trim();
        const name = clean(second) === "" ? "x" : clean(second);
        const printed = print(
          node("paragraph", "", first),
          named("button", name),
          node("row", "", node("cell", "", first), { ...named("cell", name) }),
          node("textbox", name, third),
        );
        const parsed = parseDense(printed);
        expect(parsed.map(({ role }) => role)).toEqual([
          "paragraph",
          "button",
          "row",
          "cell",
          "cell",
          "textbox",
        ]);
        expect(parsed[1]?.name.replace(/\s/g, "")).toBe(name.replace(/\s/g, ""));
        expect(parsed[5]?.name).toBe(name);
      }),
    );
  });

  test("lists controls with their role, which links do not have, and shows a role once in a row", () => {
    const root = node(
      "fragment",
      "",
      named("link", "A"),
      named("link", "button B"),
      named("button", "C"),
      named("button", "12 D"),
      { ...named("button", "E"), disabled: true as const },
      named("button", "F"),
      named("link", "G"),
    );
    let last = 0;
    const numberOf = () => {
      last += 1;
      return last;
    };
    const whole = ["e1 A", 'e2 "button B"', "e3 button C", "e4 button 12 D", "e5 button,disabled E"];
    const print = printControls(root, { prefix: "", urls: false, numberOf });
    expect(print.lines).toEqual([...whole, "e6 button F", "e7 G"]);
    expect(print.short).toEqual([
      "e1 A",
      '2 "button B"',
      "e3 button C",
      "4 12 D",
      "e5 button,disabled E",
      "6 F",
      "e7 G",
    ]);
    last = 0;
    const inFrame = printControls(root, { prefix: "f1", urls: false, numberOf });
    expect(inFrame.short).toEqual(inFrame.lines);
    expect(inFrame.short[3]).toBe("f1e4 button 12 D");
  });
});

describe("changes between two dense snapshots", () => {
  test("are the new lines, and how many went", () => {
    expect(diffLines(["a", "b", "c", "d"], ["a", "x", "c"])).toEqual(["+x", "-1"]);
    expect(diffLines(["a"], ["a"])).toEqual([]);
    expect(diffLines([], ["a"])).toEqual(["+a"]);
  });

  test("do not count focus", () => {
    expect(
      diffLines(["[e1:button Go]", "[e2:textbox,active]"], ["[e1:button,active Go]", "[e2:textbox]"]),
    ).toEqual([]);
  });
});
