import { expect, it } from "vitest";
import { z } from "zod";
import { defineTool, textResult } from "../tools/defineTool.ts";
import { createToolRegistry } from "../tools/registry.ts";
import { openclawTools } from "./openclawTools.ts";
import { createPresentTools } from "./presentTools.ts";

const toolNamed = (name: string) =>
  defineTool({
    name,
    title: name,
    description: `Does what ${name} does.`,
    promptLine: `Does what ${name} does`,
    risk: "execute",
    input: z.object({}),
    execute: async () => textResult("done"),
  });

const presentOf = (...names: string[]) =>
  createPresentTools(
    createToolRegistry(names.map(toolNamed)),
    () => true,
    () => ({
      hasImageModel: false,
      hasPdfModel: false,
      hasImageGenerationModel: false,
      hasXaiKey: false,
      hasXSearchKey: false,
    }),
  );

it("a browser that the config switches off is absent here, and listed as OpenClaw would list it", () => {
  const present = presentOf("browser");
  const absenceOf = (tools: ReturnType<typeof present>) =>
    tools.find(({ name }) => name === "browser")?.unavailable;
  const off = { browser: { enabled: false } };
  expect(absenceOf(present(off, {}))).toEqual({
    reason: "disabled-in-config",
    params: { path: "browser.enabled" },
  });
  expect(absenceOf(present({}, {}))).toBeUndefined();
  expect(absenceOf(openclawTools(off, {}))).toBeUndefined();
});

it("a sandbox that may only read the workspace has no tool that writes to it, and the agent's own setting counts", () => {
  const present = presentOf("read", "write", "edit", "apply_patch");
  const config = {
    agents: {
      defaults: { sandbox: { mode: "all", workspaceAccess: "ro" } },
      list: [{ id: "Ops", sandbox: { workspaceAccess: "rw" } }, { id: "support" }],
    },
  };
  const names = (context: Parameters<typeof present>[1]) =>
    present(config, { provider: "openai", model: "m", ...context })
      .filter(({ unavailable }) => unavailable === undefined)
      .map(({ name }) => name);
  expect(names({ agentId: "support", sandboxed: true })).toEqual(["read"]);
  expect(names({ sessionKey: "agent:support:main", sandboxed: true })).toEqual(["read"]);
  expect(names({ agentId: "support", sandboxed: false })).toHaveLength(4);
  expect(names({ agentId: "ops", sandboxed: true })).toHaveLength(4);
  const absent = present(config, { agentId: "support", sandboxed: true }).find(
    ({ name }) => name === "write",
  );
  expect(absent?.unavailable).toEqual({ reason: "workspace-read-only" });
});
