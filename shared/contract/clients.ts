/** MCP clients: who may connect, as which agent, and what it sees. */

import { z } from "zod";
import { defineContract } from "../rpc/contract.ts";

export const mcpClient = z.object({
  id: z.string(),
  name: z.string(),
  agentId: z.string(),
  /** `agent:<agentId>:mcp:<id>` */
  sessionKey: z.string(),
  isOwner: z.boolean(),
  provider: z.string().nullable(),
  model: z.string().nullable(),
  /** `unmapped`: newly seen, on the `minimal` profile until a person maps it. */
  mapping: z.enum(["unmapped", "mapped"]),
  /** A person mapped it, and `agentId` has left the config since: it counts as unmapped. */
  isAgentGone: z.literal(true).optional(),
  createdAtMs: z.number(),
  lastSeenAtMs: z.number().nullable(),
  /** What the client said about itself; untrusted text. */
  reportedName: z.string().nullable(),
  reportedVersion: z.string().nullable(),
  connections: z.number().int(),
  /** Names of the tools it sees now. */
  effectiveTools: z.array(z.string()),
  /** The last four characters of its token, to tell tokens apart. */
  tokenHint: z.string(),
});
export type McpClient = z.infer<typeof mcpClient>;

/** A token is shown once, when it is made; only its hash is kept. */
const withToken = z.object({ client: mcpClient, token: z.string() });

export const clientsContract = defineContract({
  methods: {
    "clients.list": {
      scope: "operator.read",
      input: z.object({}),
      output: z.object({ clients: z.array(mcpClient), mcpUrl: z.string().nullable() }),
    },
    "clients.create": {
      scope: "operator.admin",
      input: z.object({ name: z.string().trim().min(1).max(64), agentId: z.string().optional() }),
      output: withToken,
    },
    "clients.update": {
      scope: "operator.admin",
      input: z.object({
        id: z.string(),
        name: z.string().trim().min(1).max(64).optional(),
        agentId: z.string().optional(),
        isOwner: z.boolean().optional(),
        provider: z.string().nullable().optional(),
        model: z.string().nullable().optional(),
      }),
      output: mcpClient,
    },
    "clients.rotateToken": {
      scope: "operator.admin",
      input: z.object({ id: z.string() }),
      output: withToken,
    },
    "clients.revoke": { scope: "operator.admin", input: z.object({ id: z.string() }), output: z.object({}) },
  },
  events: {
    "clients.changed": {
      scope: "operator.read",
      payload: z.object({ clients: z.array(mcpClient), mcpUrl: z.string().nullable() }),
    },
  },
});
