/** files.json: Markdown pages as text. */
import { describe, expect, test } from "vitest";
import { markdownToText } from "../../../shared/web/index.ts";
import { readWebVectors } from "./webCases.ts";

describe("markdown_to_text", () => {
  test.each(readWebVectors().markdown_to_text.map((one) => [one.id, one] as const))("%s", (_id, one) => {
    expect(markdownToText(one.input)).toBe(one.output);
  });
});
