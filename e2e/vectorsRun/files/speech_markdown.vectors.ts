/** files.json on preset `reference`: Markdown as it is spoken. */
import { describe, expect, test } from "vitest";
import { stripMarkdownForSpeech } from "../../../shared/speech/index.ts";
import { readSpeechVectors } from "./speechCases.ts";

describe("speech_markdown", () => {
  test.each(readSpeechVectors().speech_markdown.map((one) => [one.id, one] as const))("%s", (_id, one) => {
    expect(stripMarkdownForSpeech(one.input, new Set())).toBe(one.output);
  });
});
