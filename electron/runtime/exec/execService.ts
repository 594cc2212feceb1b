/** Gate two: decides one exec call, asks a person when a rule says so, binds the answer, runs it. */

import type { ApprovalRequest } from "../../../shared/contract/index.ts";
import { AppError } from "../../../shared/errors/index.ts";
import { type ExecutableLookup, findSelfApproval } from "../../../shared/exec/index.ts";
import type { Hardening } from "../../../shared/hardening/rules.ts";
import type { EditedRun } from "../approvals/approvalDesk.ts";
import { changedSince } from "../approvals/binding.ts";
import type { ApprovalDraft, Approvals } from "../approvals/createApprovals.ts";
import type { Grants } from "../approvals/grants.ts";
import type { Clock } from "../clock.ts";
import type { ConfigStore } from "../config/index.ts";
import type { Logger } from "../logging/logger.ts";
import type { BroadMode } from "../mode/broadMode.ts";
import { type ApprovalsStore, type Ledger, parseDottedPath } from "../storage/index.ts";
import type { ToolCallContext, ToolResult } from "../tools/defineTool.ts";
import { buildApprovalDraft } from "./approvalDraft.ts";
import { createExecDesk } from "./execDesk.ts";
import { createExecJudge } from "./execJudge.ts";
import { agentExecConfig } from "./execSettings.ts";
import type { ExecHost, ExecHosts, HostPlace, PreparedRun } from "./hosts/index.ts";
import { shellAtInput, whyNoInput } from "./inputRule.ts";
import type { Places } from "./places.ts";
import { createExecPreparer, type ExecReady } from "./prepareExec.ts";
import { notExecuted, refused, refusedByRule, refuseSelfApproval } from "./refusals.ts";
import { preflightProblem } from "./scriptChecks.ts";
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
  grants: Grants;
  /** Past commands for previews of grants. */
  ledger: Ledger;
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
  /** Counts one use of an allowlist entry; absent: nobody counts. */
  countEntryUse?(agentId: string, pattern: string): void;
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

/** All that is settled when a command starts. */
interface DecidedRun {
  host: ExecHost;
  hostRequest: Parameters<ExecHost["place"]>[0];
  place: HostPlace;
  current: ExecReady;
  edited: EditedRun | null;
  wasAsked: boolean;
}

/** The agent of "Try it" leaves no rule behind. */
export const tryoutAgentId = "tryout";

