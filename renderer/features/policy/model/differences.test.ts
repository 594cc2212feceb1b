import { describe, expect, test } from "vitest";
import { compilePolicy, type RegisteredTool, tracePolicy } from "../../../../shared/policy/index.ts";
import type { PolicyContext } from "../../../../shared/policy/types.ts";
import { contextToSearch, searchToContext } from "./contextAddress.ts";
import { differencesOf } from "./differences.ts";
import { contextsOfConfig } from "./fileContexts.ts";
import { editLines } from "./lineDiff.ts";
import { addressOf, partOf, placeOf } from "./policyAddress.ts";

const tools: RegisteredTool[] = ["read", "write", "exec"].map((name) => ({ name, owner: { kind: "core" } }));
const trace = (config: unknown) =>
  tracePolicy(compilePolicy(config, { hardening: new Set() }), { agentId: "main" }, tools);

describe("differences of two traces", () => {
  test("say which tools widen and narrow, and ring only the cells that are a cause", () => {
    const found = differencesOf(trace({ tools: { deny: ["exec"] } }), trace({ tools: { deny: ["write"] } }));
    expect(found.map(({ name, direction }) => [name, direction])).toEqual([
      ["write", "narrows"],
      ["exec", "widens"],
    ]);
    expect(found[0]?.causes).toEqual(new Set(["global"]));
  });

  test("are none between equal traces", () => {
    const config = { tools: { profile: "coding" } };
    expect(differencesOf(trace(config), trace(config))).toEqual([]);
  });
});

describe("lines of edits", () => {
  const text = `{\n  tools: {\n    deny: ["exec"], // strict\n  },\n}\n`;

  test("are the real lines of the text, without the depth of their place", () => {
    expect(editLines(text, [{ op: "insert", path: ["tools", "deny", 1], value: "write" }])).toEqual([
      { sign: "−", line: 3, text: `deny: ["exec"], // strict` },
      { sign: "+", line: 3, text: `deny: ["exec", "write"], // strict` },
    ]);
  });

  test("are null when the text has no place for an edit", () => {
    expect(editLines(text, [{ op: "insert", path: ["tools", "deny", 7], value: "write" }])).toBeNull();
  });
});

describe("addresses", () => {
  test("hold part, tool, context, semantics and line", () => {
    const context = { agentId: "support", senderIsOwner: false };
    const address = addressOf({ part: "why", tool: "a/b%", context, semantics: "openclaw", line: 4 });
    const [path = "", query = ""] = address.split("?");
    expect(partOf(path)).toEqual({ part: "why", tool: "a/b%" });
    expect(placeOf(query, "main", false)).toMatchObject({ context, semantics: "openclaw", line: 4 });
  });

  test("hold every fact of a counterexample", () => {
    const context: PolicyContext = {
      agentId: "a",
      sessionKey: "agent:a:x",
      provider: "openai-codex",
      model: "m",
      modelApi: "openai-codex-responses",
      channel: "slack",
      groupId: "C1",
      groupChannel: "#general",
      groupSpace: "acme",
      accountId: "work",
      senderId: "7",
      senderName: "ana",
      senderUsername: "@ana",
      senderE164: "+49",
      senderIsOwner: true,
      sandboxed: false,
      subagentDepth: 1,
      subagentRole: "orchestrator",
      hasCodexAuth: true,
      surface: "http",
    };
    expect(searchToContext(contextToSearch(context))).toEqual(context);
  });

  test("a stray percent sign is taken as it stands", () => {
    expect(partOf("/policy/why/50%")).toEqual({ part: "why", tool: "50%" });
  });
});

describe("contexts of an opened config", () => {
  test("are its agents, models and groups, with names such as constructor", () => {
    expect(
      contextsOfConfig({
        agents: { list: [{ id: "constructor", default: true }] },
        tools: { byProvider: { "openai/gpt-5.2": {}, anthropic: {} } },
        channels: { telegram: { groups: { "-1": {} } } },
      }),
    ).toEqual({
      agents: [{ id: "constructor", isDefault: true }],
      models: [
        { provider: "anthropic", model: null },
        { provider: "openai", model: "gpt-5.2" },
      ],
      groups: [{ channel: "telegram", groupId: "-1" }],
      seen: [],
    });
  });
});
