// @vitest-environment happy-dom
import { cleanup, fireEvent, screen, within } from "@testing-library/react";
import { afterEach, describe, expect, test } from "vitest";
import type { SkillView, ToolCallState } from "../../../shared/contract/index.ts";
import { navigateTo } from "../../app/hashLocation.ts";
import { renderPanel, type TestHandlers } from "../../testing/renderPanel.tsx";
import ToolsView from "./ToolsView.tsx";

function view(name: string, command: SkillView["command"], over: Partial<SkillView> = {}): SkillView {
  return {
    name,
    commandName: name,
    description: `About ${name}.`,
    path: `/w/skills/${name}/SKILL.md`,
    isForModel: true,
    tools: command.kind === "none" ? [] : [command.tool],
    command,
    ...over,
  };
}

const skills: SkillView[] = [
  view("status", { kind: "ready", tool: "session_status" }),
  view("fetch", {
    kind: "unreachable",
    tool: "web_fetch",
    reason: {
      code: "removedByPolicy",
      params: { tool: "web_fetch", stage: "tools.allow", rule: "web_fetch", path: "tools.deny[0]" },
    },
  }),
  view("words", { kind: "none", reason: { code: "skillIsText", params: { skill: "words" } } }),
];

function show(place: string, handlers: TestHandlers = {}) {
  navigateTo(place);
  return renderPanel(<ToolsView />, {
    "policy.contexts": () => ({
      agents: [
        { id: "main", isDefault: true },
        { id: "support", isDefault: false },
      ],
      models: [],
      groups: [],
      seen: [],
    }),
    "skills.list": ({ agentId }) => ({
      agentId: agentId ?? "main",
      skills: agentId === "support" ? [] : skills,
    }),
    ...handlers,
  });
}

function ended(state: ToolCallState, text: string | null): TestHandlers {
  return {
    "calls.wait": ({ toolCallId }) => ({
      call: {
        toolCallId,
        tool: "session_status",
        agentId: "main",
        sessionKey: "agent:main:panel",
        callerId: "panel:test",
        callerLabel: "panel: /status",
        argsShown: "{}",
        state,
        createdAtMs: 1,
        updatedAtMs: 2,
        progress: null,
        skill: { name: "status", commandName: "status", path: "/w/skills/status/SKILL.md" },
      },
      result:
        state.kind === "succeeded"
          ? { content: text === null ? [] : [{ type: "text", text }], isError: false }
          : null,
    }),
  };
}

afterEach(cleanup);

describe("skills in the tools view", () => {
  test("are listed with what their command calls, and follow the filter", async () => {
    show("/tools");
    const row = await screen.findByRole("button", { name: /\/status/ });
    expect(within(row).getByText("session_status")).toBeTruthy();
    expect(within(screen.getByRole("button", { name: /\/fetch/ })).getByText("out of reach")).toBeTruthy();
    expect(within(screen.getByRole("button", { name: /words/ })).getByText("no command")).toBeTruthy();
    fireEvent.change(screen.getByLabelText("Filter tools"), { target: { value: "fetch" } });
    expect(screen.queryByRole("button", { name: /\/status/ })).toBeNull();
    expect(screen.getByRole("button", { name: /\/fetch/ })).toBeTruthy();
  });

  test("of an agent that has none say where skills come from", async () => {
    show("/tools");
    fireEvent.click(await screen.findByRole("button", { name: "of agent main" }));
    fireEvent.click(await screen.findByRole("option", { name: "support" }));
    expect(await screen.findByText(/^Agent support has no skill\. A skill is a folder/)).toBeTruthy();
  });

  test("run with the text as typed, for the agent and the tool that were shown", async () => {
    const sent: unknown[] = [];
    show("/tools/skills/status", {
      ...ended({ kind: "succeeded", durationMs: 12 }, "All is well."),
      "skills.run": (input) => {
        sent.push(input);
        return { toolCallId: "cmd_1" };
      },
    });
    const text = await screen.findByLabelText("Text behind the command");
    fireEvent.change(text, { target: { value: '  -x "y" ' } });
    fireEvent.click(screen.getByRole("button", { name: "Run /status" }));
    expect(await screen.findByText("All is well.")).toBeTruthy();
    expect(sent).toEqual([{ skill: "status", args: '  -x "y" ', agentId: "main", tool: "session_status" }]);
    expect(screen.getByText("12 ms")).toBeTruthy();
    expect(screen.queryByText(/A chat would show/)).toBeNull();
  });

  test("say what a chat would show when the tool says nothing", async () => {
    show("/tools/skills/status", {
      ...ended({ kind: "succeeded", durationMs: 12 }, null),
      "skills.run": () => ({ toolCallId: "cmd_1" }),
    });
    fireEvent.click(await screen.findByRole("button", { name: "Run /status" }));
    expect(await screen.findByText("✅ Done.")).toBeTruthy();
  });

  test("show why a call was refused and why one was not even started", async () => {
    let isChanged = false;
    show("/tools/skills/status", {
      ...ended(
        { kind: "hidden", reason: { code: "notOnSkillSurface", params: { tool: "session_status" } } },
        null,
      ),
      "skills.run": () => {
        if (isChanged) throw new Error("never shown");
        isChanged = true;
        return { toolCallId: "cmd_1" };
      },
    });
    fireEvent.click(await screen.findByRole("button", { name: "Run /status" }));
    expect(await screen.findByText("❌ Tool not available: session_status")).toBeTruthy();
    expect(screen.getByText(/^commands of skills never reach it/)).toBeTruthy();
    fireEvent.click(screen.getByRole("button", { name: "Run /status" }));
    expect(await screen.findByText(/^Not started: /)).toBeTruthy();
  });

  test("without a command, or with one out of reach, have the reason and nothing to press", async () => {
    show("/tools/skills/fetch");
    expect(await screen.findByText("does not reach web_fetch")).toBeTruthy();
    expect(screen.getByText("Removed at tools.allow by web_fetch (tools.deny[0]).")).toBeTruthy();
    expect(screen.getByRole("link", { name: "Why is web_fetch missing?" }).getAttribute("href")).toBe(
      "#/policy/why/web_fetch?agent=main",
    );
    expect(screen.queryByRole("button", { name: /^Run/ })).toBeNull();
    fireEvent.click(screen.getByRole("button", { name: /words/ }));
    expect(await screen.findByText("It is text for a model and calls nothing by itself.")).toBeTruthy();
    expect(screen.getByText("About words.")).toBeTruthy();
    expect(screen.getByText("/w/skills/words/SKILL.md")).toBeTruthy();
  });

  test("that are gone say so", async () => {
    show("/tools/skills/nope");
    expect(await screen.findByText("No such skill")).toBeTruthy();
  });
});
