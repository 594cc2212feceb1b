/** The policy view: a removed tool shows its stage and rule, and for the client it does not exist. */

import { expect, test } from "./fixtures/test.ts";

const config = `{
  tools: {
    profile: "coding",
    deny: ["process"],
    exec: { security: "allowlist", ask: "on-miss" },
  },
}
`;

test("a denied tool is removed at its stage by a named rule and line, and is absent for the client", async ({
  start,
}) => {
  const { desktop, agent } = await start({ config });
  const { panel, operator } = desktop;
  expect(await agent.toolNames()).toContain("exec");
  expect(await agent.toolNames()).not.toContain("process");
  await expect(agent.call("process", { action: "list" })).rejects.toThrow("Unknown tool: process");

  await desktop.open("/policy");
  const grid = panel.getByRole("grid", { name: "Tools by stage" });
  const row = grid.getByRole("row").filter({ has: panel.getByRole("rowheader", { name: /process$/ }) });
  const removed = row.getByRole("gridcell", { name: /removed here/ });
  await expect(removed).toHaveAccessibleName(/process, stage \d tools\.allow, removed here/);
  await removed.click();
  const detail = panel.getByRole("complementary").or(panel.locator(".pane-detail"));
  // Rules as in a browser's style panel: the place, its line in openclaw.json, and the entry that did it.
  await expect(detail.first()).toContainText(/tools.*openclaw\.json:4.*deny: \["process"\]/);
  const kept = grid.getByRole("row").filter({ has: panel.getByRole("rowheader", { name: /exec$/ }) });
  await expect(kept.getByRole("gridcell", { name: /removed here/ })).toHaveCount(0);

  // The operator, and nobody else, is told gate, rule and line.
  const { entries } = await operator.rpc.call("ledger.list", {});
  const hidden = entries.find((entry) => entry.kind === "call.hidden");
  expect(JSON.stringify(hidden?.data)).toContain("tools.deny");
});

test("why a tool is missing: Ctrl K, the answer in words, and the edit that brings it back", async ({
  start,
}) => {
  const { desktop, agent } = await start({ config });
  const { panel, place } = desktop;
  await panel.keyboard.press("Control+k");
  await panel.keyboard.type("why process");
  await panel
    .getByRole("option", { name: /process/ })
    .first()
    .click();
  await expect(panel).toHaveURL(/#\/policy\/why\/process/);
  await expect(panel.locator("main")).toContainText(/Why is.*process.*missing\?/);
  await expect(panel.locator("main")).toContainText(/deny: \["process"\]/);
  await place.writeConfig(config.replace('    deny: ["process"],\n', ""));
  await expect.poll(() => agent.toolNames()).toContain("process");
  await expect(panel.locator("main")).not.toContainText("removed");
});

test("a change of the config reaches a connected client as list-changed", async ({ start }) => {
  const { desktop, agent } = await start();
  const { ToolListChangedNotificationSchema } = await import("@modelcontextprotocol/sdk/types.js");
  const told = new Promise<void>((resolve) =>
    agent.client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve()),
  );
  await desktop.place.writeConfig(config);
  await told;
  await expect.poll(() => agent.toolNames()).not.toContain("process");
});
