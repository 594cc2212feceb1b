/** Tricks that need time: something changes between the prompt and the click. Each beside a benign twin that runs. */

import { mkdir, mkdtemp, readFile, realpath, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { contract } from "../../shared/contract/index.ts";
import type { RpcClient } from "../../shared/rpc/index.ts";
import type { Runtime } from "./runtimeTypes.ts";
import { connectTo, createTestRuntime, testCaller } from "./testing/testRuntime.ts";

let root: string;
let runtime: Runtime;
let rpc: RpcClient<typeof contract>;
let closeRpc: () => void;

const at = (...parts: string[]) => join(root, ...parts);

/** A program that leaves a word in a file, so that one sees which one ran. */
async function program(path: string, word: string) {
  await writeFile(path, `#!/bin/sh\necho ${word} "$@" >>"${at("ran")}"\n`, { mode: 0o755 });
}
const ran = () => readFile(at("ran"), "utf8").catch(() => "");

async function start(listed: string[] = [], config?: string) {
  const exec = `{ security: "allowlist", ask: "on-miss" }`;
  await writeFile(at("state", "openclaw.json"), config ?? `{ tools: { profile: "coding", exec: ${exec} } }`);
  const agents = { main: { allowlist: listed.map((pattern) => ({ pattern })) } };
  await writeFile(at("state", "exec-approvals.json"), JSON.stringify({ version: 1, agents }));
  const baseEnv = { PATH: `${at("first")}:${at("second")}:/usr/bin:/bin`, HOME: root, SHELL: "/bin/sh" };
  runtime = await createTestRuntime(at("state"), { homeDir: root, baseEnv });
  ({ rpc, close: closeRpc } = connectTo(runtime));
  await rpc.call("approvals.attend", {});
}

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "attacks-runtime-")));
  for (const folder of ["state", "first", "second", "work", "evil"]) await mkdir(at(folder));
});
afterEach(async () => {
  closeRpc?.();
  await runtime?.dispose();
  await rm(root, { recursive: true, force: true });
});

const exec = (args: Record<string, unknown>) =>
  runtime.tools.callTool(
    testCaller,
    "exec",
    { workdir: at("work"), ...args },
    { signal: new AbortController().signal, holdMs: null },
  );

/** Asks, lets something happen while the prompt is open, and allows. */
async function askThenAllow(args: Record<string, unknown>, meanwhile: () => Promise<void>) {
  const outcome = exec(args);
  const request = await expect
    .poll(async () => (await rpc.call("approvals.list", {})).pending[0], { timeout: 5_000 })
    .toBeDefined()
    .then(async () => (await rpc.call("approvals.list", {})).pending[0]);
  if (request === undefined) throw new Error("nothing waits");
  await meanwhile();
  await rpc.call("approvals.resolve", { id: request.id, decision: "allow-once", digest: request.digest });
  return outcome;
}

interface Swap {
  name: string;
  args: () => Record<string, unknown>;
  trick: () => Promise<void>;
  /** Something as busy beside it that changes nothing of what was shown. */
  twin: () => Promise<void>;
  reason: string;
}

const swaps: Swap[] = [
  {
    name: "a link is pointed at another program",
    args: () => ({ command: `${at("work", "link")} x` }),
    trick: async () => {
      await rm(at("work", "link"));
      await symlink(at("evil", "tool"), at("work", "link"));
    },
    twin: async () => {
      await rm(at("work", "link"));
      await symlink(at("second", "tool"), at("work", "link"));
    },
    reason: "linkChanged",
  },
  {
    name: "a link is replaced by a file",
    args: () => ({ command: `${at("work", "link")} x` }),
    trick: async () => {
      await rm(at("work", "link"));
      await program(at("work", "link"), "evil");
    },
    twin: () => program(at("work", "beside"), "evil"),
    reason: "linkChanged",
  },
  {
    name: "the program is rewritten",
    args: () => ({ command: `${at("second", "tool")} x` }),
    trick: () => program(at("second", "tool"), "evil"),
    twin: () => program(at("second", "tool"), "good"),
    reason: "fileChanged",
  },
  {
    name: "the script of a shell is rewritten",
    args: () => ({ command: "sh job.sh x" }),
    trick: () => program(at("work", "job.sh"), "evil"),
    twin: () => program(at("work", "other.sh"), "evil"),
    reason: "fileChanged",
  },
  {
    name: "the script becomes a link",
    args: () => ({ command: "sh job.sh x" }),
    trick: async () => {
      await rm(at("work", "job.sh"));
      await symlink(at("evil", "tool"), at("work", "job.sh"));
    },
    twin: () => symlink(at("evil", "tool"), at("work", "beside.sh")),
    reason: "linkChanged",
  },
  {
    name: "the folder is replaced by another of its name",
    args: () => ({ command: `${at("second", "tool")} x` }),
    trick: async () => {
      await rename(at("work"), at("old"));
      await mkdir(at("work"));
    },
    twin: () => mkdir(at("work", "new")),
    reason: "folderChanged",
  },
  {
    name: "the folder becomes a link",
    args: () => ({ command: "sh job.sh x" }),
    trick: async () => {
      await rename(at("work"), at("old"));
      await symlink(at("evil"), at("work"));
    },
    twin: () => symlink(at("evil"), at("work", "there")),
    reason: "folderChanged",
  },
  {
    name: "the program is gone",
    args: () => ({ command: `${at("second", "tool")} x` }),
    trick: () => rm(at("second", "tool")),
    twin: () => rm(at("evil", "tool")),
    reason: "fileGone",
  },
  {
    name: "a namesake appears earlier on PATH",
    args: () => ({ command: "tool x > out.txt" }),
    trick: () => program(at("first", "tool"), "evil"),
    twin: () => program(at("first", "tool2"), "evil"),
    reason: "nameChanged",
  },
  {
    name: "a namesake of a plain command appears earlier on PATH",
    args: () => ({ command: "tool x && tool y" }),
    trick: () => program(at("first", "tool"), "evil"),
    twin: () => program(at("evil", "tool"), "evil"),
    reason: "nameChanged",
  },
  {
    name: "the program of a text with a redirection is rewritten",
    args: () => ({ command: "./job.sh x > out.txt 2>&1" }),
    trick: () => program(at("work", "job.sh"), "evil"),
    twin: () => writeFile(at("work", "out.txt"), "old"),
    reason: "fileChanged",
  },
  {
    name: "the script of a text with a redirection is rewritten",
    args: () => ({ command: "sh -e job.sh x >> out.txt" }),
    trick: () => program(at("work", "job.sh"), "evil"),
    twin: () => program(at("work", "job2.sh"), "evil"),
    reason: "fileChanged",
  },
];

