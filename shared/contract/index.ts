/** Joins the area contracts into the one contract that IPC, WebSocket and memory serve. */

import { mergeContracts } from "../rpc/contract.ts";
import { appContract } from "./app.ts";
import { approvalRulesContract } from "./approvalRules.ts";
import { approvalsContract } from "./approvals.ts";
import { browserContract } from "./browser.ts";
import { callsContract } from "./calls.ts";
import { clientsContract } from "./clients.ts";
import { configContract } from "./config.ts";
import { mcpServersContract } from "./mcpServers.ts";
import { mediaContract } from "./media.ts";
import { policyContract } from "./policy.ts";
import { processesContract } from "./processes.ts";
import { secretsContract } from "./secrets.ts";
import { skillsContract } from "./skills.ts";
import { speechContract } from "./speech.ts";

const base = mergeContracts(
  mergeContracts(appContract, mergeContracts(approvalsContract, approvalRulesContract)),
  mergeContracts(callsContract, clientsContract),
);
const desk = mergeContracts(
  mergeContracts(base, configContract),
  mergeContracts(policyContract, processesContract),
);
const sources = mergeContracts(mcpServersContract, skillsContract);
export const contract = mergeContracts(
  mergeContracts(desk, mergeContracts(browserContract, sources)),
  mergeContracts(mergeContracts(secretsContract, speechContract), mediaContract),
);
export type SallyportContract = typeof contract;

export * from "./app.ts";
export * from "./approvalRules.ts";
export * from "./approvals.ts";
export * from "./browser.ts";
export * from "./browserViews.ts";
export * from "./calls.ts";
export * from "./clients.ts";
export * from "./config.ts";
export * from "./mcpServers.ts";
export * from "./media.ts";
export * from "./policy.ts";
export * from "./processes.ts";
export * from "./secrets.ts";
export * from "./skills.ts";
export * from "./speech.ts";
