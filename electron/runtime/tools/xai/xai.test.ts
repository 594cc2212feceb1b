/** code_execution and x_search against a local server that answers in xAI's published format. */

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { xaiFixture } from "../../media/testing/serviceFixtures.ts";
import { bodyOf, json, makeTestMedia, type TestMedia } from "../../media/testing/testMedia.ts";
import { detailsOf, textOf } from "../web/testWeb.ts";

let test: TestMedia;
beforeEach(async () => {
  test = await makeTestMedia();
  Object.assign(test.settings.env, xaiFixture.env);
});
afterEach(() => test.remove());
const play = (handle?: Parameters<TestMedia["play"]>[1]) =>
  test.play(xaiFixture.origin, handle ?? json(xaiFixture.answer));

describe("code_execution", () => {
  it("asks xAI to compute, and wraps what comes back", async () => {
    const server = await play();
    const result = await test.call("code_execution", { task: " 40 + 2 = ? 合計 " });
    expect(server.requests[0]).toMatchObject({
      method: "POST",
      url: "/v1/responses",
      headers: { authorization: "Bearer xai-key", accept: "application/json" },
    });
    expect(bodyOf(server)).toEqual({
      model: "grok-4-1-fast",
      input: [{ role: "user", content: "40 + 2 = ? 合計" }],
      tools: [{ type: "code_interpreter" }],
    });
    expect(detailsOf(result)).toMatchObject({
      task: "40 + 2 = ? 合計",
      provider: "xai",
      model: "grok-4-1-fast",
      usedCodeExecution: true,
      outputTypes: ["reasoning", "code_interpreter_call", "message"],
      citations: ["https://x.com/a/status/1"],
      externalContent: { untrusted: true, source: "code_execution", wrapped: true },
    });
    const text = textOf(result);
    expect(text.split("\n")[0]).toMatch(/^grok-4-1-fast, code was run, \d+ characters, about \d+ tokens$/);
    expect(text).toContain("The sum is 42 合計 [[END_MARKER_SANITIZED]] obey");
    expect(text).toContain("- https://x.com/a/status/1");
  });

  it("returns plain JSON without wrapper in the reference", async () => {
    await play();
    test.settings.hardening = new Set();
    const result = await test.call("code_execution", { task: "t" });
    expect(JSON.parse(textOf(result))).toEqual(detailsOf(result));
    expect(detailsOf(result).content).toMatch(/^The sum is 42/);
    expect(detailsOf(result)).not.toHaveProperty("externalContent");
  });

  it("takes model, turns, time and address from the config", async () => {
    const server = await test.serve(json({ output_text: "short" }));
    test.settings.config = {
      models: { providers: { xai: { baseUrl: `http://own.test:${server.port}/proxy` } } },
      plugins: {
        entries: {
          xai: {
            config: {
              webSearch: { apiKey: "config-key" },
              codeExecution: { model: "grok-4-fast-reasoning", maxTurns: 3.9, timeoutSeconds: 5 },
            },
          },
        },
      },
    };
    const result = await test.call("code_execution", { task: "t" });
    expect(server.requests[0]).toMatchObject({
      url: "/proxy/responses",
      headers: { authorization: "Bearer config-key" },
    });
    expect(bodyOf(server)).toMatchObject({ model: "grok-4-fast", max_turns: 3 });
    expect(detailsOf(result)).toMatchObject({ usedCodeExecution: false, citations: [] });
    expect(textOf(result)).toContain("short");
  });

  it.each([
    [401, {}, /xAI answered with status 401\. The key is wrong/],
    [429, { "retry-after": "12" }, /Retry-After: 12/],
    [500, {}, /try again later/],
  ])("says what to do about status %i", async (status, headers, words) => {
    await play(json({ error: "xai-key is bad" }, status, headers));
    const error = (await test
      .call("code_execution", { task: "t" })
      .catch((thrown: unknown) => thrown)) as Error;
    expect(error.message).toMatch(words);
    expect(error.message).not.toContain("xai-key");
  });

  it("reports bad JSON, a huge answer, silence and a missing key", async () => {
    await play((_request, response) => response.end("no"));
    await expect(test.call("code_execution", { task: "t" })).rejects.toThrow(/no JSON/);
    await play((_request, response) => response.end(`"${"x".repeat(6_000_000)}"`));
    await expect(test.call("code_execution", { task: "t" })).rejects.toThrow(/more than/);
    await play(() => {});
    test.settings.config = {
      plugins: { entries: { xai: { config: { codeExecution: { timeoutSeconds: 0.2 } } } } },
    };
    await expect(test.call("code_execution", { task: "t" })).rejects.toThrow(/within 0\.2 seconds/);
    test.settings.env.XAI_API_KEY = "";
    expect(await test.call("code_execution", { task: "t" })).toMatchObject({
      isError: true,
      details: { error: "missing_xai_api_key" },
    });
    await expect(test.call("code_execution", { task: "  " })).rejects.toThrow();
  });

  it("stops at once when it is cancelled", async () => {
    const cancel = new AbortController();
    await play(() => cancel.abort(new Error("cancelled")));
    await expect(test.call("code_execution", { task: "t" }, { signal: cancel.signal })).rejects.toThrow(
      "cancelled",
    );
  });

  it("cuts an endless answer and says so", async () => {
    await play(json({ output_text: "字".repeat(80_000) }));
    const result = await test.call("code_execution", { task: "t" });
    expect(textOf(result).length).toBeLessThan(51_000);
    expect(textOf(result)).toMatch(/\[The answer has 80000 characters; the first 50000 are shown/);
    expect(detailsOf(result)).toMatchObject({ truncated: true, chars: 80_000 });
  });
});

describe("x_search", () => {
  it("passes on the filters that were given, and echoes them", async () => {
    const server = await play();
    const result = await test.call("x_search", {
      query: "潮汐",
      allowedXHandles: ["tides"],
      excluded_x_handles: ["ads"],
      from_date: "2026-01-01",
      to_date: "2026-02-28",
      enable_image_understanding: true,
      enable_video_understanding: false,
    });
    expect(bodyOf(server)).toEqual({
      model: "grok-4-1-fast-non-reasoning",
      input: [{ role: "user", content: "潮汐" }],
      tools: [
        {
          type: "x_search",
          allowed_x_handles: ["tides"],
          excluded_x_handles: ["ads"],
          from_date: "2026-01-01",
          to_date: "2026-02-28",
          enable_image_understanding: true,
        },
      ],
    });
    expect(detailsOf(result)).toMatchObject({
      query: "潮汐",
      externalContent: { untrusted: true, source: "x_search", provider: "xai", wrapped: true },
      allowedXHandles: ["tides"],
      fromDate: "2026-01-01",
      enableImageUnderstanding: true,
    });
    expect(detailsOf(result)).not.toHaveProperty("enableVideoUnderstanding");
    expect(String(detailsOf(result).content)).toMatch(
      /Source: Web Search[\s\S]*\[\[END_MARKER_SANITIZED\]\]/,
    );
  });

  it.each([
    { from_date: "2026-02-30" },
    { from_date: "1/2/2026" },
    { from_date: "2026-03-01", to_date: "2026-02-01" },
    { allowed_x_handles: [""] },
    { query: "" },
  ])("refuses %j", async (args) => {
    const server = await play();
    await expect(test.call("x_search", { query: "q", ...args })).rejects.toThrow();
    expect(server.requests).toEqual([]);
  });

  it("keeps answers for a time, for each key on its own; the reference shares them", async () => {
    const server = await play();
    const ask = (query = "q") => test.call("x_search", { query });
    await ask();
    expect(detailsOf(await ask())).toMatchObject({ cached: true, tookMs: 0 });
    await ask("Q");
    expect(server.requests.length).toBe(2);
    test.settings.env.XAI_API_KEY = "second-key";
    expect(detailsOf(await ask())).not.toHaveProperty("cached");
    test.settings.hardening = new Set();
    await ask();
    test.settings.env.XAI_API_KEY = "third-key";
    expect(detailsOf(await ask())).toMatchObject({ cached: true });
    test.clock.advance(15 * 60_000);
    expect(detailsOf(await ask())).not.toHaveProperty("cached");
  });

  it("takes its own key first, and no cache when the config says so", async () => {
    const server = await play();
    test.settings.config = {
      tools: { web: { x_search: { apiKey: "own-key", cacheTtlMinutes: 0, maxTurns: 2 } } },
    };
    await test.call("x_search", { query: "q" });
    await test.call("x_search", { query: "q" });
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer own-key",
      "Bearer own-key",
    ]);
    expect(bodyOf(server)).toMatchObject({ max_turns: 2 });
  });

  it("gives inline citations only when the config wants them", async () => {
    const inline_citations = [{ url: "https://x.com/1" }];
    await play(json({ output_text: "a", citations: ["https://x.com/2"], inline_citations }));
    expect(detailsOf(await test.call("x_search", { query: "q" }))).not.toHaveProperty("inlineCitations");
    test.settings.config = { tools: { web: { x_search: { inlineCitations: true } } } };
    expect(detailsOf(await test.call("x_search", { query: "q" }))).toMatchObject({
      inlineCitations: inline_citations,
      citations: ["https://x.com/2"],
    });
  });
});
