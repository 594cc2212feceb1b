import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { contract } from "../../../shared/contract/index.ts";
import { pathText } from "../../../shared/policy/index.ts";
import type { PolicyContext } from "../../../shared/policy/types.ts";
import type { RpcClient } from "../../../shared/rpc/index.ts";
import type { Runtime } from "../runtimeTypes.ts";
import { connectTo, createTestRuntime } from "../testing/testRuntime.ts";

const house = `{
  // house rules
  tools: {
    profile: "coding",
    alsoAllow: ["message", "browse"],
    byProvider: { openai: { deny: ["code_execution", "x_search"] }, "openai/gpt-5.2": { profile: "minimal" } },
    exec: { security: "allowlist", ask: "on-miss" },
    sandbox: { tools: { deny: ["browser"] } },
    subagents: { tools: { deny: ["exec"] } },
  },
  agents: {
    defaults: { sandbox: { mode: "non-main" } },
    list: [
      { id: "main", default: true },
      { id: "support", tools: { alsoAllow: ["message"], deny: ["write", "sessions_spawn", "__proto__"] } },
    ],
  },
  channels: {
    telegram: { groups: { "-1001894": { tools: { allow: ["group:memory"] }, toolsBySender: { "id:7": { deny: ["*"] } } } } },
  },
  gateway: { tools: { deny: ["read"], allow: ["exec"] } },
}
`;
const configs: [name: string, text: string | null, isRefused: boolean][] = [
  ["no file", null, false],
  ["an empty document", "{}", false],
  ["house rules", house, false],
  [
    "names like constructor",
    `{ tools: { allow: ["constructor", "__proto__", "toString"], deny: ["hasOwnProperty"] } }`,
    false,
  ],
  ["a broken file", `{ tools: { `, true],
  ["a file with unknown keys", `{ tools: { profile: "coding", frobnicate: 1 } }`, true],
];
const contexts: PolicyContext[] = [
  {},
  { agentId: "main" },
  { agentId: "support", channel: "telegram", groupId: "-1001894", senderId: "7" },
  { agentId: "support", provider: "openai", model: "gpt-5.2", senderIsOwner: true, sandboxed: true },
  { agentId: "nobody", subagentDepth: 2 },
  { agentId: "main", surface: "http" },
  { agentId: "main", surface: "mcp", sessionKey: "agent:main:mcp:codex" },
];

let stateDir: string;
let runtime: Runtime | undefined;
let rpc: RpcClient<typeof contract>;
let closeRpc: (() => void) | undefined;

async function start(config: string | null) {
  if (config !== null) await writeFile(join(stateDir, "openclaw.json"), config);
  runtime = await createTestRuntime(stateDir);
  ({ rpc, close: closeRpc } = connectTo(runtime));
}

beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), "policy-wire-"));
});
afterEach(async () => {
  closeRpc?.();
  await runtime?.dispose();
  await rm(stateDir, { recursive: true, force: true });
});

describe("policy questions over the contract", () => {
  test.each(configs)("every context is answered with %s", async (_name, config, isRefused) => {
    await start(config);
    for (const context of contexts) {
      for (const preset of [undefined, "reference", "sallyport"] as const) {
        const chosen = preset === undefined ? {} : { preset };
        const { trace, problems } = await rpc.call("policy.trace", { context, ...chosen });
        expect(trace.rows.length).toBeGreaterThan(0);
        expect(trace.rows.every((row) => row.cells.length === trace.columns.length)).toBe(true);
        expect(problems.length > 0).toBe(isRefused);
        await rpc.call("policy.findings", { context, ...chosen });
        const why = await rpc.call("policy.why", { context, tool: "browser", ...chosen });
        expect(["unknown", "absent", "removed", "kept"]).toContain(why.answer.state);
        await rpc.call("policy.compare", {
          a: { context, ...chosen },
          b: { context: { agentId: "support" } },
        });
      }
    }
    await rpc.call("policy.check", { assertions: "never support: exec\nalways main: read" });
  });

  test("a text that is asked about has positions for the rules of lists, by path as people write it", async () => {
    await start("{}");
    const { trace, positions } = await rpc.call("policy.trace", {
      context: { agentId: "support" },
      preset: "reference",
      configText: house,
    });
    const rule = trace.rules.find((one) => one.entry === "write" && one.list === "deny");
    expect(rule?.configPath).not.toBeNull();
    expect(positions[pathText(rule?.configPath ?? [])]).toEqual({ line: 15, column: 64 });
  });

  test("a text that is no JSON5 is refused with line and column", async () => {
    await start("{}");
    await expect(
      rpc.call("policy.trace", { context: {}, configText: "{\n  tools: {\n    profile: coding,\n  },\n}" }),
    ).rejects.toMatchObject({ code: "INVALID_INPUT", data: { problems: [{ line: 3, column: 14 }] } });
  });
});
