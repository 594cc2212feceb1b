/** files.json on preset `reference`: what of a page is read, by its properties. */
import { describe, expect, test } from "vitest";
import { readPage } from "../../../electron/runtime/net/readPage.ts";
import { pageOf, readWebVectors } from "./webCases.ts";

describe("html_extract", () => {
  test.each(readWebVectors().html_extract.map((one) => [one.id, one] as const))("%s", (_id, one) => {
    const page = readPage({
      html: pageOf(one),
      mode: one.mode,
      useArticle: true,
      maxArticleChars: 1_000_000,
      isRich: false,
      url: "https://example.com/",
    });
    expect({ extractor: page.extractor, title: page.title }).toEqual({
      extractor: one.expect.extractor,
      title: one.expect.title,
    });
    for (const text of one.expect.contains) expect(page.text).toContain(text);
    for (const text of one.expect.absent) expect(page.text).not.toContain(text);
  });
});
