import { appendFileSync } from "node:fs";
const LOG = (...a: unknown[]) => appendFileSync("/tmp/atk/redos.out", a.join(" ") + "\n");

import { it } from "vitest";
import { showArgs } from "/work/main/electron/runtime/calls/shownArgs.ts";
import { createFsExecutableLookup } from "/work/main/electron/runtime/exec/analysis/fsLookup.ts";
import { explainWords } from "/work/main/shared/exec/explain/explainWords.ts";
import * as X from "/work/main/shared/exec/index.ts";
import { detectObfuscation } from "/work/main/shared/exec/obfuscation.ts";
import { allHardening } from "/work/main/shared/hardening/index.ts";

const time = (n: string, f: () => unknown) => {
  const t = performance.now();
  let e = "";
  try {
    f();
  } catch (x) {
    e = String(x).slice(0, 80);
  }
  const d = performance.now() - t;
  if (d > 60) LOG(n, d.toFixed(0), "ms", e);
  else if (e) LOG(n, e);
};
const fill = (unit: string, len: number) => unit.repeat(Math.floor(len / unit.length));
it("t", () => {
  const units = [
    "|sh ",
    "| ",
    "|sh  x",
    "sudo ",
    "| sudo -a ",
    "| env a=b ",
    "printf \n",
    "eval \n",
    "eval ",
    "curl ",
    "curl \n",
    "base64 -d\n",
    "bash -c '",
    "bash -c ' $(",
    'bash -c "',
    "$'\\x41",
    "$'",
    "a=b;",
    "a= ;",
    "a/",
    "|a/",
    "| a/",
    "sh <(",
    "'",
    '"',
    "\\",
    "(",
    "$(",
    "`",
    "{",
    "[",
    "approve ",
    "/approve x ",
    "approvals ",
    "'approv' ",
    '"approv " ',
    '"approv\\" ',
    "<<a\n",
    "<<-'a'\n",
    "a|",
    "a;",
    "a&&",
    "a ",
    "a\n",
    " ",
    "\t",
    "\u200b",
    "\u202e",
    "\ufdfa",
    "а",
    "env ",
    "env -S 'a ",
    "bash -c ",
    "nice -n 5 ",
    "timeout 5 ",
    "time ",
    "xargs ",
    "git -c ",
    "find -exec ",
    "find . -exec a \\; ",
    "~/",
    "$X",
    "*",
    "{a,b}",
    "?",
    "-",
    "--",
    "--a=b ",
    "-abc ",
    "=",
    "a[b",
    "a[",
    "python3 -c ",
    "node -e ",
    "awk '",
    "sed -e ",
    "tar --checkpoint-action=exec=",
    "https://",
    "https://a ",
    "аpprove ",
  ];
  for (const len of [9990, 131000])
    for (const unit of units)
      for (const pre of ["", "|sh", "ls "]) {
        const command = pre + fill(unit, len) + (pre ? "" : "!");
        const n = JSON.stringify(pre + unit) + " " + len;
        if (len < 10000) time("obf " + n, () => detectObfuscation(command, allHardening));
        time("self " + n, () => X.findSelfApproval(command, allHardening));
        time("explainWords " + n, () => explainWords(command));
        time("analyze " + n, () =>
          X.evaluateExec({
            command,
            agentId: "main",
            platform: "linux",
            cwd: "/tmp",
            env: { PATH: "/usr/bin:/bin" },
            home: "/root",
            lookup: createFsExecutableLookup(),
            hardening: allHardening,
            allowlist: [{ agentId: "main", pattern: "/usr/bin/**" }],
            safeBins: {},
            grants: [],
            envOverrides: {},
            nowMs: 1,
            policy: {
              host: { value: "gateway", source: { kind: "builtin", path: "" } },
              security: { value: "allowlist", source: { kind: "builtin", path: "" } },
              ask: { value: "on-miss", source: { kind: "builtin", path: "" } },
              askFallback: { value: "deny", source: { kind: "builtin", path: "" } },
              strictInlineEval: { value: true, source: { kind: "builtin", path: "" } },
              alwaysAsk: [],
              skipApprovals: false,
            },
          } as never),
        );
      }
  // mixed with NFKC
  time("nfkc", () => detectObfuscation(fill("eval \n", 5000) + fill("\ufdfa", 4990), allHardening));
  time("nfkc2", () => detectObfuscation(fill("|sh ", 5000) + fill("\ufdfa", 4990), allHardening));
  time("nfkc3", () => detectObfuscation("|sh " + fill("\ufdfa", 9900), allHardening));
  time("nfkc4", () => detectObfuscation("|" + fill("\ufdfa", 9900), allHardening));
  time("nfkc5", () => detectObfuscation(fill("\u3000", 9900), allHardening));
  time("nfkc6", () => detectObfuscation("|sh" + fill(" ", 9900) + "x;", allHardening));
  time("nfkc7", () => detectObfuscation(fill("bash -c '\ufdfa", 9900), allHardening));
  time("nfkc8", () => detectObfuscation(fill("a=\ufdfa;", 9900), allHardening));
  time("nfkc9", () => detectObfuscation(fill("|a\u2100", 9900), allHardening)); // a/c
  time("nfkc10", () => detectObfuscation("| " + fill("\u2100", 9900), allHardening));
  let deep: unknown = "x";
  for (let i = 0; i < 200000; i++) deep = [deep];
  time("showArgs deep", () => showArgs(deep));
  time("showArgs wide", () => showArgs({ a: Array.from({ length: 400000 }, (_, i) => "sk-" + i) }));
  time("showArgs long", () => showArgs({ a: "eyJ" + "a".repeat(4_000_000) }));
  time("showArgs jwt", () => showArgs({ a: fill("eyJaaaaaaaaaa.", 4_000_000) }));
  time("showArgs jwt2", () => showArgs({ a: fill("eyJaaaaaaaaaa-", 4_000_000) }));
  time("showArgs jwt3", () => showArgs({ a: fill("sk-", 4_000_000) }));
  time("showArgs jwt4", () => showArgs({ a: fill("-eyJ", 4_000_000) }));
  time("showArgs jwt5", () => showArgs({ a: fill("-eyJaaaaaaaaaa", 4_000_000) }));
}, 300000);
