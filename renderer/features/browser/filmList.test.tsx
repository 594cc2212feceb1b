// @vitest-environment happy-dom

import { cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import type { BrowserFilmEntry, BrowserFilmPicture } from "../../../shared/contract/index.ts";
import { Providers } from "../../app/Providers.tsx";
import { renderPanel, type TestPanel } from "../../testing/renderPanel.tsx";
import { FilmList } from "./FilmList.tsx";

const entryOf = (part: Partial<BrowserFilmEntry>): BrowserFilmEntry => ({
  id: "6f2c9b1e-3d0a-4c58-9a58-0d6c2f0f7a11",
  profile: "openclaw",
  targetId: "A".repeat(32),
  atMs: 1,
  durationMs: 12,
  who: { kind: "agent", label: "test agent", agentId: "main", sessionKey: null, toolCallId: null },
  action: "type",
  target: null,
  detail: "Mira",
  urlBefore: "http://example.com/before",
  urlAfter: "http://example.com/after",
  result: { kind: "done" },
  hasBefore: true,
  hasAfter: false,
  ...part,
});

let panel: TestPanel | null = null;

afterEach(() => {
  cleanup();
  panel?.rpc.dispose();
});

it("shows the picture after an act as soon as it is developed, while the one before stays", async () => {
  const kept: BrowserFilmPicture = {
    id: entryOf({}).id,
    beforeBase64: "QkVGT1JF",
    afterBase64: null,
    width: 320,
    height: 200,
  };
  panel = renderPanel(<FilmList entries={[entryOf({})]} />, {
    "browser.filmPictures": () => ({ pictures: [{ ...kept }] }),
  });
  fireEvent.click(screen.getByRole("button", { name: /type/ }));
  await screen.findByRole("img", { name: "The page before" });
  expect(screen.getByText("No picture was kept")).toBeTruthy();

  kept.afterBase64 = "QUZURVI=";
  panel.rerender(
    <Providers rpc={panel.rpc}>{<FilmList entries={[entryOf({ hasAfter: true })]} />}</Providers>,
  );
  expect(screen.getByRole("img", { name: "The page before" })).toBeTruthy();
  const after = await screen.findByRole("img", { name: "The page after" });
  expect(after.getAttribute("src")).toBe("data:image/jpeg;base64,QUZURVI=");
});
