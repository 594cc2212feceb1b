import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { commandNameOf } from "./commandName.ts";
import { createSkills } from "./createSkills.ts";
import { parseSkillFile } from "./skillFile.ts";

const front = (...lines: string[]) =>
  ["---", ...lines, "---", "", "# Text", "allowed-tools: [nodes]"].join("\n");

describe("the front matter", () => {
  it("gives the tool of the command only when it is dispatched to one", () => {
    const lines = ["name: tidy", "command-dispatch: Tool", 'command-tool: "exec" # the shell'];
    expect(parseSkillFile(front(...lines))).toEqual({
      name: "tidy",
      isUserInvocable: true,
      isForModel: true,
      dispatch: { kind: "tool", tool: "exec" },
      allowedTools: [],
    });
    const dispatchOf = (...more: string[]) => parseSkillFile(front(...more))?.dispatch;
    expect(dispatchOf("name: tidy", "command_tool: exec")).toEqual({ kind: "text" });
    expect(dispatchOf("command_dispatch: tool", "command_tool: exec")).toEqual({
      kind: "tool",
      tool: "exec",
    });
    expect(dispatchOf("command-dispatch: tool", "command-tool:")).toEqual({ kind: "tool", tool: null });
    // There is one way to hand the arguments on; another word changes nothing.
    expect(dispatchOf("command-dispatch: tool", "command-tool: tts", "command-arg-mode: split")).toEqual({
      kind: "tool",
      tool: "tts",
    });
  });

  it("does not make a name that is too long into the name of another tool", () => {
    const [fits, tooLong] = ["a".repeat(64), "a".repeat(65)].map(
      (name) => parseSkillFile(front("command-dispatch: tool", `command-tool: ${name}`))?.dispatch,
    );
    expect(fits).toEqual({ kind: "tool", tool: "a".repeat(64) });
    expect(tooLong).toEqual({ kind: "tool", tool: `${"a".repeat(63)}…` });
  });

  it.each([
    ["", true, true],
    ["user-invocable: false", false, true],
    ["user-invocable: 'no'", false, true],
    ["user-invocable: perhaps", true, true],
    ["user-invocable:\n  false", true, true],
    ["disable-model-invocation: true", true, false],
    ["disable_model_invocation: on", true, false],
    ["disable-model-invocation: perhaps", true, true],
  ])("says who may use the skill: %j", (line, isUserInvocable, isForModel) => {
    expect(parseSkillFile(front(line))).toMatchObject({ isUserInvocable, isForModel });
  });

  it.each([
    ["description: Ships it. # and more", "Ships it."],
    ['description: "Ships: it."', "Ships: it."],
    ["description: Ships\n  it.", "Ships it."],
    ["description: |\n  Ships\n\n  it.", "Ships it."],
    ["description: a\u0007b\u202ec", "a b c"],
    ["description:", undefined],
  ])("has a description of one line: %j", (line, description) => {
    expect(parseSkillFile(front(line))?.description).toBe(description);
  });

  it.each([
    ["allowed-tools: [\"message\", 'exec']", ["message", "exec"]],
    ["allowed-tools: exec, read", ["exec", "read"]],
    ["allowed-tools: Bash(git add:*) Read", ["Bash", "Read"]],
    ["allowed-tools:\n  - exec\n  - read", ["exec", "read"]],
    ["allowed-tools:\n- exec\n- read\nname: x", ["exec", "read"]],
    ['allowed-tools:\n  [\n    "exec",\n    "read"\n  ]', ["exec", "read"]],
    ["metadata:\n  allowed-tools: [exec]", []],
    ["allowed-tools:", []],
  ])("reads %j", (line, tools) => {
    expect(parseSkillFile(front(line))?.allowedTools).toEqual(tools);
  });

  it("is nothing without its marks, and bounded with them", () => {
    for (const text of [
      "",
      "name: x",
      "---\nname: x",
      "x\n---\nname: x\n---",
      `---\n${"a: b\n".repeat(600)}---`,
    ])
      expect(parseSkillFile(text)).toBeNull();
    const many = parseSkillFile(
      front(`allowed-tools: ${Array.from({ length: 500 }, (_, n) => `t${n}`).join(" ")}`),
    );
    expect(many?.allowedTools).toHaveLength(64);
    expect(parseSkillFile(front(`name: ${"n".repeat(500)}`))?.name).toHaveLength(64);
    expect(parseSkillFile(`\uFEFF${front("name: x").replaceAll("\n", "\r\n")}`)?.name).toBe("x");
    expect(parseSkillFile(front("__proto__: x", "constructor: y", "name: __proto__"))?.name).toBe(
      "__proto__",
    );
  });
});

