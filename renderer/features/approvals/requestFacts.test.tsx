// @vitest-environment happy-dom
import { act, cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ApprovalRequest } from "../../../shared/contract/index.ts";
import { navigateTo } from "../../app/hashLocation.ts";
import { askingSegment, testRequest } from "../../testing/fixtures.ts";
import { renderPanel, type TestPanel } from "../../testing/renderPanel.tsx";
import { ApprovalsView } from "./ApprovalsView.tsx";
import { bringEndsIntoView, fakeObservers } from "./testSupport.ts";

let panel: TestPanel | null = null;

function show(pending: ApprovalRequest[]): void {
  panel = renderPanel(<ApprovalsView />, { "approvals.list": () => ({ pending, recent: [] }) });
}

const denyButton = () => screen.findByRole("button", { name: "Deny" });
const allowButton = () => screen.findByRole("button", { name: "Allow once" });

beforeEach(() => {
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

describe("what a prompt tells", () => {
  it("names the place of a rule once when both values stand on one line", async () => {
    const sources = ["tools.exec.security", "tools.exec.ask"].map((configPath) => ({
      file: "openclaw.json" as const,
      configPath,
      line: 7,
    }));
    show([testRequest("git push", { rule: { security: "allowlist", ask: "on-miss", sources } })]);
    await denyButton();
    const shown = screen.getAllByText("openclaw.json:7");
    expect(shown.map((one) => one.title)).toEqual(["tools.exec.security, tools.exec.ask"]);
  });

  it("says of a program that can do anything what it can reach, and of others nothing", async () => {
    show([testRequest("python3.11 job.py"), testRequest("git push")]);
    await denyButton();
    expect(screen.getByText(/Sallyport's own files too/)).toBeTruthy();
    cleanup();
    show([testRequest("git push")]);
    await denyButton();
    expect(screen.queryByText(/Sallyport's own files too/)).toBeNull();
  });

  it("says the length of a masked value in the language of the reader", async () => {
    const env = [{ name: "DEPLOY_TOKEN", shown: "ghp_••••••", isMasked: true, length: 40 }];
    show([testRequest("git push", { env })]);
    expect(await screen.findByText("masked, 40 characters")).toBeTruthy();
  });

  it("names an invisible character once, with the danger in the same sentence", async () => {
    const warnings = [{ level: "danger" as const, reason: { code: "hostile.bidiControl", params: {} } }];
    show([testRequest("echo a\u202eb", { warnings })]);
    await denyButton();
    const rows = [...document.querySelectorAll(".warnings li")].map((row) => row.textContent);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toContain("U+202E");
    expect(rows[0]).toContain("reads differently than it runs");
  });

  it("makes a sentence of each sign of a hidden command, and none twice", async () => {
    const ids = "pipe-to-shell base64-pipe-exec base64-decode-to-shell hex-escape";
    const warnings = [{ level: "danger" as const, reason: { code: "obfuscation", params: { ids } } }];
    show([testRequest("x | sh", { warnings })]);
    await denyButton();
    expect([...document.querySelectorAll(".warnings li")].map((row) => row.textContent)).toEqual([
      "Decoded base64 runs in a shell.",
      "Characters are written as hex codes.",
    ]);
  });

  it("names the program, not its argument, when a safe bin gets arguments that do not fit", async () => {
    const reason = {
      code: "safeBinArgument",
      params: { bin: "head", word: "notes/0.md", why: "positional" },
    };
    const segment = { ...askingSegment("head notes/0.md"), reason };
    show([testRequest("head notes/0.md", { segments: [segment], askedBecause: [reason] })]);
    expect(await screen.findByText(/arguments of head are not those of a safe bin/)).toBeTruthy();
  });

  it("tells a builtin of the shell and code in the command from a program that is not listed", async () => {
    const command = "cd x && node -e y";
    const part = (start: number, end: number, reason: ApprovalRequest["askedBecause"][number]) => ({
      ...askingSegment(command.slice(start, end)),
      start,
      end,
      reason,
    });
    const segments = [
      part(0, 4, { code: "shellBuiltin", params: { program: "cd" } }),
      part(8, command.length, { code: "inlineEval", params: { program: "node", flag: "-e" } }),
    ];
    show([testRequest(command, { segments })]);
    await denyButton();
    expect([...document.querySelectorAll(".cmd-why")].map((one) => one.textContent)).toEqual([
      "No match possibleshell builtin, no program",
      "Inline codenode -e always asks",
    ]);
  });

  it("calls a session in the queue by its client", async () => {
    const sessionKey = "agent:main:mcp:codex-886f38";
    const client = {
      id: "codex-886f38",
      name: "codex",
      agentId: "main",
      sessionKey,
      isOwner: false,
      provider: null,
      model: null,
      mapping: "mapped" as const,
      createdAtMs: 0,
      lastSeenAtMs: null,
      reportedName: null,
      reportedVersion: null,
      connections: 1,
      effectiveTools: [],
      tokenHint: "9f3c",
    };
    const request = testRequest("git push", { sessionKey });
    panel = renderPanel(<ApprovalsView />, {
      "approvals.list": () => ({ pending: [request], recent: [] }),
      "clients.list": () => ({
        clients: [client],
        mcpUrl: "http://127.0.0.1:18789/mcp",
      }),
    });
    expect(await screen.findByText("main · codex")).toBeTruthy();
  });
});

describe("a request to change files", () => {
  const hash = "ab".repeat(32);
  const command = [
    "write /etc/hosts",
    "before: no file",
    `after: sha256 ${hash} (3 B)`,
    "--- /dev/null",
    "+++ /etc/hosts",
    "@@ -0,0 +1,1 @@",
    "+new",
  ].join("\n");
  const change = () =>
    testRequest(command, {
      kind: "fileWrite",
      canEdit: true,
      segments: null,
      runsAs: { kind: "typed", shell: "" },
      askedBecause: [{ code: "outsideWorkspace", params: { path: "/etc/hosts" } }],
      always: { kind: "withheld", reason: { code: "always.fileWrite", params: {} } },
    });

  it("asks about the file, shows path, hashes and difference, and says nothing of programs", async () => {
    show([change()]);
    expect(await screen.findByRole("heading", { name: "Change this file?" })).toBeTruthy();
    expect(screen.queryByText("Runs as")).toBeNull();
    expect(screen.queryByText("Programs")).toBeNull();
    expect(screen.getByText("no file")).toBeTruthy();
    expect(screen.getByText("sha256 abab…ab").title).toBe(hash);
    expect(document.querySelector(".change-added")?.textContent).toContain("+new");
    expect(screen.getByText(/a change of files is decided each time/)).toBeTruthy();
    expect(screen.getByText(/changes files outside the workspace/)).toBeTruthy();
  });

  it("cannot be edited, and Allow waits for the end of the difference", async () => {
    show([change()]);
    expect((await allowButton()).getAttribute("aria-disabled")).toBe("true");
    expect(screen.queryByRole("button", { name: "Edit" })).toBeNull();
    expect(screen.queryByRole("button", { name: "Explain" })).toBeNull();
    bringEndsIntoView();
    await waitFor(async () => expect((await allowButton()).getAttribute("aria-disabled")).toBe("false"), {
      timeout: 4_000,
    });
    expect(screen.getByText("Whole change seen")).toBeTruthy();
  });
});

describe("a request about the app itself", () => {
  const over = { segments: null, runsAs: { kind: "typed" as const, shell: "" }, cwd: "/state" };

  it("shows a change of the configuration as a difference, without a workspace, and speaks of it", async () => {
    const hash = "cd".repeat(32);
    const command = [
      "gateway: patch /state/openclaw.json",
      `before: sha256 ${hash} (9 B)`,
      `after: sha256 ${hash} (8 B)`,
      "--- /state/openclaw.json",
      "+++ /state/openclaw.json",
      "@@ -1,1 +1,1 @@",
      '-  seamColor: "#111"',
      '+  seamColor: "#222"',
    ].join("\n");
    const askedBecause = [{ code: "configWrite", params: { path: "ui.seamColor" } }];
    const always = { kind: "withheld" as const, reason: { code: "always.configWrite", params: {} } };
    show([testRequest(command, { ...over, kind: "configWrite", askedBecause, always })]);
    expect(await screen.findByRole("heading", { name: "Change the configuration?" })).toBeTruthy();
    expect(screen.getByText(/it changes the configuration \(ui.seamColor\)/)).toBeTruthy();
    expect(document.querySelector(".change-added")?.textContent).toContain('seamColor: "#222"');
    expect(screen.getAllByText("/state/openclaw.json").length).toBeGreaterThan(0);
    expect(screen.queryByText("Workspace")).toBeNull();
    expect(screen.queryByText("Programs")).toBeNull();
    expect(screen.getByText(/a change of the configuration is decided each time/)).toBeTruthy();
  });

  it("shows what a restart ends, and no facts of a command", async () => {
    const command = "gateway: restart Sallyport\nrunning commands that end: 2\nreason: new settings";
    const askedBecause = [{ code: "restart", params: { count: 2 } }];
    const always = { kind: "withheld" as const, reason: { code: "always.restart", params: {} } };
    show([testRequest(command, { ...over, kind: "restart", askedBecause, always })]);
    expect(await screen.findByRole("heading", { name: "Restart Sallyport?" })).toBeTruthy();
    expect(screen.getByText(/it ends what runs/)).toBeTruthy();
    expect(screen.getByText(/wants to restart Sallyport/)).toBeTruthy();
    expect(document.querySelector(".change-text")?.textContent).toContain("running commands that end: 2");
    expect(screen.queryByText("Runs as")).toBeNull();
  });
});

describe("a link to a request", () => {
  const shownCommand = () => document.querySelector(".cmd-line")?.textContent ?? "";

  it("shows that request, again after the person went to another", async () => {
    const pending = [testRequest("first one"), testRequest("second one")];
    const address = `/approvals?id=${pending[1]?.id ?? ""}`;
    navigateTo(address);
    show(pending);
    await waitFor(() => expect(shownCommand()).toContain("second one"));
    fireEvent.click(screen.getByRole("button", { name: /first one/ }));
    await waitFor(() => expect(shownCommand()).toContain("first one"));
    act(() => navigateTo(address));
    await waitFor(() => expect(shownCommand()).toContain("second one"));
  });

  it("shows that request instead of the table of a burst", async () => {
    const pending = Array.from({ length: 12 }, (_, index) => testRequest(`git show ${index}`));
    show(pending);
    await screen.findByText(/12 waiting in/);
    act(() => navigateTo(`/approvals?id=${pending[3]?.id ?? ""}`));
    await waitFor(() => expect(shownCommand()).toContain("git show 3"));
  });
});
