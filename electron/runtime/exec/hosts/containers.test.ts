import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Caller, CallOutcome, Runtime } from "../../runtimeTypes.ts";
import { createTestRuntime } from "../../testing/testRuntime.ts";
import { createSandboxProbe } from "./sandboxProbe.ts";
import { sandboxSettingsOf } from "./sandboxSettings.ts";

let home: string;
let stateDir: string;
let bin: string;
let runtime: Runtime | undefined;

const caller: Caller = {
  id: "mcp:desk",
  label: "test client",
  agentId: "main",
  sessionKey: "agent:main:mcp:desk",
  isOwner: false,
  provider: null,
  model: null,
  surface: "mcp",
};

/** Records its arguments and one variable, answers probes, and "runs" by what the test wants. */
async function standIn(engine: string, onRun: string, onProbe = "exit 0") {
  const file = join(bin, engine);
  await writeFile(
    file,
    `#!/bin/bash\n{ printf '%s\\0' "$@"; printf 'secret=%s|host=%s|other=%s\\0\\0' "$SALLYPORT_SET_TOKEN" "$DOCKER_HOST" "$UNRELATED"; } >> ${home}/calls\n` +
      `case "$1" in\n  version|image) ${onProbe};;\n  run) ${onRun};;\nesac\n`,
  );
  await chmod(file, 0o755);
}

async function recorded(): Promise<{ args: string[]; env: string }[]> {
  const text = await readFile(join(home, "calls"), "utf8").catch(() => "");
  return text
    .split("\0\0")
    .filter((call) => call !== "")
    .map((call) => {
      const parts = call.split("\0");
      return { args: parts.slice(0, -1), env: parts.at(-1) ?? "" };
    });
}

async function start(sandbox: Record<string, unknown>) {
  await writeFile(
    join(stateDir, "openclaw.json"),
    JSON.stringify({
      agents: { defaults: { sandbox: { mode: "all", workspaceAccess: "rw", ...sandbox } } },
      tools: { profile: "coding" },
    }),
  );
  runtime = await createTestRuntime(stateDir, {
    homeDir: home,
    baseEnv: { PATH: `${bin}:/usr/bin:/bin`, HOME: home, DOCKER_HOST: "unix:///own.sock", UNRELATED: "no" },
  });
}

async function exec(args: Record<string, unknown>): Promise<CallOutcome> {
  if (runtime === undefined) throw new Error("not started");
  const options = { signal: new AbortController().signal, holdMs: null };
  return runtime.tools.callTool(caller, "exec", args, options);
}

function textOf(outcome: CallOutcome): string {
  if (outcome.kind === "refused") return outcome.text;
  if (outcome.kind !== "result") throw new Error(`unexpected ${outcome.kind}`);
  return outcome.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "containers-")));
  stateDir = join(home, ".openclaw");
  bin = join(home, "bin");
  await mkdir(stateDir, { mode: 0o700 });
  await mkdir(bin);
});
afterEach(async () => {
  await runtime?.dispose();
  runtime = undefined;
  await rm(home, { recursive: true, force: true });
});

const everything = {
  image: "tools:1",
  network: "bridge",
  user: "1000:1000",
  env: { TOKEN: "t0ken" },
  memory: "512m",
  pidsLimit: 64,
  cpus: 1.5,
  ulimits: { nofile: { soft: 10, hard: 20 }, core: 0 },
  seccompProfile: "/p/seccomp.json",
  apparmorProfile: "profile",
  dns: ["9.9.9.9"],
  extraHosts: ["db:10.0.0.2"],
  tmpfs: ["/tmp"],
};

