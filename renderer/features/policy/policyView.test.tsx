// @vitest-environment happy-dom
import { cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import JSON5 from "json5";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  compilePolicy,
  evaluatePolicy,
  type RegisteredTool,
  tracePolicy,
} from "../../../shared/policy/index.ts";
import { navigateTo } from "../../app/hashLocation.ts";
import { renderPanel } from "../../testing/renderPanel.tsx";
import PolicyView from "./PolicyView.tsx";

const raw = `{
  // the shared base
  tools: { profile: "coding" },
  agents: { list: [
    { id: "main", default: true },
    { id: "support", tools: { alsoAllow: ["message", "browse"], deny: ["write"] } },
  ] },
}
`;
const tools: RegisteredTool[] = [
  ...["read", "write", "apply_patch", "exec", "message"].map((name) => ({
    name,
    owner: { kind: "core" as const },
  })),
  { name: "browser", owner: { kind: "plugin", pluginId: "browser" } },
];
const compile = (config: unknown) => compilePolicy(config, { hardening: new Set() });

const handlers: Parameters<typeof renderPanel>[1] = {
  "policy.contexts": () => ({
    agents: [
      { id: "main", isDefault: true },
      { id: "support", isDefault: false },
    ],
    models: [{ provider: "openai", model: "gpt-5.2" }],
    groups: [],
    seen: [],
  }),
  "policy.trace": ({ context, configText, config }) => ({
    trace: tracePolicy(compile(config ?? JSON5.parse(configText ?? raw)), context, tools),
    preset: "reference",
    positions: { "agents.list.1.tools.deny.0": { line: 6, column: 60 } },
    problems: [],
    evaluatedInMs: 0.4,
  }),
  "policy.explain": ({ context, config }) => evaluatePolicy(compile(config), context, tools),
  "config.get": () => ({
    path: "openclaw.json",
    exists: true,
    valid: true,
    raw,
    config: JSON5.parse(raw),
    hash: "h1",
    issues: [],
  }),
};

beforeEach(() => {
  // Virtual rows need a viewport, which this DOM does not lay out.
  for (const [name, size] of [
    ["offsetHeight", 800],
    ["clientHeight", 800],
    ["offsetWidth", 1100],
    ["clientWidth", 1100],
  ] as const)
    vi.spyOn(HTMLElement.prototype, name, "get").mockReturnValue(size);
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

describe("policy view", () => {
  test("says how many tools reach the model and names each cell with its rule and line", async () => {
    navigateTo("/policy?agent=support");
    renderPanel(<PolicyView />, handlers);
    const grid = await screen.findByRole("grid");
    await waitFor(() =>
      expect(document.querySelector(".policy-reach")?.textContent).toContain("3 of 6 tools"),
    );
    const cell = within(grid).getByRole("gridcell", { name: /^apply_patch, stage 5 / });
    expect(cell.getAttribute("aria-label")).toBe(
      "apply_patch, stage 5 agents.support.tools.allow, removed here, deny write, line 6",
    );
    fireEvent.click(cell);
    expect(screen.getByText("Removed at 5 of 9")).toBeTruthy();
  });

  test("moves the active cell by keys, keeps it named, and asks why with W", async () => {
    navigateTo("/policy?agent=support");
    renderPanel(<PolicyView />, handlers);
    const grid = await screen.findByRole("grid");
    grid.focus();
    fireEvent.keyDown(grid, { key: "ArrowDown" });
    fireEvent.keyDown(grid, { key: "End" });
    const active = document.getElementById(grid.getAttribute("aria-activedescendant") ?? "");
    expect(active?.getAttribute("aria-label")).toMatch(/^write, surface HTTP/);
    fireEvent.keyDown(grid, { key: "w" });
    expect(window.location.hash).toBe("#/policy/why/write?agent=support");
  });

  test("explains a missing tool, with a repair that was verified", async () => {
    navigateTo("/policy/why/browser?agent=support&sandbox=1");
    renderPanel(<PolicyView />, handlers);
    expect(await screen.findByText("2 stages remove it.")).toBeTruthy();
    expect(document.querySelector(".policy-answer")?.textContent).toContain("Somebody meant to allow it");
    expect(await screen.findByText(/\["message", "browser"\]/u)).toBeTruthy();
    expect(screen.getAllByText("browser only").length).toBeGreaterThan(0);
  });

  test("answers for a name that does not exist with the nearest one", async () => {
    navigateTo("/policy/why/brows?agent=support");
    renderPanel(<PolicyView />, handlers);
    await waitFor(() =>
      expect(document.querySelector(".policy-answer")?.textContent).toBe(
        "There is no tool named brows in this context. Nearest name: browser.",
      ),
    );
  });
});
