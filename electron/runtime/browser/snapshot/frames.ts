/** Frames of one tab: which document stands behind which `<iframe>`, and what its refs begin with. */

import type { CDPSession, ElementHandle, Frame, Page } from "playwright-core";
import type { FramePlace, PageWorld } from "./pageWorld.ts";

export class Frames {
  readonly #page: Page;
  readonly #world: PageWorld;
  readonly #prefixes = new Map<string, string>();
  readonly #places = new Map<string, FramePlace>();
  readonly #sessions = new WeakMap<Frame, Promise<CDPSession | null>>();

  constructor(page: Page, world: PageWorld) {
    this.#page = page;
    this.#world = world;
  }

  /** @param prefix `f1` of `f1e3`; empty for the main frame @returns null when no snapshot has shown that frame */
  async byPrefix(prefix: string): Promise<FramePlace | null> {
    if (prefix === "") return this.#world.main();
    const place = this.#places.get(prefix);
    return place === undefined || place.frame.isDetached() ? null : place;
  }

  /** Every frame that a snapshot has shown and that is still there. */
  async shown(): Promise<FramePlace[]> {
    return [
      await this.#world.main(),
      ...[...this.#places.values()].filter(({ frame }) => !frame.isDetached()),
    ];
  }

  /**
   * @param handleOf finds the `<iframe>` element itself
   * @returns null when it holds no document, or none any more
   */
  async enter(
    parent: FramePlace,
    ref: number,
    handleOf: () => Promise<ElementHandle | null>,
  ): Promise<FramePlace | null> {
    const frameId = await this.#world.frameIdOf(parent, ref);
    if (frameId === null) return null;
    let prefix = this.#prefixes.get(frameId);
    if (prefix === undefined) {
      prefix = `f${this.#prefixes.size + 1}`;
      this.#prefixes.set(frameId, prefix);
    }
    const known = this.#places.get(prefix);
    if (known !== undefined && !known.frame.isDetached()) {
      const session = (await this.#sessionOf(known.frame)) ?? parent.session;
      if (session === known.session) return known;
    }
    const handle = await handleOf();
    const frame = await handle?.contentFrame();
    await handle?.dispose();
    if (frame === null || frame === undefined) return null;
    const session = (await this.#sessionOf(frame)) ?? parent.session;
    const place: FramePlace = { frame, session, frameId, prefix };
    this.#places.set(prefix, place);
    return place;
  }

  /** Frames of other processes have a session of their own, which goes when they move to another process. */
  #sessionOf(frame: Frame): Promise<CDPSession | null> {
    let session = this.#sessions.get(frame);
    if (session === undefined) {
      session = this.#page
        .context()
        .newCDPSession(frame)
        .then((opened) => {
          opened.once("close", () => this.#sessions.delete(frame));
          return opened;
        })
        // Playwright refuses for a frame of its parent's process, which is the usual case.
        .catch(() => null);
      this.#sessions.set(frame, session);
    }
    return session;
  }
}
