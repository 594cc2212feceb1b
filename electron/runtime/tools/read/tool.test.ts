import { execFileSync } from "node:child_process";
import { link, mkdir, open, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { pictureFacts } from "../../../../shared/media/index.ts";
import { alphaPng, hollowPng, jpeg } from "../../media/testing/testPictures.ts";
import { makeTestDesk, type TestDesk, textOf } from "../files/testDesk.ts";

let desk: TestDesk;
beforeEach(async () => {
  desk = await makeTestDesk();
});
afterEach(() => desk.remove());

const put = (name: string, content: string | Uint8Array) =>
  writeFile(path.join(desk.workspace, name), content);

const tinyPng = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

const tinyPicture = alphaPng({ width: 20, height: 20 });

describe("read", () => {
  it("returns the text as it is, with size and estimate, for Chinese, emoji and CRLF", async () => {
    const text = "你好 🙂\r\nこんにちは\r\n";
    await put("a.txt", text);
    const result = await desk.call("read", { file_path: "a.txt" });
    expect(textOf(result)).toBe(text);
    expect(result.details).toMatchObject({
      sizeBytes: Buffer.byteLength(text),
      totalLines: 3,
      tokenEstimate: 4,
    });
  });

  it("says what was cut, what it costs and where to go on; the pages together are the file", async () => {
    const text = Array.from({ length: 5000 }, (_, index) => `行 ${index + 1} ${"字".repeat(20)}`).join("\n");
    await put("long.txt", text);
    let offset: number | undefined;
    const pages: string[] = [];
    for (;;) {
      const page = textOf(
        await desk.call("read", { path: "long.txt", ...(offset === undefined ? {} : { offset }) }),
      );
      const notice = /\n\n\[[^[]*offset=(\d+)[^[]*tokens[^[]*\]$/.exec(page);
      pages.push(notice === null ? page : page.slice(0, notice.index));
      if (notice === null) break;
      offset = Number(notice[1]);
    }
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.join("\n")).toBe(text);
  });

  it("decides pictures by content, never by name", async () => {
    await put("picture.txt", tinyPng);
    await put("text.png", "no picture");
    const picture = await desk.call("read", { path: "picture.txt" });
    expect(picture.content[1]).toEqual({
      type: "image",
      data: tinyPng.toString("base64"),
      mimeType: "image/png",
    });
    expect(textOf(await desk.call("read", { path: "text.png" }))).toBe("no picture");
  });

  it("shrinks a large picture and names the factor for coordinates", async () => {
    await put("wide.jpg", await jpeg({ width: 2600, height: 1300 }));
    const wide = await desk.call("read", { path: "wide.jpg" });
    expect(textOf(wide)).toMatch(/^Picture wide\.jpg: image\/jpeg, 1200 x 600, /);
    expect(textOf(wide)).toContain(
      "2600 x 1300 pixels and is shown as 1200 x 600. Multiply coordinates by 2.17",
    );
    expect(wide.details).toMatchObject({ width: 1200, original: { width: 2600, height: 1300 } });
    const shown = wide.content[1];
    const bytes = Buffer.from(shown?.type === "image" ? shown.data : "", "base64");
    expect(pictureFacts(bytes)).toMatchObject({ type: "image/jpeg", size: { width: 1200, height: 600 } });
    desk.settings.hardening = new Set();
    expect(textOf(await desk.call("read", { path: "wide.jpg" }))).toContain("shown as 2000 x 1000");
  }, 60_000);

  it("turns a photo upright, and encodes anew what has too many bytes", async () => {
    await put("turned.jpg", await jpeg({ width: 80, height: 40 }, 6));
    expect((await desk.call("read", { path: "turned.jpg" })).details).toMatchObject({
      width: 40,
      height: 80,
    });
    const padded = Buffer.concat([tinyPicture, Buffer.alloc(6 * 1024 * 1024)]);
    await put("heavy.png", padded);
    const heavy = await desk.call("read", { path: "heavy.png" });
    expect(heavy.content).toHaveLength(2);
    expect((heavy.details as { sizeBytes: number }).sizeBytes).toBeLessThan(10_000);
  }, 60_000);

  it("says in a text why a damaged or endless picture is left out", async () => {
    await put("bomb.png", hollowPng(50_000, 50_000));
    const bomb = await desk.call("read", { path: "bomb.png" });
    expect(bomb.content).toHaveLength(1);
    expect(textOf(bomb)).toMatch(/left out: bomb\.png has 50000 x 50000 pixels/);
    await put("torn.jpg", (await jpeg({ width: 2000, height: 400 })).subarray(0, 300));
    expect((await desk.call("read", { path: "torn.jpg" })).details).toMatchObject({ leftOut: "bad_picture" });
  }, 60_000);

  it("refuses binary files and UTF-16 with a way to go on; the reference decodes them", async () => {
    await put("a.bin", Buffer.from([1, 0, 2]));
    await put("utf16.txt", Buffer.from([0xff, 0xfe, 0x41, 0x00]));
    await expect(desk.call("read", { path: "a.bin" })).rejects.toThrow(/no text/);
    await expect(desk.call("read", { path: "utf16.txt" })).rejects.toThrow(/iconv/);
    desk.settings.hardening = new Set();
    expect(textOf(await desk.call("read", { path: "a.bin" }))).toBe("\u0001\u0000\u0002");
  });

  it("refuses folders, pipes, sockets and devices at once", async () => {
    await mkdir(path.join(desk.workspace, "folder"));
    await expect(desk.call("read", { path: "folder" })).rejects.toThrow(/folder/);
    if (process.platform === "win32") return;
    execFileSync("mkfifo", [path.join(desk.workspace, "pipe")]);
    await expect(desk.call("read", { path: "pipe" })).rejects.toThrow(/named pipe/);
    await expect(desk.call("read", { path: "/dev/zero" })).rejects.toThrow(/device/);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(path.join(desk.workspace, "socket"), resolve));
    await expect(desk.call("read", { path: "socket" })).rejects.toThrow(/socket/);
    server.close();
  });

  it("refuses a file that is too large without reading it", async () => {
    const handle = await open(path.join(desk.workspace, "huge.log"), "w");
    await handle.truncate(10 * 1024 ** 3);
    await handle.close();
    await expect(desk.call("read", { path: "huge.log" })).rejects.toThrow(/10240\.0 MiB.*exec/);
  });

  it("finds macOS spellings of a name", async () => {
    await put("Screenshot 1.02\u202FPM.png", tinyPng);
    await put("cafe\u0301.txt", "x");
    expect((await desk.call("read", { path: "Screenshot 1.02 PM.png" })).content).toHaveLength(2);
    expect(textOf(await desk.call("read", { path: "caf\u00e9.txt" }))).toBe("x");
  });

  it("holds an agent to its workspace: outside paths, links out and hard links", async () => {
    await writeFile(path.join(desk.outside, "o.txt"), "outside");
    await symlink(path.join(desk.outside, "o.txt"), path.join(desk.workspace, "link"));
    await symlink(desk.outside, path.join(desk.workspace, "folder"));
    await link(path.join(desk.outside, "o.txt"), path.join(desk.workspace, "hard"));
    const ways = [path.join(desk.outside, "o.txt"), "link", "folder/o.txt", "hard", "../../outside/o.txt"];
    for (const way of ways) expect(textOf(await desk.call("read", { path: way }))).toBe("outside");
    desk.settings.workspaceOnly = true;
    for (const way of ways) {
      await expect(desk.call("read", { path: way }), way).rejects.toMatchObject({
        data: { kind: "path_escape" },
      });
    }
    await put("in.txt", "in");
    await symlink("in.txt", path.join(desk.workspace, "inner"));
    expect(textOf(await desk.call("read", { path: "inner" }))).toBe("in");
  });

  it("stops when the call is cancelled", async () => {
    await put("a.txt", "x");
    await expect(desk.call("read", { path: "a.txt" }, { signal: AbortSignal.abort() })).rejects.toMatchObject(
      { name: "AbortError" },
    );
  });

  it("names a missing path in the schema's own words", async () => {
    await expect(desk.call("read", {})).rejects.toThrow(/path/);
    await expect(desk.call("read", { path: "  " })).rejects.toThrow(/Give the path/);
    await expect(desk.call("read", { path: "a\0b" })).rejects.toThrow(/NUL/);
  });
});
