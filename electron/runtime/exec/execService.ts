/** Gate two: decides one exec call, asks a person when a rule says so, binds the answer, runs it. */

import type { ApprovalRequest } from "../../../shared/contract/index.ts";
import { AppError } from "../../../shared/errors/index.ts";
import {
  type AnalyzeOptions,
  type ExecDecision,
  type ExecutableLookup,
  evaluateExec,
  findSelfApproval,
} from "../../../shared/exec/index.ts";
import type { Hardening } from "../../../shared/hardening/rules.ts";
import { bind, changedSince } from "../approvals/binding.ts";
import type { Approvals } from "../approvals/createApprovals.ts";
import type { Clock } from "../clock.ts";
import type { ConfigStore } from "../config/index.ts";
import type { Logger } from "../logging/logger.ts";
import type { BroadMode } from "../mode/broadMode.ts";
import { type ApprovalsStore, parseDottedPath } from "../storage/index.ts";
import type { ToolCallContext, ToolResult } from "../tools/defineTool.ts";
import { buildApprovalDraft, toReason } from "./approvalDraft.ts";
import { agentExecConfig, resolveExecFor, senderOf } from "./execSettings.ts";
import { type ExecHosts, isNetworkShared, type PreparedRun, sandboxSettingsOf } from "./hosts/index.ts";
import type { Places } from "./places.ts";
import { notExecuted, refused, refuseSelfApproval } from "./refusals.ts";
import { pinnedFiles, preflightProblem, selfApprovingScript } from "./scriptChecks.ts";
import { type ExecSessions, scopeKeyFor } from "./sessions/index.ts";
import { createUseRecorder } from "./useRecorder.ts";

/** Input of one call, after its schema. */
export interface ExecCall {
  command: string;
  workdir?: string | undefined;
  env?: Record<string, string> | undefined;
  yieldMs?: number | undefined;
  background?: boolean | undefined;
  timeout?: number | undefined;
  pty?: boolean | undefined;
  elevated?: boolean | undefined;
  host?: string | undefined;
  security?: string | undefined;
  ask?: string | undefined;
  node?: string | undefined;
}

export interface ExecServiceDeps {
  config: ConfigStore;
  approvalsFile: ApprovalsStore;
  approvals: Approvals;
  sessions: ExecSessions;
  lookup: ExecutableLookup;
  broadMode: BroadMode;
  places: Places;
  hosts: ExecHosts;
  hardening(): Hardening;
  homeDir: string;
  isSandboxed(agentId: string, sessionKey: string): boolean;
  /** How long a request waits for a person; read anew for each request. */
  requestLifetimeMs(): number;
  clock: Clock;
  logger: Logger;
}

export interface ExecService {
  run(call: ExecCall, context: ToolCallContext): Promise<ToolResult>;
  /** The environment and folder that a call of this agent would start from, for `exec.explain`. */
  defaultsFor(agentId: string): Promise<{ cwd: string; env: Record<string, string>; home: string }>;
  /** Waits for what is still being written. */
  dispose(): Promise<void>;
}

/** The agent of "Try it" leaves no rule behind. */
export const tryoutAgentId = "tryout";

