/** HTML text to Markdown or plain text without a DOM: every visible word of the page. */

import { Parser } from "htmlparser2";
import { createMarkdownWriter, type MarkdownOptions } from "./markdownWriter.ts";

/** @param html already cleaned (`cleanHtml`) */
export function htmlToMarkdown(html: string, options: MarkdownOptions): string {
  const writer = createMarkdownWriter(options);
  const parser = new Parser(
    {
      onopentag: (tag, attributes) => writer.open(tag, attributes.href ?? null),
      ontext: (text) => writer.text(text),
      onclosetag: (tag) => writer.close(tag),
    },
    { decodeEntities: true },
  );
  parser.end(html);
  return writer.result();
}
