// @vitest-environment happy-dom
import { act, cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ApprovalRequest } from "../../../shared/contract/index.ts";
import { AppError } from "../../../shared/errors/index.ts";
import { navigateTo } from "../../app/hashLocation.ts";
import { askingSegment, testDecision, testRequest } from "../../testing/fixtures.ts";
import { renderPanel, type TestPanel } from "../../testing/renderPanel.tsx";
import { ApprovalsView } from "./ApprovalsView.tsx";
import { bringEndsIntoView, fakeObservers } from "./testSupport.ts";

let resolved: { id: string; decision: string; digest?: string | undefined; note?: string | undefined }[] = [];
let panel: TestPanel | null = null;

function show(pending: ApprovalRequest[], refuse?: AppError): TestPanel {
  let waiting = pending;
  const shown = renderPanel(<ApprovalsView />, {
    "approvals.list": () => ({ pending: waiting, recent: [] }),
    "approvals.resolve": (input) => {
      if (refuse !== undefined) throw refuse;
      resolved.push(input);
      const request = waiting.find((candidate) => candidate.id === input.id);
      if (request === undefined) throw new AppError("NOT_FOUND", "gone");
      waiting = waiting.filter((candidate) => candidate !== request);
      const outcome = input.decision === "deny" ? "denied" : "allowed-once";
      const decision = testDecision(request, { outcome });
      shown.emit("approvals.changed", { pending: waiting, recent: [decision] });
      return decision;
    },
  });
  panel = shown;
  return shown;
}

const denyButton = () => screen.findByRole("button", { name: "Deny" });
const allowButton = () => screen.findByRole("button", { name: "Allow once" });

const secondIsShown = () =>
  waitFor(() => expect(document.querySelector(".cmd-line")?.textContent).toContain("second one"));

async function unlock() {
  await allowButton();
  bringEndsIntoView();
  await waitFor(async () => expect((await allowButton()).getAttribute("aria-disabled")).toBe("false"), {
    timeout: 4_000,
  });
}

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