describe("a container engine", () => {
  it("gets one container for each command, with every setting and no secret on its command line", async () => {
    await standIn("docker", "echo from the container");
    await mkdir(join(home, "data"));
    await start({ backend: "docker", docker: { ...everything, binds: [`${home}/data:/data:ro`] } });
    expect(textOf(await exec({ command: "echo 'hi' # there" }))).toBe("from the container");
    const calls = await recorded();
    expect(calls.map(({ args }) => args.slice(0, 3))).toEqual([
      ["version"],
      ["image", "inspect", "tools:1"],
      ["run", "--rm", "--init"],
    ]);
    const run = calls[2];
    const name = run?.args[run.args.indexOf("--name") + 1] ?? "";
    expect(name).toMatch(/^sallyport-sandbox-[0-9a-f]{12}$/);
    expect(run?.args).toEqual([
      ...["run", "--rm", "--init", "--pull", "never", "--name", name, "--label", "sallyport.sandbox=1"],
      ...["--network", "bridge", "--read-only", "--tmpfs", "/tmp", "--cap-drop", "ALL"],
      ...["--security-opt", "no-new-privileges", "--security-opt", "seccomp=/p/seccomp.json"],
      ...["--security-opt", "apparmor=profile", "--user", "1000:1000"],
      ...["--memory", "536870912", "--memory-swap", "536870912", "--pids-limit", "64", "--cpus", "1.5"],
      ...["--ulimit", "nofile=10:20", "--ulimit", "core=0", "--dns", "9.9.9.9", "--add-host", "db:10.0.0.2"],
      ...["--mount", `type=bind,source=${stateDir}/workspace,target=/workspace`],
      ...["--mount", `type=bind,source=${home}/data,target=/data,readonly`],
      ...["--workdir", "/workspace", "--env", "HOME=/workspace"],
      ...["--env", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"],
      ...["--env", "SALLYPORT_SET_TOKEN", "--entrypoint", "/bin/sh", "tools:1", "-lc"],
      `export TOKEN="$SALLYPORT_SET_TOKEN"; unset SALLYPORT_SET_TOKEN\necho 'hi' # there`,
    ]);
    expect(run?.env).toBe("secret=t0ken|host=unix:///own.sock|other=");
  });

  it("is Podman with its user mapping when the config says so", async () => {
    await standIn("podman", "echo ok");
    await start({ backend: "podman" });
    expect(textOf(await exec({ command: "true" }))).toBe("ok");
    const args = (await recorded()).at(-1)?.args ?? [];
    expect(args.slice(args.indexOf("no-new-privileges") + 1).slice(0, 4)).toEqual([
      "--userns",
      "keep-id",
      "--user",
      `${process.getuid?.()}:${process.getgid?.()}`,
    ]);
    expect(args).toContain("openclaw-sandbox:bookworm-slim");
    expect(args[args.indexOf("--network") + 1]).toBe("none");
  });

  it("removes the container of a command that was ended, and of no other", async () => {
    await standIn("docker", "trap '' TERM; echo up; exec sleep 60");
    await start({ backend: "docker" });
    expect(textOf(await exec({ command: "sleep 60", timeout: 0.3 }))).toContain("up");
    await runtime?.dispose();
    const calls = await recorded();
    const name = calls[2]?.args[calls[2].args.indexOf("--name") + 1];
    expect(calls.slice(3).map(({ args }) => args)).toEqual([["rm", "--force", name]]);
  });

  it.each([
    ["is not installed", { backend: "podman" }, "not on PATH. Install podman"],
    ["is not known", { backend: "ssh" }, 'sandbox.backend "ssh" is not known'],
    [
      "would share the host's network",
      { backend: "docker", docker: { network: "host" } },
      'Use "none" or "bridge"',
    ],
    [
      "would show the system",
      { backend: "docker", docker: { binds: ["/run:/run2"] } },
      "never shown to a sandbox",
    ],
    [
      "gets a bind that is none",
      { backend: "docker", docker: { binds: ["data:/x"] } },
      "is not /source:/target",
    ],
    [
      "shall hide the system's folders",
      { backend: "docker", docker: { workdir: "/usr" } },
      "no place for a mount",
    ],
  ])("runs nothing, here or elsewhere, when it %s", async (_what, sandbox, message) => {
    await standIn("docker", "echo wrong");
    await start(sandbox);
    const outcome = await exec({ command: "echo wrong" });
    expect(outcome).toMatchObject({
      kind: "refused",
      details: { executed: false, reason: "hostUnavailable" },
    });
    const answer = textOf(outcome);
    expect(answer).toContain(message);
    expect(answer).not.toMatch(/^wrong$/m);
    expect((await recorded()).filter(({ args }) => args[0] === "run")).toEqual([]);
  });

  it("runs nothing when the service does not answer", async () => {
    await standIn("docker", "echo wrong", "echo 'no daemon' >&2; exit 1");
    await start({ backend: "docker" });
    expect(textOf(await exec({ command: "echo x" }))).toContain("docker does not answer (no daemon)");
  });
});

describe("bubblewrap", () => {
  it("says how to install it when it is missing, and nothing runs elsewhere", async () => {
    const settings = sandboxSettingsOf({}, "main", "linux");
    const missing = await createSandboxProbe({ baseEnv: { PATH: bin }, platform: "linux" })(settings);
    expect(missing).toMatchObject({ ok: false, code: "bubblewrapMissing" });
    expect(!missing.ok && missing.message).toContain("apt-get install bubblewrap");
    await standIn("bwrap", "exit 1");
    await writeFile(
      join(bin, "bwrap"),
      "#!/bin/sh\necho 'setting up uid map: Permission denied' >&2\nexit 1\n",
    );
    const refused = await createSandboxProbe({ baseEnv: { PATH: bin }, platform: "linux" })(settings);
    expect(refused).toMatchObject({ ok: false, code: "bubblewrapRefused" });
    const elsewhere = await createSandboxProbe({ baseEnv: { PATH: bin }, platform: "darwin" })(settings);
    expect(!elsewhere.ok && elsewhere.message).toContain("Linux only");
  });
});
