// @vitest-environment happy-dom
import { act, cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ApprovalRequest, GrantOffer, GrantPreview, GrantView } from "../../../shared/contract/index.ts";
import { explainWords } from "../../../shared/exec/explain/explainWords.ts";
import { testDecision, testRequest } from "../../testing/fixtures.ts";
import { renderPanel, type TestHandlers, type TestPanel } from "../../testing/renderPanel.tsx";
import { ApprovalCard } from "./ApprovalCard.tsx";
import { RulesView } from "./RulesView.tsx";

type Resolve = {
  decision: string;
  digest?: string | undefined;
  grant?: unknown;
  editedCommand?: string | undefined;
};

class SeenAtOnce {
  callback: IntersectionObserverCallback;
  constructor(callback: IntersectionObserverCallback) {
    this.callback = callback;
  }
  observe(element: Element) {
    const entry = { isIntersecting: true, target: element } as unknown as IntersectionObserverEntry;
    this.callback([entry], this as unknown as IntersectionObserver);
  }
  unobserve() {}
  disconnect() {}
  takeRecords() {
    return [];
  }
}

const program = { kind: "program", text: "/usr/bin/git" } as const;
const words = (...texts: string[]) => texts.map((text) => ({ kind: "word", text }) as const);
const scopes: GrantOffer[] = [
  {
    id: "exactCommand",
    kind: "exactCommand",
    programs: ["git"],
    stores: [[program, ...words("git", "push", "origin", "main")]],
    cwd: "/home/mira/src/acme",
    pinnedFiles: [],
    abilities: ["rewrite", "delete"],
  },
  {
    id: "argumentShape",
    kind: "argumentShape",
    programs: ["git"],
    stores: [[program, ...words("push", "origin"), { kind: "hole", text: "" }]],
    cwd: "/home/mira/src/acme",
    pinnedFiles: [],
    abilities: ["rewrite", "delete"],
  },
  {
    id: "program",
    kind: "program",
    programs: ["git"],
    stores: [[program, { kind: "any", text: "" }]],
    cwd: null,
    pinnedFiles: [],
    abilities: ["rewrite", "delete"],
  },
];
const past = (command: string) => ({
  command,
  atMs: Date.now(),
  agentId: "main",
  sessionKey: "agent:main:api-refactor",
  cwd: "/home/mira/src/acme",
  count: 1,
});
const preview: GrantPreview = {
  lookedAt: 61,
  coveredCount: 2,
  covered: [past("git push origin main"), past("git push origin fix/expiry")],
  nearest: [
    {
      ...past("git push --force origin main"),
      difference: { code: "differs.flag", params: { word: "--force" } },
    },
  ],
  isEnough: true,
  notEnoughBecause: [],
};

let resolved: Resolve[] = [];
let asked: unknown[] = [];
let panel: TestPanel | null = null;

function show(request: ApprovalRequest, handlers: TestHandlers = {}): TestPanel {
  panel = renderPanel(<ApprovalCard request={request} onDecided={() => {}} />, {
    "approvals.resolve": (input) => {
      resolved.push(input);
      return testDecision(request, { outcome: "allowed-once" });
    },
    "approvals.previewGrant": (input) => {
      asked.push(input);
      return preview;
    },
    "exec.explainWords": ({ command }) => ({ words: explainWords(command) }),
    ...handlers,
  });
  return panel;
}
const offering = (changes: Partial<ApprovalRequest> = {}) =>
  testRequest("git push origin main", {
    canEdit: true,
    always: { kind: "offered", stores: [{ pattern: "/usr/bin/git", agentId: "main" }], scopes },
    ...changes,
  });
const button = (name: string | RegExp) => screen.findByRole("button", { name });
const isLive = async (name: string | RegExp) =>
  waitFor(async () => expect((await button(name)).getAttribute("aria-disabled")).toBe("false"), {
    timeout: 5_000,
  });
async function openPicker() {
  await isLive("Allow once");
  fireEvent.click(await button("Always…"));
}

