/** Binding rules of node runs: what is held fast, what is refused, and that any difference has its own code. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { analyzeCommand, segmentsOf } from "./analyze.ts";
import { allExecHardening } from "./hardening.ts";
import { checkNodeApproval, type NodeApproval, type NodeRunClaim } from "./nodeApproval.ts";
import {
  envBindingHash,
  type FileFacts,
  type FolderFacts,
  folderProblem,
  inlineTextOf,
  isSatisfiedOnNode,
  operandProblem,
  type PrepareRequest,
  prepareSystemRun,
  wrapCommandText,
} from "./nodeBinding.ts";
import { findSkillPrelude, isSkillCommand } from "./nodeSkills.ts";
import { createTestLookup } from "./testLookup.ts";
import type { AnalyzeOptions } from "./types.ts";

const programs = ["cat", "printf", "foo", "git", "python3", "node", "bash", "sh", "awk", "find", "timeout"];
const options: AnalyzeOptions = {
  platform: "linux",
  cwd: "/ws",
  env: { PATH: "/opt/skill/bin:/usr/bin", HOME: "/home/me" },
  home: "/home/me",
  lookup: createTestLookup([
    ...programs.map((name) => `/usr/bin/${name}`),
    "/opt/skill/bin/weather",
    "/opt/skill/bin/weather-wrapper",
    "/ws/run.sh",
    "/ws/a.py",
    "/ws/b.py",
    "/ws/x.awk",
    "/ws/y.js",
  ]),
  hardening: allExecHardening,
};
const plainFolder: FolderFacts = {
  realPath: "/ws",
  isDirectory: true,
  device: 1,
  inode: 2,
  steps: [{ path: "/ws", isLink: false, isReplaceable: true }],
};
const hash = (text: string) => `hash(${text})`;
const prepare = (command: PrepareRequest["command"], folder: FolderFacts | null = plainFolder) =>
  prepareSystemRun({ command, agentId: "main", sessionKey: "agent:main:main" }, options, {
    folder: () => folder,
    file: (path): FileFacts | null =>
      options.lookup.inspect(path).exists ? { realPath: path, sha256: `sha of ${path}` } : null,
  });
const ofArgv = (...argv: string[]) => prepare({ kind: "argv", argv });
const ofText = (text: string) => prepare({ kind: "text", text });

describe("the plan of a node run", () => {
  test("text is wrapped for the node's platform and shown as what it is", () => {
    expect(wrapCommandText("dir", "win32")).toEqual(["cmd.exe", "/d", "/s", "/c", "dir"]);
    expect(ofText("git status")).toMatchObject({
      ok: true,
      plan: {
        argv: ["/bin/sh", "-lc", "git status"],
        cwd: "/ws",
        commandText: "/bin/sh -lc 'git status'",
        commandPreview: "git status",
        agentId: "main",
        sessionKey: "agent:main:main",
        mutableFileOperand: null,
      },
    });
  });

  test("argv stays as it is and needs no preview", () => {
    expect(ofArgv("git", "log", "a b")).toMatchObject({
      ok: true,
      plan: { argv: ["git", "log", "a b"], commandText: "git log 'a b'", commandPreview: null },
    });
  });

  test.each([
    [["python3", "a.py"], 1, "/ws/a.py"],
    [["python3", "-u", "a.py", "b.py"], 2, "/ws/a.py"],
    [["timeout", "5", "bash", "run.sh"], 3, "/ws/run.sh"],
    [["./run.sh", "x"], 0, "/ws/run.sh"],
    [["awk", "-f", "x.awk"], 2, "/ws/x.awk"],
    [["/bin/sh", "-lc", "git status && python3 a.py"], 2, "/ws/a.py"],
    [["/bin/sh", "-lc", "python3 a.py; python3 a.py x"], 2, "/ws/a.py"],
  ])("%j binds its script", (argv, argvIndex, path) => {
    expect(ofArgv(...argv)).toMatchObject({
      ok: true,
      plan: { mutableFileOperand: { argvIndex, path, sha256: `sha of ${path}` } },
    });
  });

  test.each([
    ["python3"],
    ["python3 -"],
    ["python3 -m http.server"],
    ["python3 -c 1"],
    ["python3 missing.py"],
    ["node --require ./y.js y.js"],
    ["bash -s"],
    ["bash -c python3"],
    ["python3 a.py && python3 b.py"],
    ["find . -exec run.sh {} +"],
    ["awk -f x.awk -f y.awk"],
    ["sudo git status"],
    ["make all"],
    ["echo $(python3 a.py)"],
    ["p'y'thon3 - <<< x"],
    ["./run.sh > out"],
  ])("%s cannot safely be bound", (text) => {
    const prepared = ofText(text);
    expect(prepared).toMatchObject({ ok: false, reason: "cannotSafelyBind" });
    expect(!prepared.ok && prepared.message).toContain("cannot safely bind");
  });

  test.each(["git status > out.txt", "git log | cat", "find . -name x", "awk '{print}' a.txt"])(
    "%s has nothing that could change under it",
    (text) => {
      expect(ofText(text)).toMatchObject({ ok: true, plan: { mutableFileOperand: null } });
    },
  );

  test.each([
    [null, "missing"],
    [{ ...plainFolder, isDirectory: false }, "notDirectory"],
    [{ ...plainFolder, steps: [{ path: "/ws", isLink: true, isReplaceable: false }] }, "link"],
    [
      {
        ...plainFolder,
        steps: [
          { path: "/tmp/l", isLink: true, isReplaceable: true },
          { path: "/tmp/l/x", isLink: false, isReplaceable: true },
        ],
      },
      "replaceableLink",
    ],
  ] as const)("a folder %j is refused: %s", (folder, reason) => {
    expect(prepare({ kind: "argv", argv: ["git"] }, folder as FolderFacts | null)).toMatchObject({
      ok: false,
      reason,
    });
  });

  test("a link that only the system may replace is no obstacle, and identity is checked again", () => {
    const steps = [
      { path: "/home", isLink: true, isReplaceable: false },
      { path: "/home/me", isLink: false, isReplaceable: false },
    ];
    expect(folderProblem({ ...plainFolder, steps })).toBeNull();
    expect(folderProblem(plainFolder, plainFolder)).toBeNull();
    expect(folderProblem({ ...plainFolder, inode: 3 }, plainFolder)).toBe("replaced");
    expect(folderProblem({ ...plainFolder, realPath: "/other" }, plainFolder)).toBe("replaced");
  });

  test("a script operand is compared by real path and content", () => {
    const bound = { argvIndex: 1, path: "/ws/a.py", sha256: "one" };
    expect(operandProblem(bound, { realPath: "/ws/a.py", sha256: "one" })).toBeNull();
    expect(operandProblem(bound, { realPath: "/ws/a.py", sha256: "two" })).toBe("contentChanged");
    expect(operandProblem(bound, { realPath: "/evil", sha256: "one" })).toBe("linkChanged");
    expect(operandProblem(bound, null)).toBe("gone");
  });

  test.each([
    [["/bin/sh", "-lc", "git status"], false],
    [["timeout", "5", "bash", "-c", "git"], false],
    [["bash"], false],
    [["bash", "run.sh"], true],
    [["git", "status"], true],
  ])("under allowlist %j satisfied: %s", (argv, expected) => {
    expect(isSatisfiedOnNode(argv, true, "linux")).toBe(expected);
    expect(isSatisfiedOnNode(argv, false, "linux")).toBe(false);
  });

  test("cmd text is never satisfied on Windows", () => {
    const argv = wrapCommandText("dir", "win32");
    expect(isSatisfiedOnNode(argv, true, "win32")).toBe(false);
    expect(inlineTextOf(argv, "win32")).toBe("dir");
  });
});

describe("an approval on a node", () => {
  const claim: NodeRunClaim = {
    runId: "one",
    nodeId: "node-1",
    deviceId: "device-1",
    clientId: "client-1",
    argv: ["git", "status"],
    cwd: "/ws",
    agentId: "main",
    sessionKey: "agent:main:main",
    env: { B: "2", A: "1" },
  };
  const approval: NodeApproval = {
    id: "one",
    nodeId: "node-1",
    deviceId: "device-1",
    clientId: "client-1",
    expiresAtMs: 1_000,
    plan: {
      argv: ["git", "status"],
      cwd: "/ws",
      commandText: "git status",
      commandPreview: null,
      agentId: "main",
      sessionKey: "agent:main:main",
      mutableFileOperand: null,
    },
    envHash: envBindingHash({ A: "1", B: "2" }, hash),
    hasEnvBinding: true,
    state: { kind: "allowed", isOnce: true },
  };
  const check = (claimed: Partial<NodeRunClaim>, stored: Partial<NodeApproval> = {}, nowMs = 0) =>
    checkNodeApproval(
      { ...claim, ...claimed },
      (id) => (id === "one" ? { ...approval, ...stored } : undefined),
      { nowMs, hash },
    );

  test.each([
    ["MISSING_RUN_ID", { runId: undefined }, {}],
    ["MISSING_RUN_ID", { runId: " " }, {}],
    ["UNKNOWN_APPROVAL_ID", { runId: "two" }, {}],
    ["UNKNOWN_APPROVAL_ID", { runId: "__proto__" }, {}],
    ["APPROVAL_NODE_MISMATCH", { nodeId: "node-2" }, {}],
    ["APPROVAL_DEVICE_MISMATCH", { deviceId: "device-2" }, {}],
    ["APPROVAL_DEVICE_MISMATCH", { deviceId: null }, {}],
    ["APPROVAL_CLIENT_MISMATCH", { clientId: "client-2" }, { deviceId: null }],
    ["APPROVAL_CLIENT_MISMATCH", { clientId: null }, { deviceId: null, clientId: null }],
    ["APPROVAL_REQUEST_MISMATCH", { argv: ["git", "push"] }, {}],
    ["APPROVAL_REQUEST_MISMATCH", { argv: ["git", "status", ""] }, {}],
    ["APPROVAL_REQUEST_MISMATCH", { argv: ["git status"] }, {}],
    ["APPROVAL_REQUEST_MISMATCH", { cwd: "/ws/" }, {}],
    ["APPROVAL_REQUEST_MISMATCH", { agentId: "other" }, {}],
    ["APPROVAL_REQUEST_MISMATCH", { sessionKey: null }, {}],
    ["APPROVAL_ENV_MISMATCH", { env: { A: "1" } }, {}],
    ["APPROVAL_ENV_MISMATCH", { env: undefined }, {}],
    ["APPROVAL_ENV_MISMATCH", { env: { A: "1", B: "3" } }, {}],
    ["APPROVAL_ENV_MISMATCH", {}, { envHash: null }],
    ["APPROVAL_ENV_BINDING_MISSING", {}, { envHash: null, hasEnvBinding: false }],
    ["APPROVAL_REQUIRED", {}, { state: { kind: "pending" } }],
    ["APPROVAL_REQUIRED", {}, { state: { kind: "denied" } }],
  ] as const)("%s for %j against %j", (code, claimed, stored) => {
    expect(check(claimed, stored)).toMatchObject({ ok: false, code });
  });

  test("expires to the millisecond", () => {
    expect(check({}, {}, 999).ok).toBe(true);
    expect(check({}, {}, 1_000)).toMatchObject({ ok: false, code: "APPROVAL_EXPIRED" });
  });

  test("a once-approval is used up by its first run, an always-approval is not", () => {
    const first = check({});
    if (!first.ok) throw new Error(first.code);
    expect(first.next.state).toEqual({ kind: "used" });
    expect(check({}, first.next)).toMatchObject({ ok: false, code: "APPROVAL_REQUIRED" });
    const always = { state: { kind: "allowed", isOnce: false } } as const;
    const again = check({}, always);
    expect(again.ok && again.next.state).toEqual(always.state);
  });

  test("no device: the connection that asked counts", () => {
    expect(check({ deviceId: null }, { deviceId: null }).ok).toBe(true);
  });

  test("the hash of overrides sees every name and value and no order", () => {
    const overrides = fc.dictionary(fc.string(), fc.string(), { maxKeys: 5 });
    fc.assert(
      fc.property(overrides, overrides, (one, two) => {
        const reversed = Object.fromEntries(Object.entries(one).reverse());
        expect(envBindingHash(reversed, hash)).toBe(envBindingHash(one, hash));
        const isSame =
          JSON.stringify(Object.entries(one).sort()) === JSON.stringify(Object.entries(two).sort());
        expect(envBindingHash(one, hash) === envBindingHash(two, hash)).toBe(isSame);
      }),
    );
    expect(envBindingHash({}, hash)).toBeNull();
    expect(envBindingHash(undefined, hash)).toBeNull();
  });
});

describe("skills on a node", () => {
  const bins = ["weather", "weather-wrapper"].map((name) => ({ name, realPath: `/opt/skill/bin/${name}` }));
  const read = "cat /home/me/skills/weather/SKILL.md";
  const mark = "printf '\\n---CMD---\\n'";
  const pipelinesOf = (text: string) => {
    const analysis = analyzeCommand(text, options);
    if (!analysis.ok) throw new Error(analysis.code);
    return analysis;
  };
  const isSkill = (text: string, known = bins) => {
    const [segment] = segmentsOf(pipelinesOf(text));
    return segment !== undefined && isSkillCommand(segment, known);
  };
  const prelude = (text: string, trusted = ["weather", "git", "weather-wrapper"]) =>
    findSkillPrelude(pipelinesOf(text).pipelines, bins, (segment) => trusted.includes(segment.argv[0] ?? ""));

  test("a bare name that leads to the skill's own program counts", () => {
    expect(isSkill("weather Berlin")).toBe(true);
  });

  test.each(["/opt/skill/bin/weather Berlin", "git status", "timeout 5 weather", "./weather"])(
    "%s does not count as a skill",
    (text) => {
      expect(isSkill(text)).toBe(false);
    },
  );

  test("a name that leads elsewhere does not count", () => {
    expect(isSkill("weather Berlin", [{ name: "weather", realPath: "/other/weather" }])).toBe(false);
  });

  test.each([
    `${read} && ${mark} && weather Berlin`,
    `${read} && ${mark} && git status && weather Berlin`,
    `${read} && ${mark} && weather-wrapper Berlin`,
  ])("%s passes as prelude", (text) => {
    expect(prelude(text)).toEqual([0, 1]);
  });

  test.each([
    `${read}; ${mark} && weather`,
    `${read} && ${mark} || weather`,
    `${read} && ${mark} && weather; git status`,
    `${read} && ${mark}`,
    `${read} && weather`,
    `${read} && ${mark} && git status`,
    `${read} && ${mark} && weather && foo`,
    `${read} && ${mark} && weather | foo`,
    `cat /home/me/skills/weather/../../../etc/skills/x/SKILL.md && ${mark} && weather`,
    `cat /etc/passwd /home/me/skills/weather/SKILL.md && ${mark} && weather`,
    `cat /home/me/skills/weather/other.md && ${mark} && weather`,
    `cat /home/me/skills/*/SKILL.md && ${mark} && weather`,
    `cat $X/skills/weather/SKILL.md && ${mark} && weather`,
    `${read} && printf '%s' && weather`,
    `${read} && ${mark} x && weather`,
    `./cat /home/me/skills/weather/SKILL.md && ${mark} && weather`,
  ])("%s does not", (text) => {
    expect(prelude(text)).toBeNull();
  });
});
