/** Pictures of every state of the policy view: in both themes and languages, and in a narrow window. */

import { openGallery } from "./fixtures/gallery.ts";
import { grid as gridOf, multiplyRows, openFile } from "./fixtures/policyPanel.ts";
import { expect, test } from "./fixtures/test.ts";

test.describe.configure({ timeout: 240_000 });

const size = { width: 1280, height: 800 };

const config = `{
  // Who may know what.
  tools: {
    profile: "coding",
    deny: ["gateway"],
    byProvider: { google: { profile: "minimal" } },
    exec: { security: "allowlist", ask: "on-miss" },
  },
  agents: {
    list: [
      { id: "main", default: true },
      {
        id: "support",
        tools: {
          profile: "messaging",
          // the slip of the year
          alsoAllow: ["brwser"],
          deny: ["exec", "group:web"],
        },
      },
      { id: "research", tools: { allow: ["web_*"], deny: ["process", "cron"] } },
    ],
  },
  channels: {
    telegram: { groups: { "-100200": { tools: { deny: ["write", "edit"] } } } },
  },
}
`;
const assertions = [
  "never support: exec",
  "always main: read",
  "never *: nodes",
  "never research: browser",
].join("\n");

test("every state of the policy view", async ({ start }) => {
  const { desktop } = await start(
    {
      config,
      settings: `{ ui: { language: "en", theme: "dark" }, assertions: { text: ${JSON.stringify(assertions)}, onFail: "warn" } }`,
    },
    size,
  );
  const { panel, open } = desktop;
  const gallery = await openGallery(desktop);
  const main = panel.locator("main");
  const grid = gridOf(panel);
  /** Those that the other pictures vary; of the rest two looks in a narrow window show what can go wrong. */
  const inAllLooks = /-(?:cell|findings|why-missing|why-taken|whatif-save|compare-agents|file-refused)$/;
  const both = async (name: string) => {
    if (inAllLooks.test(name)) await gallery.take(name);
    await gallery.takeNarrow(name);
  };
  const at = async (name: string, address: string, ready = main.locator(".policy-main")) => {
    await open(address);
    await expect(ready).toBeVisible();
    await expect(panel.locator(".skeleton")).toHaveCount(0);
    await both(name);
  };

  await at("policy-1-matrix", "/policy?as=openclaw", grid);
  await open("/policy?agent=support&as=openclaw&at=exec");
  await grid.focus();
  await panel.keyboard.press("Enter");
  await expect(panel.locator(".pane-detail")).toBeVisible();
  await both("policy-2-cell");
  await at("policy-3-findings", "/policy?agent=research&as=openclaw", panel.locator(".policy-findings"));
  await open("/policy?agent=support&as=openclaw");
  await panel.getByRole("button", { name: "List", exact: true }).click();
  await both("policy-4-list");
  await panel.getByRole("button", { name: "List", exact: true }).click();

  await at("policy-5-why-missing", "/policy/why/browser?agent=support&as=openclaw");
  await at("policy-6-why-present", "/policy/why/read?agent=main&as=openclaw");
  // Lower on the same page: ways to take it away, from others as well.
  await panel.getByRole("button", { name: /For every agent/ }).scrollIntoViewIfNeeded();
  await both("policy-6-why-taken");
  await at("policy-7-why-unknown", "/policy/why/exce?agent=main&as=openclaw");
  await at("policy-8-why-absent", "/policy/why/nodes?agent=support");

  await at("policy-9-whatif", "/policy/whatif?as=openclaw", panel.locator(".monaco-editor").first());
  await open("/policy/why/browser?agent=support&as=openclaw");
  await panel.getByRole("button", { name: "Try in what-if" }).first().click();
  await expect(panel.locator(".monaco-editor").first()).toBeVisible();
  await both("policy-10-whatif-changed");
  await panel.getByRole("button", { name: "Show diff and save…" }).click();
  await expect(panel.locator(".monaco-diff-editor .line-insert").first()).toBeVisible();
  await both("policy-11-whatif-save");

  await open("/policy/compare?agent=support&as=openclaw");
  await expect(panel.locator(".policy-compare-words")).toBeVisible();
  await both("policy-12-compare-edited");
  await at(
    "policy-13-compare-semantics",
    "/policy/compare?agent=research&b=semantics",
    panel.locator(".policy-compare-words"),
  );

  await open("/policy?agent=support&as=openclaw");
  await expect(grid).toBeVisible();
  await grid.focus();
  await panel.keyboard.press("c");
  await at(
    "policy-14-compare-agents",
    "/policy/compare?agent=main&as=openclaw",
    panel.locator(".policy-compare-words"),
  );

  await at(
    "policy-15-assertions",
    "/policy/assertions?as=openclaw",
    panel.locator(".policy-assertion").first(),
  );

  await openFile(panel, "other.json5", config.replace('"coding"', '"minimal"'));
  await at("policy-16-file", "/policy?agent=main&as=openclaw", grid);
  await openFile(panel, "refused.json5", `{ tools: { allow: ["read"], alsoAllow: ["exec"], nonsense: 1 } }`);
  await at("policy-17-file-refused", "/policy?agent=main&as=openclaw", grid);
  await openFile(panel, "broken.json5", "{\n  tools: {\n    profile: coding,\n  },\n}\n");
  await expect(panel.locator(".policy-broken .monaco-editor").first()).toBeVisible();
  await both("policy-18-file-broken");
  await panel.getByRole("button", { name: "Back to the saved config" }).click();
  await multiplyRows(desktop, 500);
  await open("/policy?agent=research&as=openclaw");
  // What was answered before is kept until the config changes.
  await desktop.place.writeConfig(`${config}\n`);
  await expect(panel.locator(".policy-reach")).toContainText("of 500 tools");
  await both("policy-19-500-tools");
  expect(gallery.overflows()).toEqual([]);
  expect(desktop.log()).not.toMatch(/"level":"error"/);
});
