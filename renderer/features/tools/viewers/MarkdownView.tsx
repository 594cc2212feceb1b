/** Markdown of a page as formatted text: no HTML, no pictures from outside, links as text with their address. */

import Markdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";

/** The text is untrusted: nothing in it may load, open or run anything. */
const components: Components = {
  a: ({ children, href }) => (
    <span className="markdown-link" title={href}>
      {children}
    </span>
  ),
  img: ({ alt }) => <span className="second">{alt}</span>,
  input: ({ checked }) => <span aria-hidden="true">{checked === true ? "☑" : "☐"}</span>,
};

export default function MarkdownView({ text }: { text: string }) {
  return (
    <div className="markdown-view">
      <Markdown remarkPlugins={[remarkGfm]} components={components} skipHtml>
        {text}
      </Markdown>
    </div>
  );
}
