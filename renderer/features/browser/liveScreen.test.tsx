// @vitest-environment happy-dom

import { cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import type { BrowserTab } from "../../../shared/contract/index.ts";
import { renderPanel } from "../../testing/renderPanel.tsx";
import { Pane } from "../../ui/index.ts";
import { LiveScreen } from "./LiveScreen.tsx";

afterEach(cleanup);

const tab: BrowserTab = {
  profile: "work",
  targetId: "0".repeat(32),
  title: "Shop",
  url: "https://example.com/",
  state: "open",
  sessionKey: null,
  openerTargetId: null,
  lastUsedAtMs: 1,
  isLastUsed: true,
  counts: { console: 0, errors: 0, requests: 0, failedRequests: 0, downloads: 0, dialogs: 0 },
};

it("sends keys to the page, Tab among them, and Escape leads out to the pane", async () => {
  const sent: unknown[] = [];
  renderPanel(
    <Pane label="Screen">
      <LiveScreen profile="work" tab={tab} />
    </Pane>,
    {
      "browser.screencast.start": () => ({ castId: "c1", profile: "work", targetId: tab.targetId }),
      "browser.screencast.stop": () => ({ stopped: true }),
      "browser.input": ({ input }) => {
        sent.push(input);
        return {};
      },
    },
  );
  const live = screen.getByRole("img");
  live.focus();
  fireEvent.keyDown(live, { key: "a" });
  fireEvent.keyDown(live, { key: "Tab" });
  await waitFor(() => expect(sent).toHaveLength(2));
  expect(sent).toEqual([
    { kind: "text", text: "a" },
    { kind: "key", key: "Tab" },
  ]);
  fireEvent.keyDown(live, { key: "Escape" });
  expect(document.activeElement).toBe(screen.getByRole("region", { name: "Screen" }));
  expect(sent).toHaveLength(2);
});
