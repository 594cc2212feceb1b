/** The policy debugger in the real app: found in the matrix, fixed in three clicks, tried, proved, compared, and quick. */

import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Page } from "@playwright/test";
import type { Desktop } from "./fixtures/desktop.ts";
import { grid, multiplyRows, openFile, rowOf } from "./fixtures/policyPanel.ts";
import { expect, test } from "./fixtures/test.ts";

const codingConfig = `{
  // set up by hand
  tools: {
    profile: "coding", // for the coder
  },
}
`;

const removed = (panel: Page, tool: string) =>
  rowOf(panel, tool)
    .getByRole("gridcell", { name: /removed here/u })
    .first();

test("finds why browser is missing from a coding agent as OpenClaw would, and fixes it in three clicks", async ({
  newPlace,
  launch,
}) => {
  const place = await newPlace({ config: codingConfig });
  const { panel, open } = await launch(place, { width: 1280, height: 800 });
  await open("/policy?as=openclaw");
  await removed(panel, "browser").click();
  await expect(panel.locator(".pane-detail")).toContainText("The profile coding does not list browser.");
  await expect(panel.locator(".pane-detail")).toContainText("openclaw.json:4");
  await panel.getByRole("button", { name: "Review and apply" }).click();
  await panel.getByRole("button", { name: "Save openclaw.json" }).click();
  await expect.poll(() => place.read(place.paths.config)).toContain(`"browser"`);
  const written = await place.read(place.paths.config);
  expect(written).toContain("// set up by hand");
  expect(written).toContain("// for the coder");
  await open("/policy?as=openclaw");
  await expect(removed(panel, "browser")).toHaveCount(0);
});

test("a denied exec is back for a connected client after three clicks", async ({ start }) => {
  const { desktop, agent } = await start({
    config: `{\n  tools: { profile: "coding", deny: ["exec"] }, // too strict\n}\n`,
  });
  const { panel, open, place } = desktop;
  expect(await agent.toolNames()).not.toContain("exec");
  await open("/policy");
  await removed(panel, "exec").click();
  await panel.getByRole("button", { name: "Review and apply" }).click();
  await panel.getByRole("button", { name: "Save openclaw.json" }).click();
  await expect.poll(() => agent.toolNames()).toContain("exec");
  expect(await place.read(place.paths.config)).toContain("// too strict");
});

/** One config per kind of finding, the place in which it shows, and its words. */
const faults: { kind: string; config: string; query?: string; words: string }[] = [
  {
    kind: "list-stripped",
    config: `{ tools: { allow: ["group:nothing"] } }`,
    words: "names no core tool that is present",
  },
  {
    kind: "profile-without-core",
    config: `{ tools: { profile: "messaging" } }`,
    query: "agent=main&channel=node",
    words: "None of the profile's tools is present",
  },
  {
    kind: "pattern-not-core",
    config: `{ tools: { allow: ["re*"] } }`,
    words: `"re*" is a pattern and does not count`,
  },
  {
    kind: "unknown-entry",
    config: `{ tools: { allow: ["read", "browse"] } }`,
    words: `"browse" is no tool. Did you mean browser?`,
  },
  {
    kind: "gated-entry",
    config: `{ tools: { allow: ["read", "apply_patch"] } }`,
    words: `"apply_patch" is not there in this context`,
  },
  { kind: "unknown-profile", config: `{ tools: { profile: "codng" } }`, words: `"codng" is no profile` },
  {
    kind: "deny-names-nothing",
    config: `{ tools: { deny: ["exce"] } }`,
    words: `"exce" in deny names nothing that exists. Did you mean exec?`,
  },
  {
    kind: "allow-and-also-allow",
    config: `{ tools: { allow: ["read"], alsoAllow: ["write"] } }`,
    words: "allow and alsoAllow are both set at tools",
  },
  {
    kind: "shadowed-entry",
    config: `{ tools: { allow: ["read", "exec"], deny: ["exec"] } }`,
    words: `"exec" is allowed and denied in the same place`,
  },
  {
    kind: "covered-entry",
    config: `{ tools: { deny: ["group:fs", "read"] } }`,
    words: `"read" adds nothing: a wider entry of the same list covers it.`,
  },
  {
    kind: "duplicate-agent",
    config: `{ agents: { list: [{ id: "main" }, { id: "Main" }] } }`,
    words: `An earlier agent has the id "main" too.`,
  },
  {
    kind: "http-entry-not-exact",
    config: `{ gateway: { tools: { deny: ["Browser"] } } }`,
    words: `"Browser" is no exact name of a tool.`,
  },
  {
    kind: "http-allow-lifts-nothing",
    config: `{ gateway: { tools: { allow: ["tts"] } } }`,
    words: `"tts" lifts nothing`,
  },
  {
    kind: "http-lifts-dangerous",
    config: `{ gateway: { tools: { allow: ["exec"] } } }`,
    words: `HTTP withholds "exec" for a reason. gateway.tools.allow lets it through.`,
  },
  {
    kind: "http-lifts-exposed",
    config: `{ gateway: { bind: "lan", tools: { allow: ["exec"] } } }`,
    words: "other machines reach this Gateway",
  },
  {
    kind: "unreachable-entry",
    config: `{ tools: { profile: "minimal" }, agents: { list: [{ id: "main", tools: { allow: ["session_status", "exec"] } }] } }`,
    words: `"exec" can bring nothing back`,
  },
  {
    kind: "wider-than-profile",
    config: `{ tools: { profile: "minimal", alsoAllow: ["*"] } }`,
    words: "grants more than the profile suggests",
  },
  {
    kind: "provider-key-never-matches",
    config: `{ tools: { byProvider: { "OpenAI": { deny: ["exec"] }, "openai": { deny: ["read"] } } } }`,
    words: `The key "OpenAI" matches no provider`,
  },
  {
    kind: "skill-without-tools",
    config: `{ tools: { deny: ["nodes"] } }`,
    words: `The skill tidy has none of its tools here: "nodes"`,
  },
  {
    kind: "skill-command-unreachable",
    config: `{ tools: { profile: "full" } }`,
    words: `The command of the skill shell calls "exec", which it does not reach here.`,
  },
];

