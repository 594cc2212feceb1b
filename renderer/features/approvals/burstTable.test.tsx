// @vitest-environment happy-dom
import { act, cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ApprovalRequest } from "../../../shared/contract/index.ts";
import { navigateTo } from "../../app/hashLocation.ts";
import { viewKeyStore } from "../../app/viewKeys.ts";
import { testDecision, testRequest } from "../../testing/fixtures.ts";
import { renderPanel, type TestPanel } from "../../testing/renderPanel.tsx";
import { ApprovalsView } from "./ApprovalsView.tsx";

/** No row is ever reported as seen: nothing here may be allowed. */
class BlindObserver {
  observe() {}
  unobserve() {}
  disconnect() {}
  takeRecords() {
    return [];
  }
}

let resolved: { id: string; decision: string; digest?: string | undefined }[] = [];
let panel: TestPanel | null = null;
let waiting: ApprovalRequest[] = [];

const commandsOf = (program: string, count: number, changes: Partial<ApprovalRequest> = {}) =>
  Array.from({ length: count }, (_unused, index) => testRequest(`${program} show file-${index}`, changes));

async function showBurst(pending: ApprovalRequest[]) {
  waiting = pending;
  const shown = renderPanel(<ApprovalsView />, {
    "approvals.list": () => ({ pending: waiting, recent: [] }),
    "approvals.resolve": (input) => {
      resolved.push(input);
      const request = waiting.find((candidate) => candidate.id === input.id);
      if (request === undefined) throw new Error("gone");
      waiting = waiting.filter((candidate) => candidate !== request);
      const decision = testDecision(request, { outcome: "denied" });
      shown.emit("approvals.changed", { pending: waiting, recent: [decision] });
      return decision;
    },
  });
  panel = shown;
  await screen.findByRole("table");
  // The rows are painted before the keys are heard.
  await waitFor(() => {
    expect(viewKeyStore.getState().sets.some((keys) => Object.hasOwn(keys, "ArrowDown"))).toBe(true);
  });
}

const groupRows = () => [...document.querySelectorAll<HTMLElement>("tr.burst-group")];
const marked = () => groupRows().indexOf(document.activeElement as HTMLElement);
/** As the browser does: on whatever has the focus. */
const press = (key: string, options: KeyboardEventInit = {}) =>
  act(() => {
    fireEvent.keyDown(document.activeElement ?? document.body, { key, ...options });
  });
const boxes = () => screen.getAllByRole<HTMLInputElement>("checkbox");

beforeEach(() => {
  resolved = [];
  vi.stubGlobal("IntersectionObserver", BlindObserver);
  vi.spyOn(document, "hasFocus").mockReturnValue(true);
  navigateTo("/approvals");
});

afterEach(() => {
  cleanup();
  panel?.rpc.dispose();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe("a burst by keyboard", () => {
  it("up and down mark a group, and stop at the ends", async () => {
    await showBurst([...commandsOf("git", 4), ...commandsOf("ls", 4), ...commandsOf("cat", 4)]);
    expect(groupRows()).toHaveLength(3);
    press("ArrowDown");
    expect(marked()).toBe(0);
    press("ArrowDown");
    press("ArrowDown");
    press("ArrowDown");
    expect(marked()).toBe(2);
    press("ArrowUp");
    expect(marked()).toBe(1);
    press("ArrowUp");
    press("ArrowUp");
    expect(marked()).toBe(0);
    expect(resolved).toEqual([]);
  });

  it("right opens a group and goes in, Space ticks a row, left goes back and closes", async () => {
    await showBurst([...commandsOf("git", 5), ...commandsOf("ls", 5)]);
    press("ArrowDown");
    press("ArrowRight");
    expect(boxes()).toHaveLength(5);
    expect(marked()).toBe(0);
    press("ArrowRight");
    expect(document.activeElement).toBe(boxes()[0]);
    const isTicked = boxes()[0]?.checked;
    // The page must leave Space to the box; a browser then clicks it.
    expect(fireEvent.keyDown(document.activeElement ?? document.body, { key: " " })).toBe(true);
    fireEvent.click(document.activeElement ?? document.body);
    expect(boxes()[0]?.checked).toBe(!isTicked);
    screen.getByRole("button", { name: "Deny these 4" });
    press("ArrowLeft");
    expect(screen.queryAllByRole("checkbox")).toEqual([]);
    expect(marked()).toBe(0);
    expect(resolved).toEqual([]);
  });

  it("D denies the marked group by id, and marks the group that takes its place", async () => {
    const [git, ls, cat] = [commandsOf("git", 6), commandsOf("ls", 6), commandsOf("cat", 6)];
    await showBurst([...git, ...ls, ...cat]);
    press("ArrowDown");
    press("ArrowDown");
    press("d");
    await waitFor(() => expect(groupRows()).toHaveLength(2));
    expect(resolved.map(({ id, decision }) => [id, decision])).toEqual(ls.map(({ id }) => [id, "deny"]));
    await waitFor(() => expect(marked()).toBe(1));
    press("d");
    await waitFor(() => expect(resolved).toHaveLength(12));
    expect(resolved.slice(6).map(({ id }) => id)).toEqual(cat.map(({ id }) => id));
  });

  it("D does nothing without a marked group, held down, or while somebody types", async () => {
    await showBurst([...commandsOf("git", 6), ...commandsOf("ls", 6)]);
    press("d");
    press("ArrowDown");
    press("d", { repeat: true });
    const field = document.createElement("input");
    document.body.append(field);
    field.focus();
    press("d");
    field.remove();
    expect(resolved).toEqual([]);
  });

  it("no key allows a group, and a right arrow on a single request opens its card", async () => {
    await showBurst([...commandsOf("git", 9), testRequest("uname -s")]);
    press("ArrowDown");
    press("ArrowRight");
    const allow = within(document.querySelector(".burst-members") as HTMLElement).getByRole("button", {
      name: /once$/,
    });
    act(() => allow.focus());
    for (const key of ["Enter", " ", "a", "A", "y"]) press(key);
    fireEvent.click(allow);
    expect(resolved).toEqual([]);
    act(() => groupRows()[1]?.focus());
    press("ArrowRight");
    await screen.findByRole("article");
    expect(resolved).toEqual([]);
  });
});
