// @vitest-environment happy-dom
import { act, cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AppStatus, ExecMode } from "../../shared/contract/index.ts";
import { testServer } from "../features/mcpServers/testServers.ts";
import { testRequest, testSettings, testStatus } from "../testing/fixtures.ts";
import { renderPanel, type TestHandlers, type TestPanel } from "../testing/renderPanel.tsx";
import { navigateTo } from "./hashLocation.ts";
import { Layout } from "./Layout.tsx";

let panel: TestPanel | null = null;

function show(handlers: TestHandlers = {}): TestPanel {
  panel = renderPanel(
    <Layout>
      <textarea aria-label="draft" />
    </Layout>,
    handlers,
  );
  return panel;
}

const withStatus = (changes: Partial<AppStatus>): TestHandlers => ({
  "app.status": () => testStatus(changes),
});

const broad = (state: ExecMode["broad"]): Partial<AppStatus> => ({
  mode: {
    security: state.kind === "confirmed" ? "full" : "allowlist",
    ask: state.kind === "confirmed" ? "off" : "on-miss",
    configured: { security: "full", ask: "off" },
    broad: state,
  },
});

beforeEach(() => navigateTo("/settings"));

afterEach(() => {
  cleanup();
  panel?.rpc.dispose();
});

describe("the frame", () => {
  it("shows count and time to the first expiry in the annunciator, and the count in the title", async () => {
    const request = testRequest("ls", { expiresAtMs: Date.now() + 249_500 });
    show({ "approvals.list": () => ({ pending: [request], recent: [] }) });
    const signs = await screen.findByRole("navigation", { name: "State at a glance" });
    await waitFor(() => expect(signs.textContent).toMatch(/Approvals1 4:(10|09)/));
    expect(document.title).toBe("(1) Sallyport");
  });

  it("announces a request once, with agent, length and reason", async () => {
    const request = testRequest("git push");
    const shown = show({ "approvals.list": () => ({ pending: [request], recent: [] }) });
    await screen.findByText(/Agent main asks to run a command of 8 characters: git is not on the allowlist/);
    act(() => shown.emit("approvals.changed", { pending: [request, testRequest("ls -l")], recent: [] }));
    await screen.findByText(/command of 5 characters/);
    expect(screen.queryByText(/command of 8 characters/)).toBeNull();
  });

  it("marks Clients while an MCP server waits for a word, without a lit count", async () => {
    const server = testServer("notes", { kind: "unconfirmed", isChanged: false });
    const shown = show({ "mcpServers.list": () => ({ servers: [server] }) });
    const link = () => screen.getByRole("link", { name: /^Clients/ });
    await screen.findByText("1 MCP server waits for your word");
    expect(link().textContent).toContain("1 MCP server waits for your word");
    expect(link().querySelector(".is-lit")).toBeNull();
    act(() => shown.emit("mcpServers.changed", { servers: [{ ...server, state: { kind: "starting" } }] }));
    await waitFor(() => expect(link().textContent).toBe("Clients"));
  });

  it("says that the self-test of prompts failed at the start and what to do, until it was read", async () => {
    show(withStatus({ shell: "electron", prompt: { reach: "reachable", checkAtStart: "failed" } }));
    const banner = await screen.findByRole("region", { name: "Self-test of prompts" });
    expect(banner.textContent).toContain("At the start no prompt could reach a person.");
    expect(banner.textContent).toContain("now you can be asked");
    expect(banner.textContent).toMatch(/sallyport approvals watch.*gateway\.waitForOperator/);
    fireEvent.click(screen.getByRole("button", { name: "Understood" }));
    expect(screen.queryByRole("region", { name: "Self-test of prompts" })).toBeNull();
  });

  it.each(["pending", "passed"] as const)(
    "shows no such banner while the test is %s",
    async (checkAtStart) => {
      show(withStatus({ prompt: { reach: "noPanel", checkAtStart } }));
      await screen.findByRole("navigation", { name: "State at a glance" });
      expect(screen.queryByRole("region", { name: "Self-test of prompts" })).toBeNull();
    },
  );

  it("says where a broken config is broken, and that stricter defaults run", async () => {
    const problem = { path: "/x/openclaw.json", line: 12, column: 7, message: "comma", configPath: null };
    const config = { path: "/x/openclaw.json", state: "broken" as const, hash: null, changedAtMs: null };
    show(withStatus({ config: { ...config, problems: [problem] } }));
    await screen.findByText(/Running on stricter defaults/);
    expect(screen.getByText("/x/openclaw.json:12:7")).toBeTruthy();
    expect(screen.getByText("openclaw.json broken at 12:7")).toBeTruthy();
  });

  it("says of each file's problem where it is now, also when two read alike", async () => {
    const problem = { path: "/x/a", column: 5, message: "a brace is missing", configPath: null };
    const at = (approvals: number | null, ...settings: number[]) =>
      testStatus({
        approvalsFile:
          approvals === null
            ? { path: "/x/a", state: "ok", problems: [] }
            : { path: "/x/a", state: "broken", problems: [{ ...problem, line: approvals }] },
        settingsProblems: settings.map((line) => ({ ...problem, path: "/x/s", line })),
      });
    const shown = show({ "app.status": () => at(3, 4, 8) });
    const places = () =>
      [...document.querySelectorAll(".banner code")].map((place) => place.textContent ?? "");
    await waitFor(() => expect(places()).toEqual(["/x/a:3:5", "/x/s:4:5", "/x/s:8:5"]));
    act(() => shown.emit("app.statusChanged", at(9, 8)));
    await waitFor(() => expect(places()).toEqual(["/x/a:9:5", "/x/s:8:5"]));
    act(() => shown.emit("app.statusChanged", at(9, 8, 4)));
    await waitFor(() => expect(places()).toEqual(["/x/a:9:5", "/x/s:8:5", "/x/s:4:5"]));
    act(() => shown.emit("app.statusChanged", at(null, 4)));
    await waitFor(() => expect(places()).toEqual(["/x/s:4:5"]));
  });

  it("shows a broad mode on every view and restores at once", async () => {
    let restored = 0;
    show({
      ...withStatus(broad({ kind: "confirmed", agents: ["main"], endsAtMs: Date.now() + 600_000 })),
      "mode.restore": () => {
        restored += 1;
        return testStatus().mode;
      },
    });
    fireEvent.click(await screen.findByRole("button", { name: "Restore now" }));
    await waitFor(() => expect(restored).toBe(1));
  });

  it("confirms a broad mode only with the words typed, and with an end", async () => {
    const confirmed: { words: string; endsAtMs: number }[] = [];
    show({
      ...withStatus(broad({ kind: "unconfirmed", agents: ["main"] })),
      "mode.confirmBroad": (input) => {
        confirmed.push(input);
        return testStatus().mode;
      },
    });
    fireEvent.click(await screen.findByRole("button", { name: "Review" }));
    const confirm = await screen.findByRole("button", { name: "Run without asking" });
    expect((confirm as HTMLButtonElement).disabled).toBe(true);
    fireEvent.change(screen.getByLabelText(/Type:/), { target: { value: "run without asking" } });
    fireEvent.click(screen.getByRole("radio", { name: "1 h" }));
    fireEvent.click(screen.getByRole("button", { name: "Run without asking" }));
    await waitFor(() => expect(confirmed).toHaveLength(1));
    const leftMs = (confirmed[0]?.endsAtMs ?? 0) - Date.now();
    expect(Math.abs(leftMs - 3_600_000)).toBeLessThan(60_000);
  });

  it("asks why a tool is missing through Ctrl K", async () => {
    show();
    await screen.findByText(/Gateway 127/);
    fireEvent.keyDown(document.body, { key: "k", ctrlKey: true });
    const field = await screen.findByRole("combobox");
    fireEvent.change(field, { target: { value: "why browser" } });
    fireEvent.keyDown(field, { key: "Enter" });
    expect(window.location.hash).toBe("#/policy/why/browser");
  });

  it("opens views by Ctrl and digit, and the list of keys by ? unless somebody types", async () => {
    show();
    fireEvent.keyDown(document.body, { key: "4", ctrlKey: true });
    expect(window.location.hash).toBe("#/policy");
    fireEvent.keyDown(screen.getByLabelText("draft"), { key: "?", shiftKey: true });
    expect(screen.queryByRole("heading", { name: "Keys" })).toBeNull();
    fireEvent.keyDown(document.body, { key: "?", shiftKey: true });
    await screen.findByRole("heading", { name: "Keys" });
  });

  it("walks through regions with F6", async () => {
    show();
    const seen: (string | undefined)[] = [];
    for (let step = 0; step < 4; step += 1) {
      fireEvent.keyDown(document.activeElement ?? document.body, { key: "F6" });
      seen.push(document.activeElement?.closest("[data-region]")?.className);
    }
    expect(seen).toEqual(["top-bar", "rail", "main", "status-line"]);
  });

  it("marks old content when the connection is lost and goes on when it is back", async () => {
    const shown = show();
    await screen.findByText(/Gateway 127/);
    act(() => shown.disconnect());
    await screen.findByText("The connection to Sallyport is lost.");
    expect(screen.getByText(/Gateway 127/)).toBeTruthy();
    await waitFor(() => expect(screen.queryByText("The connection to Sallyport is lost.")).toBeNull());
  });

  it("speaks Chinese, and says so to the browser", async () => {
    show({ "ui.settings.get": () => ({ ...testSettings, language: "zh-CN" }) });
    await screen.findByText(/网关 127/);
    expect(document.documentElement.lang).toBe("zh-CN");
    expect(screen.getByRole("link", { name: "审批" })).toBeTruthy();
  });
});