describe("the approval prompt", () => {
  it("starts with the focus on Deny, and Enter there denies", async () => {
    show([testRequest("git push")]);
    const deny = await denyButton();
    expect(document.activeElement).toBe(deny);
    fireEvent.keyDown(deny, { key: "Enter" });
    fireEvent.click(deny);
    await waitFor(() => expect(resolved.map((one) => one.decision)).toEqual(["deny"]));
  });

  it("does not take the focus from a text field", async () => {
    const field = document.createElement("textarea");
    document.body.append(field);
    field.focus();
    show([testRequest("git push")]);
    await denyButton();
    expect(document.activeElement).toBe(field);
    field.remove();
  });

  it("takes the focus when the person comes to the view, but not from elsewhere when a request arrives", async () => {
    const link = document.createElement("a");
    link.href = "#/x";
    document.body.append(link);
    const shown = show([]);
    await screen.findByText("Nothing waits for you.");
    link.focus();
    act(() => shown.emit("approvals.changed", { pending: [testRequest("git push")], recent: [] }));
    await denyButton();
    expect(document.activeElement).toBe(link);
    cleanup();
    link.focus();
    show([testRequest("git push")]);
    const deny = await denyButton();
    expect(document.activeElement).toBe(deny);
    link.remove();
  });

  it("denies on Escape, but a held Escape does not deny the next one", async () => {
    show([testRequest("first one"), testRequest("second one")]);
    fireEvent.keyDown(await denyButton(), { key: "Escape" });
    await waitFor(() => expect(resolved).toHaveLength(1));
    await waitFor(() => expect(document.querySelector(".cmd-line")?.textContent).toContain("second one"));
    fireEvent.keyDown(await denyButton(), { key: "Escape", repeat: true });
    fireEvent.keyUp(await denyButton(), { key: "Escape" });
    expect(resolved).toHaveLength(1);
  });

  it("is not denied by a stray key when it takes the place of another, and by the next one it is", async () => {
    show([testRequest("first one"), testRequest("second one")]);
    fireEvent.click(await denyButton(), { detail: 1 });
    await secondIsShown();
    fireEvent.keyDown(await denyButton(), { key: "Escape" });
    expect(fireEvent.keyDown(await denyButton(), { key: "Enter" })).toBe(false);
    expect(fireEvent.keyDown(await denyButton(), { key: " " })).toBe(false);
    await screen.findByText(/That key did nothing: this request has only just come up/);
    expect(resolved).toHaveLength(1);
    await screen.findByText(/Unlocks after the last line was seen/, undefined, { timeout: 4_000 });
    fireEvent.keyDown(await denyButton(), { key: "Escape" });
    await waitFor(() => expect(resolved.map((one) => one.decision)).toEqual(["deny", "deny"]));
  });

  it("is denied by a pointer at once, also when it takes the place of another", async () => {
    show([testRequest("first one"), testRequest("second one")]);
    fireEvent.keyDown(await denyButton(), { key: "Escape" });
    await secondIsShown();
    fireEvent.pointerDown(await denyButton());
    fireEvent.click(await denyButton(), { detail: 1 });
    await waitFor(() => expect(resolved).toHaveLength(2));
  });

  it("is not denied by a stray key when it took the place of one that expired", async () => {
    const [first, second] = [testRequest("first one"), testRequest("second one")];
    const shown = show([first, second]);
    await denyButton();
    const recent = [testDecision(first, { outcome: "expired", by: { kind: "expiry" } })];
    act(() => shown.emit("approvals.changed", { pending: [second], recent }));
    await secondIsShown();
    fireEvent.keyDown(await denyButton(), { key: "Escape" });
    await screen.findByText(/That key did nothing/);
    expect(resolved).toHaveLength(0);
  });

  it("is not denied by a key when it comes up while somebody presses keys", async () => {
    const shown = show([]);
    await screen.findByText("Nothing waits for you.");
    fireEvent.keyDown(document.body, { key: "Escape" });
    act(() => shown.emit("approvals.changed", { pending: [testRequest("first one")], recent: [] }));
    fireEvent.keyDown(await denyButton(), { key: "Escape" });
    await screen.findByText(/That key did nothing/);
    expect(resolved).toHaveLength(0);
  });

  it("is denied by a key at once when the person picked it from the queue", async () => {
    show([testRequest("first one"), testRequest("second one")]);
    await denyButton();
    fireEvent.click(screen.getByRole("button", { name: /second one/ }), { detail: 1 });
    await secondIsShown();
    fireEvent.keyDown(await denyButton(), { key: "Escape" });
    await waitFor(() => expect(resolved).toHaveLength(1));
  });

  it("is not denied by an Enter that is held from before", async () => {
    show([testRequest("first one")]);
    expect(fireEvent.keyDown(await denyButton(), { key: "Enter", repeat: true })).toBe(false);
  });

  it("leaves the note field on the first Escape and keeps what was typed", async () => {
    show([testRequest("git push")]);
    fireEvent.click(await screen.findByRole("button", { name: "Deny with note" }));
    const note = await screen.findByLabelText("Note to the agent");
    fireEvent.change(note, { target: { value: "use a fork" } });
    note.focus();
    fireEvent.keyDown(note, { key: "Escape" });
    expect(resolved).toHaveLength(0);
    expect(document.activeElement).toBe(await denyButton());
    fireEvent.click(screen.getByRole("button", { name: "Deny, send note" }));
    await waitFor(() => expect(resolved[0]).toMatchObject({ decision: "deny", note: "use a fork" }));
  });

  it("keeps Allow locked until the end was seen, and says so", async () => {
    show([testRequest("git push")]);
    const allow = await allowButton();
    await waitFor(() => expect(screen.getByText(/Unlocks after the last line was seen/)).toBeTruthy(), {
      timeout: 4_000,
    });
    fireEvent.click(allow);
    expect(allow.getAttribute("aria-disabled")).toBe("true");
    const described = document.getElementById(allow.getAttribute("aria-describedby") ?? "");
    expect(described?.textContent).toContain("last line");
    expect(resolved).toHaveLength(0);
  });

  it("keeps Allow locked for 1.5 s although the end is on screen", async () => {
    show([testRequest("git push")]);
    const allow = await allowButton();
    bringEndsIntoView();
    fireEvent.click(allow);
    expect(screen.getByText(/Unlocks in/)).toBeTruthy();
    expect(resolved).toHaveLength(0);
  });

  it("allows with id and digest once unlocked", async () => {
    const request = testRequest("git push");
    show([request]);
    await unlock();
    fireEvent.click(await allowButton());
    await waitFor(() =>
      expect(resolved).toEqual([{ id: request.id, digest: request.digest, decision: "allow-once" }]),
    );
  });

  it("allows by the chord only when unlocked, and by no single key", async () => {
    show([testRequest("git push")]);
    const chord = { key: "Enter", ctrlKey: true, shiftKey: true };
    fireEvent.keyDown(await denyButton(), chord);
    expect(resolved).toHaveLength(0);
    await unlock();
    const allow = await allowButton();
    const enter = new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true });
    act(() => void allow.dispatchEvent(enter));
    expect(enter.defaultPrevented).toBe(true);
    expect(resolved).toHaveLength(0);
    fireEvent.keyDown(await denyButton(), chord);
    await waitFor(() => expect(resolved.map((one) => one.decision)).toEqual(["allow-once"]));
  });

  it("unlocks when the caret reaches the end of the command", async () => {
    show([testRequest("git push")]);
    const end = await screen.findByRole("button", { name: "End of the command" });
    fireEvent.focus(end);
    await waitFor(async () => expect((await allowButton()).getAttribute("aria-disabled")).toBe("false"), {
      timeout: 4_000,
    });
  });

  it("does nothing on the press that activates the window", async () => {
    show([testRequest("git push")]);
    const deny = await denyButton();
    act(() => void window.dispatchEvent(new Event("focus")));
    fireEvent.pointerDown(deny);
    fireEvent.click(deny, { detail: 1 });
    expect(resolved).toHaveLength(0);
  });

  it("ignores the second press of a double click", async () => {
    show([testRequest("first one"), testRequest("second one")]);
    fireEvent.click(await denyButton(), { detail: 2 });
    expect(resolved).toHaveLength(0);
  });

  it("stays on its request when another arrives", async () => {
    const first = testRequest("first one");
    const shown = show([first]);
    await denyButton();
    act(() => shown.emit("approvals.changed", { pending: [first, testRequest("second one")], recent: [] }));
    await screen.findByText("2 waiting");
    expect(document.querySelector("[data-approval-id]")?.getAttribute("data-approval-id")).toBe(first.id);
  });

  it("says when the request on screen left by itself, and shows the next with a fresh lock", async () => {
    const first = testRequest("first one");
    const second = testRequest("second one");
    const shown = show([first, second]);
    await unlock();
    const recent = [testDecision(first, { outcome: "expired", by: { kind: "expiry" } })];
    act(() => shown.emit("approvals.changed", { pending: [second], recent }));
    await screen.findByText(/The last request expired, nobody answered in time/);
    expect((await allowButton()).getAttribute("aria-disabled")).toBe("true");
  });

  it("tells that a stale answer changed nothing", async () => {
    show([testRequest("git push")], new AppError("NOT_FOUND", "no longer waits"));
    fireEvent.click(await denyButton());
    await screen.findByText(/This request no longer waits.*Your click changed nothing/);
  });

  it("decides nothing while the connection is lost", async () => {
    const shown = show([testRequest("git push")]);
    await unlock();
    act(() => {
      shown.setOpen(false);
      shown.disconnect();
    });
    await screen.findByText("Connection lost: nothing is decided now");
    fireEvent.click(await allowButton());
    expect(resolved).toHaveLength(0);
  });
});

