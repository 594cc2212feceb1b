import { describe, expect, it } from "vitest";
import type { McpClient } from "../../shared/contract/index.ts";
import { sessionName } from "./useSessionName.ts";

function client(id: string, name: string): McpClient {
  return {
    id,
    name,
    agentId: "main",
    sessionKey: `agent:main:mcp:${id}`,
    isOwner: false,
    provider: null,
    model: null,
    mapping: "mapped",
    createdAtMs: 0,
    lastSeenAtMs: null,
    reportedName: null,
    reportedVersion: null,
    connections: 1,
    effectiveTools: [],
    tokenHint: "9f3c",
  };
}

describe("the name of a session", () => {
  it("is that of its client", () => {
    expect(sessionName("agent:main:mcp:codex-c3f4bf", [client("codex-c3f4bf", "codex")])).toBe("codex");
  });

  it("is the end of its key when no client has it", () => {
    expect(sessionName("agent:ops:heartbeat", [client("a", "codex")])).toBe("heartbeat");
  });

  it("is the end of its key when two clients carry one name", () => {
    const clients = [client("a1", "codex"), client("b2", "codex")];
    expect(sessionName("agent:main:mcp:b2", clients)).toBe("mcp:b2");
  });
});
