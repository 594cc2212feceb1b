/** Text lives in catalogues only, in both languages, with the same keys and placeholders. */

import { parseSync } from "vite";
import { describe, expect, it } from "vitest";
import { sharedEnglish } from "../../shared/text/english.ts";
import { readCatalogues } from "./index.ts";

/** Source text by path, for example `../app/App.tsx`. */
const sources: Record<string, string> = import.meta.glob(
  ["../**/*.tsx", "!../**/*.test.tsx", "!../testing/**"],
  { eager: true, query: "?raw", import: "default" },
);
const catalogues = readCatalogues();

/** Attributes whose value a person reads or hears. */
const readAttributes = new Set([
  "title",
  "label",
  "alt",
  "placeholder",
  "hint",
  "error",
  "aria-label",
  "aria-description",
  "aria-roledescription",
  "aria-valuetext",
]);

/** Words of the machine, the same in every language: never translated. */
const machineWords = new Set(["pid", "pty", "true", "false", "null", "Enter", "Esc", "Tab", "Space"]);

const hasLetters = (text: string) => /\p{L}{2,}/u.test(text);

interface Node {
  type: string;
  start: number;
  [field: string]: unknown;
}

function isNode(value: unknown): value is Node {
  return (
    typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string"
  );
}

/** Every piece of text in the markup of a file that is written in place. */
function hardCodedText([file, code]: [string, string]): string[] {
  const { program, errors } = parseSync(file, code, { lang: "tsx" });
  if (errors.length > 0) throw new Error(`${file} does not parse`);
  const found: string[] = [];
  const report = (node: Node, text: string) => {
    if (!hasLetters(text) || machineWords.has(text.trim())) return;
    const line = code.slice(0, node.start).split("\n").length;
    found.push(`${file}:${line} ${text.trim()}`);
  };
  const visit = (value: unknown, isAttribute: boolean) => {
    if (Array.isArray(value)) for (const item of value) visit(item, isAttribute);
    if (!isNode(value)) return;
    if (value.type === "JSXText") report(value, String(value.value));
    if (value.type === "JSXExpressionContainer" && !isAttribute) {
      for (const text of literals(value.expression)) report(value, text);
    }
    if (value.type === "JSXAttribute") {
      const name = isNode(value.name) ? String(value.name.name) : "";
      const given = isNode(value.value) ? value.value : null;
      if (readAttributes.has(name) && given !== null) {
        const expression = given.type === "JSXExpressionContainer" ? given.expression : given;
        for (const text of literals(expression)) report(value, text);
      }
    }
    for (const inner of Object.values(value)) visit(inner, value.type === "JSXAttribute");
  };
  visit(program, false);
  return found;
}

/** Strings that an expression itself may become; strings inside calls are keys and values of others. */
function literals(expression: unknown): string[] {
  if (!isNode(expression)) return [];
  const { type } = expression;
  if (type === "Literal") return typeof expression.value === "string" ? [expression.value] : [];
  if (type === "ParenthesizedExpression") return literals(expression.expression);
  if (type === "ConditionalExpression") {
    return [...literals(expression.consequent), ...literals(expression.alternate)];
  }
  if (type === "LogicalExpression" || type === "BinaryExpression") {
    const joins = ["+", "??", "||"].includes(String(expression.operator));
    return joins ? [...literals(expression.left), ...literals(expression.right)] : [];
  }
  if (type === "TemplateLiteral" && Array.isArray(expression.quasis)) {
    return expression.quasis.map((quasi: { value: { raw: string } }) => quasi.value.raw);
  }
  return [];
}

function flatten(catalogue: object, prefix = ""): Map<string, string> {
  const flat = new Map<string, string>();
  for (const [key, value] of Object.entries(catalogue)) {
    if (typeof value === "string") flat.set(prefix + key, value);
    else if (typeof value === "object" && value !== null)
      for (const [inner, text] of flatten(value, `${prefix}${key}.`)) flat.set(inner, text);
  }
  return flat;
}

function read(language: string, area: string): Map<string, string> {
  return flatten(catalogues[language]?.[area] ?? {});
}

function areasOf(language: string): string[] {
  return Object.keys(catalogues[language] ?? {}).sort();
}

/** Chinese has one plural form: `key_one` of English has no counterpart. */
const withoutSingular = (keys: Iterable<string>) => [...keys].filter((key) => !key.endsWith("_one")).sort();
const placeholders = (text: string) =>
  [...text.matchAll(/\{\{\s*([\w.]+)[^}]*\}\}|<(\w+)\/?>/g)].map(([, name, tag]) => name ?? tag).sort();

const areas = areasOf("en");

describe("catalogues", () => {
  it("exist for the same areas in both languages", () => {
    expect(areas.length).toBeGreaterThan(5);
    expect(areasOf("zh-CN")).toEqual(areas);
  });

  it("live in one place each", () => {
    const own = Object.keys(import.meta.glob("./en/*.json")).map((file) => /([^/]+)\.json$/.exec(file)?.[1]);
    expect(own.filter((area) => area !== undefined && area in sharedEnglish)).toEqual([]);
  });

  it.each(areas)("%s has the same keys in both languages", (area) => {
    expect(withoutSingular(read("zh-CN", area).keys())).toEqual(withoutSingular(read("en", area).keys()));
  });

  it.each(areas)("%s has the same placeholders and marks in both languages", (area) => {
    const english = read("en", area);
    for (const [key, text] of read("zh-CN", area)) {
      expect([key, ...placeholders(text)]).toEqual([key, ...placeholders(english.get(key) ?? "")]);
    }
  });

  it.each(areas)("%s has no empty text", (area) => {
    for (const language of ["en", "zh-CN"]) {
      expect([...read(language, area)].filter(([, text]) => text.trim() === "")).toEqual([]);
    }
  });
});

describe("components", () => {
  it("hold no text of their own", () => {
    expect(Object.entries(sources).flatMap(hardCodedText)).toEqual([]);
  });

  it("use only keys that their catalogue, or the common one, has", () => {
    const missing: string[] = [];
    const common = read("en", "common");
    for (const [file, text] of Object.entries(sources)) {
      const used = [...text.matchAll(/\buseT\("([\w-]+)"\)/g)].map(([, area]) => area ?? "");
      if (used.length === 0) continue;
      const known = [common, ...new Set(used)].flatMap((area) =>
        typeof area === "string" ? [...read("en", area).keys()] : [...area.keys()],
      );
      const keys = new Set(known.flatMap((key) => [key, key.replace(/_(one|other)$/, "")]));
      for (const [, key] of text.matchAll(/\bt\("([^"$]+)"/g)) {
        if (key !== undefined && !keys.has(key)) missing.push(`${file} ${key}`);
      }
    }
    expect(missing).toEqual([]);
  });
});
