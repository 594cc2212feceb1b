/** MCP servers whose tools join those of the agents: `mcp.servers` of the config, started only with a person's word. */

import { z } from "zod";
import { defineContract } from "../rpc/contract.ts";
import { reason, ruleSource } from "./approvals.ts";

export const mcpServerTool = z.object({
  /** As agents and policy know it: `<server>__<tool>`. */
  name: z.string(),
  /** As the server calls it; untrusted text. */
  remoteName: z.string(),
  title: z.string().nullable(),
  /** Untrusted text, cut. */
  description: z.string(),
  inputSchema: z.record(z.string(), z.unknown()),
  /** Agents that may call it without asking, while its definition stays as it was when a person said so; `*` = all. */
  allowedFor: z.array(z.string()),
  /** A person allowed it, and its definition changed since: it asks again. */
  isChanged: z.boolean(),
});
export type McpServerTool = z.infer<typeof mcpServerTool>;

export const mcpServerState = z.discriminatedUnion("kind", [
  /** The entry cannot be understood, or says `enabled: false` (code `mcp.disabled`); nothing is started. */
  z.object({ kind: z.literal("invalid"), reason }),
  /** Waits for a person's word. `isChanged`: there was one, for another command or address. */
  z.object({ kind: z.literal("unconfirmed"), isChanged: z.boolean() }),
  /** A person stopped it until it is started again or the app restarts. */
  z.object({ kind: z.literal("stopped") }),
  z.object({ kind: z.literal("starting") }),
  z.object({
    kind: z.literal("ready"),
    sinceMs: z.number(),
    pid: z.number().int().nullable(),
    /** What the server says about itself; untrusted text. */
    reportedName: z.string(),
    reportedVersion: z.string(),
  }),
  z.object({ kind: z.literal("failed"), reason, retryAtMs: z.number().nullable() }),
]);
export type McpServerState = z.infer<typeof mcpServerState>;

export const mcpServer = z.object({
  /** Key under `mcp.servers`. */
  name: z.string(),
  /** What its tools' names begin with, and the plugin id in policy lists. */
  id: z.string(),
  transport: z.enum(["stdio", "sse", "streamable-http"]),
  /** Command line or address, with secrets masked. */
  target: z.string(),
  cwd: z.string().nullable(),
  /** Names only. */
  envNames: z.array(z.string()),
  headerNames: z.array(z.string()),
  source: ruleSource,
  /** SHA-256 over the whole entry, secrets included: what a confirmation is bound to. */
  digest: z.string(),
  state: mcpServerState,
  tools: z.array(mcpServerTool),
  /** Tools that are left out, by the server's name for them, with why. */
  leftOut: z.array(z.object({ remoteName: z.string(), reason })),
  /** The end of what it wrote to standard error; untrusted text. */
  log: z.string(),
});
export type McpServer = z.infer<typeof mcpServer>;

const snapshot = z.object({ servers: z.array(mcpServer) });
const named = z.object({ name: z.string().min(1).max(256) });

export const mcpServersContract = defineContract({
  methods: {
    "mcpServers.list": { scope: "operator.read", input: z.object({}), output: snapshot },
    /**
     * Lets exactly this entry start, now and at every start of the app. Only from a surface where a person decides.
     * A digest that is no longer the entry's is refused as stale.
     */
    "mcpServers.confirm": {
      scope: "operator.admin",
      input: named.extend({ digest: z.string() }),
      output: mcpServer,
    },
    /** Takes the confirmation back, and ends the server. */
    "mcpServers.withdraw": { scope: "operator.admin", input: named, output: mcpServer },
    /** Starts a confirmed server that was stopped or failed; ends and starts one that runs. */
    "mcpServers.restart": { scope: "operator.admin", input: named, output: mcpServer },
    "mcpServers.stop": { scope: "operator.admin", input: named, output: mcpServer },
    /** Takes back that calls of this tool, or of all tools of the server, run without asking. */
    "mcpServers.askAgain": {
      scope: "operator.admin",
      /** `tool`: by the agents' name or by the server's own. */
      input: named.extend({ tool: z.string().optional(), agentId: z.string().optional() }),
      /** `takenBack`: how many words of a person were forgotten. */
      output: mcpServer.extend({ takenBack: z.number().int() }),
    },
  },
  events: {
    "mcpServers.changed": { scope: "operator.read", payload: snapshot },
  },
});
