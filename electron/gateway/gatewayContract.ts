/** Methods that only the Gateway itself can answer, on top of the runtime's contract. */

import { z } from "zod";
import { contract } from "../../shared/contract/index.ts";
import { defineContract, mergeContracts } from "../../shared/rpc/index.ts";

export const gatewayContract = defineContract({
  methods: {
    "gateway.status": {
      scope: "operator.read",
      input: z.object({}),
      output: z.object({
        address: z.string(),
        port: z.number().int(),
        pid: z.number().int(),
        version: z.string(),
        mcpUrl: z.string(),
        hasPanel: z.boolean(),
        operatorConnections: z.number().int(),
        panelConnections: z.number().int(),
        mcpSessions: z.number().int(),
      }),
    },
    /** A URL that opens the panel in a browser, once, within ten minutes. Whoever has it decides approvals. */
    "gateway.panelUrl": {
      scope: "operator.admin",
      input: z.object({}),
      output: z.object({ url: z.string() }),
    },
  },
  events: {},
});
export type GatewayContract = typeof gatewayContract;

/** What a connection over a socket can call. */
export const servedContract = mergeContracts(contract, gatewayContract);
export type ServedContract = typeof servedContract;
