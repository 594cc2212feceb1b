/** The recorded snapshots: texts exactly, pages in the browser at hand, refs by the elements that they address. */

import path from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, chromium, type ElementHandle, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type ComparableSnapshotEngine,
  createSnapshotEngine,
} from "../../../electron/runtime/browser/snapshot/createSnapshotEngine.ts";
import { toRoleSnapshot, toRoleSnapshotWithAriaRefs } from "../../../shared/browser/snapshot/roleSnapshot.ts";
import { allHardening } from "../../../shared/hardening/index.ts";
import { chromiumPath, sandboxFlags } from "../../fixtures/programs.ts";
import {
  aiOutline,
  outline,
  readEntries,
  type SnapshotCase,
  type SnapshotEntry,
  unknownIn,
  usesAriaRefs,
  vectorsDir,
} from "./snapshotCases.ts";

const entries = readEntries();
const pages = entries.filter(({ page }) => page !== undefined);
const reference = createSnapshotEngine({ hardening: () => new Set<string>() });
const sallyport = createSnapshotEngine({ hardening: () => allHardening });
const PAGE_TIMEOUT_MS = 120_000;
const viewer = "vectors";

let browser: Browser;
let page: Page;

beforeAll(async () => {
  browser = await chromium.launch({
    executablePath: chromiumPath(),
    args: [
      ...sandboxFlags,
      "--disable-background-networking",
      "--disable-component-update",
      "--no-first-run",
    ],
  });
  page = await browser.newPage();
}, PAGE_TIMEOUT_MS);

afterAll(async () => {
  await browser.close();
});

test("the recording holds nothing that this runner does not know", () => {
  expect(entries.flatMap(unknownIn)).toEqual([]);
});

describe("browser snapshots, text", () => {
  const cases = entries.flatMap((entry) => entry.cases.map((one, index) => ({ entry, one, index })));
  const texts = cases.filter(({ one }) => one.selector === undefined && one.frame === undefined);
  test.each(texts)("$entry.id $index $one.name", ({ entry, one }) => {
    const isAi = usesAriaRefs(one) || entry.kind === "ai-text-only";
    const raw = isAi ? (entry.rawAiSnapshot ?? entry.ai?.snapshot) : entry.rawAriaSnapshot;
    expect(raw, "there is no raw snapshot").toBeTypeOf("string");
    const convert = isAi ? toRoleSnapshotWithAriaRefs : toRoleSnapshot;
    const made = convert(raw ?? "", one.options, { readsYaml: false });
    expect({ snapshot: made.text, refs: Object.fromEntries(made.refs), stats: made.stats }).toEqual({
      snapshot: one.snapshot,
      refs: one.refs,
      stats: one.stats,
    });
  });
});

describe("browser snapshots, pages", () => {
  test.each(pages)(
    "$id",
    async (entry) => {
      await open(entry);
      for (const one of entry.cases) await comparePage(one);
      if (entry.ai !== undefined) {
        const taken = await reference.take(page, { format: "ai", viewer });
        const { actual, recorded } = aiOutline(taken.text, entry.ai.snapshot);
        expect(actual).toEqual(recorded);
      }
    },
    PAGE_TIMEOUT_MS,
  );
});

describe("browser snapshots, controls", () => {
  test.each(pages.filter(({ controls }) => controls !== undefined))(
    "$id",
    async (entry) => {
      await open(entry);
      for (const format of ["role", "dense"] as const) {
        const snapshot = await sallyport.take(page, { format, viewer, maxChars: 10_000_000 });
        const refsByKey = new Map<string, string[]>();
        for (const [ref, { role, name }] of snapshot.refs) push(refsByKey, `${role} ${name ?? ""}`, ref);
        const elementsByKey = new Map<string, string[]>();
        for (const { role, name, element } of entry.controls ?? [])
          push(elementsByKey, `${role} ${name}`, element);
        for (const [key, elements] of elementsByKey) {
          const refs = (refsByKey.get(key) ?? []).slice(0, elements.length);
          // The role family leaves out what is hidden from assistive technology; the dense one shows all.
          if (format === "role" && refs.length === 0) continue;
          const found: string[] = [];
          for (const ref of refs) found.push(...(await labels(sallyport, ref)));
          expect(found, `${format}: ${key}`).toEqual(elements);
        }
      }
    },
    PAGE_TIMEOUT_MS,
  );
});

/** A new tab for each: Playwright numbers refs of a tab that has navigated before in another way. */
async function open(entry: SnapshotEntry): Promise<void> {
  await page.close();
  page = await browser.newPage();
  await page.goto(pathToFileURL(path.join(vectorsDir, "browser", entry.page ?? "")).href);
}

/** Versions of Playwright number the AI family differently, so of its refs only the text-level cases speak. */
async function comparePage(one: SnapshotCase): Promise<void> {
  const isAria = usesAriaRefs(one);
  const taken = await reference.take(page, {
    format: "role",
    ...one.options,
    ...(isAria ? { refs: "aria" as const } : {}),
    ...(one.selector === undefined ? {} : { selector: one.selector }),
    ...(one.frame === undefined ? {} : { frame: one.frame }),
    viewer,
  });
  if (isAria) {
    const { actual, recorded } = aiOutline(taken.text, one.snapshot);
    expect(actual, one.name).toEqual(recorded);
  } else expect(outline(taken.text, { refs: true }), one.name).toEqual(outline(one.snapshot, { refs: true }));
  if (one.resolvesTo === undefined) return;
  const addressed: Record<string, string[]> = {};
  for (const ref of Object.keys(one.resolvesTo)) addressed[ref] = await labels(reference, ref);
  expect(addressed, `${one.name}: resolvesTo`).toEqual(one.resolvesTo);
}

async function labels(engine: ComparableSnapshotEngine, ref: string): Promise<string[]> {
  const handles = await engine.addressed(page, ref);
  return Promise.all(handles.map(labelOf));
}

/** As the recording names elements: by id, else by tag. */
function labelOf(handle: ElementHandle): Promise<string> {
  return (handle as ElementHandle<Element>).evaluate((element) =>
    element.id === "" ? element.localName : `#${element.id}`,
  );
}

function push(map: Map<string, string[]>, key: string, value: string): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
