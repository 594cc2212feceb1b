/** A folder with programs, links and scripts, and a list that trusts some of them: where the attack tests happen. */
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import {
  allExecHardening,
  type EvaluateExecInput,
  type ExecDecision,
  evaluateExec,
  normalizeApprovalsFile,
  resolveExecPolicy,
} from "../../../../shared/exec/index.ts";
import { createFsExecutableLookup } from "./fsLookup.ts";

export const root = realpathSync(mkdtempSync(join(tmpdir(), "exec-attacks-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));

function program(path: string, mode = 0o755): void {
  const full = join(root, path);
  mkdirSync(join(full, ".."), { recursive: true });
  writeFileSync(full, "#!/bin/sh\nexit 0\n");
  chmodSync(full, mode);
}

const listed =
  "foo bar git tar ssh rsync curl wget find xargs awk gawk sed make python3 python3.11 node node22 deno bun ruby perl php lua bash sh env sort rg fd man npm go java sqlite3 zip".split(
    " ",
  );
for (const name of listed) program(`bin/${name}`);
for (const name of [
  "evil/foo",
  "evil/tool",
  "ws/run.sh",
  "ws/script.py",
  "tools/one",
  "tools/two",
  "bin/other",
])
  program(name);
for (const name of ["python3", "zsh"]) program(`tools/${name}`);
program("ws/data.txt", 0o644);
symlinkSync(join(root, "evil/tool"), join(root, "tools/linked"));
symlinkSync(join(root, "bin/python3"), join(root, "tools/calc"));
symlinkSync("/bin/sh", join(root, "tools/innocent"));

const patterns = [
  ...listed.map((name) => join(root, "bin", name)),
  join(root, "tools/**"),
  join(root, "ws/run.sh"),
];

/** What preset sallyport says in that world to an agent whose list holds the programs above. */
export function decide(
  command: string,
  overrides: Partial<EvaluateExecInput> = {},
  ask: "on-miss" | "off" = "on-miss",
): ExecDecision {
  const hardening = allExecHardening;
  const approvals = normalizeApprovalsFile(
    {
      version: 1,
      agents: { main: { allowlist: patterns.map((pattern, index) => ({ id: String(index), pattern })) } },
    },
    { newId: () => "new", hardening },
  );
  const resolved = resolveExecPolicy({
    globalExec: { security: "allowlist", ask },
    approvals,
    agentId: "main",
    isSandboxed: false,
    confirmed: { full: false, askOff: false },
    hardening,
  });
  if (!resolved.ok) throw new Error(resolved.message);
  return evaluateExec({
    command,
    platform: "linux",
    cwd: join(root, "ws"),
    env: { PATH: `${root}/bin:/usr/bin:/bin`, HOME: root },
    home: root,
    lookup: createFsExecutableLookup(),
    hardening,
    agentId: "main",
    policy: resolved.policy,
    allowlist: resolved.allowlist,
    safeBins: resolved.safeBins,
    nowMs: 0,
    ...overrides,
  });
}
