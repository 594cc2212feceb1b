/** The examples of the chapter and the white paper, as what the engine does; a title says where the prose differs. */

import { describe, expect, test } from "vitest";
import { listKnownTools } from "./availability.ts";
import { toolGroups } from "./catalog.ts";
import { compilePolicy } from "./compile.ts";
import { evaluatePolicy } from "./evaluate.ts";
import { httpDefaultDeny } from "./httpSurface.ts";
import type { PolicyContext } from "./types.ts";

const tools = listKnownTools(
  {},
  {
    provider: "openai",
    model: "gpt-5.2",
    hasImageModel: true,
    hasPdfModel: true,
    hasImageGenerationModel: true,
    hasXaiKey: true,
  },
);

function run(config: unknown, context: PolicyContext = {}, rules: string[] = []) {
  return evaluatePolicy(
    compilePolicy(config, { hardening: new Set(rules) }),
    { senderIsOwner: true, ...context },
    tools,
  );
}

describe("three agents: coder, researcher and support", () => {
  const config = {
    tools: {
      deny: ["sessions_spawn"],
      byProvider: { weakco: { profile: "minimal" }, strictco: { deny: ["browser"] } },
    },
    agents: {
      list: [
        {
          id: "coder",
          tools: {
            profile: "coding",
            alsoAllow: ["browser"],
            deny: ["cron", "message"],
            byProvider: { "openai/gpt-mini": { deny: ["process"] } },
          },
        },
        { id: "researcher", tools: {} },
        { id: "support", tools: { profile: "messaging" } },
      ],
    },
    channels: {
      discord: {
        guilds: {
          acme: { channels: { general: { tools: { deny: ["exec"] } }, dev: { tools: { allow: ["*"] } } } },
        },
      },
    },
  };
  const discord = (groupChannel: string): PolicyContext => ({
    agentId: "coder",
    provider: "openai",
    model: "gpt-5.2",
    channel: "discord",
    groupSpace: "acme",
    groupId: "9",
    groupChannel,
  });

  test("profile: the coder gets coding plus browser, support gets message and four session tools", () => {
    const coder = run(config, { agentId: "coder" }).tools;
    expect(coder).toEqual(expect.arrayContaining(["read", "exec", "process", "browser"]));
    expect(coder).not.toContain("message");
    expect(run(config, { agentId: "support" }).tools).toEqual([
      "message",
      "sessions_list",
      "sessions_history",
      "sessions_send",
      "session_status",
    ]);
  });

  test("provider profile: the researcher on the weak provider keeps session_status only", () => {
    expect(run(config, { agentId: "researcher", provider: "weakco", model: "w1" }).tools).toEqual([
      "session_status",
    ]);
  });

  test("global policy: nobody has sessions_spawn", () => {
    for (const agentId of ["coder", "researcher", "support", "stranger"]) {
      expect(run(config, { agentId }).tools).not.toContain("sessions_spawn");
    }
  });

  test("global provider policy: no browser with the strict provider, for any agent", () => {
    for (const agentId of ["coder", "researcher"]) {
      expect(run(config, { agentId, provider: "strictco", model: "s" }).tools).not.toContain("browser");
      expect(run(config, { agentId, provider: "openai", model: "s" }).tools).toContain("browser");
    }
  });

  test("agent policy: cron goes at the agent stage; message was already removed by the profile, unlike the prose suggests", () => {
    const { stages } = run(config, { agentId: "coder" });
    expect(stages.find((stage) => stage.column === "profile")?.removed).toContain("message");
    expect(stages.find((stage) => stage.column === "agent")?.removed).toEqual(["cron"]);
  });

  test("agent provider policy: the coder on the small model has no process", () => {
    expect(run(config, { agentId: "coder", provider: "openai", model: "gpt-mini" }).tools).not.toContain(
      "process",
    );
    expect(run(config, { agentId: "coder", provider: "openai", model: "gpt-5.2" }).tools).toContain(
      "process",
    );
  });

  test("group policy: exec goes in #general and stays in #dev", () => {
    expect(run(config, discord("#general")).tools).not.toContain("exec");
    expect(run(config, discord("#dev")).tools).toContain("exec");
  });
});