test("a planted fault of every kind that a config can hold is found in an opened file, which is never written", async ({
  start,
}) => {
  const { desktop } = await start();
  const { panel, open, place } = desktop;
  const before = await place.read(place.paths.config);
  const skill = path.join(place.stateDir, "workspace", "skills", "tidy");
  await mkdir(skill, { recursive: true });
  await writeFile(path.join(skill, "SKILL.md"), "---\nname: tidy\nallowed-tools: [nodes]\n---\nTidy up.\n");
  const shell = path.join(place.stateDir, "workspace", "skills", "shell");
  await mkdir(shell, { recursive: true });
  await writeFile(path.join(shell, "SKILL.md"), "---\ncommand-dispatch: tool\ncommand-tool: exec\n---\n");
  await open("/policy");
  for (const { kind, config, query, words } of faults) {
    await openFile(panel, `${kind}.json5`, config);
    await open(`/policy?${query ?? "agent=main"}&as=openclaw`);
    await expect(panel.locator(".policy-file")).toContainText(`${kind}.json5`);
    await expect(panel.locator(".policy-file")).toContainText("Read-only, does not affect what runs.");
    await expect(panel.locator(".policy-findings"), kind).toContainText(words);
  }
  await openFile(panel, "broken.json5", "{\n  tools: {\n    profile: coding,\n  },\n}\n");
  await expect(panel.locator(".policy-broken")).toContainText("Line 3, column 14");
  await panel.getByRole("button", { name: "Back to the saved config" }).click();
  await expect(grid(panel)).toBeVisible();
  expect(await place.read(place.paths.config)).toBe(before);
});

