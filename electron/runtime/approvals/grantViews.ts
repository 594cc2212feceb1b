/** Grants as lists show them: one row per answer of a person. */

import { basename } from "node:path";
import type { GrantView, Reason } from "../../../shared/contract/index.ts";
import { describeGrantScope, type Grant, type GrantScope } from "../../../shared/exec/index.ts";
import { type GrantUse, groupOf } from "./grants.ts";

/** @returns newest first */
export function grantViews(
  grants: readonly Grant[],
  about: {
    uses: ReadonlyMap<string, GrantUse>;
    isInMemory(id: string): boolean;
    findings(grant: Grant, lastUsedAtMs: number | null): Reason[];
  },
): GrantView[] {
  const groups = new Map<string, Grant[]>();
  for (const grant of grants) groups.set(groupOf(grant), [...(groups.get(groupOf(grant)) ?? []), grant]);
  return [...groups]
    .flatMap(([id, members]): GrantView[] => {
      const [first] = members;
      if (first === undefined) return [];
      const use = about.uses.get(id);
      return [
        {
          id,
          kind: first.scope.kind,
          programs: [...new Set(members.flatMap((grant) => programsOf(grant.scope)))],
          stores: members.map((grant) => describeGrantScope(grant.scope)),
          cwd: first.cwd ?? null,
          pinnedFiles: (first.pinned ?? []).map((file) => file.realPath),
          agentId: first.agentId,
          sessionKey: first.sessionKey ?? null,
          madeFor: first.madeFor ?? null,
          createdAtMs: first.createdAtMs,
          createdBy: first.createdBy,
          expiresAtMs: first.expiresAtMs ?? null,
          keptIn: about.isInMemory(first.id) ? "memory" : "file",
          useCount: use?.count ?? 0,
          lastUsedAtMs: use?.lastUsedAtMs ?? null,
          lastUsedCommand: use?.lastUsedCommand ?? null,
          findings: members.flatMap((grant) => about.findings(grant, use?.lastUsedAtMs ?? null)),
        },
      ];
    })
    .sort((a, b) => b.createdAtMs - a.createdAtMs);
}

/** Names of the programs of a scope, as they are called. */
export function programsOf(scope: GrantScope): string[] {
  if (scope.kind === "exactCommand")
    return scope.programs.map((program) => basename(program.argv[0] ?? program.realPath));
  return [scope.name ?? basename(scope.realPath)];
}
