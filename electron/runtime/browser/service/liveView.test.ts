/** The live view on a real Chromium: it shows the page in the size that the page has, whatever pictures are taken meanwhile. */

import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { systemClock } from "../../clock.ts";
import { silentLogger } from "../../logging/logger.ts";
import { type Tab, whileNudged, whileResized } from "../tabs/tab.ts";
import { createScreencasts, type Screencasts } from "./screencast.ts";
import type { Actor } from "./serviceTypes.ts";
import { smallPicture } from "./smallPicture.ts";
import { startTestDesk, startTestSite, type TestDesk, type TestSite } from "./testDesk.ts";

let desk: TestDesk;
let site: TestSite;
let tab: Tab;
const frames: { width: number; height: number }[] = [];
let casts: Screencasts;

const person: Actor = {
  kind: "person",
  label: "test",
  callerId: "test",
  agentId: null,
  sessionKey: null,
  toolCallId: null,
  signal: undefined,
};
const long = { timeout: 120_000 };

beforeAll(async () => {
  [desk, site] = await Promise.all([startTestDesk(), startTestSite()]);
  site.pages.set(
    "/live",
    `<h1>Live</h1><button>One</button><p>${"words and more ".repeat(400)}</p>
    <script>window.sizes = []; addEventListener("resize", () => sizes.push(innerWidth + "x" + innerHeight))</script>`,
  );
  await desk.call({ action: "open", url: `${site.url}/live` });
  tab = await desk.service.tab({});
  casts = createScreencasts({
    clock: systemClock,
    logger: silentLogger,
    onFrame: ({ viewportWidth, viewportHeight }) => {
      frames.push({ width: viewportWidth, height: viewportHeight });
    },
    onEnded: () => {},
  });
}, 120_000);

afterAll(async () => {
  await casts?.dispose();
  await desk?.dispose();
  await site?.close();
}, 60_000);

const view = () => tab.page.evaluate("({ width: innerWidth, height: innerHeight })");
const sizesSeen = () => tab.page.evaluate("sizes");
const change = () => tab.page.evaluate("void (document.querySelector('h1').textContent = Math.random())");
const shot = (part: { fullPage?: boolean; element?: string }) =>
  desk.service.screenshot({}, { fullPage: false, type: "png", ...part }, person);

/** Changes the page until a frame of it came. */
async function nextFrame() {
  const before = frames.length;
  await expect
    .poll(
      async () => {
        await change();
        return frames.length;
      },
      { timeout: 30_000, interval: 200 },
    )
    .toBeGreaterThan(before);
  return frames.at(-1);
}

it("frames are in the size of the page, whatever the panel asks for", long, async () => {
  const before = await view();
  for (const maxWidth of [1280, 400]) {
    const { castId } = await casts.start(tab, {
      connectionId: "panel",
      maxWidth,
      maxHeight: 900,
      quality: 60,
      maxFps: 15,
    });
    expect(await nextFrame()).toEqual(before);
    expect(await view()).toEqual(before);
    await casts.stop(castId, "panel");
  }
});

it(
  "pictures of the film, of the view, of elements and of whole pages change nothing of it",
  long,
  async () => {
    const before = await view();
    await casts.start(tab, {
      connectionId: "panel",
      maxWidth: 1280,
      maxHeight: 900,
      quality: 60,
      maxFps: 15,
    });
    await nextFrame();
    frames.length = 0;
    for (let count = 0; count < 3; count += 1) expect((await smallPicture(tab))?.width).toBe(320);
    await shot({});
    expect(await sizesSeen()).toEqual([]);
    await shot({ element: "p" });
    await shot({ fullPage: true });
    await nextFrame();
    expect(frames).toEqual(frames.map(() => before));
    expect(await view()).toEqual(before);
  },
);

it("a size that an agent gave stays when pictures are taken", long, async () => {
  await desk.call({ action: "act", request: { kind: "resize", width: 640, height: 480 } });
  await shot({ fullPage: true });
  expect((await smallPicture(tab))?.height).toBe(240);
  expect(await view()).toEqual({ width: 640, height: 480 });
  await expect.poll(nextFrame, { timeout: 30_000 }).toEqual({ width: 640, height: 480 });
});

it("no other picture is asked for while a page is resized for one", long, async () => {
  const send = vi.spyOn(tab.cdp, "send");
  const asked = () => send.mock.calls.filter(([method]) => method === "Page.captureScreenshot").length;
  const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
  try {
    await whileNudged(tab, () => wait(1000));
    expect(asked()).toBeGreaterThan(0);
    send.mockClear();
    let film: Promise<unknown> = Promise.resolve();
    const askedMeanwhile = await whileResized(tab, async () => {
      film = smallPicture(tab);
      await whileNudged(tab, () => wait(1000));
      return asked();
    });
    expect(askedMeanwhile).toBe(0);
    expect(await film).not.toBeNull();
    expect(asked()).toBeGreaterThan(0);
  } finally {
    send.mockRestore();
  }
});

it("a person who looks at another tab does not move what an agent means by the tab", long, async () => {
  const opened = await desk.call({ action: "open", url: `${site.url}/live` });
  expect(opened.isError ?? false).toBe(false);
  const agents = await desk.service.tab({});
  const other = tab.targetId;
  expect(agents.targetId).not.toBe(other);
  await desk.service.snapshot({ targetId: other }, { viewer: "panel", format: "dense" }, person);
  await desk.service.screenshot({ targetId: other }, { fullPage: false, type: "png" }, person);
  expect((await desk.service.tab({})).targetId).toBe(agents.targetId);
  await desk.call({ action: "snapshot", targetId: other });
  expect((await desk.service.tab({})).targetId).toBe(other);
});

it("tabs in the background are drawn in time, again and again", { timeout: 180_000 }, async () => {
  for (let round = 0; round < 6; round += 1) {
    const opened = await desk.call({ action: "open", url: `${site.url}/live` });
    expect(opened.isError ?? false).toBe(false);
    const behind = (await desk.service.tabs(undefined)).filter(({ isLastUsed }) => !isLastUsed);
    for (const { targetId } of behind.slice(-2)) {
      const { picture } = await desk.service.screenshot(
        { targetId },
        { fullPage: false, type: "jpeg" },
        person,
      );
      expect(picture.width).toBeGreaterThan(0);
      expect(await smallPicture(await desk.service.tab({ targetId }))).not.toBeNull();
    }
  }
});