describe("the chapter", () => {
  test("a later allow cannot bring a tool back", () => {
    const config = {
      tools: { profile: "messaging" },
      agents: { list: [{ id: "a", tools: { allow: ["exec", "message"] } }] },
    };
    expect(run(config, { agentId: "a" }).tools).toEqual(["message"]);
  });

  test("tools.allow: [my_custom_tool] without the plugin restricts nothing, and restricts everything with strict lists", () => {
    const config = { tools: { allow: ["my_custom_tool"] } };
    expect(run(config).tools).toHaveLength(tools.length);
    expect(run(config).warnings[0]).toMatchObject({ kind: "unknown", stripped: true });
    expect(run(config, {}, ["policy.strictLists"]).tools).toEqual([]);
  });

  test("the ceiling is the agent's own profile: a global minimal does not bind an agent that says coding", () => {
    const config = {
      tools: { profile: "minimal" },
      agents: { list: [{ id: "a", tools: { profile: "coding" } }] },
    };
    expect(run(config, { agentId: "a" }).tools).toContain("exec");
  });

  test("an exec section next to a profile adds exec and process", () => {
    expect(run({ tools: { profile: "messaging", exec: { security: "allowlist" } } }).tools).toEqual(
      expect.arrayContaining(["exec", "process"]),
    );
  });

  test("exec of the try-it comes from the coding profile", () => {
    const config = { tools: { profile: "coding", exec: { security: "allowlist", ask: "on-miss" } } };
    expect(run(config).tools).toEqual(expect.arrayContaining(["exec", "process"]));
  });

  test("an fs section next to a profile adds read, write and edit, and with write apply_patch", () => {
    expect(run({ tools: { profile: "messaging", fs: {} } }).tools).toEqual(
      expect.arrayContaining(["read", "write", "edit", "apply_patch"]),
    );
  });

  test("the profiles hold 1, 22 and 5 tools, and full holds nobody back", () => {
    const count = (profile: string) => run({ tools: { profile } }).tools.length;
    expect(["minimal", "coding", "messaging", "full"].map(count)).toEqual([1, 22, 5, tools.length]);
  });

  test("alsoAllow adds to a profile, deny takes from it, allow only narrows what it left", () => {
    const minimal = { profile: "minimal", alsoAllow: ["message", "read"], deny: ["read"] };
    expect(run({ tools: minimal }).tools).toEqual(["message", "session_status"]);
    expect(run({ tools: { profile: "minimal", allow: ["exec", "session_status"] } }).tools).toEqual([
      "session_status",
    ]);
  });

  test("the HTTP deny list has 13 names in four classes", () => {
    const byThreat = new Map<string, string[]>();
    for (const [name, threat] of httpDefaultDeny)
      byThreat.set(threat, [...(byThreat.get(threat) ?? []), name]);
    expect(Object.fromEntries(byThreat)).toEqual({
      "remote-code-execution": ["exec", "spawn", "shell"],
      "host-file-change": ["fs_write", "fs_delete", "fs_move", "apply_patch"],
      "persistence-and-reach": ["sessions_spawn", "sessions_send", "cron", "gateway", "nodes"],
      "interactive-only": ["whatsapp_login"],
    });
  });
});

describe("the white paper", () => {
  test("deny: [browser] removes the browser only", () => {
    expect(run({ tools: { deny: ["browser"] } }).tools).toEqual(
      tools.map((tool) => tool.name).filter((name) => name !== "browser"),
    );
  });

  test("messaging with allow slack and discord does not add channel tools as the prose says: the list is dropped", () => {
    const config = { tools: { profile: "messaging", allow: ["slack", "discord"] } };
    expect(run(config).tools).toEqual(run({ tools: { profile: "messaging" } }).tools);
    expect(run(config).warnings).toEqual([
      { stage: "tools.allow", kind: "unknown", stripped: true, entries: ["slack", "discord"] },
    ]);
    expect(run(config, {}, ["policy.strictLists"]).tools).toEqual([]);
  });

  test("coding with deny group:runtime also loses code_execution, which the older prose does not list", () => {
    const without = run({ tools: { profile: "coding", deny: ["group:runtime"] } }).tools;
    expect(without).not.toEqual(expect.arrayContaining(["exec"]));
    expect(run({ tools: { profile: "coding" } }).tools.filter((name) => !without.includes(name))).toEqual([
      "exec",
      "process",
      "code_execution",
    ]);
  });

  test("allow group:fs and browser keeps files and the browser, because group:fs names core tools", () => {
    expect(run({ tools: { allow: ["group:fs", "browser"] } }).tools).toEqual([
      "read",
      "edit",
      "write",
      "apply_patch",
      "browser",
    ]);
  });

  test("support gets what messaging names; its allow list of a channel that is no tool is dropped", () => {
    const config = {
      tools: { profile: "coding" },
      agents: { list: [{ id: "support", tools: { profile: "messaging", allow: ["slack"] } }] },
    };
    expect(run(config, { agentId: "support" }).tools).toEqual(run({ tools: { profile: "messaging" } }).tools);
    expect(run(config, { agentId: "support" }).warnings[0]).toMatchObject({
      entries: ["slack"],
      stripped: true,
    });
    expect(run(config, { agentId: "support" }, ["policy.strictLists"]).tools).toEqual([]);
    expect(run(config, { agentId: "coder" }).tools).toEqual(run({ tools: { profile: "coding" } }).tools);
  });

  test("an agent's own list for one provider counts with that provider only", () => {
    const tools = { byProvider: { "google-antigravity": { allow: ["message", "sessions_list"] } } };
    const config = { agents: { list: [{ id: "support", tools }] } };
    const on = (provider: string, agentId = "support") =>
      run(config, { agentId, provider, model: "m" }).tools;
    expect(on("google-antigravity")).toEqual(["message", "sessions_list"]);
    expect(on("openai")).toContain("exec");
    expect(on("google-antigravity", "coder")).toContain("exec");
  });

  test("a provider profile narrows, a model allow list narrows further", () => {
    const config = {
      tools: { profile: "coding", byProvider: { "google-antigravity": { profile: "minimal" } } },
    };
    expect(run(config, { provider: "google-antigravity", model: "g" }).tools).toEqual(["session_status"]);
    const byModel = {
      tools: {
        allow: ["group:fs", "group:runtime", "sessions_list"],
        byProvider: { "openai/gpt-5.2": { allow: ["group:fs", "sessions_list"] } },
      },
    };
    expect(run(byModel, { provider: "openai", model: "gpt-5.2" }).tools).toEqual([
      "read",
      "edit",
      "write",
      "apply_patch",
      "sessions_list",
    ]);
  });

  test("the groups hold more than the older prose says", () => {
    expect(toolGroups.get("group:runtime")).toEqual(["exec", "process", "code_execution"]);
    expect(toolGroups.get("group:sessions")).toEqual(expect.arrayContaining(["sessions_yield", "subagents"]));
    expect(toolGroups.size).toBe(12);
  });
});
