// @vitest-environment happy-dom
import { cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import JSON5 from "json5";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  checkAssertions,
  collectFindings,
  countClasses,
  createContextSpace,
  describeAxes,
  finish,
  outcomeOf,
  whyTool,
} from "../../../shared/policy/debug/index.ts";
import { nearestName } from "../../../shared/policy/didYouMean.ts";
import {
  compilePolicy,
  describeFinding,
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
const savedAssertions = "never support: write\nnever *: exec";
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
    positions: { "agents.list[1].tools.deny[0]": { line: 6, column: 60 } },
    problems: [],
    evaluatedInMs: 0.4,
  }),
  "policy.findings": ({ context, configText }) => ({
    findings: collectFindings(compile(JSON5.parse(configText ?? raw)), context, tools).map((finding) => ({
      ...finding,
      text: describeFinding(finding),
    })),
    preset: "reference",
    positions: {},
    problems: [],
  }),
  "policy.why": ({ context, tool, configText }) => {
    const config = JSON5.parse(configText ?? raw);
    const { layer: _, ...answer } = whyTool(compile(config), config, context, tools, tool);
    const suggestion = nearestName(
      tool,
      tools.map(({ name }) => name),
    );
    return {
      answer,
      preset: "reference",
      positions: {},
      problems: [],
      ...(answer.state === "unknown" && suggestion !== undefined ? { suggestion } : {}),
    };
  },
  "policy.check": ({ assertions, configText }) => {
    const compiled = compile(JSON5.parse(configText ?? raw));
    const results = checkAssertions(compiled, tools, assertions ?? savedAssertions).map(outcomeOf);
    const count = (kind: string) => results.filter((result) => result.kind === kind).length;
    const axes = finish(createContextSpace(compiled).axes({}));
    return {
      results,
      counts: { proved: count("proved"), refuted: count("refuted"), invalid: count("invalid") },
      preset: "reference",
      classes: describeAxes(axes),
      contexts: countClasses(axes),
      problems: [],
    };
  },
  "policy.assertions.get": () => ({ text: savedAssertions, onFail: "block" }),
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
    expect((await screen.findAllByText(/"browser"\]/u)).length).toBeGreaterThan(0);
    expect(screen.getAllByText("browser only").length).toBeGreaterThan(0);
  });

  test("says for whom a tool is taken away besides, when it is taken from everybody", async () => {
    navigateTo("/policy/why/read?agent=support&sandbox=1");
    renderPanel(<PolicyView />, handlers);
    const everybody = (await screen.findByText("For every agent")).closest("li");
    expect(everybody?.textContent).toContain("Taken away for main (read), any-other-agent (read).");
    expect(everybody?.querySelector(".tone-keep")).toBeNull();
    expect(everybody?.querySelectorAll(".policy-squares .is-closed").length).toBeGreaterThan(0);
    const own = screen.getByText("For support only").closest("li");
    expect(own?.textContent).not.toContain("Taken away for");
    expect(own?.querySelector(".tone-keep")?.textContent).toBe("read only");
  });

  test("answers for a name that does not exist with the nearest one", async () => {
    navigateTo("/policy/why/brows?agent=support");
    renderPanel(<PolicyView />, handlers);
    await waitFor(() =>
      expect(document.querySelector(".policy-answer")?.textContent).toBe(
        "There is no tool named brows in this context. Nearest name: browser. Ask about it",
      ),
    );
  });

  test("proves and refutes assertions, and opens a counterexample in the matrix", async () => {
    navigateTo("/policy/assertions?agent=support");
    renderPanel(<PolicyView />, handlers);
    expect(await screen.findByText("proved")).toBeTruthy();
    expect(document.querySelector(".policy-assertion.is-refuted")?.textContent).toContain(
      "No agent ever gets exec",
    );
    expect(screen.getByRole("tab", { name: /Assertions\s*2/u })).toBeTruthy();
    fireEvent.click(screen.getByRole("button", { name: "Open in the matrix" }));
    await screen.findByRole("grid");
    expect(window.location.hash).toMatch(/^#\/policy\?agent=main.*at=exec/u);
  });

  test("opens a dropped file read-only, and says where a broken one breaks", async () => {
    navigateTo("/policy");
    renderPanel(<PolicyView />, handlers);
    await screen.findByRole("grid");
    const drop = (name: string, text: string) =>
      fireEvent.drop(document.querySelector(".policy-view") ?? document.body, {
        dataTransfer: { files: [new File([text], name)], types: ["Files"] },
      });
    drop("theirs.json5", `{ agents: { list: [{ id: "wren" }] }, tools: { deny: ["read"] } }`);
    expect(await screen.findByText("Read-only, does not affect what runs.")).toBeTruthy();
    await waitFor(() =>
      expect(document.querySelector(".policy-reach")?.textContent).toContain("5 of 6 tools"),
    );
    fireEvent.click(screen.getByRole("button", { name: "Back to the saved config" }));
    await waitFor(() => expect(document.querySelector(".policy-file")).toBeNull());
    drop("broken.json5", "{\n  tools: {\n    profile: coding,\n  },\n}");
    expect(await screen.findByText(/Line 3, column 14/u)).toBeTruthy();
    fireEvent.click(screen.getByRole("button", { name: "Back to the saved config" }));
  });

  test("steps through warnings with ] and shows the rule's column", async () => {
    navigateTo("/policy?agent=support");
    renderPanel(<PolicyView />, handlers);
    const grid = await screen.findByRole("grid");
    await waitFor(() => expect(document.querySelectorAll(".policy-findings > li").length).toBeGreaterThan(0));
    fireEvent.keyDown(grid, { key: "]" });
    await waitFor(() =>
      expect(document.querySelector('.policy-findings > li[aria-current="true"]')).toBeTruthy(),
    );
  });

  test("compares two agents: only what differs, widening and narrowing in words", async () => {
    navigateTo("/policy/compare?agent=support");
    renderPanel(<PolicyView />, handlers);
    const table = await screen.findByRole("table", { name: "Differing tools, A above B" });
    expect(
      within(table)
        .getAllByRole("rowheader")
        .map((row) => row.querySelector("code")?.textContent),
    ).toContain("write");
    expect(document.querySelector(".policy-compare-words")?.textContent).toContain("B is wider: it adds");
  });
});