describe("the folders", () => {
  let root: string;
  let config: unknown;
  const put = async (folder: string, name: string, text: string) => {
    await mkdir(path.join(root, folder, name), { recursive: true });
    await writeFile(path.join(root, folder, name, "SKILL.md"), text);
  };
  const read = async (asked: unknown = {}, agentId = "main") => {
    const { needs } = createSkills({
      config: () => config,
      workspaceOf: (id) => path.join(root, `work-${id}`),
      stateDir: path.join(root, "state"),
      homeDir: path.join(root, "home"),
    });
    return (await needs(asked, agentId)).map(({ name, tools }) => [name, ...tools].join(" "));
  };
  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), "skills-"));
    config = {};
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  it("are those of the agent's workspace, the person, the state directory and the config; the nearest counts", async () => {
    config = { skills: { load: { extraDirs: ["~/more", 5] } } };
    await put("home/more", "a", front("name: one", "allowed-tools: cron"));
    await put("state/skills", "b", front("name: one", "allowed-tools: exec"));
    await put("home/.agents/skills", "two", front("allowed-tools: read"));
    await put("work-main/.agents/skills", "three", front("name: three"));
    await put("work-main/skills", "four", front("name: four", "command-dispatch: tool", "command-tool: tts"));
    await put("work-other/skills", "five", front("name: five", "allowed-tools: cron"));
    expect(await read()).toEqual(["one exec", "two read", "three", "four tts"]);
    expect(await read({}, "other")).toEqual(["one exec", "two read", "five cron"]);
  });

  it("leave out what the config switches off or the agent does not have", async () => {
    for (const name of ["one", "two", "__proto__", "constructor"])
      await put("state/skills", name, front(`name: ${name}`));
    expect(await read()).toEqual(["__proto__", "constructor", "one", "two"]);
    expect(await read({ skills: { entries: { one: { enabled: false }, two: { enabled: true } } } })).toEqual([
      "__proto__",
      "constructor",
      "two",
    ]);
    expect(await read({ agents: { list: [{ id: "Main", skills: ["two"] }] } })).toEqual(["two"]);
    expect(await read({ agents: { list: [{ id: "main", skills: [] }] } })).toEqual([]);
  });

  it("are never looked for where a question points", async () => {
    await put("elsewhere", "secret", front("name: secret"));
    const elsewhere = path.join(root, "elsewhere");
    expect(
      await read({ skills: { load: { extraDirs: [elsewhere] } }, agents: { defaults: { workspace: root } } }),
    ).toEqual([]);
  });

  it("end at their own walls: no link out, no pipe, no folder, nothing huge", async () => {
    await put("outside", "far", front("name: far"));
    await mkdir(path.join(root, "state/skills/link"), { recursive: true });
    await symlink(path.join(root, "outside/far/SKILL.md"), path.join(root, "state/skills/link/SKILL.md"));
    await symlink(path.join(root, "outside/far"), path.join(root, "state/skills/folderLink"));
    await mkdir(path.join(root, "state/skills/folder/SKILL.md"), { recursive: true });
    await mkdir(path.join(root, "state/skills/pipe"));
    execFileSync("mkfifo", [path.join(root, "state/skills/pipe/SKILL.md")]);
    await put("state/skills", "huge", front("name: huge") + "x".repeat(300_000));
    await put("state/skills", "binary", "\u0000\u0001");
    await put("state/skills", " ", front("description: Nameless."));
    await put("state/skills", "good", front("name: good"));
    await writeFile(path.join(root, "state/skills/SKILL.md"), front("name: root"));
    expect(await read()).toEqual(["good"]);
  });
});

describe("names of commands", () => {
  it.each([
    ["Ship It!", "ship_it"],
    ["ship--it", "ship_it"],
    ["__ship__", "ship"],
    ["n".repeat(40), "n".repeat(32)],
    [`${"n".repeat(31)}-x`, "n".repeat(31)],
    ["部署 app", "app"],
    ["部署", "部署"],
    ["", ""],
  ])("of %j", (name, command) => {
    expect(commandNameOf(name)).toBe(command);
    expect(commandNameOf(command)).toBe(command);
  });
});