/** @see exec.md §3.3 (order of checks), §6, §7; product.md A7, A11, A20, A21 */
export function createExecService(deps: ExecServiceDeps): ExecService {
  const { places } = deps;
  const uses = createUseRecorder(deps);
  const cleanups = new Set<Promise<void>>();

  const analyzeOptions = (cwd: string, env: Record<string, string>): AnalyzeOptions => ({
    platform: platformOf(process.platform),
    cwd,
    env,
    home: deps.homeDir,
    lookup: deps.lookup,
    hardening: deps.hardening(),
  });

  const resolvePolicy = (call: ExecCall, context: ToolCallContext) => {
    const effective = deps.config.effective();
    return resolveExecFor({
      config: effective,
      approvals: deps.approvalsFile,
      agentId: context.agentId,
      call: { host: call.host, security: call.security, ask: call.ask, node: call.node },
      elevatedRequested: call.elevated,
      sender: senderOf(context.callerId),
      // "Try it" shows how commands are asked for; a sandbox would hide that.
      isSandboxed: context.agentId !== tryoutAgentId && deps.isSandboxed(context.agentId, context.sessionKey),
      isSandboxNetworkShared: isNetworkShared(sandboxSettingsOf(effective.config, context.agentId)),
      confirmed: deps.broadMode.confirmationFor(context.agentId),
      hardening: deps.hardening(),
    });
  };

  const evaluate = (
    call: ExecCall,
    context: ToolCallContext,
    cwd: string,
    env: Record<string, string>,
  ): { decision: ExecDecision } | { refusal: string; code: string } => {
    const resolved = resolvePolicy(call, context);
    if (!resolved.ok) return { refusal: resolved.message, code: resolved.code };
    const decision = evaluateExec({
      ...analyzeOptions(cwd, env),
      command: call.command,
      agentId: context.agentId,
      sessionKey: context.sessionKey,
      policy: resolved.policy,
      allowlist: resolved.allowlist,
      safeBins: resolved.safeBins,
      envOverrides: call.env ?? {},
      nowMs: deps.clock.nowMs(),
    });
    return { decision };
  };

  /** Stores what "always" offers and proves that it helps; takes it back when it does not (A11). */
  const storeAlways = async (
    call: ExecCall,
    context: ToolCallContext,
    cwd: string,
    env: Record<string, string>,
    decision: ExecDecision,
  ) => {
    const stores = decision.allowAlways.persists;
    const added: typeof stores = [];
    for (const entry of stores) {
      const answer = await deps.approvalsFile.addAllowlist(entry.agentId, entry.pattern);
      if (answer.added) added.push(entry);
    }
    const again = evaluate(call, context, cwd, env);
    const wouldAsk = !("decision" in again) || again.decision.outcome !== "allow";
    // ask=always asks on purpose; anything else means that the rule does not do what was promised.
    if (wouldAsk && decision.effective.ask.value !== "always") {
      for (const entry of added) await deps.approvalsFile.removeAllowlist(entry.agentId, entry.pattern);
      throw new AppError(
        "UNAVAILABLE",
        "The rule would not have covered this command, so it was not kept. Allow it once instead.",
      );
    }
    return stores;
  };

  /** What a host leaves behind goes when the command of this call has ended, in the background too. */
  const afterEnd = (toolCallId: string, prepared: PreparedRun): (() => void) => {
    if (prepared.afterEnd === undefined) return () => {};
    const off = deps.sessions.events.on("sessionEnded", ({ session }) => {
      if (session.toolCallId !== toolCallId) return;
      off();
      const wasStopped = session.state.kind !== "ended" || session.state.outcome.kind !== "exited";
      const done = prepared.afterEnd?.({ wasStopped }).catch((error: unknown) => {
        deps.logger.error("exec.afterEndFailed", { toolCallId, error });
      });
      if (done !== undefined) {
        cleanups.add(done);
        void done.then(() => cleanups.delete(done));
      }
    });
    return off;
  };

  const run = async (call: ExecCall, context: ToolCallContext): Promise<ToolResult> => {
    if (call.command.trim() === "") throw new AppError("INVALID_INPUT", "Provide a command to start.");
    const selfApproval = findSelfApproval(call.command, deps.hardening());
    if (selfApproval !== null) return refuseSelfApproval();
    const resolved = resolvePolicy(call, context);
    if (!resolved.ok) return refusedByRule(resolved.code, resolved.message);
    const host = deps.hosts[resolved.policy.host.value];
    const hostRequest = {
      agentId: context.agentId,
      sessionKey: context.sessionKey,
      workdir: call.workdir,
      envOverrides: call.env ?? {},
    };
    const availability = await host.isAvailable(hostRequest);
    if (!availability.ok)
      return refused(
        { code: "hostUnavailable", params: { host: host.kind, why: availability.code } },
        { kind: "rule", ruleId: "exec.host" },
        availability.message,
      );
    const place = await host.place(hostRequest);
    const { cwd, env, warning } = place;
    const judged = evaluate(call, context, cwd, env);
    if ("refusal" in judged) return refusedByRule(judged.code, judged.refusal);
    const { decision } = judged;
    // The config may have changed since the host was chosen; folder and environment are those of the chosen one.
    if (decision.effective.host.value !== host.kind)
      throw new AppError("UNAVAILABLE", "The config changed while this command was judged. Send it again.");
    if (decision.outcome === "deny") {
      const reason = decision.reasons[0];
      return refused(
        reason === undefined ? { code: "denied", params: {} } : toReason(reason),
        { kind: "rule", ruleId: ruleIdOf(decision) },
        decision.error ?? "exec denied",
      );
    }

    if ((await selfApprovingScript(decision.plan, deps.hardening())) !== null) return refuseSelfApproval();
    const bound = await bind(cwd, pinnedFiles(decision.plan));
    if (!bound.ok)
      return refused(
        bound.reason,
        { kind: "system", reason: bound.reason },
        "A program of this command cannot be read, so nothing could be bound to a decision. Nothing was executed.",
      );
    const { binding } = bound;
    const agent = agentExecConfig(deps.config.effective().config, context.agentId);
    const timing = { ...agent.global, ...dropUndefined(agent.agent ?? {}) };

    if (decision.outcome === "ask") {
      const extraWarnings: ApprovalRequest["warnings"] =
        warning === null ? [] : [{ level: "warn", reason: { code: "workdirFallback", params: { cwd } } }];
      const draft = buildApprovalDraft({
        decision,
        binding,
        command: call.command,
        cwd,
        envOverrides: call.env ?? {},
        shell: host.shellLabel(place),
        agentId: context.agentId,
        sessionKey: context.sessionKey,
        callerId: context.callerId,
        callerLabel: context.callerLabel,
        toolCallId: context.toolCallId,
        pty: call.pty ?? false,
        background: call.background ?? false,
        timeoutMs: call.timeout === undefined ? null : call.timeout * 1000,
        lifetimeMs: deps.requestLifetimeMs(),
        withholdAlways: context.agentId === tryoutAgentId ? { code: "always.tryout", params: {} } : null,
        lineOf: (file, configPath) => lineOf(deps, file, configPath),
        extraWarnings,
        storeAlways: () => storeAlways(call, context, cwd, env, decision),
      });
      const answer = await deps.approvals.request(draft, context.signal, (approvalId) =>
        context.reportWaiting({ approvalId }),
      );
      const isAllowed = answer.outcome === "allowed-once" || answer.outcome === "allowed-always";
      if (answer.outcome === "expired" && draft.onExpiry === "run") {
        deps.logger.warn("exec.ranAfterExpiry", { toolCallId: context.toolCallId });
      } else if (!isAllowed) {
        return notExecuted(answer, call.command);
      }
      // Waiting is over before anything runs; a call that did not wait (already decided) has nothing to take back.
      context.reportWaiting(null);
      const changed = await changedSince(binding);
      if (changed !== null)
        return refused(
          changed,
          { kind: "system", reason: changed },
          "Something changed between the decision and the run, so nothing was executed. Ask again.",
        );
    }

    const preflight = await preflightProblem(decision, analyzeOptions(cwd, env));
    if (preflight !== null) throw new AppError("INVALID_INPUT", preflight);
    if (decision.allowlistSatisfied && host.kind === "gateway") uses.record(decision, call.command);

    const prepared = await host.prepare({
      ...hostRequest,
      plan: decision.plan,
      place,
      pty: call.pty ?? false,
    });
    const stopWatching = afterEnd(context.toolCallId, prepared);
    const starting = deps.sessions.start({
      plan: prepared.plan,
      command: call.command,
      cwd: prepared.cwd,
      env: prepared.env,
      pty: prepared.pty,
      ...(call.timeout === undefined ? {} : { timeoutMs: call.timeout > 0 ? call.timeout * 1000 : null }),
      ...(call.yieldMs === undefined ? {} : { yieldMs: call.yieldMs }),
      ...(call.background === undefined ? {} : { background: call.background }),
      allowBackground: context.canBackground,
      ...(timing.timeoutSec === undefined ? {} : { defaultTimeoutMs: timing.timeoutSec * 1000 }),
      ...(timing.backgroundMs === undefined ? {} : { backgroundMs: timing.backgroundMs }),
      scopeKey: scopeKeyFor({ sessionKey: context.sessionKey, agentId: context.agentId }),
      agentId: context.agentId,
      sessionKey: context.sessionKey,
      toolCallId: context.toolCallId,
      notifyOnExit: timing.notifyOnExit ?? true,
      notifyOnExitEmptySuccess: timing.notifyOnExitEmptySuccess ?? false,
      warnings: [...(warning === null ? [] : [warning]), ...prepared.warnings],
      beforeSpawn: async () => {
        if (decision.outcome !== "ask") return;
        const changed = await changedSince(binding);
        if (changed !== null)
          throw new AppError(
            "APPROVAL_REJECTED",
            "Something changed between the decision and the run. Nothing more was started.",
            { data: { reason: changed.code } },
          );
      },
      onUpdate: (tail) => context.reportProgress(tail),
      signal: context.signal,
    });
    const result = await starting.catch((error: unknown) => {
      stopWatching();
      throw error;
    });
    return {
      content: [{ type: "text", text: result.text }],
      details: { ...result.details, cwd: place.innerCwd },
      isError: result.details.status === "failed",
    };
  };

  return {
    run,
    async defaultsFor(agentId) {
      return {
        cwd: places.workspaceOf(agentId),
        env: await places.hostEnvFor(agentId, {}),
        home: deps.homeDir,
      };
    },
    async dispose() {
      await Promise.all([uses.settled(), ...cleanups]);
    },
  };
}

function refusedByRule(code: string, text: string): ToolResult {
  return refused({ code, params: {} }, { kind: "rule", ruleId: code }, text);
}

function ruleIdOf(decision: ExecDecision): string {
  const rule = decision.reasons[0]?.rule;
  if (rule?.kind === "config" || rule?.kind === "approvalsFile") return rule.path;
  return decision.reasons[0]?.code ?? "exec";
}

function lineOf(
  deps: ExecServiceDeps,
  file: "openclaw.json" | "exec-approvals.json",
  configPath: string,
): number | null {
  if (configPath === "") return null;
  const path = parseDottedPath(configPath);
  if (file === "openclaw.json") return deps.config.positionOf(path)?.line ?? null;
  const state = deps.approvalsFile.current();
  return state.kind === "ok" ? (state.positionOf(path)?.line ?? null) : null;
}

function dropUndefined<T extends object>(value: T): Partial<T> {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as Partial<T>;
}

function platformOf(platform: NodeJS.Platform): "linux" | "darwin" | "freebsd" | "win32" {
  return platform === "darwin" || platform === "freebsd" || platform === "win32" ? platform : "linux";
}