beforeEach(() => {
  resolved = [];
  asked = [];
  vi.stubGlobal("IntersectionObserver", SeenAtOnce);
  vi.spyOn(document, "hasFocus").mockReturnValue(true);
});
afterEach(() => {
  cleanup();
  panel?.rpc.dispose();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe("the scope picker", () => {
  it("starts at the narrowest scope for this session, and saves exactly that", async () => {
    show(offering());
    await openPicker();
    const exact = await screen.findByRole("radio", { name: "This exact command" });
    expect((exact as HTMLInputElement).checked).toBe(true);
    expect(screen.getByRole("radio", { name: "This session" }).getAttribute("aria-checked")).toBe("true");
    await isLive("Allow and save grant");
    fireEvent.click(await button("Allow and save grant"));
    await waitFor(() =>
      expect(resolved).toMatchObject([
        { decision: "allow-always", grant: { scopeId: "exactCommand", lifetime: { kind: "session" } } },
      ]),
    );
  });

  it("shows what would have been covered, what still asks by which word, and what is stored", async () => {
    show(offering());
    await openPicker();
    fireEvent.click(await screen.findByRole("radio", { name: /^git with these arguments/ }));
    await screen.findByText("Would have covered 2 of the last 61 commands");
    expect(screen.getByText("--force is another option")).toBeTruthy();
    expect(document.querySelector(".scope-stores")?.textContent).toContain("/usr/bin/git push origin ‹word›");
    expect(document.querySelector(".scope-stores")?.textContent).toContain("cwd = /home/mira/src/acme");
    expect(screen.getByText("Checked: this command will not ask again.")).toBeTruthy();
    fireEvent.click(screen.getByRole("radio", { name: "30 min" }));
    await waitFor(() =>
      expect(asked.at(-1)).toMatchObject({
        scopeId: "argumentShape",
        lifetime: { kind: "minutes", minutes: 30 },
      }),
    );
    expect(document.querySelector(".scope-stores")?.textContent).toContain("ends after 30 minutes");
  });

  it("says what a whole program can do at worst", async () => {
    show(offering());
    await openPicker();
    expect(await screen.findByText("can rewrite, delete")).toBeTruthy();
  });

  it("locks saving again when another scope is chosen", async () => {
    show(offering());
    await openPicker();
    await isLive("Allow and save grant");
    fireEvent.click(screen.getByRole("radio", { name: /^All of git/ }));
    const save = await button("Allow and save grant");
    expect(save.getAttribute("aria-disabled")).toBe("true");
    fireEvent.click(save);
    expect(resolved).toEqual([]);
    await isLive("Allow and save grant");
  });

  it("saves with no key", async () => {
    show(offering());
    await openPicker();
    await isLive("Allow and save grant");
    const save = await button("Allow and save grant");
    save.focus();
    for (const key of ["Enter", " "]) {
      const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
      save.dispatchEvent(event);
      expect(event.defaultPrevented).toBe(true);
    }
    expect(resolved).toEqual([]);
  });

  it("offers the entry of the approvals file as the widest, without a time", async () => {
    show(offering());
    await openPicker();
    fireEvent.click(await screen.findByRole("radio", { name: /^Entry in exec-approvals.json/ }));
    expect(screen.queryByRole("radio", { name: "This session" })).toBeNull();
    await isLive("Allow and save entry");
    fireEvent.click(await button("Allow and save entry"));
    await waitFor(() => expect(resolved).toHaveLength(1));
    expect(resolved[0]?.grant).toBeUndefined();
  });

  it("opens when only grants can be stored, and says that the picture of the past is missing", async () => {
    show(offering({ always: { kind: "offered", stores: [], scopes: scopes.slice(0, 1) } }), {
      "approvals.previewGrant": () => {
        throw new Error("no");
      },
    });
    await openPicker();
    expect(screen.queryByRole("radio", { name: /^Entry/ })).toBeNull();
    await screen.findByText("Past commands cannot be read. The grant can still be saved.");
  });
});

describe("editing before the run", () => {
  const editPreview = (request: ApprovalRequest, command: string) => ({
    kind: "ready" as const,
    outcome: "ask" as const,
    request: testRequest(command, {
      id: request.id,
      digest: `digest of ${command}`,
      canEdit: true,
      editedFrom: request.command,
      always: { kind: "withheld", reason: { code: "always.edited", params: {} } },
    }),
  });

  it("locks Allow while typing, reviews the edit like a new request, and sends its own digest", async () => {
    const request = offering();
    show(request, { "approvals.explainEdit": ({ command }) => editPreview(request, command) });
    await isLive("Allow once");
    fireEvent.click(await button("Edit"));
    expect((await button("Allow once")).getAttribute("aria-disabled")).toBe("true");
    expect(screen.getByText("Review the edited command first")).toBeTruthy();
    fireEvent.change(screen.getByLabelText("Command to run instead"), {
      target: { value: "git push origin fork" },
    });
    await screen.findByText("Needs your decision");
    fireEvent.click(await button("Review the edited command"));
    expect(await screen.findByText("Edited by operator.")).toBeTruthy();
    expect((await button("Allow once")).getAttribute("aria-disabled")).toBe("true");
    expect(screen.queryByRole("button", { name: "Always…" })).toBeNull();
    await isLive("Allow once");
    fireEvent.click(await button("Allow once"));
    await waitFor(() =>
      expect(resolved).toMatchObject([
        {
          decision: "allow-once",
          digest: "digest of git push origin fork",
          editedCommand: "git push origin fork",
        },
      ]),
    );
  });

  it("says why an edit would be refused, and goes back to the original", async () => {
    const request = offering();
    show(request, {
      "approvals.explainEdit": () => ({
        kind: "refused",
        reason: { code: "selfApproval", params: {} },
        message: "This command would answer an approval.",
      }),
    });
    fireEvent.click(await button("Edit"));
    fireEvent.change(screen.getByLabelText("Command to run instead"), {
      target: { value: "sallyport approvals" },
    });
    await screen.findByText("This command would answer an approval.");
    expect((await button("Review the edited command")).getAttribute("aria-disabled")).toBe("true");
    fireEvent.click(await button("Discard the edit"));
    expect(screen.queryByLabelText("Command to run instead")).toBeNull();
    await isLive("Allow once");
    fireEvent.click(await button("Allow once"));
    await waitFor(() => expect(resolved).toHaveLength(1));
    expect(resolved[0]?.editedCommand).toBeUndefined();
  });

  it("Escape in the field only leaves it", async () => {
    show(offering());
    fireEvent.click(await button("Edit"));
    const field = screen.getByLabelText("Command to run instead");
    field.focus();
    fireEvent.keyDown(field, { key: "Escape" });
    expect(resolved).toEqual([]);
    expect(document.activeElement).toBe(await button("Deny"));
  });
});

describe("explaining", () => {
  it("says word by word what is known, and marks what is dangerous", async () => {
    show(testRequest("rm -rf build"));
    fireEvent.click(await button("Explain"));
    expect(await screen.findByText("deletes files for good")).toBeTruthy();
    const danger = screen.getByText("folders with everything in them, without asking").closest("li");
    expect(danger?.className).toContain("is-danger");
  });
});

describe("the list of grants", () => {
  const grant = (changes: Partial<GrantView> = {}): GrantView => ({
    id: "g1",
    kind: "argumentShape",
    programs: ["git"],
    stores: scopes[1]?.stores ?? [],
    cwd: "/home/mira/src/acme",
    pinnedFiles: [],
    agentId: "main",
    sessionKey: "agent:main:api-refactor",
    madeFor: "git push origin main",
    createdAtMs: Date.now(),
    createdBy: "panel:main",
    expiresAtMs: Date.now() + 90_000,
    keptIn: "file",
    useCount: 2,
    lastUsedAtMs: Date.now(),
    lastUsedCommand: "git push origin main",
    findings: [{ code: "grant.shadowed", params: { by: "/usr/bin/*" } }],
    ...changes,
  });

  it("counts down, names findings, and revokes", async () => {
    let grants = [grant()];
    const revoked: string[] = [];
    panel = renderPanel(<RulesView list="grants" />, {
      "grants.list": () => ({ grants }),
      "grants.revoke": ({ id }) => {
        revoked.push(id);
        grants = [];
        return { revoked: true };
      },
    });
    const row = (await screen.findByText(/^1:(?:30|29|28) left$/)).closest("tr");
    if (row === null) throw new Error("no row");
    expect(row.textContent).toContain("‹word›");
    expect(row.textContent).toContain("/usr/bin/* already covers it");
    fireEvent.click(within(row).getByRole("button", { name: "Revoke the grant for git" }));
    await screen.findByText("No grants.");
    expect(revoked).toEqual(["g1"]);
  });

  it("follows changes from elsewhere", async () => {
    let grants: GrantView[] = [];
    const shown = renderPanel(<RulesView list="grants" />, { "grants.list": () => ({ grants }) });
    panel = shown;
    await screen.findByText("No grants.");
    grants = [grant({ expiresAtMs: null, keptIn: "memory", findings: [] })];
    act(() => shown.emit("grants.changed", { grants }));
    expect(await screen.findByText("the session ends")).toBeTruthy();
  });
});
