import { StringDecoder } from "node:string_decoder";
import { describe, expect, it } from "vitest";
import { createOutputBatch } from "./outputBatch.ts";
import { lastChars, sanitizeOutput } from "./outputText.ts";
import type { OutputStream } from "./types.ts";

const kept = { totalChars: 5000, streamChars: 700 };

interface Chunk {
  stream: OutputStream;
  bytes: Buffer;
}

/** Same seed, same samples. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const letters = [..."abcdefghij \n\té記憶😀"];
/** What cleaning removes, too, so that an end may be shorter than it looks. */
const hostile = [...letters, "\u0000", "\u0007", "\u200b", "\u202e", "\u001b[31m"];

function chunksOf(
  seed: number,
  totalBytes: number,
  alphabet: readonly string[],
  stderrEvery: number,
): Chunk[] {
  const random = randomFrom(seed);
  const chunks: Chunk[] = [];
  for (let size = 0; size < totalBytes; ) {
    const text = Array.from({ length: 20 + random(60) }, () => alphabet[random(alphabet.length)] ?? "").join(
      "",
    );
    const whole = Buffer.from(text.repeat(40));
    // Cut anywhere, inside characters as well.
    const cut = random(whole.length);
    const stream = stderrEvery > 0 && random(stderrEvery) === 0 ? "stderr" : "stdout";
    chunks.push({ stream, bytes: whole.subarray(0, cut) }, { stream, bytes: whole.subarray(cut) });
    size += whole.length;
  }
  return chunks;
}

/** Everything decoded and cleaned, nothing left out. */
function naive(chunks: readonly Chunk[]): { all: string; stdout: string; stderr: string } {
  const decoders = { stdout: new StringDecoder("utf8"), stderr: new StringDecoder("utf8") };
  const text = { all: "", stdout: "", stderr: "" };
  const add = (stream: OutputStream, raw: string) => {
    const clean = sanitizeOutput(raw);
    text.all += clean;
    text[stream] += clean;
  };
  for (const { stream, bytes } of chunks) add(stream, decoders[stream].write(bytes));
  for (const stream of ["stdout", "stderr"] as const) add(stream, decoders[stream].end());
  return text;
}

function batched(chunks: readonly Chunk[]) {
  const batch = createOutputBatch(kept);
  const text = { all: "", stdout: "", stderr: "" };
  let skipped = 0;
  const take = (isLast: boolean) => {
    const { pieces, skippedBytes } = batch.take(isLast);
    skipped += skippedBytes;
    for (const { stream, clean } of pieces) {
      text.all += clean;
      text[stream] += clean;
    }
  };
  for (const { stream, bytes } of chunks) {
    batch.addBytes(stream, bytes);
    if (batch.isFull()) take(false);
  }
  take(true);
  return { ...text, skipped };
}

describe("the batch of output", () => {
  it.each([
    ["plain text on one stream", letters, 0, true],
    ["plain text with some errors between", letters, 200, null],
    ["both streams alike", letters, 2, true],
    ["text that cleaning shortens", hostile, 3, true],
    ["what cleaning removes altogether", ["\u0000", "\u0007"], 0, false],
  ] as const)(
    "ends as if nothing had been left out: %s",
    (_title, alphabet, stderrEvery, isSkipping) => {
      for (const seed of [1, 2]) {
        const chunks = chunksOf(seed, 2_500_000, alphabet, stderrEvery);
        const whole = naive(chunks);
        const got = batched(chunks);
        expect(lastChars(got.all, kept.totalChars)).toBe(lastChars(whole.all, kept.totalChars));
        for (const stream of ["stdout", "stderr"] as const)
          expect(lastChars(got[stream], kept.streamChars)).toBe(lastChars(whole[stream], kept.streamChars));
        // With few errors in a flood all of it may still matter, and then nothing is left out.
        if (isSkipping !== null) expect(got.skipped > 0).toBe(isSkipping);
      }
    },
    30_000,
  );

  it("keeps the little that one stream said before the other one flooded", () => {
    const chunks: Chunk[] = [
      { stream: "stderr", bytes: Buffer.from("warning: look here\n") },
      ...chunksOf(4, 1_500_000, letters, 0),
    ];
    const got = batched(chunks);
    expect(got.stderr).toBe("warning: look here\n");
    expect(lastChars(got.all, kept.totalChars)).toBe(lastChars(naive(chunks).all, kept.totalChars));
  });

  it("leaves nothing out of what is small", () => {
    const chunks = chunksOf(5, 200_000, hostile, 3);
    const whole = naive(chunks);
    expect(batched(chunks)).toEqual({ ...whole, skipped: 0 });
  });

  it("takes smaller steps while it has to look at everything", () => {
    const batch = createOutputBatch(kept);
    const nothing = Buffer.alloc(65_536);
    const untilFull = (): number => {
      let steps = 0;
      while (!batch.isFull()) {
        batch.addBytes("stdout", nothing);
        steps += 1;
      }
      batch.take();
      return steps;
    };
    expect(untilFull()).toBe(32);
    expect(untilFull()).toBe(1);
  });
});
