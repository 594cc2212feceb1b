import { describe, expect, it } from "vitest";
import { testContext, textOf } from "../../testing/toolCallContext.ts";
import { createAgentsListTool } from "./tool.ts";

const list = async (config: unknown, agentId: string) => {
  const tool = createAgentsListTool({ config: () => config });
  const result = await tool.execute(tool.input.parse({}), testContext({ agentId }));
  expect(JSON.parse(textOf(result))).toEqual(result.details);
  expect(textOf(result)).toContain('{\n  "requester"');
  return result.details;
};

const config = {
  agents: {
    defaults: { subagents: { allowAgents: ["never-counted"] } },
    list: [
      { id: "main", name: "Desk", subagents: { allowAgents: ["zeta", "Ops", "unknown"] } },
      { id: "ops", name: " Operations " },
      { id: "zeta" },
      { id: "boss", subagents: { allowAgents: ["*"] } },
    ],
  },
};

describe("agents_list", () => {
  it("gives the requester first, then the allowed ones by id, and says which are not set up", async () => {
    expect(await list(config, "main")).toEqual({
      requester: "main",
      allowAny: false,
      agents: [
        { id: "main", name: "Desk", configured: true },
        { id: "ops", name: "Operations", configured: true },
        { id: "unknown", configured: false },
        { id: "zeta", configured: true },
      ],
    });
  });

  it("lists only the requester when it names nobody, whatever the defaults say", async () => {
    expect(await list(config, "ops")).toEqual({
      requester: "ops",
      allowAny: false,
      agents: [{ id: "ops", name: "Operations", configured: true }],
    });
    expect(await list({}, "main")).toMatchObject({ agents: [{ id: "main", configured: false }] });
  });

  it("lists every configured agent for *", async () => {
    expect(await list(config, "boss")).toMatchObject({
      allowAny: true,
      agents: [{ id: "boss" }, { id: "main" }, { id: "ops" }, { id: "zeta" }],
    });
  });

  it("leaves out what is too long to read, and says so", async () => {
    const many = Array.from({ length: 800 }, (_, index) => ({
      id: `agent${String(index).padStart(4, "0")}`,
    }));
    const all = { agents: { list: [{ id: "main", subagents: { allowAgents: ["*"] } }, ...many] } };
    const answer = await list(all, "main");
    expect(answer).toMatchObject({ note: expect.stringContaining("301 more") });
    expect((answer as { agents: unknown[] }).agents).toHaveLength(500);
  });
});
