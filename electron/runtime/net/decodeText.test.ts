import { describe, expect, it } from "vitest";
import { decodeText } from "./decodeText.ts";

const gbk = Buffer.from([0xc4, 0xe3, 0xba, 0xc3]);
const shiftJis = Buffer.from([0x93, 0xfa, 0x96, 0x7b]);
const latin = Buffer.from([0x63, 0x61, 0x66, 0xe9]);
const withMeta = (charset: string, bytes: Buffer) =>
  Buffer.concat([Buffer.from(`<html><head><meta charset="${charset}"></head>`), bytes]);

describe("the encoding of a page", () => {
  it.each([
    ["from the header", gbk, "text/html; charset=gbk", "你好", "gbk"],
    ["from the header in quotes", shiftJis, 'text/html; charset="Shift_JIS"', "日本", "shift_jis"],
    ["from the page", withMeta("gb2312", gbk), "text/html", "你好", "gbk"],
    [
      "from the page when the header does not fit the bytes",
      withMeta("gbk", gbk),
      "text/html; charset=utf-8",
      "你好",
      "gbk",
    ],
    ["from the bytes when header and page do not exist", Buffer.from("你好"), "", "你好", "utf-8"],
    [
      "from the bytes when the header names nothing known",
      Buffer.from("你好"),
      "text/html; charset=nonsense",
      "你好",
      "utf-8",
    ],
    ["as Windows text when nothing else fits", latin, "text/plain", "café", "windows-1252"],
    [
      "from a byte order mark, whatever the header says",
      Buffer.from("\ufeff你好", "utf16le"),
      "text/html; charset=gbk",
      "你好",
      "utf-16le",
    ],
  ])("is taken %s", (_title, bytes, header, text, charset) => {
    const decoded = decodeText(bytes, header, true);
    expect(decoded.text.endsWith(text)).toBe(true);
    expect(decoded.charset).toBe(charset);
  });

  it("survives a character that the cut tore", () => {
    const bytes = Buffer.from("你好").subarray(0, 5);
    expect(decodeText(bytes, "text/html; charset=utf-8", true, true)).toEqual({
      text: "你",
      charset: "utf-8",
    });
  });

  it("is always UTF-8 in the reference", () => {
    expect(decodeText(gbk, "text/html; charset=gbk", false).text).toContain("\ufffd");
  });
});