/** @see exec.md §3.3 (order of checks), §6, §7; product.md A7, A11, A14, A20, A21 */
export function createExecService(deps: ExecServiceDeps): ExecService {
  const { places, grants } = deps;
  const uses = createUseRecorder(deps);
  const cleanups = new Set<Promise<void>>();
  /** By approval: the run that its decision allowed, while it goes on. */
  const runs = new Map<string, Promise<ToolResult>>();
  const judge = createExecJudge({
    ...deps,
    grants: () => grants.inForce(),
    // "Try it" shows how commands are asked for; a sandbox would hide that.
    isSandboxed: (agentId, sessionKey) => agentId !== tryoutAgentId && deps.isSandboxed(agentId, sessionKey),
  });
  const prepare = createExecPreparer({
    judge,
    grants: () => grants.inForce(),
    hardening: deps.hardening,
  });
  const deskFor = createExecDesk({ ...deps, judge, prepare });

  const draftOf = (
    ready: ExecReady,
    call: ExecCall,
    context: ToolCallContext,
    host: ExecHost,
    place: HostPlace,
  ): ApprovalDraft => {
    const { cwd, warning } = place;
    const extraWarnings: ApprovalRequest["warnings"] =
      warning === null ? [] : [{ level: "warn", reason: { code: "workdirFallback", params: { cwd } } }];
    extraWarnings.push(...ready.notices);
    const typedInto = call.pty === true ? shellAtInput(ready.decision, deps.hardening()) : null;
    if (typedInto !== null)
      extraWarnings.push({ level: "warn", reason: { code: "inputToShell", params: { program: typedInto } } });
    const isTryout = context.agentId === tryoutAgentId;
    return buildApprovalDraft({
      ...deskFor({
        ready,
        call,
        context,
        host,
        place,
        draftOfEdited: (edited, editedCall) => draftOf(edited, editedCall, context, host, place),
      }),
      decision: ready.decision,
      hardening: deps.hardening(),
      binding: ready.binding,
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
      withholdAlways: isTryout ? { code: "always.tryout", params: {} } : null,
      lineOf: (file, configPath) => lineOf(deps, file, configPath),
      extraWarnings,
    });
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
    if (findSelfApproval(call.command, deps.hardening()) !== null) return refuseSelfApproval();
    const resolved = judge.resolve(call, context);
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
    const asked = await prepare(call, context, host, place);
    if (asked.kind === "refused") return asked.result;
    let current: ExecReady = asked;
    let edited: EditedRun | null = null;

    if (asked.decision.outcome === "ask") {
      const draft = draftOf(asked, call, context, host, place);
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
      edited = answer.edited ?? null;
      if (edited !== null) current = { kind: "ready", notices: [], ...edited };
      // One decision is one run: a retry that joined gets the result of that run, not a second one (A7, A22).
      const sharedRun = runs.get(answer.approvalId);
      if (sharedRun !== undefined) return sharedRun;
      const ownRun = runUnchanged(call, context, {
        host,
        hostRequest,
        place,
        current,
        edited,
        wasAsked: true,
      });
      runs.set(answer.approvalId, ownRun);
      return ownRun.finally(() => runs.delete(answer.approvalId));
    }
    return start(call, context, { host, hostRequest, place, current, edited, wasAsked: false });
  };

  /** Runs what a person allowed, if it still is what was shown. */
  const runUnchanged = async (
    call: ExecCall,
    context: ToolCallContext,
    decided: DecidedRun,
  ): Promise<ToolResult> => {
    const changed = await changedSince(decided.current.binding);
    if (changed === null) return start(call, context, decided);
    return refused(
      changed,
      { kind: "system", reason: changed },
      "Something changed between the decision and the run, so nothing was executed. Ask again.",
    );
  };

  /** Runs what was decided, on the host that it was decided for. */
  const start = async (
    call: ExecCall,
    context: ToolCallContext,
    decided: DecidedRun,
  ): Promise<ToolResult> => {
    const { host, place, edited } = decided;
    const { decision, binding } = decided.current;
    const command = edited?.command ?? call.command;
    const preflight = preflightProblem(decision, judge.options(place.cwd, place.env));
    if (preflight !== null) throw new AppError("INVALID_INPUT", preflight);
    if (host.kind === "gateway") {
      if (decision.allowlistSatisfied) uses.record(decision, command);
      if (decision.outcome === "allow") grants.recordUse(decision, command, context.toolCallId);
    }
    const agent = agentExecConfig(deps.config.effective().config, context.agentId);
    const timing = { ...agent.global, ...dropUndefined(agent.agent ?? {}) };
    const prepared = await host.prepare({
      ...decided.hostRequest,
      plan: decision.plan,
      place,
      pty: call.pty ?? false,
    });
    const stopWatching = afterEnd(context.toolCallId, prepared);
    /** A grant may be revoked, an entry removed, a mode changed while an earlier link of the chain runs. */
    const isStillAllowed = (): boolean => {
      const { agentId, sessionKey, callerId } = context;
      const again = judge.judge(call, { agentId, sessionKey, callerId, cwd: place.cwd, env: place.env });
      return again.ok && again.decision.outcome === "allow";
    };
    const starting = deps.sessions.start({
      plan: prepared.plan,
      command,
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
      warnings: [
        ...(edited === null ? [] : [editedNotice(edited.command)]),
        ...(place.warning === null ? [] : [place.warning]),
        ...prepared.warnings,
      ],
      noAgentInput: whyNoInput(decision, decided.wasAsked, deps.hardening()),
      beforeSpawn: async (linkIndex) => {
        // What was judged just now has had no time to change; later links of a chain have had all of the earlier ones'.
        if (!decided.wasAsked && linkIndex === 0) return;
        if (!decided.wasAsked && !isStillAllowed())
          throw new AppError(
            "APPROVAL_REJECTED",
            "The rule that allowed this command is gone. Nothing more was started.",
            { data: { reason: "ruleGone" } },
          );
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
      details: {
        ...result.details,
        cwd: place.innerCwd,
        ...(edited === null ? {} : { editedByOperator: true, askedFor: call.command, ran: command }),
      },
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

/** The agent must know that its own command did not run. */
function editedNotice(command: string): string {
  return `Edited by operator: this ran instead of your command: ${command}`;
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
