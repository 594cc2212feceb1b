/** Speed of judging commands, each case against a floor of the same machine at the same time. */

import { statSync } from "node:fs";
import { createFsExecutableLookup } from "../../electron/runtime/exec/analysis/fsLookup.ts";
import {
  type AllowlistRule,
  allExecHardening,
  type EvaluateExecInput,
  evaluateExec,
  normalizeApprovalsFile,
  resolveExecPolicy,
} from "../../shared/exec/index.ts";
import { against, type Benchmark, batchesInTurns, type Pair } from "./measure.ts";

/** As agents write them: names looked up on PATH, quotes, pipes and chains. */
const commands = [
  "git status --short",
  "ls -la 'src folder' | grep -v node_modules | head -n 20",
  'git log --oneline --since="2 weeks ago" && git diff --stat',
  "cat package.json | sort | uniq -c | sort -rn | head",
  "npm run build -- --mode production && npm test",
];

/** A pipeline as long as any that was ever seen. */
const longCommand = Array.from({ length: 311 }, (_, index) =>
  index % 2 === 0 ? "cat file-a" : "sort -u",
).join(" | ");

const searchPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const programs = ["git", "ls", "grep", "head", "cat", "sort", "uniq", "npm"];

/** The programs of the commands last, behind entries that match nothing; every tenth of them is a pattern. */
function listOf(count: number): AllowlistRule[] {
  const own = programs.map((name) => `/usr/bin/${name}`);
  const filler = Array.from({ length: Math.max(0, count - own.length) }, (_, index) =>
    index % 10 === 0 ? `/opt/kit-${index}/**/tool-*` : `/opt/kit-${index}/bin/tool`,
  );
  return [...filler, ...own].map((pattern, index) => ({ agentId: "main", pattern, entryId: String(index) }));
}

/** The list as the approvals file gives it, with the rules for one agent. */
function inputFor(allowlist: readonly AllowlistRule[]): Omit<EvaluateExecInput, "command"> {
  const hardening = allExecHardening;
  const approvals = normalizeApprovalsFile(
    {
      version: 1,
      agents: { main: { allowlist: allowlist.map(({ pattern, entryId }) => ({ id: entryId, pattern })) } },
    },
    { newId: () => "new", hardening },
  );
  const resolved = resolveExecPolicy({
    globalExec: { security: "allowlist", ask: "on-miss" },
    approvals,
    agentId: "main",
    isSandboxed: false,
    confirmed: { full: false, askOff: false },
    hardening,
  });
  if (!resolved.ok) throw new Error(resolved.message);
  return {
    platform: "linux",
    cwd: "/",
    env: { PATH: searchPath, HOME: "/root" },
    home: "/root",
    lookup: createFsExecutableLookup(),
    hardening,
    agentId: "main",
    policy: resolved.policy,
    allowlist: resolved.allowlist,
    safeBins: resolved.safeBins,
    nowMs: 0,
  };
}

/**
 * The floor: every character once, quotes minded, words cut out, and one look at each program where it is known to be.
 * Nothing that judges can do less.
 */
function characterPass(command: string): number {
  let quote = "";
  let word = "";
  let isProgram = true;
  let found = 0;
  const endWord = (): void => {
    if (word === "") return;
    if (isProgram && statSync(`/usr/bin/${word}`, { throwIfNoEntry: false }) !== undefined) found += 1;
    isProgram = false;
    word = "";
  };
  for (let index = 0; index < command.length; index += 1) {
    const char = command[index] ?? "";
    if (quote !== "") {
      if (char === quote) quote = "";
      else word += char;
    } else if (char === "'" || char === '"') quote = char;
    else if (char === " ") endWord();
    else if (char === "|" || char === "&" || char === ";") {
      endWord();
      isProgram = true;
    } else word += char;
  }
  endWord();
  return found;
}

function judgeAll(texts: readonly string[], input: Omit<EvaluateExecInput, "command">): () => number {
  return () => {
    let allowed = 0;
    for (const command of texts) if (evaluateExec({ ...input, command }).outcome === "allow") allowed += 1;
    return allowed;
  };
}

function judgedAgainstPass(texts: readonly string[], entries: number): Pair {
  const judge = judgeAll(texts, inputFor(listOf(entries)));
  return batchesInTurns(() => texts.map(characterPass), judge);
}

export const benchmarks: Benchmark[] = [
  {
    name: "exec: five ordinary commands judged, 1,000 entries, against a character pass with one stat per program",
    run: async () => against(judgedAgainstPass(commands, 1000), 15, "× the pass"),
  },
  {
    name: "exec: 311 segments judged, 1,000 entries, against a character pass with one stat per program",
    run: async () => against(judgedAgainstPass([longCommand], 1000), 15, "× the pass"),
  },
  {
    name: "exec: five commands judged, growth from 10 to 1,000 entries",
    run: async () => {
      const few = judgeAll(commands, inputFor(listOf(10)));
      const many = judgeAll(commands, inputFor(listOf(1000)));
      return against(batchesInTurns(few, many), 1.3, "×");
    },
  },
];
