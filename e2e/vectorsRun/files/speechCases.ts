/** The suites of files.json about speech, with their shape: an unknown field is a failure. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const textCase = z.strictObject({
  id: z.string(),
  input: z.string(),
  output: z.string(),
  quirk: z.boolean().optional(),
  note: z.string().optional(),
});

const policy = z.strictObject({
  enabled: z.boolean().optional(),
  allowText: z.boolean().optional(),
  allowProvider: z.boolean().optional(),
  allowVoice: z.boolean().optional(),
  allowModelId: z.boolean().optional(),
  allowVoiceSettings: z.boolean().optional(),
  allowNormalization: z.boolean().optional(),
  allowSeed: z.boolean().optional(),
});

const directiveCase = z.strictObject({
  id: z.string(),
  text: z.string(),
  policy,
  quirk: z.boolean().optional(),
  note: z.string().optional(),
  expect: z.strictObject({
    cleaned: z.string(),
    hasDirective: z.boolean(),
    spoken: z.string().nullable(),
    provider: z.string().nullable(),
    providerOverrides: z.record(z.string(), z.unknown()),
    warnings: z.number(),
  }),
});

const file = z.object({
  suites: z.object({
    speech_markdown: z.array(textCase).default([]),
    tts_directives: z.array(directiveCase).default([]),
  }),
});

export function readSpeechVectors() {
  const vectorsDir = process.env.VECTORS_DIR ?? "e2e/vectors";
  return file.parse(JSON.parse(readFileSync(join(vectorsDir, "files.json"), "utf8"))).suites;
}
