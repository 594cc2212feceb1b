import { describe, expect, it } from "vitest";
import { namedMedia } from "./namedMedia.ts";

const references = (tool: string, details: unknown) =>
  namedMedia(tool, details).map(({ kind, reference, origin, isFile, sizeBytes }) =>
    [kind, reference, origin, isFile ? "file" : "address", sizeBytes].join(" "),
  );

describe("what a call is about", () => {
  it.each([
    [
      "image",
      { image: "a.png", pictures: [{ sizeBytes: 5, original: { sizeBytes: 9 } }] },
      ["picture a.png given file 9"],
    ],
    [
      "image",
      {
        images: [
          { image: "@a.png" },
          { image: "https://x.test/b" },
          { image: "data:image/png;base64,…" },
          { image: "file:///c.png" },
        ],
      },
      [
        "picture @a.png given file ",
        "picture https://x.test/b given address ",
        "picture data:image/png;base64,… given address ",
        "picture file:///c.png given file ",
      ],
    ],
    ["image", { image: "C:\\a.png" }, ["picture C:\\a.png given file "]],
    ["pdf", { pdf: "a.pdf", sizeBytes: 7 }, ["document a.pdf given file 7"]],
    [
      "pdf",
      { pdfs: [{ pdf: "a.pdf" }, { pdf: "b.pdf" }], sizeBytes: 7 },
      ["document a.pdf given file ", "document b.pdf given file "],
    ],
    [
      "image_generate",
      { paths: ["/m/a.png", "/m/b.png"], pictures: [{ sizeBytes: 1 }], image: "reference.png" },
      ["picture /m/a.png kept file 1", "picture /m/b.png kept file "],
    ],
    [
      "browser",
      { path: "/m/a.png", media: { mediaUrl: "/m/a.png" }, sizeBytes: 3 },
      ["picture /m/a.png kept file 3"],
    ],
    ["browser", { path: "/m/a.pdf" }, ["document /m/a.pdf kept file "]],
    ["browser", { imagePath: "/m/a.jpg" }, ["picture /m/a.jpg kept file "]],
    ["read", { path: "a.png", mimeType: "image/png", sizeBytes: 3 }, ["picture a.png given file 3"]],
    [
      "read",
      { path: "a.png", mimeType: "image/png", sizeBytes: 3, original: { sizeBytes: 8 } },
      ["picture a.png given file 8"],
    ],
    ["read", { path: "A.PDF", sizeBytes: 3 }, ["document A.PDF given file 3"]],
  ])("%s names %j", (tool, details, expected) => {
    expect(references(tool, details)).toEqual(expected);
  });

  it.each([
    ["read", { path: "a.txt" }],
    ["browser", { path: "/downloads/a.zip" }],
    ["exec", { path: "a.png", image: "a.png" }],
    ["image", { status: "error", image: "a.png" }],
    ["image", { error: "too_many_images", image: "a.png" }],
    ["image", null],
    ["image", "a.png"],
    ["image", { images: "a.png" }],
    ["image", { images: [null, 3, { image: 4 }] }],
    ["__proto__", { image: "a.png" }],
    ["image_generate", { paths: { 0: "a.png" } }],
  ])("%s with %j names nothing", (tool, details) => {
    expect(references(tool, details)).toEqual([]);
  });

  it("is bounded", () => {
    expect(namedMedia("image", { images: Array(5000).fill({ image: "a.png" }) })).toHaveLength(32);
  });
});
