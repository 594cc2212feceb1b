import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanHtml, htmlToMarkdown, isHiddenStyle, markdownToText, webArgs } from "./index.ts";

const rich = { mode: "markdown", isRich: true, baseUrl: "https://example.com/dir/page" } as const;
const read = (html: string) => htmlToMarkdown(cleanHtml(html).html, rich);

describe("text that a reader does not see", () => {
  it.each([
    ["display:none"],
    ["DISPLAY : NONE !important"],
    ["visibility:hidden"],
    ["opacity:0.0"],
    ["font-size:0px"],
    ["text-indent:-5000px"],
    ["left:-100em"],
    ["color:rgba(0,0,0,0)"],
    ["color:#fff0"],
    ["color:hsl(0 0% 0% / 0)"],
    ["clip-path: inset(50%)"],
    ["transform: scale(0)"],
    ["transform: translateX(-9999px)"],
    ["width:0;height:0px;overflow:hidden"],
    ["dis/**/play:none"],
    ["d\\69splay:none"],
  ])("is dropped when it has the style %s", (style) => {
    expect(isHiddenStyle(style)).toBe(true);
    expect(read(`<p>seen</p><div style="${style}">unseen<b>too</b></div><p>end</p>`)).toBe("seen\n\nend");
  });

  it.each(["color:rgb(0,0,0)", "opacity:0.5", "left:-10px", "font-size:10px", "width:0", "color:#fff"])(
    "stays with the style %s",
    (style) => expect(isHiddenStyle(style)).toBe(false),
  );

  it("is dropped with all that is inside, and what follows stays", () => {
    expect(read('a<div hidden><ul><li>x<li>y</ul><p>z</div>b<span aria-hidden="TRUE">c</span>d')).toBe("abd");
    expect(
      read('<div class="Sr-Only x">a</div><template>b</template><!-- c --><svg><title>d</title></svg>e'),
    ).toBe("e");
    expect(read('<input type="hidden" value="v"><p style="display&#58;none">a</p><p>b</p>')).toBe("b");
  });

  it("goes together with missing and repeated frames of a page", () => {
    const page = cleanHtml("<title>A</title><p>one</p></body></html><body><title>B</title><p>two");
    expect(page).toMatchObject({ title: "A", textChars: 6 });
    expect(page.html).toBe("<html><head><title>A</title></head><body><p>one</p><p>two</p></body></html>");
  });

  it("is counted, so that a page made by scripts is known", () => {
    const page = cleanHtml(
      '<title>T &amp; U</title><div id="root"></div><noscript>You need to enable JavaScript.</noscript><script src="x"></script>',
    );
    expect(page).toMatchObject({ title: "T & U", scripts: 1, wantsScripts: true, textChars: 0 });
  });
});

describe("HTML as Markdown", () => {
  it("keeps headings, lists, tables, code, quotes and absolute links", () => {
    const html = `<h1>Title</h1><p>One <a href="../x y">link</a>, <a href="javascript:alert(1)">none</a>.</p>
      <ol><li>first<ul><li>inner</li></ul></li><li>second</li></ol>
      <pre><code>if (a &lt; b) {
  run();
}</code></pre><p>Inline <code>x &amp; y</code>.</p><blockquote><p>said</p><p>more</p></blockquote>
      <table><tr><th>Name</th><th>Size</th></tr><tr><td>a</td><td>1</td></tr></table><h2><a href="/s">Sec</a></h2>`;
    expect(read(html)).toBe(
      [
        "# Title\n\nOne [link](https://example.com/xy), none.",
        "1. first\n  - inner\n2. second",
        "```\nif (a < b) {\n  run();\n}\n```",
        "Inline `x & y`.",
        "> said\n>\n> more",
        "Name | Size\n--- | ---\na | 1",
        "## [Sec](https://example.com/s)",
      ].join("\n\n"),
    );
  });

  it("keeps words of Chinese, Japanese and emoji whole", () => {
    expect(read("<p>你好，<b>世界</b>🙂</p><p>こんにちは</p>")).toBe("你好，世界🙂\n\nこんにちは");
  });

  it("never throws, leaves no tag behind and ends for any nesting", () => {
    const piece = fc.constantFrom(
      "<a href=/x>",
      "</a>",
      "<li>",
      "<ol>",
      "</ol>",
      "<pre>",
      "</pre>",
      "<td>",
      "<tr>",
      "</table>",
      "<code>",
      "</code>",
      "<blockquote>",
      "<h2>",
      "</h2>",
      "<script>",
      "</script>",
      "<p hidden>",
      "</p>",
      "text ",
      "\n",
      "<!--",
      "-->",
      "<b",
      '"',
      ">",
      "&lt;",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = read(pieces.join(""));
        expect(text).not.toMatch(/\n{3,}/);
      }),
      { numRuns: 500 },
    );
  });

  it("takes time in proportion to the page, a hundred thousand levels deep or full of open brackets", () => {
    const startMs = performance.now();
    read(`${"<div>".repeat(100_000)}deep`);
    read("<".repeat(300_000));
    read("<a href='x'>".repeat(50_000));
    for (const style of ["/*", "translate(", "transform:translate(1,", "\\61", "rgb(,"]) {
      read(`<p style="color:${style.repeat(100_000)}">x</p>`);
    }
    expect(performance.now() - startMs).toBeLessThan(8000);
  });
});

describe("Markdown as text", () => {
  it("unwraps fences, links and lists", () => {
    expect(markdownToText("## A\n\n```js\nx()\n```\n* [b](c)\n1) d")).toBe("A\n\nx()\n\nb\nd");
  });
});

describe("arguments", () => {
  it("take both spellings, the real one first, numbers as text, and no empty text", () => {
    const read = webArgs(["url", "maxChars", "date_after"], ["maxChars"]);
    expect(read({ url: " x ", max_chars: "500 characters", dateAfter: "2024-01-01" })).toEqual({
      url: "x",
      maxChars: 500,
      date_after: "2024-01-01",
    });
    expect(read({ url: "", maxChars: 1, max_chars: 2, __proto__: { url: "evil" } })).toEqual({ maxChars: 1 });
  });
});
