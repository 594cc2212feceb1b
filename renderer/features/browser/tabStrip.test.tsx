// @vitest-environment happy-dom

import { act, cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { BrowserTab } from "../../../shared/contract/index.ts";
import { renderPanel, type TestPanel } from "../../testing/renderPanel.tsx";
import { TabStrip } from "./TabStrip.tsx";

const tabOf = (name: string): BrowserTab => ({
  profile: "work",
  targetId: name.repeat(32),
  title: `Page ${name}`,
  url: `https://example.com/${name}`,
  state: "open",
  sessionKey: null,
  openerTargetId: null,
  lastUsedAtMs: 1,
  isLastUsed: false,
  counts: { console: 0, errors: 0, requests: 0, failedRequests: 0, downloads: 0, dialogs: 0 },
});
const [a, b, c] = [tabOf("a"), tabOf("b"), tabOf("c")];

let panel: TestPanel | null = null;
let went: (string | null)[] = [];

function show(current: BrowserTab | null): void {
  panel = renderPanel(
    <TabStrip
      profile={null}
      profiles={[]}
      tabs={[a, b, c]}
      current={current}
      onGo={(_profile, targetId) => went.push(targetId)}
      onManage={() => {}}
    />,
  );
}

const tab = (name: string) => screen.getByRole("tab", { name: new RegExp(`Page ${name}`) });
const press = (key: string) =>
  fireEvent.keyDown(document.activeElement ?? document.body, { key, cancelable: true });
const reachable = () => screen.getAllByRole("tab").filter((one) => one.tabIndex === 0);

beforeEach(() => {
  went = [];
});

afterEach(() => {
  cleanup();
  panel?.rpc.dispose();
});

it("is one stop for Tab: the page on screen, else the first", () => {
  show(b);
  expect(reachable()).toEqual([tab("b")]);
  cleanup();
  show(null);
  expect(reachable()).toEqual([tab("a")]);
});

it("moves the focus by arrows, round the ends, and by Home and End", () => {
  show(b);
  act(() => tab("b").focus());
  press("ArrowRight");
  expect(document.activeElement).toBe(tab("c"));
  expect(reachable()).toEqual([tab("c")]);
  press("ArrowRight");
  expect(document.activeElement).toBe(tab("a"));
  press("ArrowLeft");
  expect(document.activeElement).toBe(tab("c"));
  press("Home");
  expect(document.activeElement).toBe(tab("a"));
  expect(press("End")).toBe(false);
  expect(document.activeElement).toBe(tab("c"));
});

it("loads no page before it is chosen, and is reached at the page on screen again after the focus left", () => {
  show(b);
  act(() => tab("b").focus());
  press("ArrowRight");
  expect(went).toEqual([]);
  expect(press("x")).toBe(true);
  fireEvent.click(tab("c"));
  expect(went).toEqual([c.targetId]);
  act(() => tab("c").blur());
  expect(reachable()).toEqual([tab("b")]);
});

it("leaves the keys of the button that closes a page alone", () => {
  show(b);
  const close = screen.getByRole("button", { name: /Page b/ });
  act(() => close.focus());
  expect(press("ArrowRight")).toBe(true);
  expect(document.activeElement).toBe(close);
});
