/** What lists of skills cost, and a session that takes no more calls in. */

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Runtime } from "../runtimeTypes.ts";
import { connectTo, createTestRuntime, testCaller } from "../testing/testRuntime.ts";
import { defineTool, textResult } from "../tools/defineTool.ts";
import type { Skill } from "./createSkills.ts";
import { createSkillCommands } from "./skillCommands.ts";

describe("a list of skills", () => {
  it("asks policy once for each tool, however many skills name it", async () => {
    const skills = Array.from({ length: 600 }, (_, index): Skill => {
      const name = `skill_${index}`;
      const tool = index % 2 === 0 ? "even" : "odd";
      return {
        name,
        commandName: name,
        description: null,
        path: `/skills/${name}/SKILL.md`,
        file: {
          isUserInvocable: true,
          isForModel: true,
          dispatch: { kind: "tool", tool },
          allowedTools: [],
        },
        off: null,
      };
    });
    const asked: string[] = [];
    const commands = createSkillCommands({
      skills: { all: async () => skills },
      config: {
        effective: () => ({
          kind: "normal",
          config: {},
          exec: { alwaysAsk: false },
          problems: [],
          revision: 1,
        }),
      },
      policy: {
        decide: (caller, tool) => {
          asked.push(`${caller.surface} ${tool}`);
          return { kind: "hidden", reason: { code: "unknownTool", params: { tool } } };
        },
      },
      calls: {
        start: () => expect.unreachable("nothing is called"),
        get: () => undefined,
      },
    });
    const listed = await commands.list(testCaller);
    expect(listed).toHaveLength(600);
    expect(
      listed.every(({ command, tools }) => command.kind === "unreachable" && command.tool === tools[0]),
    ).toBe(true);
    expect(asked).toEqual(["skill even", "skill odd"]);
  });
});

describe("a session with too much open", () => {
  let stateDir: string;
  let runtime: Runtime;
  beforeEach(async () => {
    stateDir = await mkdtemp(path.join(tmpdir(), "skill-flood-"));
  });
  afterEach(async () => {
    await runtime.dispose();
    await rm(stateDir, { recursive: true, force: true });
  });

  it("refuses a command with the reason, instead of a call that nobody can wait for", async () => {
    const folder = path.join(stateDir, "workspace", "skills", "deploy");
    await mkdir(folder, { recursive: true });
    await writeFile(
      path.join(folder, "SKILL.md"),
      "---\ncommand-dispatch: tool\ncommand-tool: fixture_wait\n---\n",
    );
    let started = 0;
    const tool = defineTool({
      name: "fixture_wait",
      title: "Wait",
      description: "Waits until it is cancelled.",
      promptLine: "Wait",
      risk: "read",
      input: z.object({ command: z.string().describe("Anything") }),
      execute: (_input, { signal }) =>
        new Promise((resolve) => {
          started += 1;
          signal.addEventListener("abort", () => resolve(textResult("ended")));
        }),
    });
    runtime = await createTestRuntime(stateDir, { extraTools: [tool] });
    const { rpc } = connectTo(runtime);
    const sessionKey = "agent:main:main";
    for (let index = 0; index < 256; index += 1)
      await rpc.call("calls.start", { tool: "fixture_wait", args: { command: `${index}` }, sessionKey });
    await expect(rpc.call("skills.run", { skill: "deploy", args: "", sessionKey })).rejects.toMatchObject({
      code: "UNAVAILABLE",
      message: expect.stringContaining("too many calls open"),
    });
    expect(started).toBe(256);
    // Another session is not touched by it.
    await rpc.call("skills.run", { skill: "deploy", args: "" });
    await expect.poll(() => started).toBe(257);
  });
});
