/** files.json on preset `reference`: which pages of a document were asked for. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { parsePages } from "../../../shared/media/index.ts";

const pagesCase = z.strictObject({
  id: z.string(),
  input: z.string(),
  maxPages: z.number(),
  quirk: z.boolean().optional(),
  note: z.string().optional(),
  expect: z.union([
    z.strictObject({ ok: z.literal(true), pages: z.array(z.number()) }),
    z.strictObject({ ok: z.literal(false), error: z.string() }),
  ]),
});
const file = z.object({ suites: z.object({ pdf_pages: z.array(pagesCase).default([]) }) });

const vectorsDir = process.env.VECTORS_DIR ?? "e2e/vectors";
const { suites } = file.parse(JSON.parse(readFileSync(join(vectorsDir, "files.json"), "utf8")));

describe("pdf_pages", () => {
  test.each(suites.pdf_pages.map((one) => [one.id, one] as const))("%s", (_id, one) => {
    const found = parsePages(one.input, one.maxPages, new Set());
    const answer = found.ok ? { ok: true, pages: found.pages } : { ok: false, error: found.error };
    expect(answer).toEqual(one.expect);
  });
});
