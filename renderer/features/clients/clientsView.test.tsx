// @vitest-environment happy-dom
import { cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import type { McpClient } from "../../../shared/contract/index.ts";
import { testRequest, testStatus } from "../../testing/fixtures.ts";
import { renderPanel, type TestPanel } from "../../testing/renderPanel.tsx";
import { ClientsView } from "./ClientsView.tsx";

let panel: TestPanel | null = null;

async function openConnect() {
  const [first] = await screen.findAllByRole("button", { name: "Connect" });
  if (first === undefined) throw new Error("no button to connect");
  fireEvent.click(first);
}

afterEach(() => {
  cleanup();
  panel?.rpc.dispose();
});

const client: McpClient = {
  id: "c1",
  name: "editor",
  agentId: "main",
  sessionKey: "agent:main:mcp:c1",
  isOwner: false,
  provider: null,
  model: null,
  mapping: "unmapped",
  createdAtMs: 0,
  lastSeenAtMs: null,
  reportedName: "evil\u202eeman",
  reportedVersion: null,
  connections: 1,
  effectiveTools: ["session_status"],
  tokenHint: "9f3c",
};

describe("clients", () => {
  it("maps a new client, and shows what it says of itself with nothing hidden", async () => {
    const updates: unknown[] = [];
    panel = renderPanel(<ClientsView />, {
      "clients.list": () => ({ clients: [client], mcpUrl: null }),
      "clients.update": (input) => {
        updates.push(input);
        return { ...client, mapping: "mapped" };
      },
    });
    await screen.findAllByText("new, on minimal");
    expect(screen.getAllByText("U+202E")).toHaveLength(1);
    fireEvent.change(screen.getByLabelText("Provider"), { target: { value: "openai" } });
    fireEvent.click(screen.getByRole("button", { name: "Map client" }));
    await waitFor(() =>
      expect(updates).toEqual([
        { id: "c1", agentId: "main", isOwner: false, provider: "openai", model: null },
      ]),
    );
  });

  it("says that a client's agent is gone from the config, and that it is not a new one", async () => {
    panel = renderPanel(<ClientsView />, {
      "clients.list": () => ({
        clients: [{ ...client, agentId: "coder", isAgentGone: true }],
        mcpUrl: null,
      }),
    });
    await screen.findByText(/The agent coder is not in the config any more/);
    expect(screen.getAllByText("agent gone, on minimal")).toHaveLength(2);
    expect(screen.queryByText("new, on minimal")).toBeNull();
    expect(screen.queryByText(/Nobody has said yet/)).toBeNull();
  });

  it("shows a token once, when it is made", async () => {
    panel = renderPanel(<ClientsView />, {
      "clients.create": ({ name }) => ({ client: { ...client, name }, token: "once-only" }),
    });
    await openConnect();
    fireEvent.click(screen.getByRole("tab", { name: "Over HTTP" }));
    fireEvent.change(screen.getByLabelText("Name"), { target: { value: "coder" } });
    fireEvent.click(screen.getByRole("button", { name: "Create token" }));
    await screen.findByText("Authorization: Bearer once-only");
    expect(screen.getByText("http://127.0.0.1:18789/mcp")).toBeTruthy();
    fireEvent.click(screen.getByRole("button", { name: "Done" }));
    expect(screen.queryByText(/once-only/)).toBeNull();
  });

  it("refuses a name for stdio that a shell would read", async () => {
    panel = renderPanel(<ClientsView />);
    await openConnect();
    fireEvent.change(screen.getByLabelText("Name"), { target: { value: "a; rm -rf ~" } });
    expect(screen.getByText(/Use 1 to 64 letters/)).toBeTruthy();
    expect(screen.queryByText(/sallyport mcp/)).toBeNull();
  });

  it("gives a command that starts here, for a shell and for a client's settings", async () => {
    panel = renderPanel(<ClientsView />);
    await openConnect();
    fireEvent.change(screen.getByLabelText("Name"), { target: { value: "editor" } });
    const config = () => JSON.parse(screen.getByText(/"mcpServers"/).textContent ?? "");
    // Nobody knows how it is started: the name it has on the PATH, and what to do when it is not there.
    expect(screen.getByText("sallyport mcp --client editor")).toBeTruthy();
    expect(screen.getByText(/If sallyport is not found/)).toBeTruthy();
    const script = "/home/me/my clones/sallyport/electron/cli/bin.mjs";
    panel.emit("app.statusChanged", testStatus({ commandLine: { file: "node", args: [script] } }));
    await screen.findByText(`node '${script}' mcp --client editor`);
    expect(config().mcpServers.sallyport).toEqual({
      command: "node",
      args: [script, "mcp", "--client", "editor"],
    });
    expect(screen.queryByText(/If sallyport is not found/)).toBeNull();
    panel.emit(
      "app.statusChanged",
      testStatus({ commandLine: { file: "/opt/Sallyport/sallyport", args: [] } }),
    );
    await screen.findByText("/opt/Sallyport/sallyport mcp --client editor");
    expect(config().mcpServers.sallyport.command).toBe("/opt/Sallyport/sallyport");
  });

  it("says when the client that is being set up has come, and leads to its mapping", async () => {
    panel = renderPanel(<ClientsView />);
    await openConnect();
    fireEvent.change(screen.getByLabelText("Name"), { target: { value: "editor" } });
    expect(screen.getByText("Waiting for editor to connect.")).toBeTruthy();
    panel.emit("clients.changed", { clients: [client], mcpUrl: null });
    fireEvent.click(await screen.findByRole("button", { name: "Open and map it" }));
    expect(await screen.findByRole("button", { name: "Map client" })).toBeTruthy();
  });

  it("asks before it revokes", async () => {
    const revoked: string[] = [];
    panel = renderPanel(<ClientsView />, {
      "clients.list": () => ({ clients: [client], mcpUrl: null }),
      "clients.revoke": ({ id }) => {
        revoked.push(id);
        return {};
      },
    });
    fireEvent.click(await screen.findByRole("button", { name: "Revoke client" }));
    expect(revoked).toEqual([]);
    const asked = screen.getByText(/Its connections end at once/).parentElement;
    if (asked === null) throw new Error("the question has no place");
    fireEvent.click(within(asked).getByRole("button", { name: "Revoke" }));
    await waitFor(() => expect(revoked).toEqual(["c1"]));
  });

  it("offers the scripted agent when there is no client", async () => {
    let started = 0;
    panel = renderPanel(<ClientsView />, {
      "tryout.start": () => {
        started += 1;
        return { runId: "r" };
      },
    });
    await screen.findByText("No clients.");
    fireEvent.click(screen.getByRole("button", { name: "Try it" }));
    await waitFor(() => expect(started).toBe(1));
    const steps = ["listTools", "askCommand", "startProcess", "hiddenTool", "cleanUp"] as const;
    panel.emit("tryout.changed", {
      runId: "r",
      isRunning: true,
      steps: steps.map((step) => ({ step, state: step === "listTools" ? "done" : "waiting", detail: "" })),
    });
    await screen.findByText("List the tools it may know");
    expect(screen.getByRole("button", { name: "Stop" })).toBeTruthy();
    panel.emit("tryout.changed", {
      runId: "r",
      isRunning: true,
      steps: [{ step: "startProcess", state: "running", detail: "" }],
    });
    panel.emit("approvals.changed", {
      pending: [testRequest("sleep 60", { id: "r9", agentId: "tryout" })],
      recent: [],
    });
    const link = await screen.findByRole("link", { name: "Open the request" });
    expect(link.getAttribute("href")).toBe("#/approvals?id=r9");
  });
});
