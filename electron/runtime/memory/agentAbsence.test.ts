/** Whether the memory tools are there for an agent, and which setting says so. */

import { describe, expect, it } from "vitest";
import { listKnownTools } from "../../../shared/policy/index.ts";
import { agentAbsence } from "./agentAbsence.ts";

const absenceFor = (config: unknown, agentId: string) => {
  const shared = listKnownTools(config, {}).find(({ name }) => name === "memory_get")?.unavailable;
  return agentAbsence("memory_get", config, agentId, shared);
};
const config = (all: boolean | undefined, own: boolean | undefined, more: Record<string, unknown> = {}) => ({
  ...more,
  agents: {
    defaults: { memorySearch: { enabled: all } },
    list: [{ id: "other" }, { id: "work", memorySearch: { enabled: own } }],
  },
});

describe("memory tools", () => {
  it("follow the agent's own word over that for all", () => {
    expect(absenceFor(config(undefined, undefined), "work")).toBeUndefined();
    expect(absenceFor(config(true, false), "work")).toEqual({
      reason: "disabled-in-config",
      params: { path: "agents.list[1].memorySearch.enabled" },
    });
    expect(absenceFor(config(true, false), "other")).toBeUndefined();
    expect(absenceFor(config(false, true), "work")).toBeUndefined();
    expect(absenceFor(config(false, true), "other")).toEqual({
      reason: "disabled-in-config",
      params: { path: "agents.defaults.memorySearch.enabled" },
    });
  });

  it("stay away without the plugin that brings them", () => {
    const noSlot = { plugins: { slots: { memory: "none" } } };
    expect(absenceFor(config(false, true, noSlot), "work")?.reason).toBe("memory-slot-none");
  });

  it("leave other tools alone", () => {
    expect(agentAbsence("read", config(true, false), "work", undefined)).toBeUndefined();
  });
});
