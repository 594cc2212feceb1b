import { describe, expect, test } from "vitest";
import { createOutputFeed } from "./outputFeed.ts";

function setUp(options: { maxQueuedChars?: number; batchChars?: number } = {}) {
  const written: string[] = [];
  const waiting: (() => void)[] = [];
  const gaps: number[] = [];
  const feed = createOutputFeed({
    write: (text, done) => {
      written.push(text);
      waiting.push(done);
    },
    skippedLine: (chars) => `[${chars} left out]`,
    onGap: (afterSeq) => gaps.push(afterSeq),
    ...options,
  });
  const drain = () => {
    for (let done = waiting.shift(); done !== undefined; done = waiting.shift()) done();
  };
  return { feed, written, gaps, drain, waiting };
}

describe("output feed", () => {
  test("writes chunks in order, one write in flight, the rest as one batch", () => {
    const { feed, written, drain } = setUp();
    feed.push([{ seq: 1, text: "a" }]);
    feed.push([{ seq: 2, text: "b" }]);
    feed.push([{ seq: 3, text: "c" }]);
    expect(written).toEqual(["a"]);
    drain();
    expect(written).toEqual(["a", "bc"]);
  });

  test("ignores chunks it has seen and asks once for a hole", () => {
    const { feed, written, gaps, drain } = setUp();
    feed.push([{ seq: 1, text: "a" }]);
    feed.push([{ seq: 1, text: "a" }]);
    feed.push([{ seq: 4, text: "d" }]);
    feed.push([{ seq: 5, text: "e" }]);
    expect(gaps).toEqual([1]);
    feed.push([
      { seq: 2, text: "b" },
      { seq: 3, text: "c" },
      { seq: 4, text: "d" },
      { seq: 5, text: "e" },
    ]);
    drain();
    expect(written.join("")).toBe("abcde");
  });

  test("skips over a hole that cannot be filled and says how much is missing", () => {
    const { feed, written, drain } = setUp();
    feed.push([{ seq: 1, text: "a" }]);
    feed.skipTo(8, 700);
    feed.push([{ seq: 9, text: "z" }]);
    drain();
    expect(written.join("")).toContain("[700 left out]");
    expect(written.join("").endsWith("z")).toBe(true);
  });

  test("keeps its bound against a hundred megabytes and leaves one marker", () => {
    const { feed, written, drain } = setUp({ maxQueuedChars: 100_000 });
    const line = `${"x".repeat(9_999)}\n`;
    feed.push([{ seq: 1, text: "first\n" }]);
    let most = 0;
    for (let seq = 2; seq <= 10_001; seq += 1) {
      feed.push([{ seq, text: line }]);
      most = Math.max(most, feed.queuedChars());
    }
    expect(most).toBeLessThanOrEqual(100_000);
    drain();
    const text = written.join("");
    expect(text.length).toBeLessThan(120_000);
    expect(text.match(/left out/gu)).toHaveLength(1);
    expect(feed.lastSeq()).toBe(10_001);
  });

  test("holds while paused, counts new lines, and goes on afterwards", () => {
    const { feed, written, drain } = setUp();
    feed.setPaused(true);
    feed.push([{ seq: 1, text: "one\ntwo\n" }]);
    feed.push([{ seq: 2, text: "three\n" }]);
    expect(written).toEqual([]);
    expect(feed.pendingLines()).toBe(3);
    feed.setPaused(false);
    drain();
    expect(written.join("")).toBe("one\ntwo\nthree\n");
    expect(feed.pendingLines()).toBe(0);
  });

  test("writes nothing after dispose", () => {
    const { feed, written } = setUp();
    feed.dispose();
    feed.push([{ seq: 1, text: "a" }]);
    expect(written).toEqual([]);
  });
});