describe("the command", () => {
  it("shows every character of 10 kB", async () => {
    const command = `echo ${"abcdefghi ".repeat(1_024)}end`;
    show([testRequest(command)]);
    await denyButton();
    expect(document.querySelector(".cmd-line .cmd-text")?.textContent).toBe(command);
  });

  it("shows text between and behind segments too", async () => {
    const command = "a b &&  c d # tail";
    const first = { ...askingSegment("a b"), operator: "&&" };
    const second = { ...askingSegment("c d"), start: 8, end: 11 };
    show([testRequest(command, { segments: [first, second] })]);
    await denyButton();
    const shown = [...document.querySelectorAll(".cmd-line .cmd-text")]
      .map((part) => part.textContent)
      .join("");
    expect(shown).toBe(command);
  });

  it("falls back to one block when segments overlap", async () => {
    const segment = askingSegment("git push");
    show([testRequest("git push", { segments: [segment, { ...segment, start: 2 }] })]);
    await denyButton();
    expect(document.querySelectorAll(".cmd-row")).toHaveLength(1);
    expect(document.querySelector(".cmd-line .cmd-text")?.textContent).toBe("git push");
  });

  it("lights invisible characters and names look-alike letters", async () => {
    show([testRequest("rsync ./dist/\u200b x@\u0430cme.dev")]);
    await denyButton();
    expect(document.querySelector(".cmd-line .cmd-odd")?.textContent).toContain("U+200B");
    expect(screen.getAllByText("zero-width space").length).toBeGreaterThan(0);
    expect(document.querySelector(".warnings")?.textContent).toContain("is Cyrillic (U+0430)");
    expect(document.querySelector(".warnings")?.textContent).toContain("zero-width space");
  });

  it("marks the spot of a command that cannot be cut", async () => {
    const problem = { reason: { code: "background", params: {} }, start: 8, end: 9 };
    show([testRequest("sleep 1 & ls", { segments: null, analysisProblem: problem })]);
    await denyButton();
    expect(document.querySelector(".cmd-spot")?.textContent).toBe("&");
    expect(screen.getByText(/a single & hides one part/)).toBeTruthy();
  });

  it("offers Always only with what it stores, saved by a second press", async () => {
    const request = testRequest("git push", {
      always: { kind: "offered", stores: [{ pattern: "/usr/bin/git", agentId: "main" }] },
    });
    show([request]);
    await unlock();
    fireEvent.click(screen.getByRole("button", { name: "Always…" }));
    expect(document.querySelector(".always-panel")?.textContent).toContain("/usr/bin/git");
    expect(resolved).toHaveLength(0);
    const save = screen.getByRole("button", { name: "Allow and save entry" });
    fireEvent.click(save);
    expect(resolved).toHaveLength(0);
    await waitFor(() => expect(save.getAttribute("aria-disabled")).toBe("false"), { timeout: 4_000 });
    fireEvent.click(save);
    await waitFor(() => expect(resolved.map((one) => one.decision)).toEqual(["allow-always"]));
  });
});

