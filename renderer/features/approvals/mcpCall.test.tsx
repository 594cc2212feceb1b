// @vitest-environment happy-dom
import { act, cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ApprovalRequest } from "../../../shared/contract/index.ts";
import { navigateTo } from "../../app/hashLocation.ts";
import { Layout } from "../../app/Layout.tsx";
import { testDecision, testRequest } from "../../testing/fixtures.ts";
import { renderPanel, type TestPanel } from "../../testing/renderPanel.tsx";
import { ApprovalsView } from "./ApprovalsView.tsx";
import { ApprovalWindow } from "./ApprovalWindow.tsx";
import { bringEndsIntoView, fakeObservers } from "./testSupport.ts";

let panel: TestPanel | null = null;
let resolved: { decision: string; grant?: unknown }[] = [];

function callRequest(args: unknown, changes: Partial<ApprovalRequest> = {}): ApprovalRequest {
  const command = [
    "files__write",
    "server: files",
    "tool: write",
    "target: npx server-files /srv",
    "arguments:",
    JSON.stringify(args, null, 2),
  ].join("\n");
  return testRequest(command, {
    kind: "mcpCall",
    segments: null,
    runsAs: { kind: "typed", shell: "" },
    cwd: "",
    askedBecause: [{ code: "mcp.call", params: { server: "files", tool: "files__write" } }],
    rule: {
      security: "allowlist",
      ask: "on-miss",
      sources: [{ file: "sallyport.json5", configPath: 'hardening.rules["mcp.callsAsk"]', line: null }],
    },
    always: {
      kind: "offered",
      stores: [],
      mcpTool: {
        server: "files",
        tool: "files__write",
        agentId: "main",
        definitionDigest: "0123456789abcdef".repeat(4),
      },
    },
    ...changes,
  });
}

function show(request: ApprovalRequest): void {
  panel = renderPanel(<ApprovalsView />, {
    "approvals.list": () => ({ pending: [request], recent: [] }),
    "approvals.resolve": ({ decision, grant }) => {
      resolved.push({ decision, ...(grant === undefined ? {} : { grant }) });
      return testDecision(request, { outcome: "allowed-always" });
    },
  });
}

const card = async () => within(await screen.findByRole("article"));

beforeEach(() => {
  resolved = [];
  fakeObservers();
  vi.spyOn(document, "hasFocus").mockReturnValue(true);
  navigateTo("/approvals");
});

afterEach(() => {
  cleanup();
  panel?.rpc.dispose();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe("a request to call a tool of an MCP server", () => {
  it("names agent, tool and server in one sentence, and says nothing of programs", async () => {
    show(callRequest({ path: "a.txt" }));
    const shown = await card();
    expect(shown.getByRole("heading", { name: "Call this tool?" })).toBeTruthy();
    expect(shown.getByText(/wants to call/).textContent).toMatch(
      /Agent main wants to call files__write of the server files, in session/,
    );
    expect(shown.queryByText("Runs as")).toBeNull();
    expect(shown.queryByText("Programs")).toBeNull();
    expect(shown.queryByRole("button", { name: "Explain" })).toBeNull();
    expect(shown.getByText("mcp.callsAsk")).toBeTruthy();
    expect(shown.getByRole("link", { name: "files" }).getAttribute("href")).toBe("#/clients/servers/files");
  });

  it("shows the arguments whole, long texts line by line, with nothing hidden", async () => {
    show(callRequest({ path: "a.txt", body: "first\nsecond\u200b\nthird" }));
    await card();
    const text = document.querySelector(".call-arguments");
    expect(text?.textContent).toContain("U+200B");
    const lines = [...document.querySelectorAll(".call-text-line")].map((line) => line.textContent?.trim());
    expect(lines).toEqual([expect.stringMatching(/^second.*\\n$/), 'third"']);
    expect(screen.getByText(/Invisible character/)).toBeTruthy();
  });

  it("marks what the runtime wrote as an escape, and names it", async () => {
    const request = callRequest({ text: "a" });
    show({ ...request, command: request.command.replace('"a"', '"a\\u{202e}b"') });
    await card();
    expect(document.querySelector(".call-arguments .cmd-odd")?.textContent).toContain("U+202E");
    expect(screen.getByText(/Invisible character/)).toBeTruthy();
  });

  it("is locked until the end of the arguments was seen", async () => {
    show(callRequest({ path: "a.txt" }));
    const allow = (await card()).getByRole("button", { name: /^Allow once/ });
    expect(allow.getAttribute("aria-disabled")).toBe("true");
    act(() => bringEndsIntoView());
    await waitFor(() => expect(allow.getAttribute("aria-disabled")).toBe("false"), { timeout: 5_000 });
    expect(screen.getByText("Whole call seen")).toBeTruthy();
  });

  it("says what always stores and what ends it, and stores it only after that was read", async () => {
    show(callRequest({ path: "a.txt" }));
    const shown = await card();
    act(() => bringEndsIntoView());
    fireEvent.click(shown.getByRole("button", { name: "Always…" }));
    const stored = within(shown.getByRole("region", { name: "Allow always: this tool, for this agent" }));
    expect(stored.getByText(/tool = files__write/).closest("p")?.textContent).toBe(
      "tool = files__write · server = files · agent = main · any arguments",
    );
    expect(stored.getByText("definition sha256 01234567…cdef")).toBeTruthy();
    expect(
      stored.getByText(/Ends when the tool's definition or the entry of its server changes/),
    ).toBeTruthy();
    expect(stored.getByText(/with whatever arguments the agent gives/)).toBeTruthy();
    const save = shown.getByRole("button", { name: "Allow, and stop asking" });
    fireEvent.click(save);
    expect(resolved).toEqual([]);
    await waitFor(() => expect(save.getAttribute("aria-disabled")).toBe("false"), { timeout: 5_000 });
    expect(fireEvent.keyDown(save, { key: "Enter" })).toBe(false);
    fireEvent.click(save);
    await waitFor(() => expect(resolved).toEqual([{ decision: "allow-always" }]));
  });

  it("warns when the tool is not the one that was allowed", async () => {
    show(
      callRequest(
        {},
        {
          askedBecause: [{ code: "mcp.callChanged", params: { server: "files", tool: "files__write" } }],
          warnings: [
            { level: "warn", reason: { code: "mcp.toolChanged", params: { tool: "files__write" } } },
          ],
        },
      ),
    );
    const shown = await card();
    expect(shown.getByText(/Asks: files__write changed since you allowed it/)).toBeTruthy();
    expect(shown.getByText(/look at it as at a new one/)).toBeTruthy();
  });

  it("keeps a name of the server from posing as ours", async () => {
    const params = { server: "fi\u202eles", tool: "files__write" };
    show(callRequest({}, { askedBecause: [{ code: "mcp.call", params }] }));
    const sentence = (await card()).getByText(/wants to call/);
    expect(sentence.textContent).toContain("U+202E");
  });

  it("has no link that would lead its own window away from it", async () => {
    navigateTo("/approval-window");
    panel = renderPanel(<ApprovalWindow />, {
      "approvals.list": () => ({ pending: [callRequest({})], recent: [] }),
    });
    const shown = await card();
    expect(shown.getByText("Server").parentElement?.textContent).toContain("files");
    expect(shown.queryByRole("link")).toBeNull();
  });

  it("is announced as a call", async () => {
    panel = renderPanel(
      <Layout>
        <textarea aria-label="draft" />
      </Layout>,
      { "approvals.list": () => ({ pending: [callRequest({})], recent: [] }) },
    );
    await screen.findByText(/Agent main asks to call files__write of the server files: /);
  });
});
