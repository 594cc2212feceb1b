// @vitest-environment happy-dom

import { act, cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import type { BrowserTab } from "../../../shared/contract/index.ts";
import { renderPanel, type TestPanel } from "../../testing/renderPanel.tsx";
import { Pane } from "../../ui/index.ts";
import { LiveScreen } from "./LiveScreen.tsx";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

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

function show(sent: unknown[]): TestPanel {
  return renderPanel(
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
}

it("sends keys to the page, Tab among them, and Escape leads out to the pane", async () => {
  const sent: unknown[] = [];
  show(sent);
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

it("sends the turns of the wheel within one animation frame as one, at the place of the last", async () => {
  const frames: FrameRequestCallback[] = [];
  vi.stubGlobal("requestAnimationFrame", (call: FrameRequestCallback) => frames.push(call));
  vi.spyOn(HTMLElement.prototype, "getBoundingClientRect").mockReturnValue(new DOMRect(0, 0, 500, 400));
  const sent: unknown[] = [];
  const shown = show(sent);
  const live = screen.getByRole("img");
  fireEvent.wheel(live, { deltaX: 1, deltaY: 1 });
  expect(frames).toHaveLength(0);
  // Answered behind the start of the frames.
  await act(() => shown.rpc.call("health", {}));
  const of = {
    castId: "c1",
    profile: "work",
    targetId: tab.targetId,
    viewportWidth: 1000,
    viewportHeight: 800,
  };
  act(() => shown.emit("browser.frame", { ...of, seq: 1, base64: "", atMs: 1 }));
  await waitFor(() => expect(live.className).not.toContain("is-empty"));
  const turn = (deltaX: number, deltaY: number, clientX: number) => {
    const event = new WheelEvent("wheel", { deltaX, deltaY, bubbles: true });
    // The DOM of these tests gives a wheel no place.
    Object.defineProperties(event, { clientX: { value: clientX }, clientY: { value: 100 } });
    fireEvent(live, event);
  };
  turn(1, 10, 10);
  turn(2, 20, 20);
  turn(-1, 30, 250);
  expect(sent).toEqual([]);
  expect(frames).toHaveLength(1);
  frames.pop()?.(0);
  await waitFor(() => expect(sent).toEqual([{ kind: "wheel", x: 500, y: 200, deltaX: 2, deltaY: 60 }]));
  turn(0, -5, 250);
  frames.pop()?.(0);
  await waitFor(() => expect(sent).toHaveLength(2));
  expect(sent[1]).toEqual({ kind: "wheel", x: 500, y: 200, deltaX: 0, deltaY: -5 });
});
