/** The cases of files.json whose tools are built, with their shape: an unknown field is a failure, not a skip. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const texts = z.record(z.string(), z.string());
const tree = z.record(z.string(), z.union([z.string(), z.strictObject({ link: z.string() })]));

const summary = z.strictObject({
  added: z.array(z.string()),
  modified: z.array(z.string()),
  deleted: z.array(z.string()),
});

const patchCase = z.strictObject({
  id: z.string(),
  files: texts.default({}),
  outside: texts.optional(),
  links: texts.optional(),
  hardlinks: texts.optional(),
  workspaceOnly: z.boolean().default(true),
  patch: z.string(),
  quirk: z.boolean().optional(),
  note: z.string().optional(),
  expect: z.strictObject({
    ok: z.boolean(),
    error: z.string().optional(),
    summary: summary.optional(),
    files: tree,
    outside: tree.optional(),
  }),
});

const editCase = z.strictObject({
  id: z.string(),
  file: z.string().nullable(),
  outside: texts.optional(),
  links: texts.optional(),
  hardlinks: texts.optional(),
  workspaceOnly: z.boolean().default(false),
  args: z.record(z.string(), z.unknown()),
  quirk: z.boolean().optional(),
  note: z.string().optional(),
  expect: z.strictObject({
    ok: z.boolean(),
    error: z.string().optional(),
    firstChangedLine: z.number().optional(),
    file: z.string().nullable(),
    outside: texts.optional(),
  }),
});

const generated = z.union([
  z.string(),
  z.strictObject({
    lines: z.number(),
    prefix: z.string().optional(),
    pad: z.number().optional(),
    finalNewline: z.boolean().optional(),
  }),
  // biome-ignore lint/suspicious/noThenProperty: the recording has this name, and the value is never awaited.
  z.strictObject({ longLine: z.number(), then: z.string().optional() }),
]);

const readCase = z.strictObject({
  id: z.string(),
  file_gen: generated.nullable(),
  args: z.record(z.string(), z.unknown()),
  pathKey: z.string().nullable().optional(),
  contextWindow: z.number().optional(),
  quirk: z.boolean().optional(),
  note: z.string().optional(),
  expect: z.strictObject({
    ok: z.boolean(),
    error: z.string().optional(),
    blocks: z.number().optional(),
    next_offset: z.number().nullable().optional(),
    notice_kind: z.string().nullable().optional(),
    text: z.string().optional(),
    text_length_about: z.number().optional(),
  }),
});

export type PatchCase = z.infer<typeof patchCase>;
export type EditCase = z.infer<typeof editCase>;
export type ReadCase = z.infer<typeof readCase>;

const file = z.object({ suites: z.record(z.string(), z.array(z.unknown())) });

export interface FileVectors {
  patches: PatchCase[];
  edits: EditCase[];
  reads: ReadCase[];
  /** Suites of tools that are not built, with their number of cases. */
  others: [name: string, count: number][];
}

/** @param vectorsDir holds files.json */
export function readFileVectors(vectorsDir: string): FileVectors {
  const { suites } = file.parse(JSON.parse(readFileSync(join(vectorsDir, "files.json"), "utf8")));
  const { apply_patch = [], edit = [], read = [], ...others } = suites;
  return {
    patches: z.array(patchCase).parse(apply_patch),
    edits: z.array(editCase).parse(edit),
    reads: z.array(readCase).parse(read),
    others: Object.entries(others).map(([name, cases]) => [name, cases.length]),
  };
}

/** The text that `file_gen` describes. */
export function generate(wanted: NonNullable<ReadCase["file_gen"]>): string {
  if (typeof wanted === "string") return wanted;
  if ("longLine" in wanted) return "y".repeat(wanted.longLine) + (wanted.then ?? "");
  const { lines, prefix = "line ", pad = 0, finalNewline = true } = wanted;
  const padding = pad > 0 ? ` ${"x".repeat(pad)}` : "";
  const text = Array.from({ length: lines }, (_, index) => `${prefix}${index + 1}${padding}`).join("\n");
  return finalNewline ? `${text}\n` : text;
}
