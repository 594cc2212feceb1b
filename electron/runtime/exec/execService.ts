/** Gate two: decides one exec call, asks a person when a rule says so, binds the answer, runs it. */

import { mkdir, readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { ApprovalRequest, Reason } from "../../../shared/contract/index.ts";
import { AppError } from "../../../shared/errors/index.ts";
import {
  buildHostEnv,
  checkScriptText,
  type ExecDecision,
  type ExecutableLookup,
  type ExecutionPlan,
  evaluateExec,
  findPreflightTarget,
  findSelfApproval,
  preflightMaxBytes,
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
import { agentExecConfig, resolveExecFor } from "./execSettings.ts";
import { joinPaths } from "./loginPath.ts";
import { type ExecSessions, runPlanFrom, scopeKeyFor } from "./sessions/index.ts";
import { shellFor } from "./shell.ts";

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
  hardening(): Hardening;
  baseEnv: Record<string, string>;
  /** PATH of a login shell; asked once, may still be running when the first call arrives. */
  loginPath: Promise<string | null>;
  homeDir: string;
  stateDir: string;
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
}

/** The agent of "Try it" leaves no rule behind. */
export const tryoutAgentId = "tryout";

/** @see exec.md §3.3 (order of checks), §6, §7; product.md A7, A11, A20, A21 */
export function createExecService(deps: ExecServiceDeps): ExecService {
  const workspaceOf = (agentId: string): string => {
    const agent = agentExecConfig(deps.config.effective().config, agentId);
    if (agent.workspace !== undefined) return resolve(expandHome(agent.workspace, deps.homeDir));
    return join(
      deps.stateDir,
      agent.isDefaultAgent || agentId === "main" ? "workspace" : `workspace-${agentId}`,
    );
  };

  const chooseFolder = async (wanted: string | undefined, agentId: string) => {
    const workspace = workspaceOf(agentId);
    const asked =
      wanted === undefined || wanted.trim() === ""
        ? null
        : resolve(workspace, expandHome(wanted.trim(), deps.homeDir));
    if (asked !== null && (await isDirectory(asked))) return { cwd: asked, warning: null };
    await mkdir(workspace, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
      deps.logger.warn("exec.workspaceMissing", { workspace, error });
    });
    const cwd = (await isDirectory(workspace)) ? workspace : deps.homeDir;
    const warning = asked === null ? null : `Warning: workdir "${asked}" is unavailable; using "${cwd}".`;
    return { cwd, warning };
  };

  const hostEnvFor = async (agentId: string, overrides: Record<string, string>) => {
    const agent = agentExecConfig(deps.config.effective().config, agentId);
    const built = buildHostEnv(deps.baseEnv, overrides, deps.hardening());
    if (!built.ok)
      throw new AppError(
        "INVALID_INPUT",
        built.message ?? "An environment variable of this call is not allowed.",
      );
    const prepend = (agent.agent?.pathPrepend ?? agent.global?.pathPrepend ?? []).map((entry) =>
      expandHome(entry.trim(), deps.homeDir),
    );
    const path = joinPaths(prepend.join(":"), await deps.loginPath, deps.baseEnv.PATH);
    return { ...built.env, PATH: path };
  };

  const evaluate = (
    call: ExecCall,
    context: ToolCallContext,
    cwd: string,
    env: Record<string, string>,
  ): { decision: ExecDecision } | { refusal: string; code: string } => {
    const hardening = deps.hardening();
    const resolved = resolveExecFor({
      config: deps.config.effective(),
      approvals: deps.approvalsFile,
      agentId: context.agentId,
      call: { host: call.host, security: call.security, ask: call.ask, node: call.node },
      elevatedRequested: call.elevated,
      isSandboxed: deps.isSandboxed(context.agentId, context.sessionKey),
      confirmed: deps.broadMode.confirmationFor(context.agentId),
      hardening,
    });
    if (!resolved.ok) return { refusal: resolved.message, code: resolved.code };
    const decision = evaluateExec({
      command: call.command,
      platform: platformOf(process.platform),
      cwd,
      env,
      home: deps.homeDir,
      lookup: deps.lookup,
      hardening,
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

  const run = async (call: ExecCall, context: ToolCallContext): Promise<ToolResult> => {
    if (call.command.trim() === "") throw new AppError("INVALID_INPUT", "Provide a command to start.");
    const { cwd, warning } = await chooseFolder(call.workdir, context.agentId);
    const selfApproval = findSelfApproval(call.command, deps.hardening());
    if (selfApproval !== null) {
      return refused(
        { code: "selfApproval", params: {} },
        { kind: "rule", ruleId: "exec.selfApproval" },
        "This command would answer an approval. Only a person may do that.",
      );
    }
    const env = await hostEnvFor(context.agentId, call.env ?? {});
    const judged = evaluate(call, context, cwd, env);
    if ("refusal" in judged) {
      return refused(
        { code: judged.code, params: {} },
        { kind: "rule", ruleId: judged.code },
        judged.refusal,
      );
    }
    const { decision } = judged;
    if (decision.effective.host.value !== "gateway" && decision.outcome !== "deny") {
      const host = decision.effective.host.value;
      const text =
        host === "node"
          ? "exec host=node: no node is paired. Pair a node first, or use host=gateway."
          : "exec host=sandbox: this build has no sandbox host. Turn the sandbox of this agent off, or set tools.exec.host to gateway.";
      return refused(
        { code: "hostUnavailable", params: { host } },
        { kind: "rule", ruleId: "exec.host" },
        text,
      );
    }
    if (decision.outcome === "deny") {
      const reason = decision.reasons[0];
      return refused(
        reason === undefined ? { code: "denied", params: {} } : toReason(reason),
        { kind: "rule", ruleId: ruleIdOf(decision) },
        decision.error ?? "exec denied",
      );
    }

    const shell = shellFor(deps.baseEnv, (name) => deps.lookup.findOnPath(name, env)?.lexicalPath ?? null);
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
        shell,
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

    const preflight = await preflightProblem(decision, cwd, env);
    if (preflight !== null) throw new AppError("INVALID_INPUT", preflight);
    if (decision.allowlistSatisfied) void recordUse(decision, call.command);

    const result = await deps.sessions.start({
      plan: runPlanFrom(decision.plan, { file: shell, args: ["-c"] }),
      command: call.command,
      cwd,
      env,
      pty: call.pty ?? false,
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
      warnings: warning === null ? [] : [warning],
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
    return {
      content: [{ type: "text", text: result.text }],
      details: result.details,
      isError: result.details.status === "failed",
    };
  };

  const recordUse = async (decision: ExecDecision, command: string) => {
    const uses = decision.segments.flatMap((verdict) => {
      if (verdict.rule?.kind !== "allowlist") return [];
      const segment = decision.analysis.ok
        ? decision.analysis.pipelines
            .flatMap((pipeline) => pipeline.segments)
            .find((candidate) => candidate.index === verdict.segmentIndex)
        : undefined;
      return [
        {
          agentId: verdict.rule.agentId,
          pattern: verdict.rule.pattern,
          command,
          resolvedPath: segment?.execution.resolvedPath ?? "",
        },
      ];
    });
    if (uses.length === 0) return;
    await deps.approvalsFile.recordUse(uses).catch((error: unknown) => {
      // A use counter that cannot be written must not stop a permitted command; the log says it.
      deps.logger.warn("exec.useNotRecorded", { error });
    });
  };

  /** Only a script inside the folder is looked into; what cannot be read is for the interpreter to report. */
  const preflightProblem = async (
    decision: ExecDecision,
    cwd: string,
    env: Record<string, string>,
  ): Promise<string | null> => {
    const target = findPreflightTarget(decision.analysis, {
      platform: platformOf(process.platform),
      cwd,
      env,
      home: deps.homeDir,
      lookup: deps.lookup,
      hardening: deps.hardening(),
    });
    if (target === null || !target.path.startsWith(`${cwd}/`)) return null;
    const facts = await stat(target.path).catch(() => null);
    if (facts === null || !facts.isFile() || facts.size > preflightMaxBytes) return null;
    return checkScriptText(target, await readFile(target.path, "utf8"));
  };

  return {
    run,
    async defaultsFor(agentId) {
      return { cwd: workspaceOf(agentId), env: await hostEnvFor(agentId, {}), home: deps.homeDir };
    },
  };
}

/** Files to hash when a decision is bound: programs, wrappers and scripts. */
function pinnedFiles(plan: ExecutionPlan): { path: string; realPath: string }[] {
  if (plan.kind === "shell") return plan.pinned;
  if (plan.kind === "rebuilt") return [];
  return plan.pipelines.flatMap((pipeline) => pipeline.commands.flatMap((command) => command.pinned));
}

function ruleIdOf(decision: ExecDecision): string {
  const rule = decision.reasons[0]?.rule;
  if (rule?.kind === "config" || rule?.kind === "approvalsFile") return rule.path;
  return decision.reasons[0]?.code ?? "exec";
}

type Denied = Extract<NonNullable<ToolResult["refusal"]>, { kind: "denied" }>;

/** Gate two said no: the text says that nothing ran, and carries no output. */
function refused(reason: Reason, by: Denied["by"], text: string): ToolResult {
  return {
    content: [{ type: "text", text: `${text}\nNot executed.` }],
    details: { status: "denied", executed: false, reason: reason.code },
    refusal: { kind: "denied", by, reason, note: null, approvalId: null },
  };
}

function notExecuted(
  answer: { approvalId: string; outcome: string; by: Denied["by"]; note: string | null },
  command: string,
): ToolResult {
  const { approvalId } = answer;
  if (answer.outcome === "cancelled") {
    return { content: [{ type: "text", text: "Cancelled. Not executed." }], refusal: { kind: "cancelled" } };
  }
  if (answer.outcome === "expired") {
    return {
      content: [{ type: "text", text: `Nobody answered the approval in time. Not executed: ${command}` }],
      details: { status: "expired", executed: false, approvalId },
      refusal: { kind: "expired", approvalId },
    };
  }
  const isPerson = answer.by.kind === "person";
  const why = isPerson ? "A person denied this command." : systemSentence(answer.by);
  const note = answer.note === null ? "" : `\nNote from the person: ${answer.note}`;
  return {
    content: [{ type: "text", text: `${why} Not executed; do not try it again in another form.${note}` }],
    details: {
      status: "denied",
      executed: false,
      approvalId,
      ...(answer.note === null ? {} : { note: answer.note }),
    },
    refusal: {
      kind: "denied",
      by: answer.by,
      reason: {
        code: isPerson ? "userDenied" : answer.by.kind === "system" ? answer.by.reason.code : "denied",
        params: {},
      },
      note: answer.note,
      approvalId,
    },
  };
}

function systemSentence(by: Denied["by"]): string {
  if (by.kind !== "system") return "This command was refused.";
  if (by.reason.code === "screenLocked") return "This command needs a person, and the screen is locked.";
  if (by.reason.code === "noOperator") {
    return "This command needs a person, and nobody can be asked: open Sallyport's panel or run `sallyport approvals watch`.";
  }
  return "This command was refused by Sallyport.";
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

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (facts) => facts.isDirectory(),
    () => false,
  );
}

function expandHome(path: string, home: string): string {
  return path === "~" || path.startsWith("~/") ? join(home || homedir(), path.slice(1)) : path;
}

function dropUndefined<T extends object>(value: T): Partial<T> {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as Partial<T>;
}

function platformOf(platform: NodeJS.Platform): "linux" | "darwin" | "freebsd" | "win32" {
  return platform === "darwin" || platform === "freebsd" || platform === "win32" ? platform : "linux";
}
