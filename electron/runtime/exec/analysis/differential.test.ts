/** What the plan starts is what a real shell would start: same programs, same words, same order. */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import {
  allExecHardening,
  type ExecutionPlan,
  evaluateExec,
  resolveExecPolicy,
} from "../../../../shared/exec/index.ts";
import { createFsExecutableLookup } from "./fsLookup.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "exec-differential-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const bin = join(root, "bin");
const trace = join(root, "trace");
mkdirSync(bin);
const programs = ["foo", "bar", "baz"];
for (const name of programs) {
  const path = join(bin, name);
  // One record per start: name and words, each ended by a NUL, the record by a line break.
  writeFileSync(path, `#!/bin/sh\n{ printf '%s\\0' ${name} "$@"; printf '\\n\\0'; } >>"${trace}"\n`);
  chmodSync(path, 0o755);
}

const lookup = createFsExecutableLookup();
const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: root };
const resolved = resolveExecPolicy({
  approvals: { kind: "missing" },
  agentId: "main",
  isSandboxed: false,
  confirmed: { full: false, askOff: false },
  hardening: allExecHardening,
});
if (!resolved.ok) throw new Error(resolved.message);
const { policy } = resolved;
const allowlist = programs.map((name) => ({ agentId: "main", pattern: join(bin, name) }));

function planOf(command: string): ExecutionPlan | null {
  const decision = evaluateExec({
    command,
    platform: "linux",
    cwd: root,
    env,
    home: root,
    lookup,
    hardening: allExecHardening,
    agentId: "main",
    policy,
    allowlist,
    nowMs: 0,
  });
  return decision.outcome === "allow" ? decision.plan : null;
}

/** Programs succeed, and the generated chains hold only `&&` and `;`: every command starts. */
function plannedStarts(plan: ExecutionPlan): string[][] {
  if (plan.kind !== "argv") throw new Error(`a satisfied command has plan ${plan.kind}`);
  return plan.pipelines.flatMap((pipeline) =>
    pipeline.commands.map(({ argv }) => [argv[0]?.slice(bin.length + 1) ?? "", ...argv.slice(1)]),
  );
}

function shellStarts(command: string): string[][] {
  writeFileSync(trace, "");
  const run = spawnSync("/bin/sh", ["-c", command], { cwd: root, env, stdio: "ignore", timeout: 10_000 });
  expect(run.error).toBeUndefined();
  const records = readFileSync(trace, "utf8").split("\n\0");
  records.pop();
  return records.map((record) => record.split("\0").slice(0, -1));
}

const plainWord = fc.constantFrom(
  "a",
  "b-1",
  "x=1",
  "--flag",
  "a.b",
  "%",
  "é",
  "你好",
  ":",
  "@",
  "+",
  "a#b",
  "!",
);
const quoted = fc.oneof(
  fc.string({ maxLength: 6 }).map((text) => `'${text.replace(/['\\\n\r\0]/g, "")}'`),
  fc.string({ maxLength: 6 }).map((text) => `"${text.replace(/["\\`$\n\r\0!]/g, "")}"`),
  fc.constantFrom(
    "\\ ",
    "\\;",
    "\\|",
    "\\&",
    "\\*",
    "\\$HOME",
    "\\'",
    '\\"',
    "\\\\",
    '"\\$x"',
    '"\\"q\\""',
    "''",
    '""',
    '"a\\b"',
    "'*'",
  ),
);
const word = fc
  .array(fc.oneof(plainWord, quoted), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join(""));
const noise = fc.constantFrom(
  "",
  "",
  "",
  "",
  " # end",
  "$HOME",
  " *",
  " > x",
  " `id`",
  " $(id)",
  "&",
  " <<E",
  " ;",
  " {a,b}",
  " ~",
  "\n",
);
const simple = fc
  .tuple(fc.constantFrom("foo", "bar", "baz", "f'o'o", '"bar"', "b\\az"), fc.array(word, { maxLength: 4 }))
  .map(([program, args]) => [program, ...args].join(" "));
const command = fc
  .tuple(
    fc.array(fc.tuple(simple, fc.constantFrom(" && ", ";", " ; ", "&&", "\t&& ")), { maxLength: 2 }),
    simple,
    noise,
  )
  .map(([parts, last, end]) => parts.map(([text, operator]) => text + operator).join("") + last + end);

test("the plan of a satisfied command starts what sh starts", () => {
  let compared = 0;
  fc.assert(
    fc.property(command, (text) => {
      const plan = planOf(text);
      if (plan === null || plan.kind !== "argv") return;
      // Words that a shell would expand are run literally, and said to be so.
      if (plan.literalWords.length > 0) return;
      compared += 1;
      expect(plannedStarts(plan), JSON.stringify(text)).toEqual(shellStarts(text));
    }),
    { numRuns: 600 },
  );
  expect(compared).toBeGreaterThan(150);
}, 120_000);
