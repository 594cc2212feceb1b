/** Where MCP servers are handled more strictly than in the reference (gateway-sessions-nodes.md §25), each as a switch. */

import type { HardeningRule } from "../hardening/rules.ts";

export const mcpHardening: readonly HardeningRule[] = [
  {
    id: "mcp.confirmStart",
    reference: "Every server under `mcp.servers` is started as soon as its entry stands in the config.",
    sallyport:
      "A server is started only after a person confirmed exactly this entry; a changed entry ends it and asks again.",
    source: "gateway-sessions-nodes.md 25",
  },
  {
    id: "mcp.callsAsk",
    reference: "A tool of a foreign server runs whenever a model calls it.",
    sallyport:
      'A call waits for a person, who sees server, tool and arguments, until the person said "always" for this tool and agent; a changed definition asks again.',
    source: "gateway-sessions-nodes.md 25",
  },
];
