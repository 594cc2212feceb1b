/** The memory tools in the runtime as a whole: listed, called, absent with the reason. */

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Runtime } from "../runtimeTypes.ts";
import { connectTo, createTestRuntime, testCaller } from "../testing/testRuntime.ts";

let stateDir: string;
let runtime: Runtime | null;

beforeEach(async () => {
  runtime = null;
  stateDir = await mkdtemp(path.join(tmpdir(), "sallyport-memory-runtime-"));
});
afterEach(async () => {
  await runtime?.dispose();
  await rm(stateDir, { recursive: true, force: true });
});

const start = async (config: unknown): Promise<Runtime> => {
  await writeFile(path.join(stateDir, "openclaw.json"), JSON.stringify(config));
  runtime = await createTestRuntime(stateDir);
  return runtime;
};

describe("the runtime", () => {
  it("offers the memory tools and finds a note of the agent's workspace", async () => {
    const { tools } = await start({ tools: { profile: "coding" } });
    const workspace = path.join(stateDir, "workspace");
    await mkdir(workspace, { recursive: true });
    await writeFile(path.join(workspace, "MEMORY.md"), "The spare key hangs behind the astrolabe.");
    expect(tools.listTools(testCaller).tools.map((tool) => tool.name)).toEqual(
      expect.arrayContaining(["memory_search", "memory_get"]),
    );
    const outcome = await tools.callTool(
      testCaller,
      "memory_search",
      { query: "astrolabe" },
      { signal: new AbortController().signal, holdMs: 20_000 },
    );
    expect(JSON.stringify(outcome)).toContain("behind the astrolabe");
  });

  it("names the setting that takes them away from an agent", async () => {
    const running = await start({
      agents: { list: [{ id: "main", memorySearch: { enabled: false } }] },
    });
    expect(running.tools.listTools(testCaller).tools.map((tool) => tool.name)).not.toContain("memory_search");
    const { rpc, close } = connectTo(running);
    try {
      const explained = await rpc.call("policy.why", {
        tool: "memory_search",
        context: { agentId: "main", senderIsOwner: false, surface: "mcp" },
      });
      expect(JSON.stringify(explained)).toContain("agents.list[0].memorySearch.enabled");
    } finally {
      close();
    }
  });
});
