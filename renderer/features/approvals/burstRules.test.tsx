// @vitest-environment happy-dom
import { act, cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { AgentPause, ApprovalRequest, GrantOffer, RulePreview } from "../../../shared/contract/index.ts";
import { navigateTo } from "../../app/hashLocation.ts";
import { testDecision, testRequest } from "../../testing/fixtures.ts";
import { renderPanel, type TestPanel } from "../../testing/renderPanel.tsx";
import { ApprovalsView } from "./ApprovalsView.tsx";
import { PausedBanner } from "./PausedBanner.tsx";
import { bringEndsIntoView, fakeObservers } from "./testSupport.ts";

const program = { kind: "program", text: "/usr/bin/git" } as const;
const scopes: GrantOffer[] = [
  {
    id: "exactCommand",
    kind: "exactCommand",
    programs: ["git"],
    stores: [[program, { kind: "word", text: "show" }]],
    cwd: "/home/mira/src/acme",
    pinnedFiles: [],
    abilities: [],
  },
  {
    id: "argumentShape",
    kind: "argumentShape",
    programs: ["git"],
    stores: [[program, { kind: "word", text: "show" }, { kind: "hole", text: "" }]],
    cwd: "/home/mira/src/acme",
    pinnedFiles: [],
    abilities: [],
  },
];
const always: ApprovalRequest["always"] = {
  kind: "offered",
  stores: [{ pattern: "/usr/bin/git", agentId: "main" }],
  scopes,
};

let panel: TestPanel | null = null;
let waiting: ApprovalRequest[] = [];
let resolved: { id: string; decision: string; digest?: string | undefined; grant?: unknown }[] = [];
let asked: string[] = [];
let paused: AgentPause[] = [];
let isRefusing = false;

/** Covers the commands of git that are not dangerous names. */
function preview(): RulePreview {
  const covers = (request: ApprovalRequest) => request.command.startsWith("git show");
  return {
    covered: waiting.filter(covers).map(({ id, digest }) => ({ id, digest })),
    left: waiting
      .filter((request) => !covers(request))
      .map(({ id }) => ({ id, reason: { code: "differs.program", params: {} } })),
  };
}

async function showBurst(pending: ApprovalRequest[]) {
  waiting = pending;
  const shown = renderPanel(
    <>
      <PausedBanner />
      <ApprovalsView />
    </>,
    {
      "approvals.list": () => ({ pending: waiting, recent: [] }),
      "approvals.resolve": (input) => {
        if (isRefusing) throw new Error("stale");
        resolved.push(input);
        const request = waiting.find((candidate) => candidate.id === input.id);
        if (request === undefined) throw new Error("gone");
        waiting = waiting.filter((candidate) => candidate !== request);
        shown.emit("approvals.changed", { pending: waiting, recent: [] });
        return testDecision(request, { outcome: "allowed-once" });
      },
      "approvals.previewRule": ({ scopeId }) => {
        asked.push(scopeId);
        return preview();
      },
      "approvals.previewGrant": () => ({
        lookedAt: 0,
        coveredCount: 0,
        covered: [],
        nearest: [],
        isEnough: true,
        notEnoughBecause: [],
      }),
      "approvals.pauses": () => ({ paused }),
      "approvals.pauseAgent": ({ agentId }) => {
        paused = [...paused, { agentId, sinceMs: Date.now(), by: "panel:test", deniedCount: 0 }];
        shown.emit("approvals.pausesChanged", { paused });
        return { paused };
      },
      "approvals.resumeAgent": ({ agentId }) => {
        paused = paused.filter((pause) => pause.agentId !== agentId);
        shown.emit("approvals.pausesChanged", { paused });
        return { paused, resumed: true };
      },
    },
  );
  panel = shown;
  await screen.findByRole("table");
  return shown;
}

const gits = (count: number, changes: Partial<ApprovalRequest> = {}) =>
  Array.from({ length: count }, (_unused, index) =>
    testRequest(`git show file-${index}`, { always, ...changes }),
  );
const openPreview = async () => {
  fireEvent.click(screen.getByRole("button", { name: "Preview rule" }));
  await screen.findByRole("heading", { name: /^It would cover/ });
};
const saveButton = () => screen.getByRole("button", { name: /and save rule$/ });
const isLocked = () => saveButton().getAttribute("aria-disabled") === "true";

beforeEach(() => {
  resolved = [];
  asked = [];
  paused = [];
  isRefusing = false;
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

describe("a rule over a burst", () => {
  it("shows what it stores, what it would cover and what not, and decides nothing by that", async () => {
    await showBurst([...gits(9), testRequest("rm -rf build"), testRequest("ls")]);
    await openPreview();
    expect(new Set(asked)).toEqual(new Set(["argumentShape"]));
    const part = screen.getByRole("region", { name: "Preview of a rule" });
    expect(part.textContent).toContain("It would cover 9 of 11 waiting requests:");
    expect(part.textContent).toContain("2 would still ask:");
    expect(part.textContent).toContain("rm -rf build");
    expect(part.textContent).toContain("another program");
    expect(part.textContent).toContain("‹word›");
    // An entry of the approvals file is no rule for a burst.
    expect(part.textContent).not.toContain("Entry in exec-approvals.json");
    expect(isLocked()).toBe(true);
    fireEvent.click(saveButton());
    fireEvent.keyDown(document.activeElement ?? document.body, { key: "Escape" });
    await screen.findByRole("table");
    expect(resolved).toEqual([]);
  });

  it("is saved with one request by its digest; the ticked rows that were seen are allowed once", async () => {
    const pending = [...gits(9), testRequest("ls")];
    await showBurst(pending);
    await openPreview();
    bringEndsIntoView();
    await waitFor(() => expect(isLocked()).toBe(false));
    const [, second] = screen.getAllByRole<HTMLInputElement>("checkbox");
    const [first] = screen.getAllByRole<HTMLInputElement>("checkbox");
    expect(first?.disabled).toBe(true);
    if (second !== undefined) fireEvent.click(second);
    expect(saveButton().textContent).toBe("Allow 8 and save rule");
    for (const key of ["Enter", " "]) expect(fireEvent.keyDown(saveButton(), { key })).toBe(false);
    expect(resolved).toEqual([]);
    fireEvent.click(saveButton());
    await waitFor(() => expect(resolved).toHaveLength(8));
    const [source, left, ...others] = pending;
    expect(resolved[0]).toMatchObject({
      id: source?.id,
      digest: source?.digest,
      decision: "allow-always",
      grant: { scopeId: "argumentShape", lifetime: { kind: "session" } },
    });
    expect(resolved.slice(1)).toEqual(
      others
        .filter((one) => one.command !== "ls")
        .map(({ id, digest }) => ({ id, digest, decision: "allow-once" })),
    );
    expect(waiting.map((one) => one.command)).toEqual([left?.command, "ls"]);
  });

  it("leaves out rows with a warning, and locks again when a row comes in", async () => {
    const warned = testRequest("git show danger", {
      always,
      warnings: [{ level: "danger", reason: { code: "inlineEval", params: {} } }],
    });
    const shown = await showBurst([...gits(8), warned]);
    await openPreview();
    bringEndsIntoView();
    await waitFor(() => expect(isLocked()).toBe(false));
    expect(saveButton().textContent).toBe("Allow 8 and save rule");
    const row = screen.getByText("has a warning, decide it on its own").closest("li");
    if (row === null) throw new Error("no row");
    expect(within(row).getByRole<HTMLInputElement>("checkbox")).toMatchObject({
      checked: false,
      disabled: true,
    });
    waiting = [...waiting, testRequest("git show late", { always })];
    act(() => shown.emit("approvals.changed", { pending: waiting, recent: [] }));
    await waitFor(() => expect(saveButton().textContent).toBe("Allow 9 and save rule"));
    expect(isLocked()).toBe(true);
  });

  it("allows nothing when the rule is refused", async () => {
    await showBurst(gits(9));
    await openPreview();
    bringEndsIntoView();
    bringEndsIntoView();
    await waitFor(() => expect(isLocked()).toBe(false));
    isRefusing = true;
    fireEvent.click(saveButton());
    await screen.findByText(/^The rule was not saved and nothing was allowed/);
    expect(resolved).toEqual([]);
    expect(waiting).toHaveLength(9);
  });

  it("is not offered where no request offers a grant", async () => {
    await showBurst(Array.from({ length: 9 }, (_unused, index) => testRequest(`sh run-${index}`)));
    expect(screen.queryByRole("button", { name: "Preview rule" })).toBeNull();
  });
});

describe("pausing an agent of a burst", () => {
  it("is offered for each agent, the busiest first, and taken back in the banner", async () => {
    await showBurst([...gits(7), ...gits(3, { agentId: "helper", sessionKey: "agent:helper:a" })]);
    const names = () => screen.getAllByRole("button", { name: /^Pause agent/ }).map((one) => one.textContent);
    expect(names()).toEqual(["Pause agent main", "Pause agent helper"]);
    fireEvent.click(screen.getByRole("button", { name: "Pause agent main" }));
    const banner = await screen.findByRole("region", { name: "Agent main is paused" });
    expect(banner.textContent).toContain("What waits or runs already is left as it is.");
    await waitFor(() => expect(names()).toEqual(["Pause agent helper"]));
    expect(resolved).toEqual([]);
    paused = paused.map((pause) => ({ ...pause, deniedCount: 4 }));
    act(() => panel?.emit("approvals.pausesChanged", { paused }));
    await within(banner).findByText(/4 were denied\./);
    fireEvent.click(within(banner).getByRole("button", { name: "Resume main" }));
    await waitFor(() => expect(screen.queryByRole("region", { name: "Agent main is paused" })).toBeNull());
  });
});
