import { describe, expect, it } from "vitest";
import { readCallText, textOf as shownText } from "./callText.ts";

function textOf(args: unknown): string {
  return [
    "files__write",
    "server: files",
    "tool: write",
    "target: npx server-files",
    "arguments:",
    JSON.stringify(args, null, 2),
  ].join("\n");
}

const pieces = (text: string) => readCallText(text)?.pieces.map(({ start, end }) => text.slice(start, end));
const textLines = (text: string) =>
  readCallText(text)
    ?.pieces.filter(({ isTextLine }) => isTextLine)
    .map(({ start, end }) => text.slice(start, end));

describe("the text of a call", () => {
  it("is cut into its head and all of the arguments", () => {
    const text = textOf({ path: "a" });
    const read = readCallText(text);
    expect(read?.head.map(({ labelEnd, end }) => text.slice(labelEnd, end))).toEqual([
      "files__write",
      "files",
      "write",
      "npx server-files",
      "",
    ]);
    expect(pieces(text)).toEqual(['{\n  "path": "a"\n}']);
  });

  it("breaks where a string of the arguments has a line break, and loses nothing", () => {
    const text = textOf({ body: "one\ntwo\n", "k\ney": 1 });
    expect(pieces(text)).toEqual(['{\n  "body": "one\\n', 'two\\n",\n', '  "k\\n', 'ey"', ": 1\n}"]);
    expect(textLines(text)).toEqual(['two\\n",\n', 'ey"']);
    expect(pieces(text)?.join("")).toBe(text.slice(text.indexOf("{")));
  });

  it("tells a line break from a backslash in front of an n", () => {
    expect(pieces(textOf({ path: "C:\\new", quote: 'a"\\nb' }))).toHaveLength(1);
  });

  it("takes labels by their place: an argument cannot stand for the head", () => {
    const text = textOf({ x: "\nserver: other\narguments:\n{}" });
    const read = readCallText(text);
    expect(text.slice(read?.head[1]?.labelEnd, read?.head[1]?.end)).toBe("files");
    expect(pieces(text)?.join("")).toBe(text.slice(text.indexOf("{")));
  });

  it.each([
    "",
    "files__write",
    "files__write\nserver: x\ntool: y\ntarget: z\narguments: {}",
    "files__write\ntool: y\nserver: x\ntarget: z\narguments:\n{}",
  ])("is shown as it stands when it is laid out otherwise: %j", (text) => {
    expect(readCallText(text)).toBeNull();
  });
});

describe("what cannot be seen in a call", () => {
  const shown = (command: string) => shownText({ kind: "mcpCall", command });

  it("is the character itself, as in every other prompt", () => {
    expect(shown('{"text": "a\\u{202e}b\\u{200B}"}')).toBe('{"text": "a\u202eb\u200b"}');
  });

  it("stays as it is written where the arguments hold the escape as text", () => {
    const args = JSON.stringify({ text: "a\\u{200b}" });
    expect(shown(args)).toBe(args);
  });

  it("moves no line: a line break and what can be seen stay as they are written", () => {
    for (const text of ["\\u{a}server: other", "\\u{41}", "\\u{110000}", "\\u{}"])
      expect(shown(text)).toBe(text);
  });

  it("is touched in no other kind of request", () => {
    const command = "printf '\\u{200b}'";
    expect(shownText({ kind: "exec", command })).toBe(command);
  });
});
