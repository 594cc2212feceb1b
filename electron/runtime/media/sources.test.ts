/** Where pictures may come from, through the image tool. */

import { link, mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ToolResult } from "../tools/defineTool.ts";
import { detailsOf } from "../tools/web/testWeb.ts";
import { parseReference } from "./sources.ts";
import { visionFixtures } from "./testing/serviceFixtures.ts";
import { json, makeTestMedia, type TestMedia } from "./testing/testMedia.ts";
import { alphaPng, hollowPng, jpeg } from "./testing/testPictures.ts";

let test: TestMedia;
let picture: Buffer;
const config = (more: Record<string, unknown> = {}) => ({
  agents: { defaults: { imageModel: "openai/gpt-5-mini" } },
  ...more,
});
beforeEach(async () => {
  test = await makeTestMedia();
  picture = await jpeg({ width: 20, height: 10 });
  const fixture = visionFixtures["openai/gpt-5-mini"];
  Object.assign(test.settings.env, fixture.env);
  test.settings.config = config();
  await test.play(fixture.origin, json(fixture.answer));
  await mkdir(path.join(test.stateDir, "media", "inbound"), { recursive: true });
});
afterEach(() => test.remove());

const look = (image: string, more: Record<string, unknown> = {}): Promise<ToolResult> =>
  test.call("image", { image, ...more });
const put = async (file: string, bytes: Buffer = picture) => {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, bytes);
  return file;
};

describe("files", () => {
  it("of the workspace and of the state's media folder are loaded, by every way of writing them", async () => {
    const inside = await put(path.join(test.workspace, "絵 a.jpg"));
    const media = await put(path.join(test.stateDir, "media", "inbound", "b.jpg"));
    for (const way of [
      "絵 a.jpg",
      "@絵 a.jpg",
      `MEDIA:${inside}`,
      pathToFileURL(inside).href,
      "~/.openclaw/workspace/絵 a.jpg",
      media,
    ]) {
      expect(detailsOf(await look(way)), way).toMatchObject({ model: "openai/gpt-5-mini" });
    }
  });

  it("elsewhere are not, by no path and no link", async () => {
    const outside = await put(path.join(test.home, "outside", "o.jpg"));
    await symlink(outside, path.join(test.workspace, "link.jpg"));
    await symlink(path.dirname(outside), path.join(test.workspace, "folder"));
    for (const way of [
      outside,
      "link.jpg",
      "folder/o.jpg",
      "../../outside/o.jpg",
      pathToFileURL(outside).href,
    ]) {
      await expect(look(way), way).rejects.toMatchObject({ data: { kind: "outside_roots" } });
    }
    await expect(look("/proc/self/environ")).rejects.toMatchObject({ data: { kind: "protected" } });
    await put(path.join(test.stateDir, "openclaw.json"), Buffer.from("{}"));
    await expect(look("~/.openclaw/openclaw.json")).rejects.toMatchObject({ data: { kind: "protected" } });
    await expect(look("//server/share/a.jpg")).rejects.toThrow(/network shares/);
    await expect(look("file://server/share/a.jpg")).rejects.toMatchObject({
      data: { kind: "bad_reference" },
    });
    await expect(look("missing.jpg")).rejects.toMatchObject({ data: { kind: "not_found" } });
    await mkdir(path.join(test.workspace, "dir"));
    await expect(look("dir")).rejects.toMatchObject({ data: { kind: "not_a_file" } });
  });

  it("are those of the workspace alone when the agent is held to it", async () => {
    const media = await put(path.join(test.stateDir, "media", "b.jpg"));
    await put(path.join(test.workspace, "a.jpg"));
    await link(media, path.join(test.workspace, "hard.jpg"));
    test.settings.config = config({ tools: { fs: { workspaceOnly: true } } });
    expect(detailsOf(await look("a.jpg"))).toMatchObject({ image: "a.jpg" });
    for (const way of [media, "hard.jpg"]) {
      await expect(look(way), way).rejects.toMatchObject({ data: { kind: "path_escape" } });
    }
  });

  it("are judged by what they are, not by their name", async () => {
    await put(path.join(test.workspace, "a.png"), Buffer.from("just text"));
    await put(path.join(test.workspace, "a.txt"), alphaPng({ width: 9, height: 9 }));
    await put(path.join(test.workspace, "bomb.png"), hollowPng(50_000, 50_000));
    await expect(look("a.png")).rejects.toThrow(/a\.png is no picture \(text\)/);
    expect(detailsOf(await look("a.txt"))).toMatchObject({ pictures: [{ mimeType: "image/png" }] });
    await expect(look("bomb.png")).rejects.toMatchObject({ data: { kind: "too_many_pixels" } });
  });
});

