/** From a ref to the one element it was printed for, or to the reason why there is none any more. */

import type { ElementHandle } from "playwright-core";
import type { ResolvedRef } from "../browserTypes.ts";
import { browserProblem } from "../problems.ts";
import type { FramePlace, PageWorld } from "./pageWorld.ts";

const MAX_TRIES = 4;

export interface ParsedRef {
  /** Empty, or `f1`. */
  prefix: string;
  number: number;
}

/** `e12`, `@e12`, `ref=e12`, `f1e3`, and `12` as lists of controls have it. @returns null for anything else */
export function parseRef(text: string): ParsedRef | null {
  const match = /^(?:@|ref=)?(?:(f\d+)?e)?(\d{1,9})$/.exec(text.trim());
  return match === null ? null : { prefix: match[1] ?? "", number: Number(match[2]) };
}

export function unknownRef(ref: string): Error {
  return browserProblem(
    "unknown_ref",
    `Unknown ref "${ref.slice(0, 40)}". Run a new snapshot and use a ref from that snapshot.`,
    { data: { ref: ref.slice(0, 40) } },
  );
}

/** @throws AppError unknown_ref, stale_ref; never waits for an element to appear */
export async function resolveInPlace(
  world: PageWorld,
  place: FramePlace,
  { prefix, number }: ParsedRef,
): Promise<ResolvedRef> {
  const ref = `${prefix}e${number}`;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const { value: located } = await world.call(place, "locate", { ref: number });
    switch (located.kind) {
      case "unknown":
        // Numbers of a tab only go up: what was given before this document belonged to an earlier one.
        if (number <= world.lastRefOf(prefix)) {
          throw stale(ref, "the page has been replaced since: it shows another document now", {});
        }
        throw unknownRef(ref);
      case "gone":
        throw stale(ref, `its ${described(located)} is no longer on the page`, located);
      case "changed":
        throw stale(
          ref,
          `it was ${described(located)} and is ${described({ role: located.nowRole, name: located.nowName })} now`,
          located,
        );
      case "marked": {
        const { role, name, mark } = located;
        try {
          const handle = await place.frame.$(`[${mark}]`);
          if (handle !== null) return { handle: handle as ElementHandle, role, name };
        } finally {
          await world.call(place, "unmark", { mark });
        }
        break;
      }
      case "found": {
        const { role, name, xpath, mutations } = located;
        const handle = await place.frame.$(`xpath=${xpath}`);
        // The page may have moved elements about in between; then the path may lead to another one.
        if (handle !== null && (await world.call(place, "isAsItWas", { mutations })).value) {
          return { handle: handle as ElementHandle, role, name };
        }
        await handle?.dispose();
        break;
      }
    }
  }
  throw stale(ref, "the page keeps rebuilding itself around it", {});
}

function described({ role, name }: { role: string; name: string }): string {
  return name === "" ? role : `${role} "${name.slice(0, 80)}"`;
}

function stale(ref: string, why: string, data: { role?: string; name?: string }): Error {
  return browserProblem(
    "stale_ref",
    `Ref ${ref} is out of date: ${why}. Run a new snapshot and use a ref from it.`,
    {
      data: { ref, ...(data.role === undefined ? {} : { role: data.role }) },
    },
  );
}
