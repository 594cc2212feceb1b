/** files.json: how a note is cut into chunks, on preset `reference`. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { chunkMarkdown } from "../../../shared/memory/index.ts";
import { generate } from "./cases.ts";

const chunkCase = z.strictObject({
  id: z.string(),
  tokens: z.number(),
  overlap: z.number(),
  text_gen: z.union([
    z.string(),
    z.strictObject({
      lines: z.number(),
      prefix: z.string().optional(),
      pad: z.number().optional(),
      finalNewline: z.boolean().optional(),
    }),
    // biome-ignore lint/suspicious/noThenProperty: the recording has this name, and the value is never awaited.
    z.strictObject({ longLine: z.number(), then: z.string().optional() }),
  ]),
  expect: z.array(z.tuple([z.number(), z.number(), z.number()])),
  quirk: z.boolean().optional(),
  note: z.string().optional(),
});

const file = z.object({ suites: z.object({ memory_chunks: z.array(chunkCase).default([]) }) });
const vectorsDir = process.env.VECTORS_DIR ?? "e2e/vectors";
const { memory_chunks } = file.parse(JSON.parse(readFileSync(join(vectorsDir, "files.json"), "utf8"))).suites;

describe("memory_chunks", () => {
  test.each(memory_chunks.map((one) => [one.id, one] as const))("%s", (_id, one) => {
    const chunks = chunkMarkdown(generate(one.text_gen), { tokens: one.tokens, overlap: one.overlap });
    expect(chunks.map(({ startLine, endLine, text }) => [startLine, endLine, text.length])).toEqual(
      one.expect,
    );
  });
});
