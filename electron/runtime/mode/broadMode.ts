/** Broad modes (A18): `full` runs without asking only while a person has confirmed it, for a time. */

import type { ExecMode } from "../../../shared/contract/index.ts";
import { AppError } from "../../../shared/errors/index.ts";
import type { Hardening } from "../../../shared/hardening/rules.ts";
import { defaultAgentId } from "../../../shared/policy/index.ts";
import type { Clock } from "../clock.ts";
import type { ConfigStore, SettingsStore } from "../config/index.ts";
import { resolveExecFor } from "../exec/execSettings.ts";
import type { ApprovalsStore } from "../storage/index.ts";

/** What a person confirmed for an agent and has not ended. */
export interface BroadConfirmation {
  full: boolean;
  askOff: boolean;
}

export interface BroadModeDeps {
  config: ConfigStore;
  approvals: ApprovalsStore;
  settings: SettingsStore;
  clock: Clock;
  hardening(): Hardening;
  agentIds(): string[];
}

export interface BroadMode {
  /** The mode of the default agent, with every agent that is or would be broad. */
  current(): ExecMode;
  confirmationFor(agentId: string): BroadConfirmation;
  /** @throws AppError INVALID_INPUT for other words or an end outside the next 24 hours */
  confirm(input: { words: string; endsAtMs: number }, confirmedBy: string): Promise<ExecMode>;
  restore(): Promise<ExecMode>;
}

/** What the person types to confirm; the same in every language, because it is compared. */
export const confirmationWords = "run without asking";
const longestMs = 24 * 3_600_000;

export function createBroadMode(deps: BroadModeDeps): BroadMode {
  const { settings, clock } = deps;

  const confirmed = () => {
    const kept = settings.settings().mode.broadConfirmed;
    return kept !== null && kept.endsAtMs > clock.nowMs() ? kept : null;
  };

  const modeOf = (agentId: string, confirmation: BroadConfirmation) => {
    const resolved = resolveExecFor({
      config: deps.config.effective(),
      approvals: deps.approvals,
      agentId,
      call: {},
      elevatedRequested: undefined,
      isSandboxed: false,
      confirmed: confirmation,
      hardening: deps.hardening(),
    });
    // A config that names a host which is not there still has a mode for the panel: the strictest.
    if (!resolved.ok) return { security: "deny" as const, ask: "always" as const };
    const { security, ask, alwaysAsk } = resolved.policy;
    // A config that broke while running asks for everything, whatever the last good one said.
    const isForced = alwaysAsk.includes("brokenConfig") && security.value !== "deny";
    return { security: security.value, ask: isForced ? ("always" as const) : ask.value };
  };
  const isBroad = (mode: { security: string; ask: string }) =>
    mode.security === "full" && mode.ask !== "always";

  const confirmationFor = (agentId: string): BroadConfirmation => {
    const isConfirmed = confirmed()?.agents.includes(agentId) ?? false;
    return { full: isConfirmed, askOff: isConfirmed };
  };

  /** Agents that the files make broad, whether or not a person confirmed it. */
  const broadAgents = () =>
    deps.agentIds().filter((agentId) => isBroad(modeOf(agentId, { full: true, askOff: true })));

  const current = (): ExecMode => {
    const main = defaultAgentId(deps.config.effective().config);
    const broad = broadAgents();
    const kept = confirmed();
    const shared = {
      ...modeOf(main, confirmationFor(main)),
      configured: modeOf(main, { full: true, askOff: true }),
    };
    const open = broad.filter((agentId) => kept?.agents.includes(agentId));
    if (kept !== null && open.length > 0) {
      return { ...shared, broad: { kind: "confirmed", agents: open, endsAtMs: kept.endsAtMs } };
    }
    return { ...shared, broad: broad.length > 0 ? { kind: "unconfirmed", agents: broad } : { kind: "none" } };
  };

  return {
    current,
    confirmationFor,
    async confirm({ words, endsAtMs }, confirmedBy) {
      if (words.trim() !== confirmationWords) {
        throw new AppError("INVALID_INPUT", `Type the words exactly: ${confirmationWords}`);
      }
      const nowMs = clock.nowMs();
      if (endsAtMs <= nowMs || endsAtMs > nowMs + longestMs) {
        throw new AppError("INVALID_INPUT", "Choose an end between now and 24 hours from now.");
      }
      const agents = broadAgents();
      if (agents.length === 0) {
        throw new AppError(
          "INVALID_INPUT",
          "No agent is configured to run without asking. Nothing to confirm.",
        );
      }
      const value = { agents, confirmedAtMs: nowMs, endsAtMs, confirmedBy };
      await settings.update([{ op: "set", path: ["mode", "broadConfirmed"], value }]);
      return current();
    },
    async restore() {
      await settings.update([{ op: "set", path: ["mode", "broadConfirmed"], value: null }]);
      return current();
    },
  };
}
