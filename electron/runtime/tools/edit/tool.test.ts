import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeTestDesk, type TestDesk, textOf } from "../files/testDesk.ts";

let desk: TestDesk;
beforeEach(async () => {
  desk = await makeTestDesk();
});
afterEach(() => desk.remove());

const file = () => path.join(desk.workspace, "f.txt");

async function edited(content: string, edits: { oldText: string; newText: string }[]): Promise<string> {
  await writeFile(file(), content);
  await desk.call("edit", { path: "f.txt", edits });
  return readFile(file(), "utf8");
}

describe("edit", () => {
  it("keeps a byte order mark and CRLF, and gives new lines the same ending", async () => {
    const result = await edited("\uFEFFa\r\nb\r\nc\r\n", [{ oldText: "b\n", newText: "B\nB2\n" }]);
    expect(result).toBe("\uFEFFa\r\nB\r\nB2\r\nc\r\n");
  });

  it("leaves the rest byte for byte after a loose match", async () => {
    const result = await edited("keep “this”   \r\nＡＢＣ\nit’s – here  \nend\r", [
      { oldText: "it's - here\nend", newText: "done" },
    ]);
    expect(result).toBe("keep “this”   \r\nＡＢＣ\ndone\r");
  });

  it("counts an exact match exactly, look-alikes only without one", async () => {
    expect(await edited('a = "x"\nb = “x”\n', [{ oldText: '"x"', newText: '"y"' }])).toBe(
      'a = "y"\nb = “x”\n',
    );
    await writeFile(file(), "‘x’ ‛x’\n");
    await expect(desk.call("edit", { path: "f.txt", oldText: "'x'", newText: "y" })).rejects.toMatchObject({
      data: { kind: "edit_duplicate", count: 2 },
    });
  });

  it("takes the new text literally", async () => {
    expect(await edited("a b c", [{ oldText: "b", newText: "$& $1 \\n" }])).toBe("a $& $1 \\n c");
  });

  it("finds text in Chinese, with combining marks and emoji, and never cuts a character", async () => {
    expect(await edited("你好，世界 🙂\ncafe\u0301\n", [{ oldText: "caf\u00e9", newText: "茶" }])).toBe(
      "你好，世界 🙂\n茶\n",
    );
    await writeFile(file(), "o\uFB03ce\n");
    await expect(desk.call("edit", { path: "f.txt", oldText: "fice", newText: "x" })).rejects.toMatchObject({
      data: { kind: "edit_not_found" },
    });
  });

  it("refuses overlap, no change and a text that is not there, and writes nothing", async () => {
    await writeFile(file(), "abcdef\n");
    const overlap = [
      { oldText: "abc", newText: "1" },
      { oldText: "cde", newText: "2" },
    ];
    await expect(desk.call("edit", { path: "f.txt", edits: overlap })).rejects.toMatchObject({
      data: { kind: "edit_overlap" },
    });
    const same = [{ oldText: "abc", newText: "abc" }];
    await expect(desk.call("edit", { path: "f.txt", edits: same })).rejects.toMatchObject({
      data: { kind: "edit_no_change" },
    });
    await expect(desk.call("edit", { path: "f.txt", oldText: "zzz", newText: "" })).rejects.toThrow(/abcdef/);
    expect(await readFile(file(), "utf8")).toBe("abcdef\n");
  });

  it("shows the difference with line numbers", async () => {
    await writeFile(file(), Array.from({ length: 12 }, (_, index) => `line ${index + 1}\n`).join(""));
    const result = await desk.call("edit", { path: "f.txt", oldText: "line 7\n", newText: "seven\n" });
    const { diff, firstChangedLine } = result.details as { diff: string; firstChangedLine: number };
    expect(firstChangedLine).toBe(7);
    expect(diff.split("\n")).toEqual([
      "    ...",
      "  3 line 3",
      "  4 line 4",
      "  5 line 5",
      "  6 line 6",
      "- 7 line 7",
      "+ 7 seven",
      "  8 line 8",
      "  9 line 9",
      " 10 line 10",
      " 11 line 11",
      "    ...",
    ]);
    expect(textOf(result)).toBe("Changed 1 place in f.txt, first in line 7.");
  });

  it("refuses a file that is not valid UTF-8 rather than damaging it", async () => {
    const bytes = Buffer.from([0x61, 0xff, 0x62]);
    await writeFile(file(), bytes);
    await expect(desk.call("edit", { path: "f.txt", oldText: "a", newText: "x" })).rejects.toMatchObject({
      data: { kind: "not_text" },
    });
    expect(await readFile(file())).toEqual(bytes);
  });

  it("loses no edit when many arrive at once", async () => {
    await writeFile(file(), Array.from({ length: 20 }, (_, index) => `<${index}>\n`).join(""));
    const edits = Array.from({ length: 20 }, (_, index) => ({
      oldText: `<${index}>`,
      newText: `[${index}]`,
    }));
    await Promise.all(edits.map((one) => desk.call("edit", { path: "f.txt", edits: [one] })));
    expect(await readFile(file(), "utf8")).toBe(
      Array.from({ length: 20 }, (_, index) => `[${index}]\n`).join(""),
    );
  });

  it("is not confused by names of object properties", async () => {
    await writeFile(file(), "x\n");
    const args = JSON.parse(
      '{"path":"f.txt","__proto__":{"path":"g.txt"},"oldText":"x","newText":"y"}',
    ) as unknown;
    await expect(desk.call("edit", args)).rejects.toThrow();
    expect(await readFile(file(), "utf8")).toBe("x\n");
  });
});
