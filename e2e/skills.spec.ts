/** Commands of skills in the real app: one runs, one is out of reach with the rule that says so, and a changed one waits. */

import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { openGallery } from "./fixtures/gallery.ts";
import type { Place } from "./fixtures/place.ts";
import { expect, test } from "./fixtures/test.ts";

test.describe.configure({ timeout: 120_000 });

const size = { width: 1280, height: 800 };

async function putSkill(place: Place, name: string, ...lines: string[]): Promise<void> {
  const folder = path.join(place.stateDir, "workspace", "skills", name);
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, "SKILL.md"), ["---", ...lines, "---", "", "Words.", ""].join("\n"));
}

const calls = (tool: string) => ["command-dispatch: tool", `command-tool: ${tool}`];

test("a skill's command runs, and policy keeps another from its tool", async ({ newPlace, launch }) => {
  const place = await newPlace({
    config: `{\n  tools: { profile: "full", deny: ["canvas", "web_fetch"] },\n}\n`,
  });
  await putSkill(place, "status", "description: Says how this session stands.", ...calls("session_status"));
  await putSkill(place, "fetch", "description: Reads a page.", ...calls("web_fetch"));
  await putSkill(place, "shell", "description: Runs what you type.", ...calls("exec"));
  await putSkill(place, "notes", "description: How notes are taken here.");
  const desktop = await launch(place, size);
  const { panel, open, operator } = desktop;
  const gallery = await openGallery(desktop);

  await open("/tools/skills/status");
  await panel.getByLabel("Text behind the command").fill("how is it?");
  await panel.getByRole("button", { name: "Run /status" }).click();
  const result = panel.getByRole("region", { name: "Result" });
  await expect(result).toContainText("agent:main:panel");
  await gallery.take("skill-ran");

  await panel.getByRole("button", { name: "/fetch out of reach" }).click();
  await expect(panel.getByText("does not reach web_fetch")).toBeVisible();
  await expect(panel.getByText(/by web_fetch \(tools\.deny\[1\]\)\.$/)).toBeVisible();
  await expect(panel.getByRole("button", { name: /^Run/ })).toHaveCount(0);
  await gallery.take("skill-unreachable");
  await gallery.takeNarrow("skill-unreachable");
  await panel.getByRole("button", { name: "/shell out of reach" }).click();
  await expect(panel.getByText(/^Commands of skills never reach it/)).toBeVisible();
  await panel.getByRole("button", { name: "notes no command" }).click();
  await expect(panel.getByText("It is text for a model and calls nothing by itself.")).toBeVisible();

  // What the rule takes away comes back with the rule gone, without a restart.
  await place.writeConfig(`{\n  tools: { profile: "full", deny: ["canvas"] },\n}\n`);
  await panel.getByRole("button", { name: "/fetch web_fetch" }).click();
  await panel.getByLabel("Text behind the command").fill("http://127.0.0.1:9/");
  await panel.getByRole("button", { name: "Run /fetch" }).click();
  await expect(panel.getByRole("status").getByText("arguments refused")).toBeVisible();
  await expect(panel.getByText(/^❌ web_fetch needs url/)).toBeVisible();

  // The file was written anew since it was shown: what the person saw is not what would run.
  await putSkill(place, "fetch", "description: Reads a page.", ...calls("session_status"));
  await panel.getByRole("button", { name: "Run /fetch" }).click();
  await expect(panel.getByText(/calls session_status now, not web_fetch/)).toBeVisible();
  await panel.getByRole("button", { name: "Read again" }).click();
  await expect(panel.getByRole("button", { name: "/fetch session_status" })).toBeVisible();

  expect(gallery.overflows()).toEqual([]);

  const { calls: made } = await operator.rpc.call("calls.list", { limit: 10 });
  expect(made.map(({ tool, state, skill }) => [tool, state.kind, skill?.commandName])).toEqual([
    ["web_fetch", "invalid", "fetch"],
    ["session_status", "succeeded", "status"],
  ]);
  expect(made.every(({ toolCallId }) => toolCallId.startsWith("cmd_"))).toBe(true);
});

test("an agent without skills is told where they come from", async ({ newPlace, launch }) => {
  const desktop = await launch(await newPlace(), size);
  await desktop.open("/tools");
  await expect(desktop.panel.getByText(/^Agent main has no skill\. A skill is a folder/)).toBeVisible();
});
