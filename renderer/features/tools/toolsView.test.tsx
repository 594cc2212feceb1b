// @vitest-environment happy-dom
import { cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, describe, expect, test } from "vitest";
import type { ToolCallSnapshot, ToolCallState } from "../../../shared/contract/index.ts";
import { navigateTo } from "../../app/hashLocation.ts";
import { renderPanel } from "../../testing/renderPanel.tsx";
import { withLaterAtEnd } from "./ToolCatalog.tsx";
import ToolsView from "./ToolsView.tsx";

const catalogTool = {
  name: "read",
  section: "fs",
  title: "read",
  description: "Reads a file.",
  promptLine: "read: Read file contents",
  inputSchema: {
    type: "object",
    properties: { path: { type: "string" }, limit: { type: "integer", maximum: 2000 } },
    required: ["path"],
  },
  risk: "read" as const,
  presence: { kind: "registered" as const },
};

function snapshot(state: ToolCallState): ToolCallSnapshot {
  return {
    toolCallId: "call-1",
    tool: "read",
    agentId: "main",
    sessionKey: "agent:main:main",
    callerId: "panel:test",
    callerLabel: "Panel",
    argsShown: "{}",
    state,
    createdAtMs: 1,
    updatedAtMs: 2,
    progress: null,
  };
}

function show(state: ToolCallState, onStart: (args: unknown) => void = () => undefined) {
  navigateTo("/tools/read");
  return renderPanel(<ToolsView />, {
    "tools.list": () => ({ sections: [{ id: "fs", label: "Files", tools: [catalogTool] }] }),
    "policy.contexts": () => ({
      agents: [{ id: "main", isDefault: true }],
      models: [],
      groups: [],
      seen: [],
    }),
    "calls.start": ({ args }) => {
      onStart(args);
      return { toolCallId: "call-1" };
    },
    "calls.wait": () => ({
      call: snapshot(state),
      result:
        state.kind === "succeeded"
          ? { content: [{ type: "text", text: "first line\nsecond" }], isError: false }
          : null,
    }),
  });
}

afterEach(cleanup);

describe("tools view", () => {
  test("points at the field that is missing and sends nothing", async () => {
    let started = 0;
    show({ kind: "cancelled" }, () => {
      started += 1;
    });
    fireEvent.click(await screen.findByRole("button", { name: "Call read" }));
    const field = screen.getByLabelText("path (required)");
    expect(field.getAttribute("aria-invalid")).toBe("true");
    expect(screen.getByText("Fill this in.")).toBeTruthy();
    expect(started).toBe(0);
  });

  test("calls with typed arguments and shows the result with its size", async () => {
    const sent: unknown[] = [];
    show({ kind: "succeeded", durationMs: 82 }, (args) => sent.push(args));
    fireEvent.change(await screen.findByLabelText("path (required)"), { target: { value: "README.md" } });
    fireEvent.change(screen.getByLabelText("limit"), { target: { value: "20" } });
    fireEvent.click(screen.getByRole("button", { name: "Call read" }));
    expect(await screen.findByText("17 characters, 2 lines")).toBeTruthy();
    expect(sent).toEqual([{ path: "README.md", limit: 20 }]);
    expect(screen.getByText("82 ms")).toBeTruthy();
  });

  test("gives refusals of the runtime to the field they speak of", async () => {
    show({ kind: "invalid", issues: [{ path: "path", message: "The file does not exist." }] });
    fireEvent.change(await screen.findByLabelText("path (required)"), { target: { value: "nope" } });
    fireEvent.click(screen.getByRole("button", { name: "Call read" }));
    await waitFor(() =>
      expect(screen.getByLabelText("path (required)").getAttribute("aria-invalid")).toBe("true"),
    );
  });

  test("links a waiting call to its request and a hidden one to the reason", async () => {
    show({
      kind: "hidden",
      reason: {
        code: "removedByPolicy",
        params: { tool: "read", stage: "profile (coding)", rule: "coding", path: "tools.profile" },
      },
    });
    fireEvent.change(await screen.findByLabelText("path (required)"), { target: { value: "x" } });
    fireEvent.click(screen.getByRole("button", { name: "Call read" }));
    const link = await screen.findByRole("link", { name: "Why is read missing?" });
    expect(link.getAttribute("href")).toBe("#/policy/why/read?agent=main");
    expect(screen.getByText("removed at profile (coding) by coding (tools.profile)")).toBeTruthy();
  });

  test("lists what this version does not have below everything else", () => {
    const absent = (name: string, code: string) => ({
      ...catalogTool,
      name,
      presence: { kind: "absent" as const, reason: { code, params: {} } },
    });
    const arranged = withLaterAtEnd([
      { id: "fs", label: "Files", tools: [catalogTool, absent("apply_patch", "absent.disabled-in-config")] },
      { id: "web", label: "Web", tools: [absent("web_search", "absent.not-built")] },
    ]);
    expect(arranged.map(({ id, tools }) => [id, tools.map(({ name }) => name)])).toEqual([
      ["fs", ["read", "apply_patch"]],
      ["not-built", ["web_search"]],
    ]);
  });
});
