/** Commands that work on the files when no app runs. */

import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findExecAncestor } from "../gateway/execAncestry.ts";
import { type CliHarness, createCliHarness } from "./testing/cliHarness.ts";

let cli: CliHarness;
beforeEach(async () => {
  cli = await createCliHarness();
});
afterEach(() => cli.cleanUp());

async function writeState(name: string, text: string): Promise<void> {
  await mkdir(cli.stateDir, { recursive: true });
  await writeFile(path.join(cli.stateDir, name), text);
}

describe("help and usage", () => {
  it.each([
    ["--help"],
    ["approvals --help"],
    ["approvals allowlist add --help"],
    ["tools explain --help"],
    ["exec explain --help"],
    ["gateway run --help"],
    ["mcp --help"],
    ["config set --help"],
  ])("shows help for %s and leaves with 0", async (line) => {
    const run = await cli.run(line.split(" "));
    expect(run.code).toBe(0);
    expect(run.stdout).toMatch(/^Usage: sallyport/);
  });

  it.each([
    ["nonsense"],
    ["approvals resolve abcd perhaps"],
    ["approvals set"],
    ["approvals set --file a --stdin"],
    ["approvals get --unknown"],
    ["mcp --client ../x"],
    ["gateway run --port many"],
  ])("leaves with 2 for %s", async (line) => {
    const run = await cli.run(line.split(" "));
    expect(run.code).toBe(2);
    expect(run.stderr).not.toBe("");
    expect(run.stdout).toBe("");
  });

  it.each(["approvals pending", "approvals resolve abcdef deny", "gateway panel-url"])(
    "says in one sentence that %s needs the running app",
    async (line) => {
      const run = await cli.run(line.split(" "));
      expect(run.code).toBe(1);
      expect(run.stderr).toMatch(/^sallyport: Sallyport does not run on .*gateway run/);
    },
  );
});

describe("approvals file", () => {
  it("adds and removes entries for every agent by default, and says so when there is nothing to do", async () => {
    const pattern = "~/tools/x.sh";
    const add = ["approvals", "allowlist", "add", pattern];
    expect(await cli.run(add)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Added ~/tools/x.sh for agent *"),
    });
    expect(await cli.run(add)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Already allowlisted."),
    });
    const file = JSON.parse(await readFile(path.join(cli.stateDir, "exec-approvals.json"), "utf8"));
    expect(file.agents["*"].allowlist[0].pattern).toBe(pattern);
    const get = await cli.run(["approvals", "get", "--json"]);
    expect(JSON.parse(get.stdout).entries).toMatchObject([{ agentId: "*", pattern }]);
    const remove = ["approvals", "allowlist", "remove", pattern, "--json"];
    const removed = await cli.run(remove);
    expect(JSON.parse(removed.stdout).removed).toBe(true);
    expect(removed.stderr).toContain("Writing local approvals.");
    expect(JSON.parse((await cli.run(remove)).stdout).removed).toBe(false);
  });

  it("replaces the file from standard input, JSON5 accepted, version forced to 1", async () => {
    const stdin = "{ version: 7, agents: { main: { allowlist: [{ pattern: '/bin/ls' }] } }, }";
    expect((await cli.run(["approvals", "set", "--stdin"], { stdin })).code).toBe(0);
    const file = JSON.parse(await readFile(path.join(cli.stateDir, "exec-approvals.json"), "utf8"));
    expect(file.version).toBe(1);
    expect(file.agents.main.allowlist[0].pattern).toBe("/bin/ls");
  });

  it("never overwrites a broken file", async () => {
    await writeState("exec-approvals.json", "{ broken");
    const get = await cli.run(["approvals", "get"]);
    expect(get).toMatchObject({ code: 1, stdout: expect.stringContaining("broken") });
    for (const args of [
      ["approvals", "allowlist", "add", "/bin/ls"],
      ["approvals", "set", "--stdin"],
    ]) {
      const run = await cli.run(args, { stdin: "{}" });
      expect(run.code).toBe(1);
      expect(run.stderr).toMatch(/sallyport: .+/);
    }
    expect(await readFile(path.join(cli.stateDir, "exec-approvals.json"), "utf8")).toBe("{ broken");
  });

  it("refuses input that is no object", async () => {
    expect(await cli.run(["approvals", "set", "--stdin"], { stdin: "[" })).toMatchObject({ code: 1 });
    expect(await cli.run(["approvals", "set", "--stdin"], { stdin: "[]" })).toMatchObject({ code: 1 });
    expect(await cli.run(["approvals", "set", "--file", "missing.json"])).toMatchObject({ code: 1 });
  });
});

