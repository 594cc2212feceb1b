/** Whether the session of a question runs sandboxed, where the question leaves that to the config. */

import { isSandboxed, mainSessionKey } from "./scopes.ts";
import { isSubagentSessionKey, resolveAgentId } from "./sessionKeys.ts";
import type { PolicyContext } from "./types.ts";

/**
 * Fills in `sandboxed` by the sandbox mode of the config (policy §9). A question without a session key is about the
 * agent's main session, unless it names a group or a depth, which a main session does not have.
 * @returns the context as it is when it says so itself, or when its surface does not look at it (HTTP)
 */
export function withSandbox<Context extends PolicyContext>(config: unknown, context: Context): Context {
  if (context.sandboxed !== undefined || context.surface === "http") return context;
  const agentId = resolveAgentId(context.agentId, context.sessionKey);
  return { ...context, sandboxed: isSandboxed(config, agentId, sessionKeyOf(config, agentId, context)) };
}

function sessionKeyOf(config: unknown, agentId: string | undefined, context: PolicyContext): string {
  const given = (context.sessionKey ?? "").trim();
  const main = mainSessionKey(config, agentId ?? "main");
  const depth = context.spawnDepth ?? context.subagentDepth ?? 0;
  const isChild = depth > 0 || isSubagentSessionKey(given);
  if (given !== "") return isChild && given === main ? `${given}:subagent` : given;
  const isGroup = (context.groupId ?? "").trim() !== "";
  return isChild || isGroup ? `${main}:other` : main;
}
