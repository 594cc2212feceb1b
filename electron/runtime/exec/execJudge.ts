/** Gate two as a question: what would happen to this command here and now. Reads the rules anew each time. */

import {
  type AnalyzeOptions,
  type ExecDecision,
  type ExecutableLookup,
  evaluateExec,
  type Grant,
  type ResolvedExecPolicy,
} from "../../../shared/exec/index.ts";
import type { Hardening } from "../../../shared/hardening/rules.ts";
import type { Clock } from "../clock.ts";
import type { ConfigStore } from "../config/index.ts";
import type { BroadMode } from "../mode/broadMode.ts";
import type { ApprovalsStore } from "../storage/index.ts";
import { resolveExecFor, senderOf } from "./execSettings.ts";
import { isNetworkShared, sandboxSettingsOf } from "./hosts/index.ts";

/** What of a call decides about it. */
export interface JudgedCall {
  command: string;
  env?: Record<string, string> | undefined;
  elevated?: boolean | undefined;
  host?: string | undefined;
  security?: string | undefined;
  ask?: string | undefined;
  node?: string | undefined;
}

export interface JudgeCaller {
  agentId: string;
  sessionKey: string;
  /** Absent for a command of the past. */
  callerId?: string | undefined;
}

export interface JudgePlace extends JudgeCaller {
  /** Canonical. */
  cwd: string;
  /** The whole environment, overrides included. */
  env: Record<string, string>;
}

export type JudgeAnswer = { ok: true; decision: ExecDecision } | { ok: false; code: string; message: string };

export interface ExecJudge {
  options(cwd: string, env: Record<string, string>): AnalyzeOptions;
  /** What the files say for this call, the host before all. */
  resolve(call: JudgedCall, caller: JudgeCaller): ResolvedExecPolicy;
  /**
   * @param over `grants` are judged with instead of those that count now; `lookup` instead of the file system
   * @returns not ok when the wanted host cannot be used at all
   */
  judge(
    call: JudgedCall,
    place: JudgePlace,
    over?: { grants?: readonly Grant[]; lookup?: ExecutableLookup },
  ): JudgeAnswer;
}

export interface ExecJudgeDeps {
  config: ConfigStore;
  approvalsFile: ApprovalsStore;
  broadMode: BroadMode;
  lookup: ExecutableLookup;
  homeDir: string;
  hardening(): Hardening;
  grants(): readonly Grant[];
  isSandboxed(agentId: string, sessionKey: string): boolean;
  clock: Clock;
}

export function createExecJudge(deps: ExecJudgeDeps): ExecJudge {
  const options = (cwd: string, env: Record<string, string>): AnalyzeOptions => ({
    platform: platformOf(process.platform),
    cwd,
    env,
    home: deps.homeDir,
    lookup: deps.lookup,
    hardening: deps.hardening(),
  });
  const resolve: ExecJudge["resolve"] = (call, { agentId, sessionKey, callerId }) => {
    const config = deps.config.effective();
    return resolveExecFor({
      config,
      approvals: deps.approvalsFile,
      agentId,
      call: { host: call.host, security: call.security, ask: call.ask, node: call.node },
      elevatedRequested: call.elevated,
      ...(callerId === undefined ? {} : { sender: senderOf(callerId) }),
      isSandboxed: deps.isSandboxed(agentId, sessionKey),
      isSandboxNetworkShared: isNetworkShared(sandboxSettingsOf(config.config, agentId)),
      confirmed: deps.broadMode.confirmationFor(agentId),
      hardening: deps.hardening(),
    });
  };
  return {
    options,
    resolve,
    judge(call, place, over = {}) {
      const resolved = resolve(call, place);
      if (!resolved.ok) return { ok: false, code: resolved.code, message: resolved.message };
      const decision = evaluateExec({
        ...options(place.cwd, place.env),
        ...(over.lookup === undefined ? {} : { lookup: over.lookup }),
        command: call.command,
        agentId: place.agentId,
        sessionKey: place.sessionKey,
        policy: resolved.policy,
        allowlist: resolved.allowlist,
        safeBins: resolved.safeBins,
        grants: over.grants ?? deps.grants(),
        envOverrides: call.env ?? {},
        nowMs: deps.clock.nowMs(),
      });
      return { ok: true, decision };
    },
  };
}

function platformOf(platform: NodeJS.Platform): AnalyzeOptions["platform"] {
  return platform === "darwin" || platform === "freebsd" || platform === "win32" ? platform : "linux";
}
