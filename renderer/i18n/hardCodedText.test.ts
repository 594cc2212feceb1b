/** Text lives in catalogues only, in both languages, with the same keys and placeholders. */

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const rendererDir = path.resolve(import.meta.dirname, "..");
const catalogueDir = import.meta.dirname;

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

function tsxFiles(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".tsx") && !name.endsWith(".test.tsx") && !name.startsWith("testing"))
    .map((name) => path.join(dir, name));
}

const hasLetters = (text: string) => /\p{L}{2,}/u.test(text);

/** Every piece of text in the markup of a file that is written in place. */
function hardCodedText(file: string): string[] {
  const source = ts.createSourceFile(
    file,
    readFileSync(file, "utf8"),
    ts.ScriptTarget.ESNext,
    true,
    ts.ScriptKind.TSX,
  );
  const found: string[] = [];
  const report = (node: ts.Node, text: string) => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart());
    found.push(`${path.relative(rendererDir, file)}:${line + 1} ${text.trim()}`);
  };
  const visit = (node: ts.Node) => {
    if (ts.isJsxText(node) && hasLetters(node.text)) report(node, node.text);
    if (ts.isJsxExpression(node) && node.expression !== undefined && !ts.isJsxAttribute(node.parent)) {
      for (const text of literals(node.expression)) report(node, text);
    }
    if (
      ts.isJsxAttribute(node) &&
      readAttributes.has(node.name.getText()) &&
      node.initializer !== undefined
    ) {
      const value = node.initializer;
      if (ts.isStringLiteral(value)) report(value, value.text);
      else if (ts.isJsxExpression(value) && value.expression !== undefined) {
        for (const text of literals(value.expression)) report(value, text);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found.filter((entry) => hasLetters(entry.slice(entry.indexOf(" "))));
}

/** Strings that an expression itself may become; strings inside calls are keys and values of others. */
function literals(expression: ts.Expression): string[] {
  if (ts.isStringLiteralLike(expression)) return [expression.text];
  if (ts.isParenthesizedExpression(expression)) return literals(expression.expression);
  if (ts.isConditionalExpression(expression)) {
    return [...literals(expression.whenTrue), ...literals(expression.whenFalse)];
  }
  if (ts.isBinaryExpression(expression)) {
    const operator = expression.operatorToken.kind;
    const joins = [ts.SyntaxKind.PlusToken, ts.SyntaxKind.QuestionQuestionToken, ts.SyntaxKind.BarBarToken];
    return joins.includes(operator) ? [...literals(expression.left), ...literals(expression.right)] : [];
  }
  if (ts.isTemplateExpression(expression)) {
    return [expression.head.text, ...expression.templateSpans.map((span) => span.literal.text)];
  }
  return [];
}

type Catalogue = { [key: string]: string | Catalogue };

function flatten(catalogue: Catalogue, prefix = ""): Map<string, string> {
  const flat = new Map<string, string>();
  for (const [key, value] of Object.entries(catalogue)) {
    if (typeof value === "string") flat.set(prefix + key, value);
    else for (const [inner, text] of flatten(value, `${prefix}${key}.`)) flat.set(inner, text);
  }
  return flat;
}

function read(language: string, area: string): Map<string, string> {
  return flatten(JSON.parse(readFileSync(path.join(catalogueDir, language, area), "utf8")) as Catalogue);
}

/** Chinese has one plural form: `key_one` of English has no counterpart. */
const withoutSingular = (keys: Iterable<string>) => [...keys].filter((key) => !key.endsWith("_one")).sort();
const placeholders = (text: string) =>
  [...text.matchAll(/\{\{\s*([\w.]+)[^}]*\}\}|<(\w+)\/?>/g)].map(([, name, tag]) => name ?? tag).sort();

const areas = readdirSync(path.join(catalogueDir, "en"));

describe("catalogues", () => {
  it("exist for the same areas in both languages", () => {
    expect(readdirSync(path.join(catalogueDir, "zh-CN"))).toEqual(areas);
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
    expect(tsxFiles(rendererDir).flatMap(hardCodedText)).toEqual([]);
  });

  it("use only keys that their catalogue, or the common one, has", () => {
    const missing: string[] = [];
    const common = read("en", "common.json");
    for (const file of tsxFiles(rendererDir)) {
      const text = readFileSync(file, "utf8");
      const used = [...text.matchAll(/\buseT\("([\w-]+)"\)/g)].map(([, area]) => area ?? "");
      if (used.length === 0) continue;
      const known = [common, ...new Set(used)].flatMap((area) =>
        typeof area === "string" ? [...read("en", `${area}.json`).keys()] : [...area.keys()],
      );
      const keys = new Set(known.flatMap((key) => [key, key.replace(/_(one|other)$/, "")]));
      for (const [, key] of text.matchAll(/\bt\("([^"$]+)"/g)) {
        if (key !== undefined && !keys.has(key)) missing.push(`${path.relative(rendererDir, file)} ${key}`);
      }
    }
    expect(missing).toEqual([]);
  });
});
