/** The policy layer: pure decisions about which tools exist for whom. */

export * from "./agentsList.ts";
export * from "./availability.ts";
export * from "./background.ts";
export * from "./catalog.ts";
export * from "./catalogAnswers.ts";
export * from "./codes.ts";
export { type CompiledPolicy, compilePolicy } from "./compile.ts";
export { pathText } from "./configRecord.ts";
export * from "./configSchema.ts";
export * from "./elevated.ts";
export { evaluatePolicy } from "./evaluate.ts";
export * from "./explain.ts";
export * from "./hardening.ts";
export * from "./httpInvoke.ts";
export { auditHttpAllow, type HttpAuditFinding, httpDefaultDeny } from "./httpSurface.ts";
export * from "./loopDetection.ts";
export { normalizeAccountId, normalizeAgentId, normalizeToolName } from "./names.ts";
export * from "./promptOrder.ts";
export { resolveSandboxPolicy, sandboxDefaultAllow, sandboxDefaultDeny } from "./sandboxPolicy.ts";
export * from "./schema.ts";
export { defaultAgentId, isSandboxed, mainSessionKey } from "./scopes.ts";
export { isSubagentSessionKey, parseAgentSessionKey, resolveAgentId } from "./sessionKeys.ts";
export * from "./sessionTools.ts";
export { createWarningMemory, type WarningMemory, warningText } from "./strip.ts";
export { maxSpawnDepth, resolveSubagentPolicy, roleOfDepth, type SubagentRole } from "./subagentPolicy.ts";
export { tracePolicy } from "./trace.ts";
export * from "./types.ts";
