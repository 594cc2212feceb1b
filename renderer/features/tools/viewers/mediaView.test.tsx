// @vitest-environment happy-dom

import { cleanup, fireEvent, screen, within } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { AppError } from "../../../../shared/errors/index.ts";
import { renderPanel, type TestHandlers } from "../../../testing/renderPanel.tsx";
import { ResultView } from "../ResultView.tsx";

afterEach(cleanup);

const pixel = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
const picture = { data: pixel, mimeType: "image/gif", width: 1, height: 1 } as const;

function show(tool: string, details: unknown, handlers: TestHandlers, content: unknown[] = []) {
  const result = { content: content as never[], details, isError: false };
  return renderPanel(<ResultView tool={tool} toolCallId="call-1" result={result} />, handlers);
}

describe("pictures of a call", () => {
  it("are asked for by their place in the call, one at a time, with buttons and keys", async () => {
    const asked: unknown[] = [];
    const handlers: TestHandlers = {
      "media.picture": (input) => {
        asked.push(input);
        return {
          ...picture,
          original: { width: 640, height: 480 + input.index, sizeBytes: 12_000 },
          isChanged: input.index === 2,
        };
      },
    };
    const images = [{ image: "a.png" }, { image: "https://example.com/b.png" }, { image: "图.png" }];
    const { container } = show("image", { images }, handlers);
    const first = await screen.findByRole("img", { name: "Picture a.png" });
    expect(first.getAttribute("src")).toBe(`data:image/gif;base64,${pixel}`);
    expect(screen.getByText("640 × 480, 12 kB")).toBeDefined();

    fireEvent.click(screen.getByRole("button", { name: "Next" }));
    // An address is named, and nothing is asked for.
    expect(await screen.findByText(/It came from an address/)).toBeDefined();
    fireEvent.keyDown(screen.getByRole("group", { name: "Pictures of this call" }), { key: "PageDown" });
    await screen.findByRole("img", { name: "Picture 图.png" });
    expect(screen.getByText(/has changed since this call/)).toBeDefined();
    fireEvent.keyDown(screen.getByRole("group", { name: "Pictures of this call" }), { key: "End" });
    expect(asked).toEqual([
      { toolCallId: "call-1", index: 0 },
      { toolCallId: "call-1", index: 2 },
    ]);
    expect(container.querySelectorAll("[src]:not([src^='data:image/'])")).toHaveLength(0);
  });

  it("can be looked at in their own size", async () => {
    const handlers: TestHandlers = {
      "media.picture": () => ({
        ...picture,
        original: { width: null, height: null, sizeBytes: 1 },
        isChanged: false,
      }),
    };
    show("image_generate", { paths: ["/state/media/a.png"] }, handlers);
    const button = await screen.findByRole("button", { name: "Actual size" });
    expect(button.getAttribute("aria-pressed")).toBe("false");
    fireEvent.click(button);
    expect(button.getAttribute("aria-pressed")).toBe("true");
  });

  it("say why they are not shown", async () => {
    const handlers: TestHandlers = {
      "media.picture": () => {
        throw new AppError("FORBIDDEN", "a.png lies outside.");
      },
    };
    show("image", { image: "a.png" }, handlers);
    expect((await screen.findByRole("alert")).textContent).toBe("Not shown: a.png lies outside.");
  });

  it("are the ones of the result where it carries them", async () => {
    const content = [{ type: "image", data: pixel, mimeType: "image/gif" }];
    show("read", { path: "a.gif", mimeType: "image/gif" }, {}, content);
    expect(await screen.findByRole("img", { name: /Image, image\/gif/ })).toBeDefined();
    expect(screen.queryByText("a.gif")).toBeNull();
  });

  it("are not asked for when a tool of somebody else names paths", async () => {
    show("plugin_tool", { image: "/etc/passwd", path: "/etc/a.pdf" }, {}, [{ type: "text", text: "said" }]);
    expect(await screen.findByText("said")).toBeDefined();
    expect(screen.queryByText("/etc/a.pdf")).toBeNull();
  });
});

describe("a document of a call", () => {
  it("is paged through", async () => {
    const asked: number[] = [];
    const handlers: TestHandlers = {
      "media.pdfPage": ({ page }) => {
        asked.push(page);
        return { ...picture, page, pageCount: 12, title: "Minutes", isChanged: false };
      },
    };
    show("pdf", { pdf: "minutes.pdf" }, handlers);
    await screen.findByRole("img", { name: "Page 1 of minutes.pdf" });
    expect(screen.getByText("of 12")).toBeDefined();
    expect(screen.getByText("Minutes")).toBeDefined();
    expect(screen.getByRole("button", { name: "Previous" })).toHaveProperty("disabled", true);
    const pages = screen.getByRole("group", { name: "Pages of minutes.pdf" });
    fireEvent.keyDown(pages, { key: "PageDown" });
    await screen.findByRole("img", { name: "Page 2 of minutes.pdf" });
    expect(within(pages).getByRole("status").textContent).toBe("Page 2 of 12");
    const field = screen.getByRole("textbox", { name: "Page" });
    fireEvent.change(field, { target: { value: "99" } });
    fireEvent.keyDown(field, { key: "Enter" });
    await screen.findByRole("img", { name: "Page 12 of minutes.pdf" });
    expect(field).toHaveProperty("value", "12");
    fireEvent.change(field, { target: { value: "x" } });
    fireEvent.blur(field);
    expect(field).toHaveProperty("value", "12");
    fireEvent.keyDown(pages, { key: "Home" });
    await screen.findByRole("img", { name: "Page 1 of minutes.pdf" });
    expect(asked).toEqual([1, 2, 12]);
  });

  it("can be one of several", async () => {
    const asked: unknown[] = [];
    const handlers: TestHandlers = {
      "media.pdfPage": (input) => {
        asked.push(input);
        return { ...picture, page: input.page, pageCount: 2, title: null, isChanged: false };
      },
    };
    show("pdf", { pdfs: [{ pdf: "a.pdf" }, { pdf: "b.pdf" }] }, handlers);
    await screen.findByRole("img", { name: "Page 1 of a.pdf" });
    // The key goes to the innermost: a page, not a document.
    fireEvent.keyDown(screen.getByRole("group", { name: "Pages of a.pdf" }), { key: "PageDown" });
    await screen.findByRole("img", { name: "Page 2 of a.pdf" });
    const number = screen.getByRole("textbox", { name: "Number of the document" });
    fireEvent.change(number, { target: { value: "2" } });
    fireEvent.keyDown(number, { key: "Enter" });
    await screen.findByRole("img", { name: "Page 1 of b.pdf" });
    expect(asked).toEqual([
      { toolCallId: "call-1", index: 0, page: 1 },
      { toolCallId: "call-1", index: 0, page: 2 },
      { toolCallId: "call-1", index: 1, page: 1 },
    ]);
  });
});
