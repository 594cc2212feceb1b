/** Ties a grant to the content of files that an agent might change: else `./build.sh` would be a blank cheque. */

import type { ExecDecision, Grant } from "../../../shared/exec/index.ts";
import type { Binding } from "../approvals/binding.ts";

type Pins = NonNullable<Grant["pinned"]>;

/** What only the system's own package manager writes may be updated without ending grants. */
const systemFolders = /^\/(?:bin|sbin|lib|lib64|System|usr\/(?!local\/))/;

/** @returns the files of a run that a grant for it must pin */
export function pinsOf(binding: Binding): Pins {
  return binding.files
    .filter((file) => !systemFolders.test(file.realPath))
    .map(({ realPath, sha256 }) => ({ realPath, sha256 }));
}

/**
 * Grants that let this command through although a file of it is another one now, or is not pinned by them.
 * @returns their ids with the file
 */
export function grantsWithChangedFiles(
  decision: ExecDecision,
  binding: Binding,
  grants: readonly Grant[],
): Map<string, string> {
  const used = new Set(
    decision.segments.flatMap(({ rule }) => (rule?.kind === "grant" ? [rule.grantId] : [])),
  );
  const changed = new Map<string, string>();
  for (const grant of grants) {
    if (!used.has(grant.id)) continue;
    const pinned = new Map((grant.pinned ?? []).map((file) => [file.realPath, file.sha256]));
    const programs = new Set(realPathsOf(grant));
    for (const { realPath, sha256 } of pinsOf(binding)) {
      // A file of another part of the command is for the rule of that part.
      const isOwn = pinned.has(realPath) || programs.has(realPath) || grant.scope.kind === "exactCommand";
      if (isOwn && pinned.get(realPath) !== sha256) changed.set(grant.id, realPath);
    }
  }
  return changed;
}

function realPathsOf({ scope }: Grant): string[] {
  return scope.kind === "exactCommand" ? scope.programs.map((program) => program.realPath) : [scope.realPath];
}
