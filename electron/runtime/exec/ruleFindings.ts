/** Hygiene of rules: entries and grants that never match, are shadowed, too broad, or were not used for long. */

import type { Reason } from "../../../shared/contract/index.ts";
import {
  type AllowlistRule,
  collectAllowlist,
  compileAllowlist,
  type ExecutableLookup,
  entryFindings,
  type FindingOptions,
  type Grant,
  type GrantScope,
} from "../../../shared/exec/index.ts";
import type { Clock } from "../clock.ts";
import type { ApprovalsStore } from "../storage/index.ts";

export interface RuleFindings {
  /** @param agentId whose list the entry stands in; `*` = every agent's */
  ofEntry(pattern: string, agentId: string, lastUsedAtMs: number | null): Reason[];
  ofGrant(grant: Grant, lastUsedAtMs: number | null): Reason[];
}

/** After this many days without use a rule is worth a look. */
export const unusedAfterDays = 30;
const dayMs = 86_400_000;

export function createRuleFindings(deps: {
  approvalsFile: ApprovalsStore;
  lookup: ExecutableLookup;
  homeDir: string;
  clock: Clock;
}): RuleFindings {
  const options: FindingOptions = {
    lookup: deps.lookup,
    home: deps.homeDir,
    platform: process.platform === "win32" ? "win32" : process.platform === "darwin" ? "darwin" : "linux",
  };
  /** The entries that count for an agent; those of `*` when `*` is asked for. */
  const entriesFor = (agentId: string): readonly AllowlistRule[] => {
    const { own } = deps.approvalsFile.approvals();
    return own.kind === "ok" ? collectAllowlist(own.file, agentId) : [];
  };
  const daysSince = (atMs: number) => Math.floor((deps.clock.nowMs() - atMs) / dayMs);
  const isLongAgo = (atMs: number) => daysSince(atMs) >= unusedAfterDays;

  return {
    ofEntry(pattern, agentId, lastUsedAtMs) {
      const findings = entryFindings(pattern, options, entriesFor(agentId)).map(
        (finding): Reason => ({ code: `entry.${finding.code}`, params: { pattern, ...finding.params } }),
      );
      if (lastUsedAtMs === null) findings.push({ code: "entry.neverUsed", params: { pattern } });
      else if (isLongAgo(lastUsedAtMs))
        findings.push({ code: "entry.unused", params: { pattern, days: daysSince(lastUsedAtMs) } });
      return findings;
    },
    ofGrant(grant, lastUsedAtMs) {
      const findings: Reason[] = [];
      const paths = realPathsOf(grant.scope);
      const missing = paths.find((path) => !deps.lookup.inspect(path).isExecutable);
      if (missing !== undefined) findings.push({ code: "grant.programMissing", params: { path: missing } });
      const entries = compileAllowlist(entriesFor(grant.agentId), options);
      const shadows = paths.map((path) => entries.match(path));
      const [first] = shadows;
      if (first !== undefined && first !== null && shadows.every((rule) => rule !== null))
        findings.push({ code: "grant.shadowed", params: { by: first.pattern } });
      const sinceMs = lastUsedAtMs ?? grant.createdAtMs;
      if (isLongAgo(sinceMs)) findings.push({ code: "grant.unused", params: { days: daysSince(sinceMs) } });
      return findings;
    },
  };
}

function realPathsOf(scope: GrantScope): string[] {
  return scope.kind === "exactCommand" ? scope.programs.map((one) => one.realPath) : [scope.realPath];
}
