// @vitest-environment happy-dom
import { act, cleanup, screen, waitFor } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import type { CatalogTool } from "../../../shared/contract/index.ts";
import { navigateTo } from "../../app/hashLocation.ts";
import { renderPanel, type TestPanel } from "../../testing/renderPanel.tsx";
import ToolsView from "../tools/ToolsView.tsx";
import { ready, testServer, testTool } from "./testServers.ts";

let panel: TestPanel | null = null;

afterEach(() => {
  cleanup();
  panel?.rpc.dispose();
});

const catalogTool: CatalogTool = {
  name: "files__read",
  section: "plugin:files",
  title: "read",
  description: "Tool of the MCP server files, in the server's own words: Reads.",
  promptLine: "(files) Reads.",
  inputSchema: { type: "object", properties: {} },
  risk: "execute",
  presence: { kind: "registered" },
};
const server = testServer("files", ready(), { tools: [testTool("files__read")] });

function show(tools: () => CatalogTool[]): TestPanel {
  navigateTo("/tools/files__read");
  panel = renderPanel(<ToolsView />, {
    "mcpServers.list": () => ({ servers: [server] }),
    "tools.list": () => ({ sections: [{ id: "plugin:files", label: "plugin:files", tools: tools() }] }),
  });
  return panel;
}

describe("a tool of an MCP server in the tools view", () => {
  it("stands under its server, and its description is said to be the server's own words", async () => {
    show(() => [catalogTool]);
    await screen.findByRole("heading", { name: "MCP server files" });
    const note = (await screen.findByText(/A tool of the MCP server/)).textContent;
    expect(note).toBe(
      "A tool of the MCP server files. Description and schema are the server's own words: nobody has checked them.",
    );
    expect(screen.getByRole("link", { name: "files" }).getAttribute("href")).toBe("#/clients/servers/files");
  });

  it("says that its server does not run, as soon as that is so", async () => {
    let tools = [catalogTool];
    const shown = show(() => tools);
    await screen.findByText("works here");
    act(() => shown.emit("mcpServers.changed", { servers: [server] }));
    await waitFor(() => expect(screen.getByText("works here")).toBeTruthy());
    const reason = { code: "absent.mcp-server-down", params: { server: "files" } };
    tools = [{ ...catalogTool, presence: { kind: "absent", reason } }];
    act(() => shown.emit("mcpServers.changed", { servers: [{ ...server, state: { kind: "stopped" } }] }));
    await screen.findByText(/The MCP server files does not run now/);
  });
});
