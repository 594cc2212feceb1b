import { afterEach, expect, it } from "vitest";
import { createApiKeys } from "../../net/apiKeys.ts";
import { createGuardedFetch } from "../../net/guardedFetch.ts";
import { startTestServer, type TestServer, testResolver } from "../../net/testServer.ts";
import { bodyOf, json, makeTestMedia, type TestMedia } from "../testing/testMedia.ts";
import { askModel } from "./ask.ts";
import { readyService } from "./services.ts";

let server: TestServer | undefined;
let test: TestMedia | undefined;
afterEach(async () => {
  await server?.close();
  await test?.remove();
});

it("a service that does not answer in time is named with the time", async () => {
  server = await startTestServer(() => {});
  const config = { models: { providers: { Slow: { baseUrl: server.url("/v1") } } } };
  const keys = createApiKeys({ env: {}, homeDir: "/nonexistent" });
  const service = await readyService(config, keys, "slow");
  const question = { model: "m", parts: [], maxTokens: 10, isKeyInHeader: true };
  const fetch = createGuardedFetch({ resolve: testResolver });
  const signal = new AbortController().signal;
  await expect(askModel(service, question, { fetch, timeoutMs: 200, signal })).rejects.toMatchObject({
    message: expect.stringMatching(/^slow gave no answer within 0\.2 seconds/),
    data: { kind: "timeout" },
  });
});

it("an entry of the config is found whatever the case of its name, with its key and headers", async () => {
  const providers = {
    MyOwn: { baseUrl: "http://own.test", apiKey: "k-1234567", headers: { "X-Team": "a b" } },
  };
  const keys = createApiKeys({ env: {}, homeDir: "/nonexistent" });
  expect(await readyService({ models: { providers } }, keys, "myown")).toMatchObject({
    key: "k-1234567",
    extraHeaders: { "x-team": "a b" },
    api: "openai-completions",
  });
  await expect(readyService({ models: { providers } }, keys, "__proto__")).rejects.toMatchObject({
    data: { kind: "unknown_provider" },
  });
});

it("Anthropic's address is taken with and without its version", async () => {
  test = await makeTestMedia();
  const answer = { content: [{ type: "text", text: "ok" }] };
  const own = await test.serve(json(answer));
  for (const end of ["", "/", "/v1", "/v1/"]) {
    test.settings.config = {
      agents: { defaults: { imageModel: "anthropic/m" } },
      models: { providers: { anthropic: { baseUrl: `http://own.test:${own.port}${end}` } } },
    };
    await test.call("image", {
      image: "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7",
    });
  }
  expect(own.requests.map(({ url }) => url)).toEqual(Array.from({ length: 4 }, () => "/v1/messages"));
  expect(bodyOf(own)).toMatchObject({ model: "m" });
});
