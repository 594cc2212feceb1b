/** What tools gave, as a person reads it; and the keys that tools need. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { openGallery } from "./fixtures/gallery.ts";
import { expect, test } from "./fixtures/test.ts";

test.describe.configure({ timeout: 120_000 });

const size = { width: 1280, height: 800 };

test("a change that an agent made is a difference in the history, a search a list of hits", async ({
  start,
  later,
}) => {
  const service = createServer((request, response) => {
    const isKnown = request.headers.authorization === "Bearer tvly-0123456789abcdef";
    response.writeHead(isKnown ? 200 : 401, { "content-type": "application/json" });
    const hit = {
      title: "潮汐表 Tide tables",
      url: "https://tides.example/",
      content: "High water at 4:10",
      score: 1,
    };
    response.end(JSON.stringify({ results: [hit] }));
  });
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  later(() => {
    service.closeAllConnections();
    service.close();
  });
  const baseUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  const config = JSON.stringify({
    tools: { profile: "full", web: { search: { provider: "tavily" } } },
    plugins: { entries: { tavily: { enabled: true, config: { webSearch: { baseUrl } } } } },
  });
  const { desktop, agent } = await start({ config }, size);
  const { panel } = desktop;
  const gallery = await openGallery(desktop);

  // Gate one hides the tool until it has its key; the key comes from the panel.
  expect(await agent.toolNames()).not.toContain("web_search");
  await desktop.open("/settings");
  const keys = panel.getByRole("region", { name: "Keys of services" });
  await keys.getByRole("button", { name: "Set the key of Tavily" }).click();
  await keys.getByLabel("Key, stored as TAVILY_API_KEY").fill("wrong-0123456789");
  await keys.getByRole("button", { name: "Save key" }).click();
  await keys.getByRole("button", { name: "Test the key of Tavily" }).click();
  await expect(keys.getByText(/The test failed\. .*401/)).toBeVisible();
  await keys.getByRole("button", { name: "Set the key of Tavily" }).click();
  await keys.getByLabel("Key, stored as TAVILY_API_KEY").fill("tvly-0123456789abcdef");
  await keys.getByRole("button", { name: "Save key" }).click();
  await keys.getByRole("button", { name: "Test the key of Tavily" }).click();
  await expect(keys.getByText(/The key works/)).toBeVisible();
  await expect(keys.getByText("••••cdef", { exact: false })).toBeVisible();
  await expect(panel.locator("body")).not.toContainText("tvly-0123456789abcdef");
  await keys.scrollIntoViewIfNeeded();
  await gallery.take("settings-keys");
  await expect.poll(() => agent.toolNames()).toContain("web_search");

  await agent.call("write", { path: "会议.md", content: "one\ntwo\n" });
  await agent.call("edit", { path: "会议.md", edits: [{ oldText: "two", newText: "three" }] });
  await agent.call("web_search", { query: "tides" });
  await desktop.open("/tools");
  await panel.getByRole("tab", { name: /History|Calls/ }).click();
  await panel.getByRole("button", { name: /edit .*会议/ }).click();
  await expect(panel.getByText("1 added, 1 removed")).toBeVisible();
  await expect(panel.getByText("+2 three", { exact: true })).toBeVisible();
  await gallery.take("tools-difference");
  await panel.getByRole("button", { name: /web_search \{/ }).click();
  await expect(panel.getByText("潮汐表 Tide tables", { exact: true })).toBeVisible();
  await gallery.take("tools-hits");
  expect(gallery.overflows()).toEqual([]);
});