test("what-if follows the text as it is typed, and a broken assertion blocks the save", async ({ start }) => {
  const { desktop } = await start({
    settings: `{ ui: { language: "en" }, assertions: { text: "always main: process" } }\n`,
  });
  const { panel, open, place } = desktop;
  await open("/policy/whatif");
  await expect(panel.getByText("Same as saved")).toBeVisible();
  await typeConfig(
    panel,
    `{ tools: { deny: ["process"], exec: { security: "allowlist", ask: "on-miss" } } }`,
  );
  await expect(panel.getByText("1 tool fewer than saved")).toBeVisible();
  await expect(panel.locator(".policy-strip")).toContainText("1 assertion fails");
  await expect(panel.locator(".policy-strip")).toContainText("process is missing for");
  await panel.getByRole("button", { name: "Show diff and save…" }).click();
  await expect(panel.getByRole("button", { name: "Save openclaw.json" })).toBeDisabled();
  await expect(panel.getByText("1 assertion fails and blocks the save.")).toBeVisible();
  expect(await place.read(place.paths.config)).toContain("kept by hand");
  await panel.getByRole("button", { name: "Open in the matrix" }).click();
  await expect(panel).toHaveURL(/#\/policy\?agent=main.*at=process/u);
});

async function typeConfig(panel: Page, text: string): Promise<void> {
  await panel.locator(".policy-whatif-edit .monaco-editor").first().click();
  await panel.keyboard.press("Control+A");
  // Key by key: the editor closes brackets by itself and lets a typed one take their place.
  await panel.keyboard.type(text);
}

test("an assertion is refuted with a context, saved only as a warning, and proved after the config changed", async ({
  start,
}) => {
  const { desktop } = await start();
  const { panel, open, place } = desktop;
  await open("/policy/assertions");
  await panel.getByRole("textbox", { name: "Text of the assertions" }).fill("never main: process");
  const result = panel.locator(".policy-assertion");
  await expect(result).toContainText("Counterexample: process reaches main");
  await panel.getByRole("button", { name: "Save assertions" }).click();
  await expect(panel.locator(".policy-assertions-edit")).toContainText(
    "Not saved: the saved config breaks one.",
  );
  await panel.getByRole("radio", { name: "warn only" }).click();
  await panel.getByRole("button", { name: "Save assertions" }).click();
  await expect.poll(() => place.read(place.paths.settings)).toContain("never main: process");
  await place.writeConfig(`{ tools: { deny: ["process"] } }\n`);
  await expect(result).toContainText("proved");
  await expect(result).toContainText(/Holds in \d+ contexts/u);
});

test("a line number opens the config at that line, read-only until a person edits it", async ({ start }) => {
  const { desktop } = await start({
    config: `{\n  tools: {\n    profile: "coding",\n    deny: ["process"],\n  },\n}\n`,
  });
  const { panel, open } = desktop;
  await open("/policy");
  await removed(panel, "process").click();
  await panel
    .locator(".pane-detail")
    .getByRole("button", { name: "Open openclaw.json at line 4" })
    .first()
    .click();
  await expect(panel).toHaveURL(/line=4/u);
  await expect(panel.locator(".policy-marked-line")).toBeVisible();
  await panel.getByRole("button", { name: "Edit this config" }).click();
  await expect(panel.getByText("not saved, does not affect what runs")).toBeVisible();
});

test("compares both semantics, and two files, in words", async ({ start }) => {
  const { desktop } = await start();
  const { panel, open } = desktop;
  await open("/policy/compare?b=semantics");
  await expect(panel.locator(".policy-compare-words")).toContainText("B is wider: it adds");
  await openFile(panel, "a.json5", `{ tools: { deny: ["exec"] } }`);
  await open("/policy/compare?agent=main&as=openclaw&b=semantics");
  await panel
    .locator(".policy-compare-side")
    .getByLabel("Choose a file…")
    .setInputFiles({
      name: "b.json5",
      mimeType: "application/json",
      buffer: Buffer.from(`{ tools: { deny: ["read"] } }`),
    });
  await panel.locator(".policy-compare-side").getByRole("button", { name: /^as/u }).click();
  await panel.getByRole("option", { name: "OpenClaw 2026.3.31" }).click();
  await expect(panel.getByRole("heading", { name: /2 differences|3 differences/u })).toBeVisible();
  await expect(panel.locator(".policy-compare-words")).toContainText("it adds exec");
  await expect(panel.locator(".policy-compare-words")).toContainText("it takes away read");
});

interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  dur?: number;
  tdur?: number;
  args?: { name?: string };
}

/**
 * The longest tasks of the panel's main thread while `act` runs, in ms of its own work. Not time on the wall: a machine
 * that has other things to do makes frames late, but no task longer. The best of three rounds counts, because what else
 * uses the processor's caches only ever adds.
 */
