/** `config.apply` and `config.patch`: plan, judge, ask a person, write what was shown, record it. */

import { AppError } from "../../../../shared/errors/index.ts";
import { shownConfigPath } from "../../../../shared/gatewayTool/index.ts";
import type { Hardening } from "../../../../shared/hardening/rules.ts";
import type { AssertionOutcome } from "../../../../shared/policy/debug/index.ts";
import type { Approvals } from "../../approvals/createApprovals.ts";
import type { ConfigStore } from "../../config/index.ts";
import type { AssertionDesk } from "../../policy/assertionDesk.ts";
import { jsonResult, type ToolCallContext, type ToolResult } from "../defineTool.ts";
import { type PlannedChange, planChange, stale } from "./configChange.ts";
import { draftOfChange } from "./configDraft.ts";
import { shownConfig } from "./configView.ts";
import { notAllowed, refusedByRule } from "./draftParts.ts";
import type { GatewayInput } from "./schema.ts";

export interface ConfigWriteDeps {
  config: ConfigStore;
  approvals: Approvals;
  /** Made after the tools; asked when a change comes. */
  assertions(): Pick<AssertionDesk, "guardFor">;
  hardening(): Hardening;
  stateDir: string;
  /** Writes an entry to the ledger (A19). */
  record(kind: string, by: string, data: Record<string, unknown>): void;
}

type Action = "config.apply" | "config.patch";

const notWritten = {
  noun: "this change of the configuration",
  nothing: "The configuration was not changed.",
};
const maxNamedPaths = 20;
/** Of a config that is given back; a longer one is read with config.get. */
const maxConfigChars = 30_000;
const maxIssues = 200;
/** Read once, when the program starts to listen. */
const neededAtStart = /^gateway\.(port|bind|tls|customBindHost)\b/;

/** @throws AppError INVALID_INPUT for a stale hash, an unreadable text, or an assertion that would break */
export async function writeConfig(
  action: Action,
  { raw, baseHash }: GatewayInput,
  context: ToolCallContext,
  deps: ConfigWriteDeps,
): Promise<ToolResult> {
  if (raw === undefined)
    throw new AppError("INVALID_INPUT", `raw required: ${action} takes the JSON5 text as raw.`);
  const plan = await planChange(deps.config, { action, raw, baseHash }, deps.hardening());
  if (plan.kind === "invalid") return invalidResult(plan.message, plan.issues);
  if (plan.kind === "protected") return protectedResult(plan.paths);
  const { change } = plan;
  if (change.after.text === change.before?.text) return written(change, [], deps);

  const by = context.callerId;
  const guarded = deps.assertions().guardFor(by, false, context.signal);
  // A person is not asked for what an assertion would keep from being written anyway.
  await guarded.guard(change.after.config);
  let approvalId: string | null = null;
  if (deps.hardening().has("gateway.configAsks")) {
    const draft = draftOfChange(action, change, deps.stateDir, context);
    const answer = await deps.approvals.request(draft, context.signal, (id) =>
      context.reportWaiting({ approvalId: id }),
    );
    if (answer.outcome !== "allowed-once") return notAllowed(answer, notWritten);
    context.reportWaiting(null);
    approvalId = answer.approvalId;
    if (context.isStillVisible?.() === false)
      return refusedByRule(
        "Policy changed while this waited: the agent may not use gateway any more. The configuration was not changed.",
        "policy",
        { code: "toolHidden", params: { tool: "gateway" } },
      );
  }
  context.signal.throwIfAborted();
  // Exactly the text that was shown, over exactly the text that it was compared with.
  await deps.config
    .write(change.after.text, change.before?.hash ?? null, guarded.guard)
    .catch((error: unknown) => {
      throw isStale(error) ? stale(change.path) : error;
    });
  deps.record("config.written", by, {
    tool: "gateway",
    action,
    toolCallId: context.toolCallId,
    approvalId,
    before: change.before?.hash ?? null,
    after: deps.config.view().hash,
    paths: pathsOf(change).slice(0, maxNamedPaths),
  });
  return written(change, guarded.warnings(), deps);
}

/** Configs are in force as soon as they are written, so there is no restart to report and no sentinel. */
function written(
  change: PlannedChange,
  warnings: readonly AssertionOutcome[],
  { config }: ConfigWriteDeps,
): ToolResult {
  const shown = shownConfig(config);
  const isShort = JSON.stringify(shown).length <= maxConfigChars;
  const late = pathsOf(change).filter((path) => neededAtStart.test(path));
  return jsonResult({
    ok: true,
    result: {
      ok: true,
      path: change.path,
      hash: config.view().hash,
      changed: pathsOf(change).slice(0, maxNamedPaths),
      config: isShort ? shown : null,
      ...(isShort ? {} : { note: "The config is too long to repeat; config.get with path shows a part." }),
      restart: null,
      sentinel: null,
      ...(late.length === 0 ? {} : { countsAfterRestart: late }),
      ...(warnings.length === 0 ? {} : { warnings: warnings.slice(0, maxNamedPaths) }),
    },
  });
}

function pathsOf({ changes }: PlannedChange): string[] {
  return changes.map(({ path }) => shownConfigPath(path));
}

function invalidResult(message: string, issues: readonly unknown[]): ToolResult {
  return {
    content: [{ type: "text", text: message }],
    details: {
      status: "error",
      tool: "gateway",
      code: "INVALID_INPUT",
      error: message,
      issues: issues.slice(0, maxIssues),
    },
    isError: true,
  };
}

function protectedResult(paths: readonly string[]): ToolResult {
  const named = paths.slice(0, maxNamedPaths);
  const more = paths.length > named.length ? ` and ${paths.length - named.length} more` : "";
  return refusedByRule(
    `Refused, the configuration was not changed: an agent cannot change ${named.join(", ")}${more}. Only settings that are known to be harmless can be changed here; config.schema.lookup shows them with changeable: true. A person changes the others in the panel or in the file.`,
    "gateway.protectedConfig",
    { code: "protectedConfig", params: { path: named[0] ?? "", paths: named, count: paths.length } },
  );
}

function isStale(error: unknown): boolean {
  return error instanceof AppError && error.data?.reason === "stale";
}
