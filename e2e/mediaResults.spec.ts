/** Pictures and documents that a call is about, as a person sees them in the built app. */

import { mkdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { makePdf } from "../electron/runtime/media/testing/testPdf.ts";
import { alphaPng, jpeg } from "../electron/runtime/media/testing/testPictures.ts";
import { openGallery } from "./fixtures/gallery.ts";
import { expect, test } from "./fixtures/test.ts";

test.describe.configure({ timeout: 120_000 });

/** Runs in the page: 0 by 0 until the pixels are there. */
const naturalSize = (image: SVGElement | HTMLElement) =>
  image instanceof HTMLImageElement ? [image.naturalWidth, image.naturalHeight] : [];

test("the history shows the pictures that were looked at and the pages of a document, and loads nothing else", async ({
  newPlace,
  launch,
  connect,
  later,
}) => {
  const service = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    const message = { role: "assistant", content: "A lighthouse and the minutes of a meeting." };
    response.end(JSON.stringify({ choices: [{ message, finish_reason: "stop" }] }));
  });
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  later(() => {
    service.closeAllConnections();
    service.close();
  });
  const baseUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}/v1`;
  const local = { baseUrl, api: "openai-completions", models: [{ id: "vl", input: ["text", "image"] }] };
  const config = JSON.stringify({
    tools: { profile: "full" },
    agents: { defaults: { imageModel: "local/vl", pdfModel: "local/vl" } },
    models: { providers: { local } },
  });
  const place = await newPlace({ config });
  const workspace = path.join(place.stateDir, "workspace");
  await mkdir(workspace, { recursive: true });
  const files: [string, Buffer][] = [
    ["灯台.jpg", await jpeg({ width: 640, height: 400, speckles: 300 }, 6)],
    ["chart.png", alphaPng({ width: 300, height: 200, speckles: 40 })],
    ["minutes.pdf", makePdf({ pages: ["Minutes of Monday", "会议记录", "Third page"], title: "Minutes" })],
  ];
  for (const [name, bytes] of files) await writeFile(path.join(workspace, name), bytes);
  const desktop = await launch(place, { width: 1280, height: 800 });
  const agent = await connect(desktop.operator);
  const { panel } = desktop;
  const gallery = await openGallery(desktop);
  const outside: string[] = [];
  panel.on("request", (request) => {
    if (/^(?:https?|file|ftp):/.test(request.url())) outside.push(request.url());
  });

  await agent.call("image", { images: ["灯台.jpg", "chart.png"], prompt: "What is this?" });
  await agent.call("pdf", { pdf: "minutes.pdf" });
  await desktop.open("/tools");
  await panel.getByRole("tab", { name: /History|Calls/ }).click();
  await panel.getByRole("button", { name: /image \{/ }).click();
  const pictures = panel.getByRole("group", { name: "Pictures of this call" });
  const lighthouse = pictures.getByRole("img", { name: "Picture 灯台.jpg" });
  // Upright: the file says so in its EXIF.
  await expect.poll(() => lighthouse.evaluate(naturalSize)).toEqual([400, 640]);
  await gallery.take("tools-pictures");
  await pictures.getByRole("button", { name: "Next" }).click();
  const chart = pictures.getByRole("img", { name: "Picture chart.png" });
  await expect.poll(() => chart.evaluate(naturalSize)).toEqual([300, 200]);

  await panel.getByRole("button", { name: /pdf \{/ }).click();
  const pages = panel.getByRole("group", { name: "Pages of minutes.pdf" });
  await expect(pages.getByRole("img", { name: "Page 1 of minutes.pdf" })).toBeVisible();
  await pages.getByRole("button", { name: "Next" }).press("PageDown");
  const second = pages.getByRole("img", { name: "Page 2 of minutes.pdf" });
  await expect.poll(() => second.evaluate(naturalSize)).toEqual([1275, 1650]);
  await gallery.take("tools-pages");

  // The rules count when somebody looks, not when the call ran.
  await rm(path.join(workspace, "minutes.pdf"));
  await pages.getByRole("button", { name: "Next" }).click();
  await expect(pages.getByRole("alert")).toContainText("Not shown");
  expect(outside).toEqual([]);
  expect(gallery.overflows()).toEqual([]);
});
