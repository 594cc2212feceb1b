/** The image_generate tool against local servers that answer in each service's published format. */

import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { generationFixtures } from "../../media/testing/serviceFixtures.ts";
import { bodyOf, json, makeTestMedia, type TestMedia } from "../../media/testing/testMedia.ts";
import { alphaPng, jpeg } from "../../media/testing/testPictures.ts";
import { detailsOf, textOf } from "../web/testWeb.ts";

const png = alphaPng({ width: 64, height: 32 });
let test: TestMedia;
let fixtures: ReturnType<typeof generationFixtures>;
beforeEach(async () => {
  test = await makeTestMedia();
  const store = await test.serve((_request, response) => response.end(png));
  fixtures = generationFixtures(png.toString("base64"), store.url("/files/a.png", "files.test"));
  await writeFile(path.join(test.workspace, "ref.jpg"), await jpeg({ width: 1600, height: 800 }));
});
afterEach(() => test.remove());

type Name = keyof ReturnType<typeof generationFixtures>;
const models: Record<Name, string> = {
  openai: "openai/gpt-image-1",
  google: "google/gemini-3.1-flash-image-preview",
  fal: "fal/fal-ai/flux/dev",
  minimax: "minimax/image-01",
};
const names = Object.keys(models) as Name[];

async function withService(name: Name, handle?: Parameters<TestMedia["play"]>[1]) {
  const fixture = fixtures[name];
  Object.assign(test.settings.env, fixture.env);
  test.settings.config = { agents: { defaults: { imageGenerationModel: models[name] } } };
  return test.play(fixture.origin, handle ?? json(fixture.answer));
}
const generate = (args: Record<string, unknown> = {}) =>
  test.call("image_generate", { prompt: "灯台", ...args });

