/** files.json on preset `reference`: the suites of read, edit and apply_patch. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { generate, readFileVectors } from "./cases.ts";
import { createSandbox, fill, type Outcome, type Sandbox, textOrNull, treeOf } from "./harness.ts";

const { patches, edits, reads, others } = readFileVectors(process.env.VECTORS_DIR ?? "e2e/vectors");

/** Suites of tools that are not there yet; one that gets its own `<suite>.vectors.ts` here is built. */
const laterSuites = new Set([
  "pdf_pages",
  "html_extract",
  "speech_markdown",
  "markdown_to_text",
  "tts_directives",
  "ssrf_hosts",
  "memory_chunks",
]);
const notHere = others.filter(([name]) => !existsSync(new URL(`${name}.vectors.ts`, import.meta.url)));
for (const [name, count] of notHere) {
  if (laterSuites.has(name)) console.log(`not built: files/${name} (${count})`);
}

const unknown = notHere.map(([name]) => name).filter((name) => !laterSuites.has(name));
if (unknown.length > 0) {
  test.each(unknown)("suite %s is known", (name) => expect.fail(`There is no suite ${name} here.`));
}

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = createSandbox();
});
afterEach(() => sandbox.dispose());

/** Our kinds of a failure by the words of the recording, where they differ. */
const kindNames = new Map([
  ["edit_not_found", "not_found"],
  ["edit_duplicate", "duplicate"],
  ["edit_overlap", "overlap"],
  ["edit_no_change", "no_change"],
  ["patch_context_not_found", "context_not_found"],
  ["patch_lines_not_found", "lines_not_found"],
  ["patch_read_failed", "read_failed"],
]);

function errorOf(outcome: Outcome): string | undefined {
  if (outcome.ok) return undefined;
  if (outcome.kind === "patch_syntax") return String(outcome.data.problem);
  return kindNames.get(outcome.kind) ?? outcome.kind;
}

function detailsOf(outcome: Outcome): Record<string, unknown> {
  return outcome.ok ? ((outcome.result.details ?? {}) as Record<string, unknown>) : {};
}

describe("apply_patch", () => {
  test.each(patches.map((one) => [one.id, one] as const))("%s", async (_id, one) => {
    fill(sandbox.outside, { files: one.outside });
    fill(sandbox.root, one);
    const input = one.patch.replaceAll("{ROOT}", sandbox.root).replaceAll("{OUTSIDE}", sandbox.outside);
    const outcome = await sandbox.call("apply_patch", { input }, { workspaceOnly: one.workspaceOnly });
    expect({ ok: outcome.ok, error: errorOf(outcome) }).toEqual({
      ok: one.expect.ok,
      error: one.expect.error,
    });
    if (one.expect.summary !== undefined) {
      const shown = JSON.stringify(detailsOf(outcome).summary).replaceAll(sandbox.outside, "{OUTSIDE}");
      expect(JSON.parse(shown)).toEqual(one.expect.summary);
    }
    expect(treeOf(sandbox.root)).toEqual(one.expect.files);
    if (one.expect.outside !== undefined) expect(treeOf(sandbox.outside)).toEqual(one.expect.outside);
  });
});

describe("edit", () => {
  test.each(edits.map((one) => [one.id, one] as const))("%s", async (_id, one) => {
    fill(sandbox.outside, { files: one.outside });
    fill(sandbox.root, { ...one, files: one.file === null ? {} : { "f.txt": one.file } });
    const outcome = await sandbox.call("edit", one.args, { workspaceOnly: one.workspaceOnly });
    const error = errorOf(outcome);
    // The recording names a missing file and a missing text differently; both are `not_found` of their own tool.
    const isFileMissing = !outcome.ok && outcome.kind === "not_found";
    expect({ ok: outcome.ok, error: isFileMissing ? "file_missing" : error }).toEqual({
      ok: one.expect.ok,
      error: one.expect.error,
    });
    expect(detailsOf(outcome).firstChangedLine).toBe(one.expect.firstChangedLine);
    expect(textOrNull(join(sandbox.root, "f.txt"))).toBe(one.expect.file);
    if (one.expect.outside !== undefined) expect(treeOf(sandbox.outside)).toEqual(one.expect.outside);
  });
});

describe("read", () => {
  test.each(reads.map((one) => [one.id, one] as const))("%s", async (_id, one) => {
    if (one.file_gen !== null) fill(sandbox.root, { files: { "f.txt": generate(one.file_gen) } });
    const pathKey = one.pathKey === undefined ? "path" : one.pathKey;
    const args = { ...one.args, ...(pathKey === null ? {} : { [pathKey]: "f.txt" }) };
    const outcome = await sandbox.call("read", args, {
      workspaceOnly: false,
      contextWindow: one.contextWindow,
    });
    expect({ ok: outcome.ok, error: errorOf(outcome) }).toEqual({
      ok: one.expect.ok,
      error: one.expect.error,
    });
    const cut = detailsOf(outcome).cut as { kind: string; nextOffset: number | null } | undefined;
    if (one.expect.notice_kind !== undefined) expect(cut?.kind ?? null).toBe(one.expect.notice_kind);
    if (one.expect.next_offset !== undefined) expect(cut?.nextOffset ?? null).toBe(one.expect.next_offset);
    if (!outcome.ok) return;
    const { content } = outcome.result;
    expect(content.length).toBe(one.expect.blocks);
    const [first] = content;
    const text = first?.type === "text" ? first.text : "";
    // The offset must also stand in the text, where a model reads it.
    if (typeof one.expect.next_offset === "number") {
      expect(/\[[^\]]*offset=(\d+)[^\]]*\]$/.exec(text)?.[1]).toBe(String(one.expect.next_offset));
    }
    if (one.expect.text !== undefined) expect(text).toBe(one.expect.text);
    if (one.expect.text_length_about !== undefined) {
      const about = one.expect.text_length_about;
      expect(Math.abs(text.length - about), `${text.length} characters`).toBeLessThanOrEqual(
        Math.ceil(about / 100),
      );
    }
  });
});
