/** Which tools come into being: each condition by itself, where the recorded cases leave one out. */

import { describe, expect, test } from "vitest";
import { type AvailabilityFacts, listKnownTools } from "./availability.ts";
import { compilePolicy } from "./compile.ts";
import { evaluatePolicy } from "./evaluate.ts";
import { hasNativeWebSearch } from "./preFilters.ts";
import { subagentRoleOf } from "./subagentPolicy.ts";
import type { PolicyContext, RegisteredTool } from "./types.ts";

const absence = (name: string, config: unknown, facts: AvailabilityFacts = {}) =>
  listKnownTools(config, facts).find((tool) => tool.name === name)?.unavailable;

describe("plugins", () => {
  test.each([
    [{ plugins: { deny: ["browser"] } }, "plugin-denied", "plugins.deny"],
    [{ plugins: { allow: ["memory-core"] } }, "plugin-not-allowed", "plugins.allow"],
    [
      { plugins: { entries: { browser: { enabled: false } } } },
      "plugin-disabled",
      "plugins.entries.browser.enabled",
    ],
    [{ plugins: { enabled: false } }, "plugins-disabled", "plugins.enabled"],
  ])("%j keeps the browser away and says where", (config, reason, path) => {
    expect(absence("browser", config)).toMatchObject({ reason, params: { path } });
    expect(absence("read", config)).toBeUndefined();
  });

  test.each([
    {},
    { plugins: { deny: ["other"], allow: [] } },
    { plugins: { allow: ["browser", "x"] } },
    { plugins: { entries: { browser: { enabled: true }, "memory-core": { enabled: false } } } },
    { browser: { enabled: false } },
  ])("%j leaves it there", (config) => {
    expect(absence("browser", config)).toBeUndefined();
  });

  test("the same switches hold for memory, which has two of its own", () => {
    expect(absence("memory_get", { plugins: { deny: ["memory-core"] } })?.reason).toBe("plugin-denied");
    expect(absence("memory_get", { plugins: { slots: { memory: "none" } } })?.reason).toBe(
      "memory-slot-none",
    );
    expect(absence("memory_get", { agents: { defaults: { memorySearch: { enabled: false } } } })).toEqual({
      reason: "disabled-in-config",
      params: { path: "agents.defaults.memorySearch.enabled" },
    });
    expect(absence("memory_get", {})).toBeUndefined();
  });
});

describe("models and switches", () => {
  test("an image model brings image and pdf, a pdf model pdf alone", () => {
    const image = { agents: { defaults: { imageModel: { primary: "p/m" } } } };
    const pdf = { agents: { defaults: { pdfModel: "p/m" } } };
    expect([absence("image", image), absence("pdf", image)]).toEqual([undefined, undefined]);
    expect(absence("pdf", pdf)).toBeUndefined();
    expect(absence("image", pdf)?.reason).toBe("no-image-model");
    expect(absence("pdf", {})?.reason).toBe("no-pdf-model");
    expect(absence("image", { agents: { defaults: { imageModel: " " } } })).toBeDefined();
    for (const name of ["image", "pdf"])
      expect(absence(name, image, { hasAgentDir: false })?.reason).toBe("no-agent-dir");
    // What the running app knows of keys beats the config.
    expect(absence("image", image, { hasImageModel: false })).toBeDefined();
    expect(absence("pdf", image, { hasPdfModel: false })).toBeDefined();
    expect(absence("image_generate", {}, { hasImageGenerationModel: true })).toBeUndefined();
    expect(absence("image_generate", {})?.reason).toBe("no-image-generation-model");
  });

  test("web_fetch and web_search have a switch each", () => {
    const off = (tool: string) => ({ tools: { web: { [tool]: { enabled: false } } } });
    expect(absence("web_fetch", off("fetch"))).toEqual({
      reason: "disabled-in-config",
      params: { path: "tools.web.fetch.enabled" },
    });
    expect(absence("web_search", off("fetch"))).toBeUndefined();
    expect(absence("web_search", off("search"))?.reason).toBe("disabled-in-config");
    expect(absence("web_fetch", off("search"))).toBeUndefined();
    expect(absence("web_search", {}, { hasWebSearchProvider: false })?.reason).toBe("no-search-provider");
  });

  test("apply_patch names the block that decides, the agent's when it has one", () => {
    const config = {
      tools: { exec: { applyPatch: { enabled: false } } },
      agents: {
        list: [
          { id: "Own", tools: { exec: { applyPatch: { allowModels: ["x"] } } } },
          { id: "plain", tools: { exec: {} } },
        ],
      },
    };
    const facts = { provider: "openai", model: "m" };
    expect(absence("apply_patch", config, { ...facts, agentId: "plain" })?.params?.path).toBe(
      "tools.exec.applyPatch.enabled",
    );
    expect(absence("apply_patch", config, { ...facts, agentId: "own" })).toEqual({
      reason: "model-not-listed",
      params: { path: "agents.list[0].tools.exec.applyPatch.allowModels" },
    });
    expect(absence("apply_patch", config, { ...facts, agentId: "own", model: "X" })).toBeUndefined();
  });

  test("a read-only workspace takes the tools that write, in the sandbox only", () => {
    const facts: AvailabilityFacts = { provider: "openai", model: "m", workspaceAccess: "ro" };
    for (const name of ["write", "edit", "apply_patch"]) {
      expect(absence(name, {}, { ...facts, sandboxed: true })?.reason, name).toBe("workspace-read-only");
      expect(absence(name, {}, { ...facts, sandboxed: false }), name).toBeUndefined();
      expect(absence(name, {}, { ...facts, sandboxed: true, workspaceAccess: "none" }), name).toBeUndefined();
    }
    expect(absence("read", {}, { ...facts, sandboxed: true })).toBeUndefined();
  });
});

