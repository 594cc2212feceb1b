// @vitest-environment happy-dom
import { act, cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { type ReactNode, useState } from "react";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { PanelOutput } from "../../rpc/connection.ts";
import { renderPanel, type TestHandlers, type TestPanel } from "../../testing/renderPanel.tsx";
import type { AllowlistEntry } from "./AllowlistTable.tsx";
import { RulesView } from "./RulesView.tsx";

type FileView = PanelOutput<"exec.approvals.get">;

let panel: TestPanel | null = null;
let entries: AllowlistEntry[] = [];
let state: FileView["state"] = "ok";
let line = 3;
let calls: string[] = [];

const entry = (pattern: string, changes: Partial<AllowlistEntry> = {}): AllowlistEntry => ({
  agentId: "main",
  id: pattern,
  pattern,
  lastUsedAtMs: null,
  lastUsedCommand: null,
  useCount: 0,
  source: "file",
  findings: [],
  ...changes,
});
const view = (): FileView => ({
  path: "/home/mira/.openclaw/exec-approvals.json",
  exists: state !== "missing",
  state,
  problems:
    state === "broken"
      ? [
          {
            path: "/home/mira/.openclaw/exec-approvals.json",
            line,
            column: 7,
            message: "a brace is missing",
            configPath: null,
          },
        ]
      : [],
  hash: "h",
  file: state === "broken" ? null : {},
  entries: state === "broken" ? [] : entries,
});

/** A person who goes to another view and comes back. */
function ComeAndGo() {
  const [isThere, setIsThere] = useState(true);
  return (
    <>
      <button type="button" onClick={() => setIsThere(!isThere)}>
        Go
      </button>
      {isThere ? <RulesView list="allowlist" /> : null}
    </>
  );
}

function show(handlers: TestHandlers = {}, ui: ReactNode = <RulesView list="allowlist" />) {
  panel = renderPanel(ui, {
    "grants.list": () => ({ grants: [] }),
    "exec.approvals.get": view,
    "exec.approvals.allowlistCheck": ({ pattern }) => ({
      isListed: entries.some((one) => one.pattern === pattern),
      findings: pattern.startsWith("/")
        ? pattern.endsWith("*")
          ? [{ code: "entry.tooBroad", params: { why: "wholeDirectory", pattern } }]
          : []
        : [{ code: "entry.neverMatches", params: { why: "bareName", pattern } }],
    }),
    "exec.approvals.allowlistAdd": ({ pattern, agentId }) => {
      calls.push(`add ${agentId} ${pattern}`);
      entries = [...entries, entry(pattern, { agentId, source: "hand" })];
      return { view: view(), added: true, findings: [] };
    },
    "exec.approvals.allowlistRemove": ({ pattern, agentId }) => {
      calls.push(`remove ${agentId} ${pattern}`);
      entries = entries.filter((one) => one.pattern !== pattern);
      return { view: view(), removed: true };
    },
    ...handlers,
  });
  return panel;
}

beforeEach(() => {
  line = 3;
  entries = [
    entry("/usr/bin/git", {
      source: "always",
      useCount: 3,
      lastUsedAtMs: Date.now(),
      lastUsedCommand: "git status --short",
      findings: [{ code: "entry.shadowed", params: { by: "/usr/bin/*", pattern: "/usr/bin/git" } }],
    }),
    entry("/usr/bin/*", {
      agentId: "*",
      source: "hand",
      findings: [
        { code: "entry.tooBroad", params: { why: "wholeDirectory", pattern: "/usr/bin/*" } },
        { code: "entry.neverUsed", params: { pattern: "/usr/bin/*" } },
      ],
    }),
  ];
  state = "ok";
  calls = [];
});
afterEach(() => {
  cleanup();
  panel?.rpc.dispose();
});

const rowOf = async (pattern: string) => {
  const found = await screen.findByText(pattern, { selector: ".entry-pattern *" });
  const row = found.closest("tr");
  if (row === null) throw new Error("no row");
  return row;
};
const field = () => screen.getByRole<HTMLInputElement>("textbox", { name: "Program" });
const type = (text: string) => fireEvent.change(field(), { target: { value: text } });
const addButton = () => screen.getByRole("button", { name: /^(?:Add entry|Press again to add it)$/ });

describe("the allowlist", () => {
  it("tells whose each entry is, where it came from, how it was used and what is wrong with it", async () => {
    show();
    const git = await rowOf("/usr/bin/git");
    expect(git.textContent).toContain("main");
    expect(git.textContent).toContain("“Always”");
    expect(git.textContent).toContain("3 times since the start");
    expect(git.textContent).toContain("git status --short");
    expect(git.textContent).toContain("/usr/bin/* already covers it");
    const wide = await rowOf("/usr/bin/*");
    expect(wide.textContent).toContain("all agents");
    expect(wide.textContent).toContain("by hand");
    expect(wide.textContent).toContain("covers every program in the folder");
    expect(wide.textContent).toContain("never used");
    expect(screen.getByRole("tab", { name: /Allowlist.*2/ }).getAttribute("aria-selected")).toBe("true");
  });

  it("removes an entry with a second press, and adds it again", async () => {
    show();
    const remove = within(await rowOf("/usr/bin/git")).getByRole("button");
    fireEvent.click(remove);
    expect(calls).toEqual([]);
    expect(remove.textContent).toBe("Press again to remove");
    // The second half of a double click, or leaving the button, removes nothing.
    fireEvent.click(remove, { detail: 2 });
    fireEvent.blur(remove);
    expect(remove.textContent).toBe("Remove");
    expect(calls).toEqual([]);
    fireEvent.click(remove);
    fireEvent.click(remove);
    const undo = await screen.findByRole("button", { name: "Add again" });
    expect(calls).toEqual(["remove main /usr/bin/git"]);
    await waitFor(() =>
      expect(screen.queryByText("/usr/bin/git", { selector: "td .entry-pattern *" })).toBeNull(),
    );
    fireEvent.click(undo);
    await rowOf("/usr/bin/git");
    expect(calls).toEqual(["remove main /usr/bin/git", "add main /usr/bin/git"]);
  });

  it("shows what is found in a new pattern before it can be saved", async () => {
    show();
    await rowOf("/usr/bin/git");
    expect(addButton().getAttribute("aria-disabled")).toBe("true");
    type("git");
    await screen.findByText("never matches: write the whole path of the program");
    fireEvent.click(addButton());
    fireEvent.submit(screen.getByRole("form", { name: "Add entry" }));
    type("/usr/bin/git");
    await screen.findByText("This entry is in the list already.");
    fireEvent.click(addButton());
    expect(calls).toEqual([]);
    type("/usr/bin/make");
    // Not before the answer about this very text is there.
    fireEvent.click(addButton());
    expect(calls).toEqual([]);
    await screen.findByText("Nothing found against it.");
    fireEvent.submit(screen.getByRole("form", { name: "Add entry" }));
    await rowOf("/usr/bin/make");
    expect(calls).toEqual(["add * /usr/bin/make"]);
    expect(field().value).toBe("");
  });

  it("asks twice for a pattern that lets many programs through", async () => {
    show();
    await rowOf("/usr/bin/git");
    type("/opt/tools/*");
    await screen.findByRole("listitem");
    fireEvent.submit(screen.getByRole("form", { name: "Add entry" }));
    expect(calls).toEqual([]);
    expect(addButton().textContent).toBe("Press again to add it");
    fireEvent.submit(screen.getByRole("form", { name: "Add entry" }));
    await rowOf("/opt/tools/*");
    expect(calls).toEqual(["add * /opt/tools/*"]);
  });

  it("offers nothing on a file that cannot be read, and everything once it was mended", async () => {
    state = "broken";
    const shown = show();
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toContain("exec-approvals.json cannot be read.");
    expect(alert.textContent).toContain(":3:7 a brace is missing");
    expect(screen.queryByRole("textbox")).toBeNull();
    expect(screen.queryByRole("button", { name: /Remove|Add/ })).toBeNull();
    state = "ok";
    act(() => shown.emit("exec.approvals.changed", { hash: "h2" }));
    await rowOf("/usr/bin/git");
    expect(field()).toBeTruthy();
  });

  it("never shows an earlier problem of the file to who comes back to it", async () => {
    state = "broken";
    const shown = show({}, <ComeAndGo />);
    expect((await screen.findByRole("alert")).textContent).toContain(":3:7");
    const go = screen.getByRole("button", { name: "Go" });
    fireEvent.click(go);
    line = 9;
    act(() => shown.emit("exec.approvals.changed", { hash: "h2" }));
    // Answered behind the event: by then it has arrived.
    await shown.rpc.call("health", {});
    fireEvent.click(go);
    await waitFor(() => expect(screen.getByRole("alert").textContent).toContain(":9:7"));
  });

  it("says what a first entry does when there is no file, and when a removal failed", async () => {
    state = "missing";
    entries = [];
    const shown = show({
      "exec.approvals.allowlistRemove": () => {
        throw new Error("locked");
      },
    });
    await screen.findByText("There is no exec-approvals.json yet. The first entry creates it.");
    state = "ok";
    entries = [entry("/usr/bin/df")];
    act(() => shown.emit("exec.approvals.changed", { hash: "h2" }));
    const remove = within(await rowOf("/usr/bin/df")).getByRole("button");
    fireEvent.click(remove);
    fireEvent.click(remove);
    expect((await screen.findByRole("alert")).textContent).toContain("It was not removed.");
  });
});
