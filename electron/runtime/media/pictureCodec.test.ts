import { monitorEventLoopDelay } from "node:perf_hooks";
import { describe, expect, it } from "vitest";
import { pictureFacts } from "../../../shared/media/index.ts";
import { pictureForModel, pictureForResult } from "./pictureCodec.ts";
import {
  alphaPng,
  gif,
  hollowPng,
  jpeg,
  opaquePng,
  pixelAt,
  pngWithOrientation,
  webp,
  webpWithOrientation,
} from "./testing/testPictures.ts";

const never = new AbortController().signal;
const mebibyte = 1024 * 1024;
const forModel = (bytes: Buffer, maxBytes = 6 * mebibyte, isWhiteBehind = true) =>
  pictureForModel(bytes, { name: "a.png", maxBytes, isWhiteBehind, signal: never });
const forResult = (bytes: Buffer, maxSide = 1200) =>
  pictureForResult(bytes, { name: "a.png", maxSide, isWhiteBehind: true, signal: never });

describe("what a vision model gets", () => {
  it("is encoded anew even when it is small: opaque PNG, JPEG and WebP become JPEG", async () => {
    for (const bytes of [
      await opaquePng({ width: 40, height: 20 }),
      await jpeg({ width: 40, height: 20 }),
      await webp({ width: 40, height: 20 }),
    ]) {
      const picture = await forModel(bytes);
      const isClear = pictureFacts(bytes)?.hasAlpha === true;
      expect(picture).toMatchObject({ mimeType: "image/jpeg", width: 40, height: 20, isReencoded: true });
      expect(pictureFacts(picture.bytes)).toMatchObject({ type: "image/jpeg", hasAlpha: false });
      expect(isClear && pictureFacts(bytes)?.type === "image/png").toBe(false);
      expect(picture.bytes.equals(bytes)).toBe(false);
    }
  });

  it("stays a PNG when it is one with an alpha channel", async () => {
    const picture = await forModel(alphaPng({ width: 3000, height: 1000, isClear: true }));
    expect(picture).toMatchObject({ mimeType: "image/png", width: 2048, height: 683 });
    expect(pictureFacts(picture.bytes)).toMatchObject({ hasAlpha: true, size: { width: 2048, height: 683 } });
  });

  it("becomes a JPEG when a PNG with alpha fits in no size, on white or, as in the reference, on black", async () => {
    const bytes = alphaPng({ width: 820, height: 820, speckles: 30_000, isClear: true });
    const white = await forModel(bytes, 400_000);
    expect(white.mimeType).toBe("image/jpeg");
    expect(white.bytes.length).toBeLessThanOrEqual(400_000);
    const clear = alphaPng({ width: 400, height: 400, isClear: true });
    const tight = await webp({ width: 400, height: 400, isClear: true });
    expect(pictureFacts(clear)?.hasAlpha).toBe(true);
    expect(Math.min(...(await pixelAt((await forModel(tight)).bytes, 390, 390)))).toBeGreaterThan(240);
    const black = await forModel(tight, 6 * mebibyte, false);
    expect(Math.max(...(await pixelAt(black.bytes, 390, 390)))).toBeLessThan(15);
  }, 60_000);

  it.each([1, 2, 3, 4, 5, 6, 7, 8])("is turned upright by EXIF orientation %i", async (orientation) => {
    // Where the red corner must be when a viewer shows the file.
    const corners = ["tl", "tr", "br", "bl", "tl", "tr", "br", "bl"];
    const picture = await forModel(await jpeg({ width: 80, height: 40 }, orientation));
    const isTurned = orientation >= 5;
    expect([picture.width, picture.height]).toEqual(isTurned ? [40, 80] : [80, 40]);
    const [width, height] = [picture.width ?? 0, picture.height ?? 0];
    const corner = corners[orientation - 1] ?? "";
    const x = corner.endsWith("r") ? width - 3 : 3;
    const y = corner.startsWith("b") ? height - 3 : 3;
    const [red, green] = await pixelAt(picture.bytes, x, y);
    expect([red > 200, green < 60]).toEqual([true, true]);
    expect(pictureFacts(picture.bytes)?.orientation).toBe(1);
  });

  it("is turned upright when a PNG or WebP carries the orientation", async () => {
    for (const bytes of [
      pngWithOrientation(alphaPng({ width: 80, height: 40 }), 6),
      webpWithOrientation(await webp({ width: 80, height: 40, isClear: true }), 6),
    ]) {
      expect(pictureFacts(bytes)).toMatchObject({ orientation: 6, size: { width: 80, height: 40 } });
      const picture = await forModel(bytes);
      expect([picture.width, picture.height]).toEqual([40, 80]);
      const [red, green] = await pixelAt(picture.bytes, 37, 3);
      expect([red > 200, green < 60]).toEqual([true, true]);
    }
  });

  it("keeps within the cap by smaller sides and qualities, and is never enlarged", async () => {
    const bytes = await jpeg({ width: 2200, height: 1100, speckles: 9000 });
    const roomy = await forModel(bytes);
    expect([roomy.width, roomy.height]).toEqual([2048, 1024]);
    const tight = await forModel(bytes, roomy.bytes.length / 3);
    expect(tight.bytes.length).toBeLessThanOrEqual(roomy.bytes.length / 3);
    expect(tight.width ?? 0).toBeLessThan(2048);
    expect(await forModel(await jpeg({ width: 30, height: 10 }))).toMatchObject({ width: 30, height: 10 });
    const small = await jpeg({ width: 300, height: 300, speckles: 900 });
    await expect(forModel(small, 500)).rejects.toMatchObject({ data: { kind: "too_large" } });
  }, 60_000);

  it("is the GIF itself, up to the cap", async () => {
    expect(await forModel(gif())).toMatchObject({ mimeType: "image/gif", isReencoded: false, bytes: gif() });
    await expect(forModel(gif(2000), 1000)).rejects.toMatchObject({ data: { kind: "too_large" } });
  });

  it("has at most 25 million pixels, by its header and before anything is decoded", async () => {
    await expect(forModel(hollowPng(5001, 5000))).rejects.toMatchObject({
      data: { kind: "too_many_pixels", width: 5001, height: 5000 },
    });
    await expect(forModel(hollowPng(60_000, 60_000))).rejects.toMatchObject({
      data: { kind: "too_many_pixels" },
    });
  });

  it("is refused when it is damaged or no picture, with what it is", async () => {
    const png = await opaquePng({ width: 200, height: 200, speckles: 500 });
    for (const broken of [png.subarray(0, 300), hollowPng(40, 40), Buffer.from([0xff, 0xd8, 0xff, 0xe0])]) {
      await expect(forModel(broken)).rejects.toMatchObject({ data: { kind: "bad_picture" } });
    }
    await expect(forModel(Buffer.from("<!doctype html><p>no</p>"))).rejects.toThrow(/an HTML page/);
    await expect(forModel(Buffer.from("%PDF-1.7"))).rejects.toThrow(/use the pdf tool/);
    await expect(forModel(Buffer.alloc(0))).rejects.toThrow(/empty/);
    await expect(forModel(Buffer.from("字"))).rejects.toMatchObject({ data: { kind: "not_a_picture" } });
  });

  it("keeps the main thread free, and a cancelled call does not wait", async () => {
    const bytes = await jpeg({ width: 3000, height: 3600, speckles: 20_000 });
    const delay = monitorEventLoopDelay({ resolution: 5 });
    const startedMs = performance.now();
    delay.enable();
    const picture = await forModel(bytes);
    delay.disable();
    expect(Math.max(picture.width ?? 0, picture.height ?? 0)).toBe(2048);
    // Held up, the loop would stand still for all of that time. How long it waits in milliseconds is the machine's.
    expect(delay.percentile(99) / 1e6).toBeLessThan((performance.now() - startedMs) / 4);
    const cancel = new AbortController();
    const work = pictureForModel(bytes, {
      name: "a.png",
      maxBytes: 6 * mebibyte,
      isWhiteBehind: true,
      signal: cancel.signal,
    });
    cancel.abort(new Error("cancelled"));
    await expect(work).rejects.toThrow("cancelled");
  }, 60_000);
});

describe("what read shows", () => {
  it("is the file itself when it is small and upright", async () => {
    const bytes = await jpeg({ width: 1200, height: 300 });
    expect(await forResult(bytes)).toMatchObject({ bytes, mimeType: "image/jpeg", isReencoded: false });
    expect(await forResult(gif())).toMatchObject({ isReencoded: false, mimeType: "image/gif" });
  });

  it("is turned upright", async () => {
    expect(await forResult(await jpeg({ width: 80, height: 40 }, 6))).toMatchObject({
      width: 40,
      height: 80,
    });
  });

  it("has its longest side within the limit, with the size of the first step beside it", async () => {
    const picture = await forResult(await opaquePng({ width: 2600, height: 1300 }));
    expect(picture).toMatchObject({
      width: 1200,
      height: 600,
      mimeType: "image/jpeg",
      firstStep: { width: 2000, height: 1000 },
      original: { width: 2600, height: 1300 },
    });
    const wide = await forResult(await opaquePng({ width: 2600, height: 1300 }), 2400);
    expect(wide).toMatchObject({ width: 2000, height: 1000, mimeType: "image/png" });
  }, 60_000);
});
