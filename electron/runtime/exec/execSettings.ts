/** What the files say about exec for one agent and one call: gathers, then lets the pure resolver decide. */

import {
  type ExecOverrides,
  type ResolvedExecPolicy,
  resolveExecPolicy,
  type ToolsExecConfig,
} from "../../../shared/exec/index.ts";
import type { Hardening } from "../../../shared/hardening/rules.ts";
import {
  defaultAgentId,
  type ElevatedSender,
  normalizeAgentId,
  resolveElevated,
} from "../../../shared/policy/index.ts";
import type { EffectiveConfig } from "../config/index.ts";
import type { BroadConfirmation } from "../mode/broadMode.ts";
import type { ApprovalsStore } from "../storage/index.ts";

/** `tools.exec` with the keys that running needs, beside those that decide. */
export interface ExecConfig extends ToolsExecConfig {
  pathPrepend?: string[] | undefined;
  backgroundMs?: number | undefined;
  timeoutSec?: number | undefined;
  notifyOnExit?: boolean | undefined;
  notifyOnExitEmptySuccess?: boolean | undefined;
}

interface AgentShape {
  id?: unknown;
  default?: unknown;
  workspace?: unknown;
  tools?: { exec?: ExecConfig; elevated?: { enabled?: boolean } };
}

interface ConfigShape {
  tools?: { exec?: ExecConfig; elevated?: { enabled?: boolean } };
  agents?: { defaults?: { workspace?: unknown; elevatedDefault?: unknown }; list?: AgentShape[] };
}

export interface AgentExecConfig {
  global: ExecConfig | undefined;
  agent: ExecConfig | undefined;
  /** Where the agent's block stands, for sources. */
  agentPath: string | undefined;
  workspace: string | undefined;
  isElevatedEnabled: boolean;
  isDefaultAgent: boolean;
}

/** @param agentId normalised */
export function agentExecConfig(config: unknown, agentId: string): AgentExecConfig {
  const shape = (config ?? {}) as ConfigShape;
  const list = shape.agents?.list ?? [];
  const index = list.findIndex((entry) => normalizeAgentId(String(entry.id ?? "")) === agentId);
  const entry = list[index];
  const workspace = entry?.workspace ?? shape.agents?.defaults?.workspace;
  return {
    global: shape.tools?.exec,
    agent: entry?.tools?.exec,
    agentPath: index < 0 ? undefined : `agents.list.${index}.tools.exec`,
    workspace: typeof workspace === "string" ? workspace : undefined,
    isElevatedEnabled: shape.tools?.elevated?.enabled !== false && entry?.tools?.elevated?.enabled !== false,
    isDefaultAgent: agentId === defaultAgentId(config),
  };
}

/** Who asks, as `tools.elevated.allowFrom` names senders. */
export interface ExecSender {
  /** `mcp` for clients of this machine. */
  channel: string;
  sender: ElevatedSender;
}

/**
 * @param callerId `mcp:<clientId>` and the like; the part behind the colon was authenticated by a token of its own.
 * Labels are no part of it: a client chooses its own.
 */
export function senderOf(callerId: string): ExecSender | undefined {
  const [, channel, id] = /^([a-z]+):(.+)$/s.exec(callerId) ?? [];
  return channel === undefined || id === undefined ? undefined : { channel, sender: { SenderId: id } };
}

const elevatedLevels = ["off", "on", "ask", "full"] as const;

/** `agents.defaults.elevatedDefault`; unset it is `on` in the reference, and `off` by rule: elevated is then asked for. */
function elevatedLevelOf(config: unknown, hardening: Hardening): (typeof elevatedLevels)[number] {
  const word = (config as ConfigShape | undefined)?.agents?.defaults?.elevatedDefault;
  return (
    elevatedLevels.find((level) => level === word) ?? (hardening.has("exec.elevatedAsks") ? "off" : "on")
  );
}

export interface ResolveExecInput {
  config: EffectiveConfig;
  approvals: ApprovalsStore;
  agentId: string;
  call: ExecOverrides;
  elevatedRequested: boolean | undefined;
  /** Absent: nobody in particular, so nobody who may elevate. */
  sender?: ExecSender | undefined;
  isSandboxed: boolean;
  isSandboxNetworkShared?: boolean;
  confirmed: BroadConfirmation;
  hardening: Hardening;
}

/** @see exec.md §2, §3.1, §3.2, §5.1 */
export function resolveExecFor(input: ResolveExecInput): ResolvedExecPolicy {
  const { agentId, config } = input;
  const agent = agentExecConfig(config.config, agentId);
  const elevated = resolveElevated(config.config, {
    agentId,
    ...(input.sender === undefined ? {} : { channel: input.sender.channel }),
    sender: input.sender?.sender ?? {},
  });
  const files = input.approvals.approvals();
  const brokenAtStart: ExecConfig | undefined =
    config.exec.security === undefined ? undefined : { security: "deny" };
  return resolveExecPolicy({
    globalExec: brokenAtStart ?? agent.global,
    agentExec: brokenAtStart ?? agent.agent,
    agentConfigPath: agent.agentPath,
    approvals: files.own,
    ...(files.other === null ? {} : { otherApprovals: files.other }),
    agentId,
    call: input.call,
    elevated: {
      requested: input.elevatedRequested,
      sessionLevel: elevatedLevelOf(config.config, input.hardening),
      isPermitted: elevated.allowed,
      failingGate: elevated.enabled ? "allowFrom" : "enabled",
    },
    isSandboxed: input.isSandboxed,
    ...(input.isSandboxNetworkShared === undefined
      ? {}
      : { isSandboxNetworkShared: input.isSandboxNetworkShared }),
    isConfigBroken: config.exec.alwaysAsk,
    confirmed: input.confirmed,
    hardening: input.hardening,
  });
}