describe("what changes between the prompt and the click", () => {
  beforeEach(async () => {
    await program(at("second", "tool"), "good");
    await program(at("evil", "tool"), "evil");
    await program(at("work", "job.sh"), "good");
    await program(at("evil", "job.sh"), "evil");
    await symlink(at("second", "tool"), at("work", "link"));
    await start();
  });

  it.each(swaps)("$name: nothing runs, and the reason is said", async ({ args, trick, reason }) => {
    const outcome = await askThenAllow(args(), trick);
    expect(outcome).toMatchObject({ kind: "refused", details: { executed: false, reason } });
    expect(await ran()).toBe("");
  });

  it.each(swaps)("the twin runs what was shown: not $name", async ({ args, twin }) => {
    const outcome = await askThenAllow(args(), twin);
    expect(outcome).toMatchObject({ kind: "result", isError: false });
    expect(await ran()).toMatch(/^good x\n/);
    expect(await ran()).not.toContain("evil");
  });
});

describe("what a call brings along", () => {
  it.each([
    ["a library", { LD_PRELOAD: "./x.so" }, { NO_COLOR: "1" }],
    ["PATH", { PATH: "/tmp/evil" }, { TZ: "Europe/Berlin" }],
    ["a file that shells read", { BASH_ENV: "./x" }, { LC_ALL: "C.UTF-8" }],
    ["a helper of git", { GIT_SSH_COMMAND: "./x" }, { COLUMNS: "80" }],
  ])("%s in env is refused, and the twin runs unasked", async (_name, trick, twin) => {
    await program(at("second", "tool"), "good");
    await start([at("second", "tool")]);
    const refused = await exec({ command: "tool x", env: trick });
    expect(refused).not.toMatchObject({ kind: "result", isError: false });
    expect(JSON.stringify(refused)).toContain(Object.keys(trick)[0]);
    expect(await ran()).toBe("");
    expect(await exec({ command: "tool x", env: twin })).toMatchObject({ kind: "result", isError: false });
    expect(await ran()).toBe("good x\n");
  });

  it("a script that answers approvals is refused, its twin runs unasked", async () => {
    await writeFile(at("work", "job.sh"), "#!/bin/sh\nsallyport approvals resolve 1 allow-once\n", {
      mode: 0o755,
    });
    await program(at("work", "good.sh"), "good");
    await start([at("work", "*.sh")]);
    expect(await exec({ command: "./job.sh" })).toMatchObject({
      kind: "refused",
      details: { executed: false, reason: "selfApproval" },
    });
    expect(await exec({ command: "./good.sh" })).toMatchObject({ kind: "result", isError: false });
  });

  it("a listed path that leads elsewhere now asks; pointed back it runs unasked", async () => {
    await program(at("second", "tool"), "good");
    await program(at("evil", "tool"), "evil");
    await symlink(at("evil", "tool"), at("first", "tool"));
    await start([at("first", "*"), at("second", "tool")]);
    const waiting = exec({ command: "tool x" });
    await expect.poll(async () => (await rpc.call("approvals.list", {})).pending.length).toBe(1);
    const [request] = (await rpc.call("approvals.list", {})).pending;
    await rpc.call("approvals.resolve", { id: request?.id ?? "", decision: "deny" });
    expect(await waiting).toMatchObject({ kind: "refused" });
    await rm(at("first", "tool"));
    expect(await exec({ command: "tool x" })).toMatchObject({ kind: "result", isError: false });
    expect(await ran()).toBe("good x\n");
  });
});

describe("host=node", () => {
  it("answers that no node is paired, and runs nothing anywhere else", async () => {
    await program(at("second", "tool"), "good");
    const nodeExec = `{ host: "node", security: "allowlist", ask: "on-miss" }`;
    await start([at("second", "tool")], `{ tools: { profile: "coding", exec: ${nodeExec} } }`);
    for (const args of [{ command: "tool x" }, { command: "tool x", host: "node", node: "laptop" }]) {
      const answer = await exec(args);
      expect(JSON.stringify(answer)).toContain("no node is paired");
      expect(answer).not.toMatchObject({ kind: "result", isError: false });
    }
    expect((await rpc.call("approvals.list", {})).pending).toEqual([]);
    expect(await ran()).toBe("");
  });
});
