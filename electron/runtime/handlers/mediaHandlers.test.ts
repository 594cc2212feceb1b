import { link, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ToolCallSnapshot, ToolCallState } from "../../../shared/contract/index.ts";
import { AppError } from "../../../shared/errors/index.ts";
import { pictureFacts } from "../../../shared/media/index.ts";
import type { MediaTools } from "../media/createMediaTools.ts";
import { makeTestMedia, type TestMedia } from "../media/testing/testMedia.ts";
import { makePdf } from "../media/testing/testPdf.ts";
import { alphaPng, gif, hollowPng, jpeg, pixelAt } from "../media/testing/testPictures.ts";
import type { KeptCalls } from "./mediaHandlers.ts";

const kept = new Map<string, { call: ToolCallSnapshot; details: unknown; isError: boolean }>();
const calls: KeptCalls = {
  snapshot: (id) => kept.get(id)?.call,
  get: (id) => {
    const one = kept.get(id);
    if (one === undefined) return undefined;
    const { details, isError } = one;
    return {
      toolCallId: id,
      cancel: () => {},
      outcome: Promise.resolve({ kind: "result", toolCallId: id, content: [], details, isError }),
    };
  },
};

let test: TestMedia;
let handlers: MediaTools["handlers"];
let elsewhere: string;

beforeEach(async () => {
  test = await makeTestMedia({ calls: () => calls });
  handlers = test.media.handlers;
  elsewhere = await realpath(await mkdtemp(path.join(tmpdir(), "sallyport-elsewhere-")));
});
afterEach(async () => {
  kept.clear();
  await test.remove();
  await rm(elsewhere, { recursive: true, force: true });
});

const done: ToolCallState = { kind: "succeeded", durationMs: 1 };
function keep(
  tool: string,
  details: unknown,
  over: { state?: ToolCallState; isError?: boolean } = {},
): string {
  const toolCallId = `call-${kept.size}`;
  const call: ToolCallSnapshot = {
    toolCallId,
    tool,
    agentId: "main",
    sessionKey: "agent:main:test",
    callerId: "mcp:test",
    callerLabel: "Test",
    argsShown: "{}",
    state: over.state ?? done,
    createdAtMs: 0,
    updatedAtMs: 0,
    progress: null,
  };
  kept.set(toolCallId, { call, details, isError: over.isError ?? false });
  return toolCallId;
}

const context = () => ({
  signal: new AbortController().signal,
  principal: { kind: "panel" as const, id: "panel:test", scopes: new Set<never>(), approvalSurface: false },
  connectionId: "test",
});
const picture = (toolCallId: string, index = 0) =>
  Promise.resolve(handlers["media.picture"]({ toolCallId, index }, context()));
const page = (toolCallId: string, number: number, index = 0) =>
  Promise.resolve(handlers["media.pdfPage"]({ toolCallId, index, page: number }, context()));
const put = async (name: string, bytes: Buffer, folder = test.workspace) => {
  const file = path.join(folder, name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, bytes);
  return file;
};
const problem = (promise: Promise<unknown>) =>
  promise.then(
    () => "served",
    (error: unknown) =>
      error instanceof AppError ? `${error.code} ${String(error.data?.kind ?? "")}`.trim() : String(error),
  );