describe("config", () => {
  it("sets a value in place, keeps comments, and reads it back", async () => {
    await writeState("openclaw.json", '{\n  // mine\n  tools: { profile: "coding" },\n}\n');
    expect((await cli.run(["config", "set", "tools.exec.ask", "always"])).code).toBe(0);
    const text = await readFile(path.join(cli.stateDir, "openclaw.json"), "utf8");
    expect(text).toContain("// mine");
    expect((await cli.run(["config", "get", "tools.exec.ask"])).stdout).toBe("always\n");
    expect(JSON.parse((await cli.run(["config", "get", "tools", "--json"])).stdout)).toMatchObject({
      profile: "coding",
    });
    expect((await cli.run(["config", "get", "tools.nothing"])).code).toBe(1);
    expect((await cli.run(["config", "get", "__proto__"])).code).toBe(1);
  });

  it("validates a file with line and column, and leaves with 1", async () => {
    await writeState("openclaw.json", '{\n  tools: { profile: "no-such" },\n}\n');
    const run = await cli.run(["config", "validate"]);
    expect(run.code).toBe(1);
    expect(run.stdout).toMatch(/openclaw\.json:2:\d+: tools\.profile: /);
    await writeState("openclaw.json", "{}");
    expect(await cli.run(["config", "validate"])).toMatchObject({ code: 0 });
  });

  it("refuses a value that does not validate and leaves the file", async () => {
    await writeState("openclaw.json", "{}");
    expect((await cli.run(["config", "set", "tools.profile", "no-such"])).code).toBe(1);
    expect(await readFile(path.join(cli.stateDir, "openclaw.json"), "utf8")).toBe("{}");
  });
});

describe("the two gates", () => {
  beforeEach(() =>
    writeState(
      "openclaw.json",
      '{\n  tools: {\n    profile: "coding",\n    deny: ["process"],\n    exec: { security: "allowlist", ask: "on-miss" },\n  },\n}\n',
    ),
  );

  it("names gate, stage, rule and line of a hidden tool", async () => {
    const run = await cli.run(["tools", "explain", "process"]);
    expect(run.code).toBe(0);
    expect(run.stdout).toMatch(/removed by gate one .*agent main/);
    expect(run.stdout).toMatch(/tools\.deny.*line 4/);
    const json = JSON.parse((await cli.run(["tools", "explain", "process", "--json"])).stdout);
    expect(json).toMatchObject({ tool: "process", gate: 1, verdict: { kind: "removed" } });
  });

  it("points from a tool that passes to the other gate", async () => {
    expect((await cli.run(["tools", "explain", "exec"])).stdout).toMatch(
      /passes gate one[\s\S]*exec explain/,
    );
    const list = await cli.run(["tools", "list"]);
    expect(list.stdout.split("\n")).toContain("exec");
    expect(list.stdout.split("\n")).not.toContain("process");
  });

  it("refuses an unknown tool and an unknown client", async () => {
    expect((await cli.run(["tools", "explain", "constructor"])).code).toBe(1);
    expect((await cli.run(["tools", "list", "--client", "nobody"])).code).toBe(1);
  });

  it("explains a command without running it", async () => {
    const marker = path.join(cli.homeDir, "ran");
    const run = await cli.run(["exec", "explain", `touch ${marker}`]);
    expect(run.stdout).toContain("It would wait for a person.");
    await expect(readFile(marker)).rejects.toThrow();
    const json = JSON.parse((await cli.run(["exec", "explain", "touch x", "--json"])).stdout);
    expect(json.outcome).toBe("ask");
  });

  it("knows the script of the try-it once it is on the list", async () => {
    const tools = path.join(cli.stateDir, "workspace/tools");
    await mkdir(tools, { recursive: true });
    const script = path.join(tools, "disk-usage.sh");
    await writeFile(script, "#!/bin/bash\necho report\n");
    await chmod(script, 0o755);
    const pattern = "~/.openclaw/workspace/tools/disk-usage.sh";
    const explain = ["exec", "explain", `${pattern} /tmp`, "--json"];
    expect(JSON.parse((await cli.run(explain)).stdout).outcome).toBe("ask");
    await cli.run(["approvals", "allowlist", "add", pattern]);
    expect(JSON.parse((await cli.run(["exec", "explain", `${script} /tmp`, "--json"])).stdout).outcome).toBe(
      "allow",
    );
  });
});

describe("self-approval", () => {
  it.each([
    ["approvals allowlist add /bin/ls"],
    ["approvals set --stdin"],
    ["approvals resolve abcdef deny"],
    ["approvals watch"],
    ["config set tools.exec.ask off"],
    ["gateway panel-url"],
  ])("refuses `%s` below a command of an agent", async (line) => {
    const markers: Record<string, string>[] = [{ OPENCLAW_SHELL: "exec" }, { SALLYPORT_EXEC_ID: "1" }];
    for (const env of markers) {
      const run = await cli.run(line.split(" "), { env, stdin: "{}" });
      expect(run.code).toBe(1);
      expect(run.stderr).toContain("A command that an agent runs may not");
    }
  });

  it("finds the marker in an ancestor although it was cleared in between", () => {
    const view = {
      environ: (pid: number) => (pid === 20 ? ["PATH=/bin", "SALLYPORT_EXEC_ID=x"] : ["PATH=/bin"]),
      parentOf: (pid: number) => ({ 40: 30, 30: 20, 20: 1 })[pid] ?? null,
    };
    expect(findExecAncestor({}, 40, view)).toEqual({ pid: 20 });
    expect(findExecAncestor({}, 20, { ...view, environ: () => [] })).toBeNull();
    expect(findExecAncestor({ OPENCLAW_SHELL: "other" }, 20, { ...view, environ: () => null })).toBeNull();
  });
});
