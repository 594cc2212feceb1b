/** Which media tools are there, and why the others are not, in the running product. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { connectTo, createTestRuntime, testCaller } from "../testing/testRuntime.ts";

let stateDir: string;
beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), "media-presence-"));
});
afterEach(() => rm(stateDir, { recursive: true, force: true }));

const mediaTools = ["image", "image_generate", "pdf", "code_execution", "x_search"];

async function look(config: unknown, env: Record<string, string> = {}) {
  await writeFile(join(stateDir, "openclaw.json"), JSON.stringify(config));
  const runtime = await createTestRuntime(stateDir, {
    baseEnv: { PATH: process.env.PATH ?? "/usr/bin:/bin", HOME: stateDir, SHELL: "/bin/sh", ...env },
  });
  const panel = connectTo(runtime);
  try {
    const { trace } = await panel.rpc.call("policy.trace", { context: { agentId: "main" } });
    const reasons = new Map(
      trace.rows.flatMap((tool) =>
        tool.verdict.kind === "absent" ? [[tool.name, tool.verdict.reason] as const] : [],
      ),
    );
    const listed = new Set(runtime.tools.listTools(testCaller).tools.map((tool) => tool.name));
    return {
      reasons: mediaTools.map((name) => reasons.get(name) ?? null),
      listed: mediaTools.filter((name) => listed.has(name)),
    };
  } finally {
    panel.close();
    await runtime.dispose();
  }
}

it("without models and keys all are absent, each with its reason", async () => {
  expect(await look({ tools: { profile: "full" } })).toEqual({
    reasons: ["no-image-model", "no-image-generation-model", "no-pdf-model", "no-api-key", "no-api-key"],
    listed: [],
  });
});

it("keys of the environment bring them in; pdf stands in no profile but full and must be named", async () => {
  const env = { OPENAI_API_KEY: "k", XAI_API_KEY: "k" };
  expect(await look({ tools: { profile: "full" } }, env)).toEqual({
    reasons: [null, null, null, null, null],
    listed: mediaTools,
  });
  expect((await look({ tools: { profile: "coding" } }, env)).listed).toEqual(
    mediaTools.filter((name) => name !== "pdf"),
  );
  expect((await look({ tools: { profile: "coding", alsoAllow: ["pdf"] } }, env)).listed).toEqual(mediaTools);
});

it("a configured model without its key is no model, and one on a server of one's own is", async () => {
  const agents = { defaults: { imageModel: "openai/gpt-5-mini" } };
  expect((await look({ tools: { profile: "full" }, agents })).listed).toEqual([]);
  const models = { providers: { openai: { baseUrl: "http://127.0.0.1:9/v1" } } };
  expect((await look({ tools: { profile: "full" }, agents, models })).listed).toEqual(["image", "pdf"]);
});

it("switches of the config take them out with the place of the switch", async () => {
  const env = { XAI_API_KEY: "k" };
  const config = {
    tools: { profile: "full", web: { x_search: { enabled: false } } },
    plugins: { entries: { xai: { config: { codeExecution: { enabled: false } } } } },
  };
  expect((await look(config, env)).reasons.slice(3)).toEqual(["disabled-in-config", "disabled-in-config"]);
  const own = { tools: { profile: "full", web: { x_search: { apiKey: "own" } } } };
  expect((await look(own)).reasons.slice(3)).toEqual(["no-api-key", null]);
});