describe("pictures of a call", () => {
  it("are served upright and within bounds, whichever tool named them", async () => {
    await put("photo.jpg", await jpeg({ width: 3000, height: 1000 }, 6));
    const looked = await picture(keep("image", { image: "photo.jpg", pictures: [] }));
    expect(looked).toMatchObject({ mimeType: "image/jpeg", width: 683, height: 2048, isChanged: false });
    expect(looked.original).toMatchObject({ width: 1000, height: 3000 });

    const bytes = alphaPng({ width: 40, height: 30 });
    const made = await put("tool-image-generation/a.png", bytes, path.join(test.stateDir, "media"));
    const details = { paths: [made], pictures: [{ path: made, sizeBytes: bytes.length }] };
    const generated = await picture(keep("image_generate", details));
    expect(generated).toMatchObject({ mimeType: "image/png", width: 40, height: 30, isChanged: false });
    expect(await pixelAt(Buffer.from(generated.data, "base64"), 2, 2)).toEqual([255, 0, 0]);

    const shot = await put("browser/b.png", bytes, path.join(test.stateDir, "media"));
    const screenshot = { path: shot, media: { mediaUrl: shot }, sizeBytes: 1 };
    expect(await picture(keep("browser", screenshot))).toMatchObject({ width: 40, isChanged: true });
    await put("read.png", bytes);
    expect(await picture(keep("read", { path: "read.png", mimeType: "image/png" }))).toMatchObject({
      width: 40,
    });
  });

  it("count by the place in the details", async () => {
    await put("a.png", alphaPng({ width: 10, height: 10 }));
    await put("b.png", alphaPng({ width: 20, height: 10 }));
    const id = keep("image", {
      images: [{ image: "a.png" }, { image: "https://example.com/x.png" }, { image: "b.png" }],
    });
    expect(await picture(id, 2)).toMatchObject({ width: 20 });
    expect(await problem(picture(id, 1))).toBe("NOT_FOUND");
    expect(await problem(picture(id, 3))).toBe("NOT_FOUND");
    expect(await problem(page(id, 1))).toBe("NOT_FOUND");
  });

  it("come from no file that the rules keep closed, even when the details name it", async () => {
    const secret = await put("secret.png", alphaPng({ width: 8, height: 8 }), elsewhere);
    await put("openclaw.json", Buffer.from("{}"), test.stateDir);
    expect(await problem(picture(keep("image", { image: secret })))).toBe("FORBIDDEN outside_roots");
    expect(await problem(picture(keep("image", { image: path.join(test.stateDir, "openclaw.json") })))).toBe(
      "FORBIDDEN protected",
    );
    await symlink(secret, path.join(test.workspace, "link.png"));
    expect(await problem(picture(keep("image", { image: "link.png" })))).toBe("FORBIDDEN outside_roots");
    // Made files lie in the media folder and nowhere else, by real path.
    expect(await problem(picture(keep("image_generate", { paths: [secret] })))).toBe(
      "FORBIDDEN outside_roots",
    );
    await mkdir(path.join(test.stateDir, "media"), { recursive: true });
    const planted = path.join(test.stateDir, "media", "planted.png");
    await symlink(secret, planted);
    expect(await problem(picture(keep("image_generate", { paths: [planted] })))).toBe(
      "FORBIDDEN outside_roots",
    );
    const hard = path.join(test.stateDir, "media", "hard.png");
    await link(path.join(test.stateDir, "openclaw.json"), hard);
    expect(await problem(picture(keep("image_generate", { paths: [hard] })))).toBe("FORBIDDEN protected");
  });

  it("are held to the workspace when the agent is by now", async () => {
    await put("in.png", alphaPng({ width: 8, height: 8 }));
    const outside = await put(
      "out.png",
      alphaPng({ width: 8, height: 8 }),
      path.join(test.stateDir, "media"),
    );
    const [inId, outId] = [keep("image", { image: "in.png" }), keep("image", { image: outside })];
    expect(await problem(picture(outId))).toBe("served");
    test.settings.config = { tools: { fs: { workspaceOnly: true } } };
    expect(await problem(picture(inId))).toBe("served");
    expect(await problem(picture(outId))).toBe("FORBIDDEN path_escape");
  });

  it("are not served for calls that are gone, failed, run still or belong to another tool", async () => {
    await put("a.png", alphaPng({ width: 8, height: 8 }));
    const details = { image: "a.png", path: "a.png", mimeType: "image/png" };
    expect(await problem(picture("never"))).toBe("NOT_FOUND");
    const running: ToolCallState = { kind: "running", startedAtMs: 0 };
    expect(await problem(picture(keep("image", details, { state: running })))).toBe("NOT_FOUND");
    expect(await problem(picture(keep("image", details, { isError: true })))).toBe("NOT_FOUND");
    expect(await problem(picture(keep("plugin_tool", details)))).toBe("NOT_FOUND");
    expect(await problem(picture(keep("constructor", details)))).toBe("NOT_FOUND");
  });

  it("are pixels or nothing", async () => {
    const hostile: [string, Buffer, string][] = [
      ["page.png", Buffer.from("<html><script>alert(1)</script>"), "TOOL_FAILED not_a_picture"],
      ["drawing.svg", Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>"), "TOOL_FAILED not_a_picture"],
      ["bomb.png", hollowPng(60_000, 60_000), "TOOL_FAILED too_many_pixels"],
      ["big.gif", gif(4 * 1024 * 1024), "TOOL_FAILED too_large"],
      ["gone.png", Buffer.alloc(0), "TOOL_FAILED not_a_picture"],
    ];
    for (const [name, bytes, expected] of hostile) {
      await put(name, bytes);
      expect(await problem(picture(keep("image", { image: name }))), name).toBe(expected);
    }
    // What hides behind the end of a picture does not come along.
    await put(
      "tail.png",
      Buffer.concat([alphaPng({ width: 9, height: 9 }), Buffer.from("<script>tail</script>")]),
    );
    const clean = Buffer.from((await picture(keep("image", { image: "tail.png" }))).data, "base64");
    expect(clean.includes("<script>")).toBe(false);
    expect(pictureFacts(clean)?.size).toEqual({ width: 9, height: 9 });
  });

  it("follow the file: the rules are asked again, and another content is drawn anew", async () => {
    await put("a.png", alphaPng({ width: 10, height: 10 }));
    const id = keep("image", { image: "a.png" });
    expect(await picture(id)).toMatchObject({ width: 10 });
    await put("a.png", alphaPng({ width: 30, height: 10 }));
    expect(await picture(id)).toMatchObject({ width: 30 });
    await rm(path.join(test.workspace, "a.png"));
    expect(await problem(picture(id))).toMatch(/not_found/);
  });
});

describe("pages of a document of a call", () => {
  it("are drawn one by one, with text or without, and named", async () => {
    const bytes = makePdf({ pages: ["First page", "会议记录", ""], title: "Minutes", isScan: true });
    await put("minutes.pdf", bytes);
    const id = keep("pdf", { pdf: "minutes.pdf", sizeBytes: bytes.length });
    for (const number of [1, 2, 3, 2]) {
      const shown = await page(id, number);
      expect(shown).toMatchObject({ page: number, pageCount: 3, title: "Minutes", isChanged: false });
      expect(shown.width).toBe(1275);
      expect(pictureFacts(Buffer.from(shown.data, "base64"))?.type).toBe(shown.mimeType);
    }
    expect(await problem(page(id, 4))).toBe("NOT_FOUND");
    expect(await problem(picture(id))).toBe("NOT_FOUND");
  });

  it("come for what read and the browser's pdf named, within the same bounds", async () => {
    const bytes = makePdf({ pages: ["one"] });
    await put("a.pdf", bytes);
    expect(await page(keep("read", { path: "a.pdf", sizeBytes: bytes.length }), 1)).toMatchObject({
      pageCount: 1,
    });
    const printed = await put("browser/p.pdf", bytes, path.join(test.stateDir, "media"));
    expect(await page(keep("browser", { ok: true, path: printed }), 1)).toMatchObject({ pageCount: 1 });
    const secret = await put("s.pdf", bytes, elsewhere);
    expect(await problem(page(keep("browser", { ok: true, path: secret }), 1))).toBe(
      "FORBIDDEN outside_roots",
    );
    expect(await problem(page(keep("read", { path: secret }), 1))).toBe("FORBIDDEN outside_roots");
  });

  it("say what is wrong with a document that cannot be drawn", async () => {
    const cases: [string, Buffer, string][] = [
      ["locked.pdf", makePdf({ pages: ["x"], password: "secret" }), "TOOL_FAILED encrypted_pdf"],
      ["torn.pdf", Buffer.from("%PDF-1.7\nnothing"), "TOOL_FAILED broken_pdf"],
      ["page.pdf", Buffer.from("<html>"), "TOOL_FAILED not_a_pdf"],
    ];
    for (const [name, bytes, expected] of cases) {
      await put(name, bytes);
      expect(await problem(page(keep("pdf", { pdf: name }), 1)), name).toBe(expected);
    }
  });

  it("are given up with the connection", async () => {
    await put("a.pdf", makePdf({ pages: ["one"] }));
    const id = keep("pdf", { pdf: "a.pdf" });
    const asked = handlers["media.pdfPage"](
      { toolCallId: id, index: 0, page: 1 },
      { ...context(), signal: AbortSignal.abort() },
    );
    await expect(Promise.resolve(asked)).rejects.toThrow(/abort/i);
  });
});
