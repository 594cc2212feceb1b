/** openclaw.json and the approvals file over the contract; every write is on the record. */

import type { FileProblem, SallyportContract } from "../../../shared/contract/index.ts";
import type { AssertionOutcome } from "../../../shared/policy/debug/index.ts";
import type { Handlers } from "../../../shared/rpc/index.ts";
import type { EntryRecords } from "../approvals/entryRecords.ts";
import type { ConfigStore } from "../config/index.ts";
import type { RuleFindings } from "../exec/ruleFindings.ts";
import type { AssertionDesk } from "../policy/assertionDesk.ts";
import type { ApprovalsStore } from "../storage/index.ts";

type Methods = SallyportContract["methods"];
type ConfigMethods = Extract<keyof Methods, `config.${string}` | `exec.approvals.${string}`>;

export interface ConfigHandlersDeps {
  config: ConfigStore;
  assertions: Pick<AssertionDesk, "guardFor">;
  approvalsFile: ApprovalsStore;
  findings: RuleFindings;
  entryRecords: EntryRecords;
  /** Writes an entry to the ledger (A19). */
  record(kind: string, by: string, data: Record<string, unknown>): void;
}

export function createConfigHandlers(
  deps: ConfigHandlersDeps,
): Pick<Handlers<SallyportContract>, ConfigMethods> {
  const { config, approvalsFile } = deps;
  const findings = deps.findings.ofEntry;
  const fileView = () => deps.entryRecords.withRecords(approvalsFile.view(findings));
  /** An entry that is new has had no time to be used: that is no fault of it. */
  const findingsOfNew = (pattern: string, agentId: string) =>
    findings(pattern, agentId, null).filter((finding) => finding.code !== "entry.neverUsed");
  const hashOf = () => config.view().hash;

  return {
    "config.get": () => config.view(),
    "config.set": async ({ raw, baseHash, ignoreWarnings }, { principal, signal }) => {
      const before = hashOf();
      const { guard, warnings } = deps.assertions.guardFor(principal.id, ignoreWarnings ?? false, signal);
      await config.write(raw, baseHash, guard);
      deps.record("config.written", principal.id, {
        before,
        after: hashOf(),
        ...(ignoreWarnings === true ? { ignoredWarnings: true } : {}),
      });
      return { ...config.view(), ...reported(warnings()) };
    },
    "config.setPath": async ({ path, value, baseHash, ignoreWarnings }, { principal, signal }) => {
      const before = hashOf();
      const { guard, warnings } = deps.assertions.guardFor(principal.id, ignoreWarnings ?? false, signal);
      await config.setPath(path, value, baseHash ?? undefined, guard);
      deps.record("config.written", principal.id, { before, after: hashOf(), path, value: value ?? null });
      return { ...config.view(), ...reported(warnings()) };
    },
    "config.validate": ({ raw }): { valid: boolean; issues: FileProblem[] } => config.validate(raw),
    "exec.approvals.get": fileView,
    "exec.approvals.allowlistCheck": ({ pattern, agentId }) => ({
      isListed: approvalsFile
        .view()
        .entries.some((one) => one.agentId === agentId.trim() && one.pattern.trim() === pattern.trim()),
      findings: findingsOfNew(pattern, agentId),
    }),
    "exec.approvals.set": async ({ file, baseHash }, { principal }) => {
      await approvalsFile.set(file, baseHash);
      deps.record("approvalsFile.written", principal.id, { after: approvalsFile.view().hash });
      return fileView();
    },
    "exec.approvals.allowlistAdd": async ({ pattern, agentId }, { principal }) => {
      const { added } = await approvalsFile.addAllowlist(agentId, pattern);
      if (added) {
        deps.record("allowlist.added", principal.id, { pattern, agentId });
        deps.entryRecords.noteAdded(agentId, pattern, "hand");
      }
      return { view: fileView(), added, findings: findingsOfNew(pattern, agentId) };
    },
    "exec.approvals.allowlistRemove": async ({ pattern, agentId }, { principal }) => {
      const { removed } = await approvalsFile.removeAllowlist(agentId, pattern);
      if (removed) {
        deps.record("allowlist.removed", principal.id, { pattern, agentId });
        deps.entryRecords.noteRemoved(agentId, pattern);
      }
      return { view: fileView(), removed };
    },
  };
}

/** Absent rather than empty: most configs have no assertions. */
function reported(warnings: AssertionOutcome[]): { warnings?: AssertionOutcome[] } {
  return warnings.length === 0 ? {} : { warnings };
}
