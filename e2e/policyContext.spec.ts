/** The context of the policy view, typed in the real app: three agents, a room found by its name, a file in parts. */

import { openGallery } from "./fixtures/gallery.ts";
import { openFile, rowOf } from "./fixtures/policyPanel.ts";
import { expect, test } from "./fixtures/test.ts";

const threeAgents = `{
  agents: { list: [
    { id: "coder", default: true, tools: { profile: "coding" } },
    { id: "researcher", tools: { allow: ["group:web", "read"] } },
    { id: "support", tools: { profile: "messaging" } },
  ] },
  channels: { slack: { channels: { "#general": { tools: { deny: ["exec"] } } } } },
}
`;

test("a room is found by its name, as the config writes it", async ({ newPlace, launch }) => {
  const place = await newPlace({ config: threeAgents });
  const desktop = await launch(place, { width: 1280, height: 800 });
  const { panel, open } = desktop;
  const gallery = await openGallery(desktop);
  await open("/policy?agent=coder&channel=slack");
  const removed = rowOf(panel, "exec").getByRole("gridcell", { name: /removed here/u });
  await expect(rowOf(panel, "exec")).toBeVisible();
  await expect(removed).toHaveCount(0);
  const picker = panel.getByRole("button", { name: /^group and sender/u });
  await picker.click();
  await gallery.take("policy-typed");
  const form = panel.getByRole("form", { name: "group and sender" });
  if (!(await form.isVisible())) await picker.click();
  await form.getByLabel("group id").fill("C024BE91L");
  await form.getByLabel("channel name").fill("#general");
  await form.getByLabel("name", { exact: true }).fill("Ana");
  await form.getByRole("button", { name: "Ask for these" }).click();
  await expect(removed).toHaveCount(1);
  await gallery.take("policy-typed-asked");
  await gallery.takeNarrow("policy-typed-asked");
  await openFile(panel, "parts.json5", `{\n  tools: { $include: "./tools.json5" },\n}\n`);
  await expect(panel.locator(".policy-problem")).toContainText("Line 2, column 12");
  await expect(panel.getByRole("grid")).toHaveCount(0);
  await expect(panel.getByText("tools reach the model")).toHaveCount(0);
  await gallery.take("policy-includes");
  expect(gallery.overflows()).toEqual([]);
});