describe("native web search", () => {
  const config = { tools: { web: { search: { openaiCodex: { enabled: true } } } } };
  const codex: PolicyContext = { provider: "OpenAI-Codex" };

  test("needs a login of the provider: the agent's own, or one in the config", () => {
    expect(hasNativeWebSearch(config, codex)).toBe(false);
    expect(hasNativeWebSearch(config, { ...codex, hasCodexAuth: true })).toBe(true);
    expect(hasNativeWebSearch(config, { ...codex, hasCodexAuth: false })).toBe(false);
    const auth = (provider: string) => ({ ...config, auth: { profiles: { one: { provider } } } });
    expect(hasNativeWebSearch(auth("openai-codex"), codex)).toBe(true);
    expect(hasNativeWebSearch(auth("openai"), codex)).toBe(false);
  });

  test("of another provider goes by the API of the model, and a login changes nothing there", () => {
    expect(hasNativeWebSearch(config, { provider: "x", modelApi: "OpenAI-Codex-Responses" })).toBe(true);
    expect(hasNativeWebSearch(config, { provider: "x", hasCodexAuth: true })).toBe(false);
    expect(hasNativeWebSearch({}, { modelApi: "openai-codex-responses" })).toBe(false);
    const off = { tools: { web: { search: { enabled: false, openaiCodex: { enabled: true } } } } };
    expect(hasNativeWebSearch(off, { modelApi: "openai-codex-responses" })).toBe(false);
  });

  test("takes web_search alone", () => {
    const tools = ["web_search", "web_fetch"].map(
      (name): RegisteredTool => ({ name, owner: { kind: "core" } }),
    );
    const compiled = compilePolicy(config, { hardening: new Set() });
    expect(evaluatePolicy(compiled, { ...codex, hasCodexAuth: true }, tools).tools).toEqual(["web_fetch"]);
    expect(evaluatePolicy(compiled, codex, tools).tools).toEqual(["web_search", "web_fetch"]);
  });
});

describe("the role of a sub-agent", () => {
  const role = (context: PolicyContext, maxSpawnDepth = 2) =>
    subagentRoleOf(
      { agents: { defaults: { subagents: { maxSpawnDepth } } } },
      { sessionKey: "agent:a:subagent:x", ...context },
      { httpCountsKey: false },
    );

  test("is the stored one, whatever the depth", () => {
    expect(role({ subagentRole: "leaf", spawnDepth: 1 })).toBe("leaf");
    expect(role({ subagentRole: "orchestrator", spawnDepth: 5 })).toBe("orchestrator");
    expect(role({ subagentRole: "main" })).toBe("main");
  });

  test("goes by the stored depth before the given one and the key's", () => {
    expect(role({ spawnDepth: 2, subagentDepth: 1 })).toBe("leaf");
    expect(role({ spawnDepth: 1, subagentDepth: 2 })).toBe("orchestrator");
    expect(role({ spawnDepth: 0 })).toBe("main");
    expect(role({ subagentDepth: 2 })).toBe("leaf");
    expect(role({})).toBe("orchestrator");
    expect(role({ sessionKey: "agent:a:subagent:x:subagent:y" })).toBe("leaf");
  });

  test("over HTTP has no stored role", () => {
    expect(role({ surface: "http", subagentRole: "leaf", spawnDepth: 1 })).toBe("orchestrator");
    expect(role({ surface: "http", subagentRole: "orchestrator", spawnDepth: 2 })).toBe("leaf");
    expect(role({ surface: "http", spawnDepth: -1 }, 1)).toBe("leaf");
  });

  test("is nothing for other sessions", () => {
    expect(role({ sessionKey: "agent:a:main" })).toBeUndefined();
    expect(role({ sessionKey: "agent:a:main", spawnDepth: 0 })).toBeUndefined();
    expect(role({ sessionKey: "agent:a:main", spawnDepth: 1 })).toBe("orchestrator");
  });

  test("decides what the session loses", () => {
    const tools = ["sessions_list", "cron", "read"].map(
      (name): RegisteredTool => ({ name, owner: { kind: "core" } }),
    );
    const compiled = compilePolicy({}, { hardening: new Set() });
    const left = (context: PolicyContext) =>
      evaluatePolicy(compiled, { senderIsOwner: true, sessionKey: "agent:a:subagent:x", ...context }, tools)
        .tools;
    expect(left({ subagentRole: "orchestrator" })).toEqual(["sessions_list", "read"]);
    expect(left({ subagentRole: "leaf" })).toEqual(["read"]);
  });
});
