/** Runs one recorded case through the engine, as the header of exec.json says it was recorded. */
import { createFsExecutableLookup } from "../../../electron/runtime/exec/analysis/fsLookup.ts";
import {
  type ApprovalsState,
  type EvaluateExecInput,
  type ExecDecision,
  evaluateExec,
  normalizeApprovalsFile,
  resolveExecPolicy,
} from "../../../shared/exec/index.ts";
import type { ExecCase } from "./fixture.ts";

const lookup = createFsExecutableLookup();

function approvalsOf(one: ExecCase, hardening: ReadonlySet<string>, askFallback?: string): ApprovalsState {
  const agentId = one.input.agentId ?? "main";
  const base = one.input.approvalsFile ?? {
    version: 1,
    agents: { [agentId]: { allowlist: one.input.allowlist } },
  };
  const raw = { ...(base as Record<string, unknown>) };
  if (askFallback !== undefined)
    raw.defaults = { ...(raw.defaults as Record<string, unknown> | undefined), askFallback };
  let count = 0;
  const newId = (): string => {
    count += 1;
    return `entry-${count}`;
  };
  return normalizeApprovalsFile(raw, { newId, hardening });
}

/**
 * @param askFallback written into the file's defaults, to see what happens when nobody answers
 * @param home the process home
 */
export function evaluateCase(
  one: ExecCase,
  home: string,
  hardening: ReadonlySet<string>,
  askFallback?: string,
): ExecDecision {
  const { input } = one;
  const agentId = input.agentId ?? "main";
  const resolved = resolveExecPolicy({
    globalExec: {
      host: "gateway",
      security: input.security,
      ask: input.ask,
      safeBins: input.safeBins,
      safeBinTrustedDirs: input.trustedDirs,
      safeBinProfiles: input.safeBinProfiles,
      strictInlineEval: input.strictInlineEval,
    },
    approvals: approvalsOf(one, hardening, askFallback),
    agentId,
    isSandboxed: false,
    confirmed: { full: true, askOff: true },
    hardening,
  });
  if (!resolved.ok) throw new Error(resolved.message);
  const evaluation: EvaluateExecInput = {
    command: input.command,
    cwd: input.cwd,
    env: input.env,
    platform: input.platform,
    home,
    lookup,
    hardening,
    agentId,
    policy: resolved.policy,
    allowlist: resolved.allowlist,
    safeBins: resolved.safeBins,
    nowMs: 0,
  };
  return evaluateExec(evaluation);
}