async function longestTasks(desktop: Desktop, act: () => Promise<void>): Promise<number[]> {
  const rounds: number[][] = [];
  for (let round = 0; round < 3; round += 1) {
    const tasks = await tracedTasks(desktop, act);
    rounds.push(tasks);
    if ((tasks[0] ?? 0) <= 50) break;
  }
  return rounds.sort((x, y) => (x[0] ?? 0) - (y[0] ?? 0))[0] ?? [];
}

async function tracedTasks({ app }: Desktop, act: () => Promise<void>): Promise<number[]> {
  const pid = await app.evaluate(async ({ BrowserWindow, contentTracing }) => {
    await contentTracing.startRecording({ included_categories: ["toplevel"] });
    return BrowserWindow.getAllWindows()[0]?.webContents.getOSProcessId();
  });
  await act();
  const file = await app.evaluate(({ contentTracing }) => contentTracing.stopRecording());
  const { traceEvents } = JSON.parse(await readFile(file, "utf8")) as { traceEvents: TraceEvent[] };
  await rm(file);
  const own = traceEvents.filter((event) => event.pid === pid);
  const main = own.find(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain")?.tid;
  const tasks = own.filter(({ tid, ph, name }) => tid === main && ph === "X" && name.endsWith("RunTask"));
  expect(tasks.length).toBeGreaterThan(100);
  return tasks
    .map(({ dur = Number.NaN, tdur = dur }) => tdur / 1000)
    .sort((x, y) => y - x)
    .slice(0, 5);
}

/** A config in which all nine stages have a policy. */
const nineStages = JSON.stringify({
  tools: {
    profile: "coding",
    alsoAllow: ["browser", "message"],
    deny: ["gateway"],
    byProvider: { openai: { profile: "coding", alsoAllow: ["browser"], deny: ["canvas"] } },
    sandbox: { tools: { allow: ["group:fs", "group:runtime", "group:sessions"], deny: ["tts"] } },
    subagents: { tools: { deny: ["nodes"] } },
  },
  agents: {
    list: [{ id: "a1", tools: { deny: ["cron"], byProvider: { openai: { deny: ["process"] } } } }],
  },
  channels: { telegram: { groups: { "1": { tools: { deny: ["edit"] } } } } },
});

test.describe("at its largest", () => {
  // The bound is a time, and the machine beside the app has slow hours: a later try that keeps it is named unsteady.
  test.describe.configure({ retries: 3 });

  test("500 tools scroll and follow the keys without a task over 50 ms", async ({ newPlace, launch }) => {
    test.setTimeout(180_000);
    const desktop = await launch(await newPlace({ config: nineStages }), { width: 1280, height: 800 });
    const { panel, open } = desktop;
    await multiplyRows(desktop, 500);
    // A window under another one gets no frames.
    await desktop.app.evaluate(({ BrowserWindow }) => {
      for (const window of BrowserWindow.getAllWindows()) window.moveTop();
    });
    await open(
      "/policy?agent=a1&provider=openai&model=gpt-5.2&channel=telegram&group=1&sandbox=1&depth=1&as=openclaw",
    );
    await expect(panel.locator(".policy-reach")).toContainText("of 500 tools");
    await expect(grid(panel).getByRole("row").nth(5)).toBeVisible();
    await expect(
      panel.locator(".mx-col.is-stage:not(.is-skipped), .mx-col.is-call-site:not(.is-skipped)"),
    ).toHaveCount(9);
    const element = grid(panel);
    const scrolled = await longestTasks(desktop, () =>
      element.evaluate(async (node) => {
        const total = node.scrollHeight - node.clientHeight;
        for (let top = 0; top <= total; top += 60) {
          node.scrollTop = top;
          await new Promise(requestAnimationFrame);
        }
        // In leaps nothing that was drawn can be used again.
        for (let step = 1; step <= 20; step += 1) {
          node.scrollTop = (total * ((step * 7) % 20)) / 20;
          await new Promise(requestAnimationFrame);
        }
      }),
    );
    expect(scrolled[0], `longest tasks while scrolling: ${scrolled.join(", ")} ms`).toBeLessThanOrEqual(50);
    await element.focus();
    const keyed = await longestTasks(desktop, async () => {
      for (let step = 0; step < 60; step += 1) await panel.keyboard.press("ArrowDown");
    });
    expect(keyed[0], `longest tasks while moving by keys: ${keyed.join(", ")} ms`).toBeLessThanOrEqual(50);
  });
});