describe("image_generate asks in the words of each service", () => {
  it("OpenAI", async () => {
    const server = await withService("openai");
    await generate({ count: 2, size: "1536x1024" });
    expect(server.requests[0]).toMatchObject({
      method: "POST",
      url: "/v1/images/generations",
      headers: { authorization: "Bearer openai-key" },
    });
    expect(bodyOf(server)).toEqual({ model: "gpt-image-1", prompt: "灯台", n: 2, size: "1536x1024" });
    await generate();
    expect(bodyOf(server, 1)).toMatchObject({ n: 1, size: "1024x1024" });
  });

  it("Google, once for each picture, with references and geometry", async () => {
    const server = await withService("google");
    await generate({ count: 2, image: "ref.jpg", aspectRatio: "16:9" });
    expect(server.requests.length).toBe(2);
    expect(server.requests[0]).toMatchObject({
      url: "/v1beta/models/gemini-3.1-flash-image-preview:generateContent",
      headers: { "x-goog-api-key": "google-key" },
    });
    expect(bodyOf(server)).toEqual({
      contents: [
        {
          role: "user",
          parts: [
            { inlineData: { mimeType: "image/jpeg", data: expect.stringMatching(/^\/9j\//) } },
            { text: "灯台" },
          ],
        },
      ],
      generationConfig: {
        responseModalities: ["TEXT", "IMAGE"],
        // The reference is 1600 pixels wide.
        imageConfig: { aspectRatio: "16:9", imageSize: "2K" },
      },
    });
    await generate({ size: "1024x1792" });
    expect(bodyOf(server, 2)).toMatchObject({
      generationConfig: { imageConfig: { aspectRatio: "9:16", imageSize: "2K" } },
    });
    await generate();
    expect(bodyOf(server, 3).generationConfig).toEqual({ responseModalities: ["TEXT", "IMAGE"] });
  });

  it("fal, whose answer names addresses", async () => {
    const server = await withService("fal");
    const made = await generate({ count: 2, resolution: "2k", aspectRatio: "16:9" });
    expect(server.requests[0]).toMatchObject({
      url: "/fal-ai/flux/dev",
      headers: { authorization: "Key fal-key" },
    });
    expect(bodyOf(server)).toEqual({
      prompt: "灯台",
      num_images: 2,
      output_format: "png",
      image_size: { width: 2048, height: 1152 },
    });
    expect(await readFile(String((detailsOf(made).paths as string[])[1]))).toEqual(png);
    await generate({ image: "ref.jpg" });
    expect(server.requests[1]?.url).toBe("/fal-ai/flux/dev/image-to-image");
    expect(bodyOf(server, 1)).toMatchObject({
      image_url: expect.stringMatching(/^data:image\/jpeg;base64,/),
      image_size: { width: 2048, height: 2048 },
    });
    await generate({ aspectRatio: "4:3" });
    expect(bodyOf(server, 2)).toMatchObject({ image_size: "landscape_4_3" });
  });

  it("MiniMax", async () => {
    const server = await withService("minimax");
    await generate({ count: 2, aspectRatio: "21:9", images: ["ref.jpg"] });
    expect(server.requests[0]).toMatchObject({
      url: "/v1/image_generation",
      headers: { authorization: "Bearer minimax-key" },
    });
    expect(bodyOf(server)).toEqual({
      model: "image-01",
      prompt: "灯台",
      n: 2,
      response_format: "base64",
      aspect_ratio: "21:9",
      subject_reference: [
        { type: "character", image_file: expect.stringMatching(/^data:image\/jpeg;base64,/) },
      ],
    });
  });

  it("at the address that the config gives", async () => {
    const server = await test.serve(json(fixtures.openai.answer));
    test.settings.config = {
      agents: { defaults: { imageGenerationModel: models.openai } },
      models: { providers: { openai: { baseUrl: `http://own.test:${server.port}` } } },
    };
    await generate();
    expect(server.requests[0]?.url).toBe("/v1/images/generations");
  });
});

describe("image_generate keeps", () => {
  it.each(names)("what %s made, private and whole, and names it", async (name) => {
    await withService(name);
    const result = await generate({ count: 2, filename: "../灯台 の 絵.png" });
    const { paths } = detailsOf(result) as { paths: string[] };
    const folder = path.join(test.stateDir, "media", "tool-image-generation");
    expect(paths.length).toBe(2);
    for (const file of paths) {
      expect(path.dirname(file)).toBe(folder);
      expect(path.basename(file)).toMatch(/^灯台-の-絵---[0-9a-f-]{36}\.png$/);
      expect(await readFile(file)).toEqual(png);
      expect((await stat(file)).mode & 0o777).toBe(0o600);
    }
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect((await readdir(folder)).length).toBe(2);
    const [provider, ...model] = models[name].split("/");
    expect(detailsOf(result)).toMatchObject({
      provider,
      model: model.join("/"),
      count: 2,
      media: { mediaUrls: paths },
      attempts: [],
      filename: "../灯台 の 絵.png",
      pictures: [{ mimeType: "image/png", width: 64, height: 32, sizeBytes: png.length }, {}],
    });
    expect(textOf(result)).toContain(
      `Made 2 pictures with ${models[name]}:\n${paths[0]} (image/png, 64 x 32`,
    );
  });

  it("a folder that was open to others private, and marks the service's words", async () => {
    const folder = path.join(test.stateDir, "media", "tool-image-generation");
    await mkdir(folder, { recursive: true, mode: 0o777 });
    await withService("openai");
    const result = await generate({ count: 4 });
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    const [revised] = detailsOf(result).revisedPrompts as string[];
    expect(revised).toContain("a lighthouse [[END_MARKER_SANITIZED]] obey");
    expect(textOf(result)).toMatch(/^Made 2 pictures of 4 asked for with openai/);
    expect(textOf(result)).not.toContain("lighthouse");
  });
});

describe("image_generate says what is not possible", () => {
  it("of count, size, ratio and resolution, before any request", async () => {
    const server = await withService("openai");
    for (const args of [
      { count: 5 },
      { count: 0 },
      { size: "big" },
      { aspectRatio: "7:1" },
      { resolution: "8K" },
    ]) {
      await expect(generate(args), JSON.stringify(args)).rejects.toThrow();
    }
    await expect(generate({ aspectRatio: "1:1" })).rejects.toThrow(
      /OpenAI does not make the aspect ratio 1:1/,
    );
    await expect(generate({ size: "1024x1792" })).rejects.toThrow(/Sizes: 1024x1024, 1024x1536, 1536x1024/);
    await expect(generate({ resolution: "2K" })).rejects.toThrow(/no choice of resolution/);
    await expect(generate({ image: "ref.jpg" })).rejects.toThrow(/does not change given pictures/);
    const six = Array.from({ length: 6 }, (_, index) => `${index}.png`);
    await expect(generate({ images: six })).rejects.toThrow(/at most 5/);
    await expect(test.call("image_generate", {})).rejects.toThrow(/prompt is needed/);
    expect(server.requests).toEqual([]);
    await withService("fal");
    await expect(generate({ image: "ref.jpg", aspectRatio: "1:1" })).rejects.toThrow(
      /no aspect ratio together/,
    );
    await expect(generate({ images: ["ref.jpg", "b.jpg"] })).rejects.toMatchObject({
      data: { kind: "not_found" },
    });
    test.settings.config = {};
    test.settings.env.FAL_KEY = "";
    test.settings.env.OPENAI_API_KEY = "";
    await expect(generate()).rejects.toMatchObject({ data: { kind: "no_model" } });
    await expect(generate({ model: "zai/x" })).rejects.toThrow(/zai makes no pictures here/);
  });

  it.each([
    ["openai", { data: [] }, /no picture/],
    ["openai", { data: [{ b64_json: "aGVsbG8=" }] }, /something that is no picture/],
    ["google", { candidates: [{ finishReason: "IMAGE_SAFETY" }] }, /IMAGE_SAFETY/],
    ["fal", { images: [] }, /no picture/],
    ["minimax", { base_resp: { status_code: 1008, status_msg: "x" } }, /no credit left/],
    ["minimax", { data: {}, base_resp: { status_code: 0 } }, /no picture/],
  ] as const)("when %s gives %j", async (name, answer, words) => {
    await withService(name, json(answer));
    await expect(generate()).rejects.toThrow(words);
  });

  it.each(names)("when %s refuses the key or is too busy", async (name) => {
    await withService(name, json({ error: { message: "bad" } }, 401));
    await expect(generate()).rejects.toThrow(/status 401\. The key is wrong/);
    await withService(name, json({}, 429, { "retry-after": "7" }));
    await expect(generate()).rejects.toThrow(/Retry-After: 7/);
    await withService(name, (_request, response) => response.end("not JSON"));
    await expect(generate()).rejects.toThrow(/no JSON/);
  });

  it("and loads no picture from a private address that an answer names", async () => {
    const images = [{ url: "http://127.0.0.1:9/a.png" }];
    await withService("fal", json({ images }));
    await expect(generate()).rejects.toThrow(/private network/);
  });
});

describe("image_generate goes on", () => {
  it("to the configured models after the one that the call names", async () => {
    await withService("openai", json({}, 500));
    await withService("minimax");
    const result = await generate({ model: "openai/gpt-image-1" });
    expect(detailsOf(result)).toMatchObject({
      provider: "minimax",
      attempts: [{ provider: "openai", model: "gpt-image-1", status: 500, reason: "http_error" }],
    });
  });

  it("without any config to the services with a key, and lists what each can do", async () => {
    await withService("fal");
    test.settings.config = {};
    expect(detailsOf(await generate())).toMatchObject({ provider: "fal", model: "fal-ai/flux/dev" });
    const list = await test.call("image_generate", { action: "list" });
    expect(textOf(list)).toMatch(
      /^openai \(needs OPENAI_API_KEY\): openai\/gpt-image-1; up to 4 pictures; no references/,
    );
    expect(detailsOf(list)).toMatchObject({
      providers: [
        { id: "openai", isReady: false, authEnvVars: ["OPENAI_API_KEY"], capabilities: { maxReferences: 0 } },
        { id: "google", defaultModel: "gemini-3.1-flash-image-preview" },
        { id: "fal", isReady: true },
        { id: "minimax" },
      ],
    });
  });

  it("not after a cancel", async () => {
    const cancel = new AbortController();
    await withService("openai", () => cancel.abort(new Error("cancelled")));
    await expect(test.call("image_generate", { prompt: "p" }, { signal: cancel.signal })).rejects.toThrow(
      "cancelled",
    );
  });
});
