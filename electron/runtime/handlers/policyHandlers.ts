/** Both gates as questions: nothing runs, nothing is stored. */

import type { SallyportContract } from "../../../shared/contract/index.ts";
import { AppError } from "../../../shared/errors/index.ts";
import {
  type ExecutableLookup,
  evaluateExec,
  normalizeApprovalsFile,
  resolveExecPolicy,
  type ToolsExecConfig,
} from "../../../shared/exec/index.ts";
import { allHardening } from "../../../shared/hardening/index.ts";
import type { Hardening } from "../../../shared/hardening/rules.ts";
import { recordEntries } from "../../../shared/policy/configRecord.ts";
import {
  defaultAgentId,
  normalizeAgentId,
  type PolicyContext,
  resolveAgentId,
  toolsConfigSchema,
} from "../../../shared/policy/index.ts";
import { agentScopes } from "../../../shared/policy/scopes.ts";
import { type Handlers, hasScope, type ParsedInput, type Principal } from "../../../shared/rpc/index.ts";
import type { Clients } from "../clients/createClients.ts";
import type { Clock } from "../clock.ts";
import type { ConfigStore } from "../config/index.ts";
import type { ExecService } from "../exec/execService.ts";
import { agentExecConfig } from "../exec/execSettings.ts";
import type { BroadMode } from "../mode/broadMode.ts";
import type { AssertionDesk } from "../policy/assertionDesk.ts";
import type { PolicyService } from "../policy/createPolicyService.ts";
import type { Caller } from "../runtimeTypes.ts";
import type { ApprovalsStore } from "../storage/index.ts";

type Methods = SallyportContract["methods"];
type PolicyMethods = Extract<keyof Methods, `policy.${string}` | "exec.explain" | "tools.effective">;

export interface PolicyHandlersDeps {
  policy: PolicyService;
  assertions: Pick<AssertionDesk, "get" | "set">;
  config: ConfigStore;
  approvalsFile: ApprovalsStore;
  clients: Clients;
  exec: ExecService;
  broadMode: BroadMode;
  lookup: ExecutableLookup;
  clock: Clock;
  hardening(): Hardening;
  agentIds(): string[];
  /** Contexts of calls that were made, newest first. */
  seenContexts(): { label: string; context: PolicyContext }[];
}

export function createPolicyHandlers(
  deps: PolicyHandlersDeps,
): Pick<Handlers<SallyportContract>, PolicyMethods> {
  const { config, policy } = deps;
  return {
    "policy.contexts": () => {
      const saved = config.effective().config as unknown;
      const fallback = defaultAgentId(saved);
      return {
        agents: deps.agentIds().map((id) => ({ id, isDefault: id === fallback })),
        models: modelsOf(saved),
        groups: groupsOf(saved),
        seen: deps
          .seenContexts()
          .map(({ label, context }) => ({ label, context: { surface: "mcp" as const, ...context } })),
      };
    },
    "policy.trace": (input) => policy.questions.trace(input),
    "policy.explain": (input) => policy.questions.explain(input),
    "policy.why": (input, { signal }) => policy.questions.why(input, signal),
    "policy.compare": (input) => policy.questions.compare(input),
    "policy.check": (input, { signal }) => policy.questions.check(input, signal),
    "policy.findings": (input) => policy.questions.findings(input),
    "policy.assertions.get": () => deps.assertions.get(),
    "policy.assertions.set": ({ text, onFail }, { principal, signal }) =>
      deps.assertions.set(text, onFail, principal.id, signal),
    "tools.effective": (input, { principal }) => effectiveTools(deps, input, principal),
    "exec.explain": (input) => explainExec(deps, input),
  };
}

/** Sessions that are known: those of MCP clients, and those in which people call tools by hand. */
function effectiveTools(
  deps: PolicyHandlersDeps,
  { sessionKey, agentId }: ParsedInput<SallyportContract, "tools.effective">,
  principal: Principal,
) {
  const caller = callerOfSession(deps, sessionKey.trim());
  if (caller === undefined) throw new AppError("INVALID_INPUT", `unknown session key "${sessionKey}"`);
  if (agentId !== undefined && agentId.trim() !== "" && normalizeAgentId(agentId) !== caller.agentId) {
    throw new AppError(
      "INVALID_INPUT",
      `agent id "${agentId}" does not match session agent "${caller.agentId}"`,
    );
  }
  return deps.policy.effective({ ...caller, isOwner: hasScope(principal.scopes, "operator.admin") });
}

