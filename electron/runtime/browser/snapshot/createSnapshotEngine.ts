/** Snapshots of pages, and the way back from a ref to its element. */

import type { ElementHandle, Frame, Page } from "playwright-core";
import type { Hardening } from "../../../../shared/hardening/index.ts";
import type { ResolvedRef, Snapshot, SnapshotEngine, SnapshotRequest } from "../browserTypes.ts";
import { takeAxTree } from "./axTree.ts";
import { Frames } from "./frames.ts";
import { type KnownPart, takeDense } from "./ownDense.ts";
import { takeOwnTree } from "./ownTree.ts";
import { PageWorld } from "./pageWorld.ts";
import { type ReferenceRefs, referenceLocator, resolveReference, takeReference } from "./reference.ts";
import { parseRef, resolveInPlace, unknownRef } from "./resolveRef.ts";

/** What the engine keeps about one tab. */
export interface TabState {
  page: Page;
  world: PageWorld;
  frames: Frames;
  /** Refs of the reference's own way, which are looked up by role and name; null after any other snapshot. */
  reference: ReferenceRefs | null;
  /** Last whole dense reply of each frame, by what its refs begin with: what has not changed is not sent again. */
  denseParts: Map<string, KnownPart>;
}

export interface SnapshotEngineDeps {
  /** Rules that are on; asked anew for every snapshot. */
  hardening: () => Hardening;
  /** How long a page may take to answer, 15 seconds when absent. */
  callTimeoutMs?: number;
}

/** The engine, and what only comparisons with the reference ask. */
export interface ComparableSnapshotEngine extends SnapshotEngine {
  /** Every element that a ref of the last snapshot addresses: one, but in preset `reference` also none or several. */
  addressed(page: Page, ref: string): Promise<ElementHandle[]>;
}

export function createSnapshotEngine({
  hardening,
  callTimeoutMs,
}: SnapshotEngineDeps): ComparableSnapshotEngine {
  const tabs = new WeakMap<Page, TabState>();

  function tabOf(page: Page): TabState {
    let tab = tabs.get(page);
    if (tab === undefined) {
      const world = new PageWorld(page, callTimeoutMs);
      tab = { page, world, frames: new Frames(page, world), reference: null, denseParts: new Map() };
      tabs.set(page, tab);
    }
    return tab;
  }

  const engine: ComparableSnapshotEngine = {
    async take(page: Page, request: SnapshotRequest): Promise<Snapshot> {
      const tab = tabOf(page);
      const rules = hardening();
      if (request.format === "aria") return takeAxTree(tab, request, rules);
      if (request.format === "dense") {
        tab.reference = null;
        return takeDense(tab, request, rules);
      }
      if (!rules.has("browser.elementRefs") && !rules.has("browser.maskSecrets")) {
        return takeReference(tab, request, rules);
      }
      tab.reference = null;
      return takeOwnTree(tab, request, rules);
    },

    async resolve(page: Page, ref: string): Promise<ResolvedRef> {
      const tab = tabOf(page);
      if (tab.reference !== null) return resolveReference(tab, tab.reference, ref);
      const parsed = parseRef(ref);
      if (parsed === null) throw unknownRef(ref);
      const place = await tab.frames.byPrefix(parsed.prefix);
      if (place === null) throw unknownRef(ref);
      return resolveInPlace(tab.world, place, parsed);
    },

    async boxes(page: Page) {
      const tab = tabOf(page);
      const boxes: { ref: string; x: number; y: number; width: number; height: number }[] = [];
      for (const place of await tab.frames.shown()) {
        const { value } = await tab.world.call(place, "boxes", {});
        if (value.length === 0) continue;
        const offset = place.prefix === "" ? { x: 0, y: 0 } : await frameOffset(place.frame);
        if (offset === null) continue;
        for (const { ref, x, y, width, height } of value) {
          boxes.push({ ref: `${place.prefix}e${ref}`, x: x + offset.x, y: y + offset.y, width, height });
        }
      }
      return boxes;
    },

    async addressed(page: Page, ref: string) {
      const tab = tabOf(page);
      if (tab.reference === null) return [(await engine.resolve(page, ref)).handle];
      return (await referenceLocator(page, tab.reference, ref).elementHandles()) as ElementHandle[];
    },
  };
  return engine;
}

/** Where a frame's content begins, in pixels of the tab's viewport; null when it cannot be seen. */
async function frameOffset(frame: Frame): Promise<{ x: number; y: number } | null> {
  const handle = await frame.frameElement();
  const box = await handle.boundingBox();
  await handle.dispose();
  return box === null ? null : { x: box.x, y: box.y };
}
