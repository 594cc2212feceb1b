/** `sallyport skills`: on the files, and against a running app. */

import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Headless, startHeadless } from "../headless/startHeadless.ts";
import { silentLogger } from "../runtime/logging/logger.ts";
import { type CliHarness, createCliHarness } from "./testing/cliHarness.ts";

let cli: CliHarness;
let headless: Headless | null;

async function put(name: string, ...lines: string[]) {
  const folder = path.join(cli.stateDir, "workspace", "skills", name);
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, "SKILL.md"), ["---", ...lines, "---", "Text."].join("\n"));
}

beforeEach(async () => {
  cli = await createCliHarness();
  headless = null;
  await put(
    "status",
    "description: Says \u001b[31mhow\u001b[0m it is.",
    "command-dispatch: tool",
    "command-tool: session_status",
  );
  await put("shell", "command-dispatch: tool", "command-tool: exec");
  await put("fetch", "command-dispatch: tool", "command-tool: web_fetch");
  await put("words", "description: Words.");
  await writeFile(path.join(cli.stateDir, "openclaw.json"), '{ tools: { deny: ["web_fetch"] } }');
});
afterEach(async () => {
  await headless?.dispose();
  await cli.cleanUp();
});

const ways: [string, () => Promise<void>][] = [
  ["on the files", async () => {}],
  [
    "against the running app",
    async () => {
      headless = await startHeadless({
        env: cli.env,
        homeDir: cli.homeDir,
        port: 0,
        panelDir: null,
        version: "0.0.1",
        logger: silentLogger,
      });
    },
  ],
];

describe.each(ways)("skills, %s", (_title, prepare) => {
  it("are listed with what they call, or why not, harmless on a terminal", async () => {
    await prepare();
    const run = await cli.run(["skills", "list"]);
    expect(run.code).toBe(0);
    expect(run.stdout.split("\n")).toEqual([
      "fetch  /fetch would call web_fetch: removed at tools.allow by web_fetch (tools.deny[0])",
      expect.stringMatching(/^shell {2}\/shell would call exec: commands of skills never reach it/),
      "status  /status calls session_status",
      "  Says [31mhow [0m it is.",
      "words  no command: it is text for a model and calls nothing by itself",
      "  Words.",
      "",
    ]);
    const json: unknown = JSON.parse((await cli.run(["skills", "list", "--agent", "main", "--json"])).stdout);
    expect(json).toMatchObject({ agentId: "main", skills: [{}, {}, { command: { kind: "ready" } }, {}] });
  });

  it("run on the path of every call", async () => {
    await prepare();
    const done = await cli.run([
      "skills",
      "run",
      "/status",
      "how",
      "is",
      "--session",
      "agent:main:main",
      "--",
      "--it",
    ]);
    expect(done).toMatchObject({ code: 0, stderr: "" });
    expect(done.stdout).toContain("agent:main:main");
    const json = await cli.run(["skills", "run", "status", "--json", "--", "-a  b", "c"]);
    expect(JSON.parse(json.stdout)).toMatchObject({
      call: {
        toolCallId: expect.stringMatching(/^cmd_/),
        argsShown: expect.stringContaining('"-a  b c"'),
        skill: { name: "status" },
        state: { kind: "succeeded" },
      },
      reply: { isError: false },
    });
  });

  it("end with 1 when the tool is out of reach, and say to the operator why", async () => {
    await prepare();
    expect(await cli.run(["skills", "run", "fetch", "http://127.0.0.1:9/"])).toEqual({
      code: 1,
      stdout: "❌ Tool not available: web_fetch (removed at tools.allow by web_fetch (tools.deny[0]))\n",
      stderr: "",
    });
    const shell = await cli.run(["skills", "run", "shell", "true"]);
    expect(shell).toMatchObject({ code: 1, stderr: "" });
    expect(shell.stdout).toMatch(/^❌ Tool not available: exec \(commands of skills never reach it/);
    const json = await cli.run(["skills", "run", "fetch", "x", "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({
      call: { state: { kind: "hidden" } },
      reply: { isError: true, text: "❌ Tool not available: web_fetch" },
    });
    expect(await cli.run(["skills", "run", "words"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("is text for a model"),
    });
    expect(await cli.run(["skills", "run", "nope"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Agent main has no skill nope"),
    });
    expect((await cli.run(["skills", "run"])).code).toBe(2);
  });

  it("say which fields the tool needs, when it does not take what a skill hands over", async () => {
    await writeFile(path.join(cli.stateDir, "openclaw.json"), "{}");
    await prepare();
    expect(await cli.run(["skills", "run", "fetch", "http://127.0.0.1:9/"])).toEqual({
      code: 1,
      stdout: "❌ web_fetch needs url; a skill's command hands over command, commandName and skillName.\n",
      stderr: "",
    });
  });

  it("say where a text that begins with a dash goes", async () => {
    await prepare();
    const run = await cli.run(["skills", "run", "status", "--dry-run"]);
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toMatch(
      /^error: unknown option '--dry-run'\nPut -- before a text that begins with a dash\.\n/,
    );
  });

  it("without keys are listed with that reason, and take no name from a skill", async () => {
    const bare = async (folder: string, name: string) => {
      await mkdir(path.join(folder, "skills", name), { recursive: true });
      await writeFile(path.join(folder, "skills", name, "SKILL.md"), "# Only a text.\n");
    };
    await bare(cli.stateDir, "bare");
    await bare(path.join(cli.stateDir, "workspace"), "bare");
    await bare(cli.stateDir, "words");
    await prepare();
    const { stdout } = await cli.run(["skills", "list"]);
    expect(stdout).toMatch(
      /^bare {2}no command: its SKILL\.md has no keys between two lines of --- at its beginning$/m,
    );
    expect(stdout).toMatch(/^words {2}no command: it is text for a model/m);
    expect(await cli.run(["skills", "run", "bare"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("has no keys between two lines of ---"),
    });
  });
});
