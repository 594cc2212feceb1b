import { readdirSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseDense } from "../../../../shared/browser/snapshot/testing/parseDense.ts";
import { allHardening } from "../../../../shared/hardening/index.ts";
import { testChromium } from "../profiles/testBrowsers.ts";
import { createSnapshotEngine } from "./createSnapshotEngine.ts";

const corpusDir = path.resolve(import.meta.dirname, "../../../../e2e/corpus");
const pagesDir = path.resolve(import.meta.dirname, "../../../../e2e/vectors/browser/pages");
const names = readdirSync(corpusDir)
  .filter((file) => file.endsWith(".plain.html"))
  .map((file) => file.slice(0, -".plain.html".length));
const engine = createSnapshotEngine({ hardening: () => allHardening });
const TIMEOUT_MS = 120_000;

let browser: Browser;

beforeAll(async () => {
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  browser = await chromium.launch({ executablePath: testChromium, args });
}, TIMEOUT_MS);

afterAll(async () => {
  await browser.close();
});

async function open(file: string): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(pathToFileURL(file).href);
  return page;
}

const takeDense = async (page: Page) => engine.take(page, { format: "dense", viewer: "test", maxChars: 1e9 });

const squash = (text: string) => text.replace(/\s+/g, "");

async function visibleText(page: Page): Promise<string> {
  // The text that is rendered is what is meant here.
  // biome-ignore lint/performance/useDomNodeTextContent: textContent holds scripts and hidden text too
  return page.evaluate(() => document.body.innerText.replace(/\s+/g, " ").trim());
}

interface Expected {
  role: string;
  name: string;
  states: string[];
}

/** Roles, names and states of Playwright's own AI snapshot, wrappers apart. */
function readAi(yaml: string): Expected[] {
  const found: Expected[] = [];
  for (const line of yaml.split("\n")) {
    const quoted = /^\s*- '((?:[^']|'')*)'/.exec(line)?.[1]?.replaceAll("''", "'");
    const key = quoted ?? /^\s*- (.*)$/.exec(line)?.[1] ?? "";
    const match = /^([a-z]+)(?: ("(?:[^"\\]|\\.)*"))?((?: \[[^\]]*\])*)(?::|$)/.exec(key);
    if (match?.[1] === undefined || match[1] === "text") continue;
    const states = [...(match[3] ?? "").matchAll(/\[([^\]]*)\]/g)]
      .map((state) => state[1] ?? "")
      .filter((state) => !state.startsWith("ref=") && !state.startsWith("cursor="));
    const name = match[2] === undefined ? "" : String(JSON.parse(match[2]));
    if (match[1] === "generic" || (match[1] === "img" && name === "")) continue;
    found.push({ role: match[1], name, states });
  }
  return found;
}

async function expectNothingLost(page: Page): Promise<void> {
  const own = await page.ariaSnapshot({ mode: "ai" });
  const ours = await engine.take(page, { format: "ai", viewer: "test", maxChars: 1e9 });
  // Our tree of roles, names, states and texts is the one that Playwright sees, but for numbers and masked secrets.
  const comparable = (text: string) =>
    text.replace(/\[ref=\w+\]/g, "[ref]").replace(/hunter2|••••/g, "secret");
  expect(comparable(ours.text)).toBe(comparable(own));
  const expected = readAi(own);
  const snapshot = await takeDense(page);
  const parsed = parseDense(snapshot.text);
  expect(parsed.map(({ ref }) => ref).sort()).toEqual([...snapshot.refs.keys()].sort());
  const found = parsed.filter(({ role, name }) => role !== "generic" && (role !== "img" || name !== ""));
  expect(found.map(({ role, states }) => [role, ...states].join(" "))).toEqual(
    expected.map(({ role, states }) => [role, ...states].join(" ")),
  );
  for (const [index, { role, name }] of expected.entries()) {
    // Playwright leaves a name out where the content says it; masked values are not its business.
    if (name !== "") expect(squash(found[index]?.name ?? ""), `${role} ${index}`).toBe(squash(name));
  }
}

describe("dense snapshots of the corpus", () => {
  test.each(names)(
    "%s: the same for plain and dressed, within its budget, nothing lost",
    async (name) => {
      const texts: string[] = [];
      const seen: string[] = [];
      for (const kind of ["plain", "dressed"]) {
        const page = await open(path.join(corpusDir, `${name}.${kind}.html`));
        const snapshot = await takeDense(page);
        const visible = await visibleText(page);
        const printedRefs = parseDense(snapshot.text).filter(({ isRefPrinted }) => isRefPrinted).length;
        expect(snapshot.text.length).toBeLessThanOrEqual(1.3 * visible.length + 16 * printedRefs);
        expect(snapshot.tokenEstimate).toBe(Math.ceil(snapshot.text.length / 4));
        texts.push(snapshot.text);
        seen.push(squash(visible));
        await expectNothingLost(page);
        await page.close();
      }
      if (seen[0] === seen[1]) expect(texts[1]).toBe(texts[0]);
    },
    TIMEOUT_MS,
  );
});

describe("dense snapshots of the recorded pages", () => {
  test(
    "keep every role, name, state and ref",
    async () => {
      const page = await browser.newPage();
      for (const file of readdirSync(pagesDir)) {
        await page.goto(pathToFileURL(path.join(pagesDir, file)).href);
        await expect(expectNothingLost(page), file).resolves.toBeUndefined();
      }
      await page.close();
    },
    TIMEOUT_MS,
  );
});
