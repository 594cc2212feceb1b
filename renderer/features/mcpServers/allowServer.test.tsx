// @vitest-environment happy-dom
import { act, cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { McpServer } from "../../../shared/contract/index.ts";
import { AppError } from "../../../shared/errors/index.ts";
import { navigateTo } from "../../app/hashLocation.ts";
import { renderPanel, type TestHandlers, type TestPanel } from "../../testing/renderPanel.tsx";
import { bringEndsIntoView, fakeObservers } from "../approvals/testSupport.ts";
import { ClientsView } from "../clients/ClientsView.tsx";
import { ready, testServer, waiting } from "./testServers.ts";

let panel: TestPanel | null = null;
let confirmed: unknown[] = [];

async function openDialog(server: McpServer, handlers: TestHandlers = {}) {
  panel = renderPanel(<ClientsView />, {
    "mcpServers.list": () => ({ servers: [server] }),
    "mcpServers.confirm": (input) => {
      confirmed.push(input);
      return { ...server, state: ready() };
    },
    ...handlers,
  });
  fireEvent.click(await screen.findByRole("button", { name: /^Allow to (start|connect)…$/ }));
  return within(await screen.findByRole("dialog"));
}

const isLocked = (button: HTMLElement) => button.getAttribute("aria-disabled") === "true";

async function unlocked(name: string): Promise<HTMLElement> {
  act(() => bringEndsIntoView());
  const dialog = within(screen.getByRole("dialog"));
  const button = dialog.getByRole("button", { name: new RegExp(`^${name}`) });
  await waitFor(() => expect(isLocked(button)).toBe(false), { timeout: 5_000 });
  return button;
}

beforeEach(() => {
  confirmed = [];
  fakeObservers();
  vi.spyOn(document, "hasFocus").mockReturnValue(true);
  navigateTo("/clients/servers");
});

afterEach(() => {
  cleanup();
  panel?.rpc.dispose();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe("the word that lets a server start", () => {
  it("is asked for with everything that will run and what that means", async () => {
    const target = "n\u043ede server.js\u200b --root /srv";
    const dialog = await openDialog(
      testServer("notes", waiting, { target, cwd: "/srv", envNames: ["TOKEN"] }),
    );
    expect(screen.getByRole("dialog", { name: "Run this on your computer?" })).toBeTruthy();
    expect(dialog.getByRole("group", { name: "Runs" }).textContent).toContain("server.js");
    expect(dialog.getByText(/is Cyrillic/)).toBeTruthy();
    expect(dialog.getByText(/zero-width space\)/)).toBeTruthy();
    expect(dialog.getByText("/srv")).toBeTruthy();
    expect(dialog.getByText("TOKEN")).toBeTruthy();
    expect(dialog.getByText("sha256 01234567…cdef")).toBeTruthy();
    expect(dialog.getByText(/It runs as you, outside the sandbox/)).toBeTruthy();
    expect(dialog.getByText(/not for the files that it names/)).toBeTruthy();
    expect(dialog.getByText(/each call asks until you answer Always/)).toBeTruthy();
  });

  it("says of an address that what agents give leaves for it", async () => {
    const dialog = await openDialog(
      testServer("docs", waiting, { transport: "streamable-http", target: "https://docs.test/mcp" }),
    );
    expect(screen.getByRole("dialog", { name: "Connect to this address?" })).toBeTruthy();
    expect(dialog.getByText(/leaves for this address/)).toBeTruthy();
    expect(dialog.queryByText(/runs as you|files that it names/)).toBeNull();
    await unlocked("Allow to connect");
  });

  it("starts with the focus on Cancel; Cancel and Escape give nothing", async () => {
    const dialog = await openDialog(testServer("notes", waiting));
    const cancel = dialog.getByRole("button", { name: /^Cancel/ });
    expect(document.activeElement).toBe(cancel);
    fireEvent.click(cancel);
    expect(screen.queryByRole("dialog")).toBeNull();
    fireEvent.click(screen.getByRole("button", { name: "Allow to start…" }));
    fireEvent(screen.getByRole("dialog"), new Event("cancel", { cancelable: true }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(confirmed).toEqual([]);
  });

  it("is locked until the end of the line was seen and time has passed, and says so", async () => {
    const dialog = await openDialog(testServer("notes", waiting));
    const allow = dialog.getByRole("button", { name: /^Allow to start/ });
    expect(isLocked(allow)).toBe(true);
    expect(dialog.getByText("Unlocks after the end of the line was seen")).toBeTruthy();
    fireEvent.click(allow);
    expect(confirmed).toEqual([]);
    await unlocked("Allow to start");
    expect(dialog.getByText("Whole line seen")).toBeTruthy();
  });

  it("carries the digest of what was shown, and closes the dialog", async () => {
    await openDialog(testServer("notes", waiting));
    fireEvent.click(await unlocked("Allow to start"));
    await waitFor(() => expect(confirmed).toEqual([{ name: "notes", digest: "0123456789abcdef".repeat(4) }]));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  });

  it("is not given by Enter or Space, only by the chord, once", async () => {
    await openDialog(testServer("notes", waiting));
    const allow = await unlocked("Allow to start");
    for (const key of ["Enter", " "]) {
      expect(fireEvent.keyDown(allow, { key })).toBe(false);
      expect(fireEvent.keyUp(allow, { key })).toBe(false);
    }
    expect(confirmed).toEqual([]);
    fireEvent.keyDown(allow, { key: "Enter", ctrlKey: true, shiftKey: true, repeat: true });
    expect(confirmed).toEqual([]);
    fireEvent.keyDown(allow, { key: "Enter", ctrlKey: true, shiftKey: true });
    await waitFor(() => expect(confirmed).toHaveLength(1));
  });

  it("is not given by the second press of a double click", async () => {
    await openDialog(testServer("notes", waiting));
    fireEvent.click(await unlocked("Allow to start"), { detail: 2 });
    expect(confirmed).toEqual([]);
  });

  it("is asked for anew when the entry changes while the dialog is open", async () => {
    const server = testServer("notes", waiting);
    await openDialog(server);
    await unlocked("Allow to start");
    const digest = "f".repeat(64);
    const changed = { ...server, target: "node other.js", digest };
    act(() => panel?.emit("mcpServers.changed", { servers: [changed] }));
    expect((await screen.findByRole("alert")).textContent).toContain(
      "The entry changed while this was open.",
    );
    const dialog = within(screen.getByRole("dialog"));
    expect(dialog.getByRole("group", { name: "Runs" }).textContent).toContain("other.js");
    expect(isLocked(dialog.getByRole("button", { name: /^Allow to start/ }))).toBe(true);
    expect(document.activeElement).toBe(dialog.getByRole("button", { name: /^Cancel/ }));
  });

  it("stays open with the reason when it was not taken", async () => {
    const dialog = await openDialog(testServer("notes", waiting), {
      "mcpServers.confirm": () => {
        throw new AppError("APPROVAL_REJECTED", "stale");
      },
    });
    fireEvent.click(await unlocked("Allow to start"));
    expect((await dialog.findByRole("alert")).textContent).toContain(
      "It was not allowed. Nothing was started.",
    );
  });

  it("closes when somebody else gave it", async () => {
    const server = testServer("notes", waiting);
    await openDialog(server);
    act(() => panel?.emit("mcpServers.changed", { servers: [{ ...server, state: { kind: "starting" } }] }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  });
});
