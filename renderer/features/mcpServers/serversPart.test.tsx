// @vitest-environment happy-dom
import { act, cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { McpServer } from "../../../shared/contract/index.ts";
import { AppError } from "../../../shared/errors/index.ts";
import { navigateTo } from "../../app/hashLocation.ts";
import { renderPanel, type TestHandlers, type TestPanel } from "../../testing/renderPanel.tsx";
import { ClientsView } from "../clients/ClientsView.tsx";
import { ready, testServer, testTool, waiting } from "./testServers.ts";

let panel: TestPanel | null = null;

function show(servers: McpServer[], handlers: TestHandlers = {}): TestPanel {
  panel = renderPanel(<ClientsView />, { "mcpServers.list": () => ({ servers }), ...handlers });
  return panel;
}

const detail = () => within(screen.getByRole("region", { name: "Server" }));
const list = () => within(screen.getByRole("region", { name: "Servers" }));

beforeEach(() => navigateTo("/clients/servers"));

afterEach(() => {
  cleanup();
  panel?.rpc.dispose();
});

describe("the list of servers", () => {
  it("says of each server how it stands, why, and when a failed one is tried again", async () => {
    const failure = { code: "mcp.exited", params: { exitCode: 1 } };
    show([
      testServer("notes", waiting),
      testServer("issues", { kind: "unconfirmed", isChanged: true }),
      testServer("slow", { kind: "starting" }),
      testServer("files", ready(), { tools: [testTool("files__read"), testTool("files__list")] }),
      testServer("docs", ready({ pid: null }), {
        transport: "streamable-http",
        target: "https://docs.test/mcp",
      }),
      testServer("broken", { kind: "failed", reason: failure, retryAtMs: Date.now() + 50_000 }),
      testServer("lost", { kind: "failed", reason: failure, retryAtMs: null }),
      testServer("quiet", { kind: "stopped" }),
      testServer("odd", { kind: "invalid", reason: { code: "mcp.noCommand", params: {} } }),
      testServer("off", { kind: "invalid", reason: { code: "mcp.disabled", params: {} } }),
    ]);
    const row = async (name: string) =>
      (await screen.findByRole("button", { name: new RegExp(`^${name} `) })).textContent;
    expect(await row("notes")).toMatch(/stdio.*waits for your word/);
    expect(await row("issues")).toMatch(/changed since you allowed it/);
    expect(await row("slow")).toMatch(/starting$/);
    expect(await row("files")).toMatch(/runs since \d\d:\d\d · 2 tools$/);
    expect(await row("docs")).toMatch(/streamable-http.*connected since \d\d:\d\d/);
    expect(await row("broken")).toMatch(/failed.*it ended with exit code 1.*Tries again in 0:\d\d\.$/);
    expect(await row("lost")).toMatch(/It is not tried again by itself\.$/);
    expect(await row("quiet")).toMatch(/stopped$/);
    expect(await row("odd")).toMatch(/cannot be read/);
    expect(await row("off")).toMatch(/off in the config$/);
  });

  it("opens the server that waits, and keeps it on screen when its state changes", async () => {
    const servers = [testServer("files", ready()), testServer("notes", waiting)];
    const shown = show(servers);
    await waitFor(() => expect(window.location.hash).toBe("#/clients/servers/notes"));
    act(() =>
      shown.emit("mcpServers.changed", { servers: servers.map((one) => ({ ...one, state: ready() })) }),
    );
    await waitFor(() => expect(detail().getByRole("heading", { name: "notes" })).toBeTruthy());
    expect(detail().getByText(/runs since/)).toBeTruthy();
  });

  it("lands on the server that the address names, and says when there is none of that name", async () => {
    navigateTo("/clients/servers/my%20files");
    show([testServer("notes", waiting), testServer("my files", { kind: "stopped" })]);
    await screen.findByRole("heading", { name: "my files" });
    act(() => navigateTo("/clients/servers/gone"));
    await screen.findByText("No such server.");
  });

  it("is one of two parts that arrow keys walk through", async () => {
    navigateTo("/clients");
    show([testServer("notes", waiting)]);
    const tab = await screen.findByRole("tab", { name: /^Clients/ });
    tab.focus();
    fireEvent.keyDown(tab, { key: "ArrowRight" });
    const next = await screen.findByRole("tab", { name: /^Servers 1|^Servers1/, selected: true });
    expect(document.activeElement).toBe(next);
    await screen.findByRole("heading", { name: "notes" });
  });

  it("tells how a server gets there, with an example to copy and the way to the config", async () => {
    show([]);
    await screen.findByRole("heading", { name: "No servers." });
    expect(screen.getByText(/mcp\.servers/)).toBeTruthy();
    expect(screen.getByText(/command: "npx"/)).toBeTruthy();
    fireEvent.click(screen.getByRole("tab", { name: "Over HTTP" }));
    expect(screen.getByText(/transport: "streamable-http"/)).toBeTruthy();
    expect(screen.getByRole("link", { name: "Open the config" }).getAttribute("href")).toBe(
      "#/policy/whatif",
    );
  });

  it("says that the servers cannot be read, and reads them again when asked", async () => {
    let tries = 0;
    show([], {
      "mcpServers.list": () => {
        tries += 1;
        if (tries <= 2) throw new AppError("INTERNAL", "no luck");
        return { servers: [testServer("notes", waiting)] };
      },
    });
    await screen.findByText("The servers cannot be read.");
    fireEvent.click(screen.getByRole("button", { name: "Try again" }));
    await screen.findByRole("heading", { name: "notes" });
  });
});

describe("a server", () => {
  it("shows what would run with nothing hidden, and names of variables without values", async () => {
    show([
      testServer("notes", waiting, {
        target: "node\u200b server.js --key ••••",
        cwd: "/srv/no\u202etes",
        envNames: ["API_TOKEN"],
      }),
    ]);
    await screen.findByText(/Nothing of it was started or reached/);
    expect(detail().getByRole("group", { name: "Runs" }).textContent).toContain("U+200B");
    expect(detail().getByText("U+202E")).toBeTruthy();
    expect(detail().getByText("API_TOKEN")).toBeTruthy();
    expect(detail().getByText("names; values that change what runs stand in the command")).toBeTruthy();
    expect(detail().getByText("sha256 01234567…cdef")).toBeTruthy();
    const line = detail().getByRole("link", { name: /openclaw\.json:12/ });
    expect(line.getAttribute("href")).toBe("#/policy/whatif?line=12");
  });

  it("shows address and headers of one that is reached over HTTP, and no folder", async () => {
    show([
      testServer("docs", ready({ pid: null }), {
        transport: "sse",
        target: "https://docs.test/mcp",
        headerNames: ["Authorization"],
      }),
    ]);
    await screen.findByRole("group", { name: "Connects to" });
    expect(detail().getByText("Authorization")).toBeTruthy();
    expect(detail().queryByText("Folder")).toBeNull();
    expect(detail().queryByText("Variables")).toBeNull();
    expect(detail().queryByText("Process")).toBeNull();
  });

  it("shows what it says of itself as text with nothing hidden", async () => {
    show([testServer("files", ready({ reportedName: "Evil\u202eman", reportedVersion: "2" }))]);
    await screen.findByText("Says it is");
    expect(detail().getByText("U+202E")).toBeTruthy();
    expect(detail().getByText("4242")).toBeTruthy();
  });

  it("stops, restarts and takes back, the last one only when asked twice", async () => {
    const calls: string[] = [];
    const server = testServer("files", ready());
    const record = (what: string) => () => {
      calls.push(what);
      return server;
    };
    show([server], {
      "mcpServers.stop": record("stop"),
      "mcpServers.restart": record("restart"),
      "mcpServers.withdraw": record("withdraw"),
    });
    fireEvent.click(await screen.findByRole("button", { name: "Stop" }));
    await waitFor(() => expect(calls).toEqual(["stop"]));
    await waitFor(() =>
      expect(screen.getByRole("button", { name: "Restart" }).hasAttribute("disabled")).toBe(false),
    );
    fireEvent.click(screen.getByRole("button", { name: "Restart" }));
    await waitFor(() => expect(calls).toEqual(["stop", "restart"]));
    await waitFor(() =>
      expect(screen.getByRole("button", { name: "Take back…" }).hasAttribute("disabled")).toBe(false),
    );
    fireEvent.click(screen.getByRole("button", { name: "Take back…" }));
    expect(screen.getByText(/it waits for your word again/)).toBeTruthy();
    expect(calls).toHaveLength(2);
    fireEvent.click(screen.getByRole("button", { name: "Take back" }));
    await waitFor(() => expect(calls).toEqual(["stop", "restart", "withdraw"]));
  });

  it("says when an act failed, and that nothing was changed", async () => {
    show([testServer("files", ready())], {
      "mcpServers.stop": () => {
        throw new AppError("FORBIDDEN", "not from here");
      },
    });
    fireEvent.click(await screen.findByRole("button", { name: "Stop" }));
    expect((await screen.findByRole("alert")).textContent).toContain("Nothing was changed.");
  });

  it("offers another try at once to one that failed, shows its log, and no longer tries when told so", async () => {
    const calls: string[] = [];
    const server = testServer(
      "broken",
      { kind: "failed", reason: { code: "mcp.exited", params: {} }, retryAtMs: Date.now() + 60_000 },
      { log: "Error: no such module\n<script>alert(1)</script>" },
    );
    show([server], {
      "mcpServers.restart": () => {
        calls.push("restart");
        return server;
      },
      "mcpServers.stop": () => {
        calls.push("stop");
        return server;
      },
    });
    fireEvent.click(await screen.findByRole("button", { name: "Try now" }));
    await waitFor(() => expect(calls).toEqual(["restart"]));
    await waitFor(() =>
      expect(screen.getByRole("button", { name: "Stop trying" }).hasAttribute("disabled")).toBe(false),
    );
    fireEvent.click(screen.getByRole("button", { name: "Stop trying" }));
    await waitFor(() => expect(calls).toEqual(["restart", "stop"]));
    const log = screen.getByText("What it wrote to standard error").closest("details");
    expect(log?.open).toBe(true);
    expect(log?.querySelector("pre")?.textContent).toContain("<script>alert(1)</script>");
    expect(log?.querySelector("script")).toBeNull();
  });

  it("leads an entry that cannot be read to its line, and offers no act on it", async () => {
    const reason = { code: "mcp.noCommand", params: {} };
    show([testServer("odd", { kind: "invalid", reason }, { target: "" })]);
    await screen.findByText(/Nothing is started/);
    expect(detail().getByRole("link", { name: /openclaw\.json:12/ })).toBeTruthy();
    // Nothing is known of its variables, so nothing is said of them.
    expect(detail().queryByText("Variables")).toBeNull();
    expect(detail().queryByRole("button", { name: /Allow|Stop|Take back/ })).toBeNull();
    expect(detail().queryByRole("group", { name: "Runs" })).toBeNull();
  });
});

describe("the tools of a server", () => {
  const long = `Reads a file. ${"Very long. ".repeat(40)}The end.`;
  const tools = [
    testTool("files__read", { description: long, allowedFor: ["main"] }),
    testTool("files__write", { description: "<img src=x onerror=alert(1)>", isChanged: true }),
    testTool("files__list", { title: "List\u202eed", description: "", allowedFor: ["*"] }),
  ];
  const agents = {
    agents: [
      { id: "main", isDefault: true },
      { id: "support", isDefault: false },
    ],
  };
  const handlers: TestHandlers = {
    "policy.contexts": () => ({ ...agents, models: [], groups: [], seen: [] }),
    "policy.explain": ({ context }) => ({
      agentId: context.agentId ?? null,
      profile: null,
      providerProfile: null,
      preFilters: [],
      stages: [],
      tools: context.agentId === "main" ? ["files__read", "files__write", "files__list"] : ["files__list"],
      warnings: [],
      findings: [],
    }),
  };
  const row = async (name: string) => {
    const cell = await screen.findByRole("rowheader", { name: new RegExp(name) });
    const found = cell.closest("tr");
    if (found === null) throw new Error(`${name} has no row`);
    return within(found);
  };

  it("stand with the server's own words as text, cut until somebody reads on", async () => {
    show([testServer("files", ready(), { tools })], handlers);
    const read = await row("files__read");
    expect(read.queryByText(/The end\./)).toBeNull();
    fireEvent.click(read.getByRole("button", { name: "more" }));
    expect(read.getByText(/The end\./)).toBeTruthy();
    expect(read.getByRole("link", { name: "files__read" }).getAttribute("href")).toBe("#/tools/files__read");
    const write = await row("files__write");
    expect(write.getByText("<img src=x onerror=alert(1)>")).toBeTruthy();
    expect(document.querySelector("img")).toBeNull();
    expect((await row("files__list")).getByText("U+202E")).toBeTruthy();
    expect((await row("files__list")).getByText("It says nothing about it.")).toBeTruthy();
  });

  it("say which agents see them, each with the way to the reason", async () => {
    show([testServer("files", ready(), { tools })], handlers);
    const read = await row("files__read");
    const seen = await read.findByRole("link", { name: "main sees files__read. Show why" });
    expect(seen.getAttribute("href")).toBe("#/policy/why/files__read?agent=main&surface=mcp");
    expect(read.getByRole("link", { name: /support does not see files__read/ })).toBeTruthy();
    expect((await row("files__list")).getByRole("link", { name: /support sees files__list/ })).toBeTruthy();
  });

  it("say who may call them without asking, and ask again when told so", async () => {
    const asked: unknown[] = [];
    const server = testServer("files", ready(), { tools });
    show([server], {
      ...handlers,
      "mcpServers.askAgain": (input) => {
        asked.push(input);
        return { ...server, takenBack: 1 };
      },
    });
    const read = await row("files__read");
    expect((await row("files__write")).getByText(/changed since you allowed it, asks again/)).toBeTruthy();
    fireEvent.click(read.getByRole("button", { name: "Ask again when main calls files__read" }));
    await waitFor(() => expect(asked).toEqual([{ name: "files", tool: "files__read", agentId: "main" }]));
    const all = (await row("files__list")).getByRole("button", { name: /when all agents calls?/ });
    await waitFor(() => expect(all.hasAttribute("disabled")).toBe(false));
    fireEvent.click(all);
    await waitFor(() => expect(asked[1]).toEqual({ name: "files", tool: "files__list", agentId: "*" }));
    const every = screen.getByRole("button", { name: "Ask again for all tools" });
    await waitFor(() => expect(every.hasAttribute("disabled")).toBe(false));
    fireEvent.click(every);
    await waitFor(() => expect(asked[2]).toEqual({ name: "files" }));
  });

  it("are told as those of last time while the server does not run", async () => {
    show([testServer("files", { kind: "stopped" }, { tools })], handlers);
    await screen.findByText("As it told them last. Nobody can call them now.");
    expect(screen.queryByRole("columnheader", { name: "Seen by" })).toBeNull();
  });

  it("can be filtered when there are many", async () => {
    const many = Array.from({ length: 12 }, (_, index) => testTool(`files__tool${index}`));
    show([testServer("files", ready(), { tools: many })], handlers);
    fireEvent.change(await screen.findByLabelText("Filter tools"), { target: { value: "tool11" } });
    expect(screen.getAllByRole("rowheader")).toHaveLength(1);
    fireEvent.change(screen.getByLabelText("Filter tools"), { target: { value: "nothing" } });
    expect(screen.getByText("No tool matches. Clear the filter.")).toBeTruthy();
  });

  it("that are left out stand below with the reason", async () => {
    const leftOut = [{ remoteName: "ba\u200bd", reason: { code: "mcp.tool.badName", params: {} } }];
    show([testServer("files", ready(), { leftOut })], handlers);
    const title = await screen.findByText("1 tool left out");
    expect(title.parentElement?.textContent).toContain("U+200B");
    expect(screen.getByText("It offers no tool that agents can be given.")).toBeTruthy();
    expect(list().getByRole("button", { name: /files/ })).toBeTruthy();
  });
});