describe("addresses", () => {
  it("of the public internet are loaded; private ones and redirects to them are not", async () => {
    const server = await test.serve((request, response) => {
      if (request.url === "/go") response.writeHead(302, { location: "http://127.0.0.1/a.jpg" }).end();
      else if (request.url === "/none") response.writeHead(404).end();
      else response.writeHead(200, { "content-type": "text/plain" }).end(picture);
    });
    expect(detailsOf(await look(server.url("/a.jpg?q=1")))).toMatchObject({
      image: server.url("/a.jpg?q=1"),
    });
    expect(server.requests[0]?.headers.accept).toBe("image/*");
    for (const url of [
      "http://127.0.0.1:1/a.jpg",
      "http://169.254.169.254/a",
      server.url("/go"),
      "http://localhost/a",
    ]) {
      await expect(look(url), url).rejects.toMatchObject({ data: { kind: "blocked" } });
    }
    await expect(look(server.url("/none"))).rejects.toThrow(/status 404/);
  });
});

describe("a sandboxed session", () => {
  beforeEach(() => {
    test.settings.isSandboxed = true;
    test.settings.config = {
      agents: {
        defaults: { imageModel: "openai/gpt-5-mini", sandbox: { mode: "all", workspaceAccess: "rw" } },
      },
    };
  });

  it("loads the files of its sandbox, and from its inbox by name; nothing else and no address", async () => {
    await put(path.join(test.workspace, "a.jpg"));
    await put(path.join(test.workspace, "media", "inbound", "got.jpg"));
    const outside = await put(path.join(test.home, "outside", "o.jpg"));
    await symlink(outside, path.join(test.workspace, "link.jpg"));
    expect(detailsOf(await look("/workspace/a.jpg"))).toMatchObject({ image: "/workspace/a.jpg" });
    expect(detailsOf(await look("/somewhere/got.jpg"))).toMatchObject({
      rewrittenFrom: "/somewhere/got.jpg",
    });
    await expect(look(outside)).rejects.toMatchObject({ data: { kind: "path_escape" } });
    await expect(look("link.jpg")).rejects.toMatchObject({ data: { kind: "path_escape" } });
    await expect(look("nothing.jpg")).rejects.toMatchObject({ data: { kind: "not_found" } });
    await expect(look("http://public.test/a.jpg")).rejects.toMatchObject({ data: { kind: "no_sandbox" } });
    const base64 = picture.toString("base64");
    expect(detailsOf(await look(`data:image/jpeg;base64,${base64}`))).toMatchObject({ attempts: [] });
  });
});

it.each([
  ["C:\\pictures\\a.png", "path"],
  ["a b.png", "path"],
  ["HTTP://x.example/a", "url"],
  ["data:image/png;charset=x;base64,AAAA", "data"],
  ["data:image/png,AAAA", "unsupported"],
  ["data:,", "unsupported"],
  ["ftp://x", "unsupported"],
  ["blob:abc", "unsupported"],
])("takes %s for a %s", (text, kind) => {
  expect(parseReference(text).kind).toBe(kind);
});
