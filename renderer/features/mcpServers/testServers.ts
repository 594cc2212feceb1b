/** Servers in every state, for tests of the panel. */

import type { McpServer, McpServerState, McpServerTool } from "../../../shared/contract/index.ts";

export function testTool(name: string, changes: Partial<McpServerTool> = {}): McpServerTool {
  return {
    name,
    remoteName: name.split("__").at(-1) ?? name,
    title: null,
    description: `What ${name} does.`,
    inputSchema: { type: "object" },
    allowedFor: [],
    isChanged: false,
    ...changes,
  };
}

export function testServer(name: string, state: McpServerState, changes: Partial<McpServer> = {}): McpServer {
  return {
    name,
    id: name,
    transport: "stdio",
    target: `npx -y server-${name} /home/mira/notes`,
    cwd: null,
    envNames: [],
    headerNames: [],
    source: { file: "openclaw.json", configPath: `mcp.servers.${name}`, line: 12 },
    digest: "0123456789abcdef".repeat(4),
    state,
    tools: [],
    leftOut: [],
    log: "",
    ...changes,
  };
}

export const waiting: McpServerState = { kind: "unconfirmed", isChanged: false };

export function ready(changes: Partial<Extract<McpServerState, { kind: "ready" }>> = {}): McpServerState {
  return {
    kind: "ready",
    sinceMs: Date.now() - 60_000,
    pid: 4242,
    reportedName: "Example",
    reportedVersion: "1.2.0",
    ...changes,
  };
}
