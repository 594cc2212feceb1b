/** The suites of files.json about pages and addresses, with their shape: an unknown field is a failure. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const hostCase = z.strictObject({
  id: z.string(),
  host: z.string(),
  blocked: z.boolean(),
  quirk: z.boolean().optional(),
  note: z.string().optional(),
});

const textCase = z.strictObject({
  id: z.string(),
  input: z.string(),
  output: z.string(),
  quirk: z.boolean().optional(),
  note: z.string().optional(),
});

const htmlCase = z.strictObject({
  id: z.string(),
  html: z.string().optional(),
  html_gen: z
    .strictObject({
      head: z.string(),
      open: z.string(),
      times: z.number(),
      inner: z.string(),
      close: z.string(),
      tail: z.string(),
    })
    .optional(),
  mode: z.enum(["markdown", "text"]),
  /** What the page of the recording was called; `expect.title` is what must come out. */
  title: z.string().optional(),
  quirk: z.boolean().optional(),
  note: z.string().optional(),
  expect: z.strictObject({
    extractor: z.string(),
    title: z.string().nullable(),
    contains: z.array(z.string()),
    absent: z.array(z.string()),
    note: z.string().optional(),
  }),
});

const file = z.object({
  suites: z.object({
    ssrf_hosts: z.array(hostCase).default([]),
    markdown_to_text: z.array(textCase).default([]),
    html_extract: z.array(htmlCase).default([]),
  }),
});

export function readWebVectors() {
  const vectorsDir = process.env.VECTORS_DIR ?? "e2e/vectors";
  return file.parse(JSON.parse(readFileSync(join(vectorsDir, "files.json"), "utf8"))).suites;
}

/** The page of a case, written out or made. */
export function pageOf(one: z.infer<typeof htmlCase>): string {
  if (one.html !== undefined) return one.html;
  if (one.html_gen === undefined) throw new Error(`${one.id} has no page.`);
  const { head, open, times, inner, close, tail } = one.html_gen;
  return head + open.repeat(times) + inner + close.repeat(times) + tail;
}