describe("a burst", () => {
  const burst = (count: number) =>
    Array.from({ length: count }, (_, index) => testRequest(`git show --stat c${index}`));

  it("shows groups of the same shape and no way to allow all", async () => {
    show([...burst(12), testRequest("rm -rf target")]);
    await screen.findByText("13 waiting in 2 groups");
    expect(screen.queryByRole("button", { name: /Allow/ })).toBeNull();
  });

  it("allows a group only after all its rows were seen, each by its digest", async () => {
    const requests = burst(12);
    show(requests);
    fireEvent.click(await screen.findByRole("button", { name: "Review 12" }));
    bringEndsIntoView();
    const allow = screen.getByRole("button", { name: "Allow these 12 once" });
    fireEvent.click(allow);
    expect(resolved).toHaveLength(0);
    fireEvent.click(screen.getByRole("button", { name: "7 more" }));
    bringEndsIntoView();
    await waitFor(() => expect(allow.getAttribute("aria-disabled")).toBe("false"), { timeout: 4_000 });
    fireEvent.click(allow);
    await waitFor(() => expect(resolved.map((one) => one.digest)).toEqual(requests.map((one) => one.digest)));
  });

  it("does not push away a card that somebody is dealing with", async () => {
    const first = testRequest("git push");
    const shown = show([first]);
    fireEvent.pointerMove(await denyButton());
    act(() => shown.emit("approvals.changed", { pending: [first, ...burst(12)], recent: [] }));
    await screen.findByRole("button", { name: "Show as table" });
    expect(document.querySelector("[data-approval-id]")?.getAttribute("data-approval-id")).toBe(first.id);
  });
});
