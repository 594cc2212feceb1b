/** `sallyport configure --section web` against a search service played on loopback. */

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startTestServer, type TestServer } from "../runtime/net/testServer.ts";
import { type CliHarness, createCliHarness } from "./testing/cliHarness.ts";

const key = "tvly-0123456789abcdef";
let harness: CliHarness;
let service: TestServer;

beforeEach(async () => {
  harness = await createCliHarness();
  service = await startTestServer((request, response) => {
    response.writeHead(request.headers.authorization === `Bearer ${key}` ? 200 : 401, {
      "content-type": "application/json",
    });
    response.end(
      JSON.stringify({ results: [{ title: "t", url: "https://example.com/", content: "c", score: 1 }] }),
    );
  });
  await mkdir(harness.stateDir, { recursive: true, mode: 0o700 });
  // As a person writes it, without `enabled`: configure has to switch it on.
  const entries = {
    tavily: { config: { webSearch: { baseUrl: service.url("", "127.0.0.1") } } },
  };
  await writeFile(
    join(harness.stateDir, "openclaw.json"),
    `{\n  // kept\n  plugins: { entries: ${JSON.stringify(entries)} },\n}\n`,
  );
});
afterEach(async () => {
  await service.close();
  await harness.cleanUp();
});

describe("configure --section web", () => {
  it("for scripts: takes the key from standard input, names the provider in the config, tests", async () => {
    const run = await harness.run(["configure", "--section", "web", "--provider", "tavily", "--key-stdin"], {
      stdin: `${key}\n`,
    });
    expect(run).toMatchObject({ code: 0 });
    expect(run.stdout).toMatch(/Stored as TAVILY_API_KEY in .*readable by you alone/);
    expect(run.stdout).toMatch(/web_search uses Tavily\.\nTest: Tavily answered \(1 results\)/);
    expect(run.stdout + run.stderr).not.toContain(key);
    const config = await readFile(join(harness.stateDir, "openclaw.json"), "utf8");
    expect(config).toContain("// kept");
    expect(config).toMatch(/provider"?: "tavily"/);
    expect(config).toMatch(/enabled"?: ?true/);
    const tools = await harness.run(["tools", "list", "--json"]);
    expect(tools.stdout).toContain("web_search");
    expect(config).not.toContain(key);
  });

  it("for people: lists the providers, asks for the key, and says when the key is wrong", async () => {
    const run = await harness.run(["configure", "--section", "web"], {
      answers: ["tavily", "wrong-0123456789"],
    });
    expect(run.stderr).toMatch(/tavily +Tavily: no key yet/);
    expect(run.code).toBe(1);
    expect(run.stdout).toMatch(/Test failed: .*401/);
    const again = await harness.run(["configure", "--section", "web", "--no-test"], {
      answers: ["tavily", ""],
    });
    expect(again).toMatchObject({ code: 0 });
    expect(again.stderr).toMatch(/tavily +Tavily: key stored \(TAVILY_API_KEY\)/);
  });

  it("says what is missing or unknown", async () => {
    const run = (...args: string[]) => harness.run(["configure", ...args]);
    expect(await run("--section", "shoes")).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/There is: web/),
    });
    expect(await run("--section", "web")).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--provider/),
    });
    expect(await run("--section", "web", "--provider", "constructor")).toMatchObject({ code: 2 });
    expect(await run("--section", "web", "--provider", "exa")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/needs a key.*--key-stdin/),
    });
    const agent = await harness.run(["configure", "--section", "web", "--provider", "exa"], {
      env: { OPENCLAW_SHELL: "exec" },
    });
    expect(agent).toMatchObject({ code: 1, stderr: expect.stringMatching(/terminal of your own/) });
  });
});