function callerOfSession(deps: PolicyHandlersDeps, sessionKey: string): Caller | undefined {
  const client = deps.clients.list().find((candidate) => candidate.sessionKey === sessionKey);
  if (client !== undefined) return deps.clients.callerOf(client.id) ?? undefined;
  const agentId = resolveAgentId(undefined, sessionKey);
  const isByHand =
    agentId !== undefined &&
    deps.agentIds().includes(agentId) &&
    [`agent:${agentId}:panel`, `agent:${agentId}:operator`].includes(sessionKey);
  if (!isByHand) return undefined;
  return {
    id: "operator",
    label: "operator",
    agentId,
    sessionKey,
    isOwner: false,
    provider: null,
    model: null,
    surface: "panel",
  };
}

async function explainExec(deps: PolicyHandlersDeps, input: ParsedInput<SallyportContract, "exec.explain">) {
  const agentId = input.agentId ?? defaultAgentId(deps.config.effective().config);
  const defaults = await deps.exec.defaultsFor(agentId);
  const hardening: Hardening =
    input.preset === undefined ? deps.hardening() : input.preset === "reference" ? new Set() : allHardening;
  const files = deps.approvalsFile.approvals();
  const saved = agentExecConfig(deps.config.effective().config, agentId);
  const home = input.home ?? defaults.home;
  const platform =
    input.platform ??
    (process.platform === "darwin" || process.platform === "win32" ? process.platform : "linux");
  const resolved = resolveExecPolicy({
    globalExec: input.execConfig === undefined ? saved.global : checkedExecConfig(input.execConfig),
    agentExec: input.execConfig === undefined ? saved.agent : undefined,
    agentConfigPath: saved.agentPath,
    approvals:
      input.approvalsFile === undefined
        ? files.own
        : normalizeApprovalsFile(input.approvalsFile, { newId: countedIds(), hardening }),
    ...(input.approvalsFile !== undefined || files.other === null ? {} : { otherApprovals: files.other }),
    agentId,
    // A question about the saved config is answered for a session of a client, where it would run.
    isSandboxed: input.execConfig === undefined && deps.policy.isSandboxed(agentId, `agent:${agentId}:mcp`),
    confirmed:
      input.execConfig === undefined ? deps.broadMode.confirmationFor(agentId) : { full: true, askOff: true },
    hardening,
  });
  if (!resolved.ok)
    throw new AppError("INVALID_INPUT", resolved.message, { data: { reason: resolved.code } });
  return evaluateExec({
    command: input.command,
    platform,
    cwd: input.cwd ?? defaults.cwd,
    env: input.env ?? defaults.env,
    home,
    lookup: deps.lookup,
    hardening,
    agentId,
    policy: resolved.policy,
    allowlist: resolved.allowlist,
    safeBins: {
      ...resolved.safeBins,
      ...(input.trustedDirs === undefined ? {} : { trustedDirs: input.trustedDirs }),
    },
    nowMs: deps.clock.nowMs(),
  });
}

/** @throws AppError INVALID_INPUT when the block would be refused in openclaw.json too */
function checkedExecConfig(given: Record<string, unknown>): ToolsExecConfig {
  const checked = toolsConfigSchema.shape.exec.safeParse(given);
  if (checked.success) return (checked.data ?? {}) as ToolsExecConfig;
  const [issue] = checked.error.issues;
  throw new AppError(
    "INVALID_INPUT",
    `execConfig is not valid at ${issue?.path.map(String).join(".") || "its top"}: ${issue?.message ?? "unknown"}`,
  );
}

/** Entries of a file that is only asked about need ids that mean nothing elsewhere. */
function countedIds(): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `entry-${count}`;
  };
}

/** Keys of every byProvider section, as provider and model. */
function modelsOf(config: unknown): { provider: string; model: string | null }[] {
  const scopes = [config, ...[...agentScopes(config).values()].map((scope) => scope.entry)];
  const keys = new Set<string>();
  for (const scope of scopes) {
    const tools = (scope as { tools?: { byProvider?: unknown } } | undefined)?.tools;
    for (const [key] of recordEntries(tools?.byProvider)) keys.add(key.trim().toLowerCase());
  }
  return [...keys].sort().map((key) => {
    const slash = key.indexOf("/");
    return slash < 0
      ? { provider: key, model: null }
      : { provider: key.slice(0, slash), model: key.slice(slash + 1) };
  });
}

function groupsOf(config: unknown): { channel: string; groupId: string }[] {
  const channels = (config as { channels?: unknown } | undefined)?.channels;
  return recordEntries(channels).flatMap(([channel, entry]) =>
    recordEntries(entry.groups).map(([groupId]) => ({ channel, groupId })),
  );
}
