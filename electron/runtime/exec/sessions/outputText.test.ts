import { describe, expect, it } from "vitest";
import { createTerminalFilter } from "./cursorQueries.ts";
import { createTextTail, lastChars, sanitizeOutput } from "./outputText.ts";
import { createSessionOutput } from "./sessionOutput.ts";

describe("sanitizeOutput", () => {
  it.each([
    ["keeps tab, LF, CR and ordinary text", "a\tb\r\nc é 记忆 😀", "a\tb\r\nc é 记忆 😀"],
    ["removes other control characters", "a\u0000\u0007\u001b[31mb\u000b\u000c", "a[31mb"],
    ["removes format characters that hide or reorder", "a\u202eb\u200bc\ufeffd\u00ade", "abcde"],
    ["removes lone surrogates and keeps pairs", "\ud83dx\ude00y\ud83d\ude00", "xy😀"],
  ])("%s", (_title, input, expected) => {
    expect(sanitizeOutput(input)).toBe(expected);
  });
});

describe("createTextTail", () => {
  it("keeps exactly the last characters and says that something was dropped", () => {
    const tail = createTextTail(10);
    for (let index = 0; index < 26; index += 1) tail.append(String.fromCharCode(97 + index));
    expect(tail.end(3)).toBe("xyz");
    expect(tail.end(99)).toBe("qrstuvwxyz");
    expect(tail.text()).toBe("qrstuvwxyz");
    expect(tail.truncated()).toBe(true);
    expect(tail.totalChars()).toBe(26);
  });

  it("never keeps half a surrogate pair", () => {
    expect(lastChars("a😀b", 2)).toBe("b");
    expect(lastChars("a😀b", 3)).toBe("😀b");
    expect(lastChars("abc", 0)).toBe("");
  });

  it("is empty after draining", () => {
    const tail = createTextTail(5);
    tail.append("123");
    expect(tail.drain()).toBe("123");
    expect([tail.text(), tail.length(), tail.truncated()]).toEqual(["", 0, false]);
  });
});

describe("createTerminalFilter", () => {
  it("answers both cursor queries, also when split over chunks", () => {
    const filter = createTerminalFilter();
    expect(filter.push("a\u001b[6nb")).toEqual({ text: "ab", answers: ["\u001b[1;1R"] });
    expect(filter.push("x\u001b[")).toEqual({ text: "x", answers: [] });
    expect(filter.push("?6")).toEqual({ text: "", answers: [] });
    expect(filter.push("ny")).toEqual({ text: "y", answers: ["\u001b[?1;1R"] });
  });

  it("keeps other sequences and gives back what was held at the end", () => {
    const filter = createTerminalFilter();
    expect(filter.push("\u001b[31mred\u001b[0m").text).toBe("\u001b[31mred\u001b[0m");
    expect(filter.push("end\u001b[").text).toBe("end");
    expect(filter.flush()).toBe("\u001b[");
    expect(filter.flush()).toBe("");
  });

  it("follows the cursor-key mode, also over chunks", () => {
    const filter = createTerminalFilter();
    expect(filter.cursorKeyMode()).toBe("unknown");
    filter.push("\u001b[?1");
    filter.push("h");
    expect(filter.cursorKeyMode()).toBe("application");
    filter.push("\u001b[?1h\u001b[?1l");
    expect(filter.cursorKeyMode()).toBe("normal");
  });
});

describe("createSessionOutput", () => {
  const open = (overrides: Partial<Parameters<typeof createSessionOutput>[0]> = {}) =>
    createSessionOutput({
      pty: false,
      maxOutputChars: 1000,
      pendingMaxOutputChars: 1000,
      nowMs: () => 0,
      onChunk: () => {},
      onAnswer: () => {},
      ...overrides,
    });

  it("joins characters whose bytes were split, per stream", () => {
    const output = open();
    const bytes = Buffer.from("记é");
    output.intake("stdout", bytes.subarray(0, 2));
    output.intake("stderr", Buffer.from("e"));
    output.intake("stdout", bytes.subarray(2));
    output.finish();
    expect(output.drainPending()).toEqual({ stdout: "记é", stderr: "e" });
    expect(output.aggregated()).toBe("e记é");
    expect(output.drainPending()).toEqual({ stdout: "", stderr: "" });
  });

  it("bounds unread output and marks it", () => {
    const output = open({ pendingMaxOutputChars: 4 });
    output.intake("stdout", Buffer.from("abcdefgh"));
    expect(output.drainPending().stdout).toBe("efgh");
    expect(output.truncated()).toBe(true);
    output.dispose();
  });

  it("numbers raw chunks without gaps, so that a terminal can attach late and follow", () => {
    const live: number[] = [];
    const output = open({ onChunk: (chunk) => live.push(chunk.seq) });
    output.intake("stdout", Buffer.from("\u001b[31mone"));
    const first = output.readScreen(0);
    expect(first.chunks.map((chunk) => chunk.text)).toEqual(["\u001b[31mone"]);
    output.intake("stdout", Buffer.from("two"));
    output.finish();
    expect(live).toEqual([1, 2]);
    expect(output.readScreen(first.lastSeq).chunks.map((chunk) => chunk.text)).toEqual(["two"]);
    expect(output.readScreen(2)).toEqual({ chunks: [], lastSeq: 2, droppedChars: 0 });
  });
});
