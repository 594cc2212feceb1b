// @vitest-environment happy-dom
/** The context picker, the filter, the layer, a file in parts, and a saved config against an edited one. */
import { cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import JSON5 from "json5";
import { useEffect } from "react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { checkAssertions, outcomeOf, whyTool } from "../../../shared/policy/debug/index.ts";
import {
  compilePolicy,
  type RegisteredTool,
  tracePolicy,
  withSandbox,
} from "../../../shared/policy/index.ts";
import type { PolicyContext } from "../../../shared/policy/types.ts";
import { navigateTo } from "../../app/hashLocation.ts";
import { renderPanel } from "../../testing/renderPanel.tsx";
import PolicyView from "./PolicyView.tsx";
import { useWhatIfDraft } from "./whatif/draft.ts";

const raw = `{
  tools: { profile: "coding" },
  agents: {
    defaults: { sandbox: { mode: "non-main" } },
    list: [{ id: "main", default: true }, { id: "support", tools: { alsoAllow: ["message"], deny: ["write"] } }],
  },
  channels: { slack: { channels: { "#general": { tools: { deny: ["exec"] } } } } },
}
`;
const tools: RegisteredTool[] = [
  ...["read", "write", "exec", "message"].map((name) => ({ name, owner: { kind: "core" as const } })),
  { name: "browser", owner: { kind: "plugin", pluginId: "browser" } },
];
const compile = (config: unknown) => compilePolicy(config, { hardening: new Set() });

let asked: PolicyContext[] = [];
let layers: unknown[] = [];
const handlers: Parameters<typeof renderPanel>[1] = {
  "policy.contexts": () => ({
    agents: [
      { id: "main", isDefault: true },
      { id: "support", isDefault: false },
    ],
    models: [],
    groups: [],
    seen: [
      {
        label: "Codex",
        context: {
          agentId: "support",
          sessionKey: "agent:support:mcp:codex",
          provider: "acme",
          model: "m1",
          surface: "mcp",
        },
      },
      {
        label: "agent:main:panel",
        context: { agentId: "main", sessionKey: "agent:main:panel", surface: "mcp" },
      },
    ],
  }),
  "policy.trace": ({ context, configText }) => {
    asked.push(context);
    const config = JSON5.parse(configText ?? raw);
    const filled = withSandbox(config, context);
    return {
      trace: tracePolicy(compile(config), filled, tools),
      preset: "reference",
      positions: {},
      problems: [],
      ...(context.sandboxed === undefined ? { sandboxFromConfig: filled.sandboxed } : {}),
      evaluatedInMs: 0.4,
    };
  },
  "policy.findings": () => ({ findings: [], preset: "reference", positions: {}, problems: [] }),
  "policy.why": ({ context, tool, layer }) => {
    layers.push(layer);
    const config = JSON5.parse(raw);
    const { layer: found, ...answer } = whyTool(
      compile(config),
      config,
      context,
      tools,
      tool,
      layer === undefined ? {} : { layer },
    );
    const where = found === undefined ? {} : { layer: { ...found, path: [...found.path] } };
    return { answer: { ...answer, ...where }, preset: "reference", positions: {}, problems: [] };
  },
  "policy.check": () => ({
    results: checkAssertions(compile(JSON5.parse(raw)), tools, "never *: ghost").map(outcomeOf),
    counts: { proved: 1, refuted: 0, invalid: 0 },
    preset: "reference",
    classes: [],
    contexts: 0,
    problems: [],
  }),
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
  asked = [];
  layers = [];
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
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const bar = () => screen.getByRole("toolbar", { name: "Context" });
const picker = (label: string) => within(bar()).getByRole("button", { name: new RegExp(`^${label}`, "u") });
const rowNames = (grid: HTMLElement) =>
  within(grid)
    .getAllByRole("rowheader")
    .map((row) => row.querySelector("code")?.textContent ?? row.textContent?.split(" ").at(-1) ?? "");

describe("the context picker", () => {
  test("begins with contexts that sessions really had, and takes one over as a whole", async () => {
    navigateTo("/policy?agent=main");
    renderPanel(<PolicyView />, handlers);
    await screen.findByRole("grid");
    fireEvent.click(await within(bar()).findByRole("button", { name: /^seen/u }));
    const options = screen.getAllByRole("option").map((option) => option.textContent);
    expect(options).toEqual(["–", "Codex", "agent:main:panel"]);
    fireEvent.click(screen.getByRole("option", { name: "Codex" }));
    await waitFor(() =>
      expect(asked.at(-1)).toMatchObject({
        agentId: "support",
        sessionKey: "agent:support:mcp:codex",
        provider: "acme",
        model: "m1",
        surface: "mcp",
      }),
    );
    expect(picker("seen").textContent).toContain("Codex");
    fireEvent.click(picker("agent"));
    const agents = screen.getAllByRole("option").map((option) => option.textContent);
    expect(agents).toEqual(["supportseen", "mainseen"]);
  });

  test("says what the config makes of a sandbox that is left open", async () => {
    navigateTo("/policy?agent=support");
    renderPanel(<PolicyView />, handlers);
    await screen.findByRole("grid");
    await waitFor(() => expect(picker("sandbox").textContent).toContain("by config: off"));
    navigateTo("/policy?agent=support&depth=1");
    await waitFor(() => expect(picker("sandbox").textContent).toContain("by config: on"));
    navigateTo("/policy?agent=support&sandbox=1");
    await waitFor(() => expect(picker("sandbox").textContent).toContain("on"));
    expect(picker("sandbox").textContent).not.toContain("by config");
  });

  test("takes typed groups and senders, so that a channel is found by its name", async () => {
    navigateTo("/policy?agent=main&channel=slack");
    renderPanel(<PolicyView />, handlers);
    await screen.findByRole("grid");
    fireEvent.click(picker("group and sender"));
    const form = await screen.findByRole("form", { name: "group and sender" });
    const type = (label: string, value: string) =>
      fireEvent.change(within(form).getByLabelText(label), { target: { value } });
    type("group id", "C1");
    type("channel name", "#general");
    type("server or team", "acme");
    type("account", "work");
    type("id", "U7");
    type("name", "Ana");
    type("user name", "@ana");
    type("phone number", "+491");
    fireEvent.submit(form);
    await waitFor(() =>
      expect(asked.at(-1)).toMatchObject({
        channel: "slack",
        groupId: "C1",
        groupChannel: "#general",
        groupSpace: "acme",
        accountId: "work",
        senderId: "U7",
        senderName: "Ana",
        senderUsername: "@ana",
        senderE164: "+491",
      }),
    );
    await waitFor(() =>
      expect(screen.getByRole("gridcell", { name: /^exec, stage 7 / }).getAttribute("aria-label")).toContain(
        "removed here",
      ),
    );
    // The address holds it all, and what is emptied is gone.
    expect(window.location.hash).toContain("senderUsername=%40ana");
    fireEvent.click(picker("group and sender"));
    const again = await screen.findByRole("form", { name: "group and sender" });
    fireEvent.change(within(again).getByLabelText("channel name"), { target: { value: " " } });
    fireEvent.submit(again);
    await waitFor(() => expect(asked.at(-1)?.groupChannel).toBeUndefined());
    expect(asked.at(-1)?.senderId).toBe("U7");
  });
});

describe("the filter of the matrix", () => {
  test("leaves the rows that match, says when none does, and brings all back", async () => {
    navigateTo("/policy?agent=main");
    renderPanel(<PolicyView />, handlers);
    const grid = await screen.findByRole("grid");
    await waitFor(() => expect(rowNames(grid).length).toBe(tools.length));
    const filter = screen.getByRole("searchbox", { name: "Filter tools" });
    fireEvent.change(filter, { target: { value: "EX" } });
    await waitFor(() => expect(rowNames(screen.getByRole("grid"))).toEqual(["exec"]));
    fireEvent.change(filter, { target: { value: "zzz" } });
    expect(await screen.findByText("No tool matches zzz.")).toBeTruthy();
    fireEvent.change(screen.getByRole("searchbox", { name: "Filter tools" }), { target: { value: "" } });
    await waitFor(() => expect(rowNames(screen.getByRole("grid")).length).toBe(tools.length));
  });
});

describe("why a tool is missing or there", () => {
  test("a way to take it away says from how many others it takes, once", async () => {
    navigateTo("/policy/why/read?agent=main");
    renderPanel(<PolicyView />, handlers);
    const ways = await screen.findByRole("region", { name: "Ways to take it away" });
    const forAll = await within(ways).findByRole("button", { name: /For every agent/u });
    expect(forAll.textContent).toMatch(/! also takes tools away from \d+ agents?$/u);
    expect(within(ways).getByRole("button", { name: /For main only/u }).textContent).toMatch(/read only$/u);
  });

  test("what will not help is no empty heading", async () => {
    navigateTo("/policy/why/exec?agent=main&channel=slack&group=C1&room=%23general");
    const shown = renderPanel(<PolicyView />, handlers);
    await screen.findByRole("region", { name: "Ways to bring it back" });
    expect(screen.queryByText("What will not help")).toBeNull();
    shown.unmount();
    navigateTo("/policy/why/write?agent=support");
    renderPanel(<PolicyView />, handlers);
    await screen.findByRole("region", { name: "Ways to bring it back" });
    expect(screen.getByText("What will not help").nextElementSibling?.childElementCount).toBeGreaterThan(0);
  });
});

describe("the layer of a repair", () => {
  test("is asked for, and a layer that cannot do it says so", async () => {
    navigateTo("/policy/why/exec?agent=main&channel=slack&group=C1&room=%23general");
    renderPanel(<PolicyView />, handlers);
    fireEvent.click(await screen.findByRole("radio", { name: /main/u }));
    await waitFor(() => expect(layers.at(-1)).toEqual(["agents", "list", 0]));
    await waitFor(() => expect(document.body.textContent).toContain("Edits here cannot bring it back."));
  });
});

describe("a file that takes parts from other files", () => {
  test("is shown with the place, and never with a verdict", async () => {
    navigateTo("/policy");
    renderPanel(<PolicyView />, handlers);
    await screen.findByRole("grid");
    const before = asked.length;
    fireEvent.drop(document.querySelector(".policy-view") ?? document.body, {
      dataTransfer: {
        files: [new File([`{\n  tools: { $include: "./deny.json5" },\n}`], "parts.json5")],
        types: ["Files"],
      },
    });
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toContain("parts.json5 takes parts from other files");
    expect(alert.textContent).toContain("Line 2, column 12");
    expect(screen.queryByRole("grid")).toBeNull();
    expect(document.querySelector(".policy-reach")).toBeNull();
    expect(asked.length).toBe(before);
    fireEvent.click(screen.getByRole("button", { name: "Back to the saved config" }));
  });
});

/** Types into the what-if editor, without the editor. */
function Edited({ text }: { text: string }) {
  const { edit } = useWhatIfDraft({
    kind: "saved",
    name: "openclaw.json",
    text: raw,
    config: {},
    hash: "h1",
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: once is enough
  useEffect(() => edit(text), []);
  return null;
}

describe("a saved config against an edited one", () => {
  test("shows what is lost, what another stage removes, and what only gets another way", async () => {
    navigateTo("/policy/compare?agent=support");
    const edited = raw
      .replace(`{ profile: "coding" }`, `{ profile: "coding", deny: ["write", "browser", "read"] }`)
      .replace(`, deny: ["write"] } }`, " } }");
    renderPanel(
      <>
        <Edited text={edited} />
        <PolicyView />
      </>,
      handlers,
    );
    // An edit that is not saved is what lies nearest to compare with.
    const side = await screen.findByRole("button", { name: /^config/u });
    expect(side.textContent).toContain("edited, not saved");
    const table = await screen.findByRole("table", { name: "Differing tools, A above B" });
    await waitFor(() => expect(rowNames(table)).toEqual(["read", "write", "browser"]));
    expect(screen.getByRole("heading", { name: "3 differences" })).toBeTruthy();
    const words = document.querySelector(".policy-compare-words")?.textContent ?? "";
    expect(words).toContain("read");
    expect(words).not.toContain("write");
    expect(words).not.toContain("browser");
    // The copied text tells the three kinds apart by their signs.
    const copied: string[] = [];
    vi.stubGlobal("navigator", {
      ...navigator,
      clipboard: { writeText: async (text: string) => void copied.push(text) },
    });
    fireEvent.click(screen.getByRole("button", { name: "Copy as text" }));
    await waitFor(() => expect(copied).toHaveLength(1));
    const [lines = ""] = copied;
    expect(lines.split("\n").map((line) => line.replace(/: in A .*? in B /u, ": B "))).toEqual([
      expect.stringMatching(/^- read: B removed at tools\.allow/u),
      expect.stringMatching(/^~ write: B removed at tools\.allow/u),
      ". exec: B kept (differs at tools.allow)",
      ". message: B kept (differs at tools.allow)",
      expect.stringMatching(
        /^\. browser: B removed at tools\.profile \(coding\).*differs at .*tools\.allow/u,
      ),
    ]);
  });
});
