import { describe, expect, it } from "vitest";
import { createLineReader } from "./lineReader.ts";

function reader(maxBytes: number) {
  const lines: string[] = [];
  let tooLong = 0;
  const { push } = createLineReader(maxBytes, {
    onLine: (line) => lines.push(line),
    onTooLong: () => {
      tooLong += 1;
    },
  });
  return { push, lines, tooLong: () => tooLong };
}

describe("lines of a stream", () => {
  it.each([1, 2, 5, 4096, 100_000])("are the same when it comes in pieces of %i bytes", (size) => {
    const wanted = ["", "你好 🦉", "w".repeat(20_000), "", "end"];
    const bytes = Buffer.from(wanted.map((line) => `${line}\n`).join(""));
    const { push, lines } = reader(20_000);
    for (let at = 0; at < bytes.length; at += size) {
      const piece = Buffer.from(bytes.subarray(at, at + size));
      push(piece);
      // Whoever sends the next piece may use the same memory again.
      piece.fill(0);
    }
    expect(lines).toEqual(wanted);
  });

  it.each([1, 7, 64])("end for good with one that is too long, in pieces of %i bytes", (size) => {
    const bytes = Buffer.from(`fits\n${"x".repeat(101)}\nlater\n`);
    const { push, lines, tooLong } = reader(100);
    for (let at = 0; at < bytes.length; at += size) push(bytes.subarray(at, at + size));
    expect([lines, tooLong()]).toEqual([["fits"], 1]);
  });
});
