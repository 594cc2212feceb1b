/** Every reason code that the runtime can send has a sentence in every language. */

import { describe, expect, it } from "vitest";
import {
  allowAlwaysPreview,
  analysisFailureCode,
  execReasonCode,
  execWarnings,
} from "../../shared/exec/schema.ts";
import { createI18n, languages } from "./index.ts";
import { reasonText } from "./useReason.ts";

/** Source text by path; codes that no schema lists are read from where they are written. */
const sources: Record<string, string> = import.meta.glob(
  [
    "../../electron/runtime/{approvals,calls,exec,handlers,policy,tools}/**/*.ts",
    "../../electron/runtime/tryout.ts",
    "../../shared/exec/{hygiene,obfuscation,grantText}.ts",
    "../../shared/policy/availability.ts",
    "!**/*.test.ts",
  ],
  { eager: true, query: "?raw", import: "default" },
);

function source(end: string): string {
  const found = Object.entries(sources).find(([path]) => path.endsWith(end));
  if (found === undefined) throw new Error(`${end} is gone: name the file that holds these codes now`);
  return found[1];
}

function allIn(text: string, pattern: RegExp, prefix = ""): string[] {
  const found = [...text.matchAll(pattern)].map(([, code]) => `${prefix}${code}`);
  expect(found.length).toBeGreaterThan(0);
  return found;
}

/** Literal codes of reasons in the runtime: `{ code: "x", params: … }`. */
function literalCodes(): string[] {
  return Object.entries(sources)
    .filter(([path]) => path.includes("/electron/runtime/"))
    .flatMap(([, text]) =>
      [...text.matchAll(/\bcode: "([\w.-]+)",\s*params:/g)].map(([, code]) => code ?? ""),
    );
}

function collect(): { code: string; params: Record<string, string> }[] {
  const obfuscation = source("shared/exec/obfuscation.ts");
  const draft = source("exec/approvalDraft.ts");
  const differences = /type DifferenceCode =([^;]+);/.exec(source("shared/exec/grantText.ts"))?.[1] ?? "";
  const plain = [
    ...execReasonCode.options,
    ...analysisFailureCode.options.map((code) => `analysis.${code}`),
    ...(allowAlwaysPreview.shape.withheldReason.unwrap().options ?? []).map((code) => `always.${code}`),
    ...allIn(source("exec/grantOffers.ts"), /none\("(\w+)"\)/g, "always."),
    ...execWarnings.shape.hostileSigns.element.options.map((sign) => `hostile.${sign}`),
    ...allIn(draft, /warn\("(\w+)"/g),
    ...allIn(source("shared/exec/hygiene.ts"), /code: "(\w+)"/g, "entry."),
    ...allIn(source("shared/policy/availability.ts"), /because\("([\w-]+)"/g, "absent."),
    ...allIn(source("tools/registry.ts"), /reason: "([\w-]+)"/g, "absent."),
    ...allIn(differences, /"(\w+)"/g, "differs."),
    ...allIn(source("exec/grantPreview.ts"), /code: "(differs\.\w+)"/g),
    ...literalCodes(),
    "allowlist",
    "safeBins",
    "skills",
    "screenLocked",
    "noOperator",
  ];
  return [
    ...[...new Set(plain)].map((code) => ({ code, params: {} })),
    ...allIn(obfuscation, /"([a-z0-9]+(?:-[a-z0-9]+)+)"/g).map((id) => ({
      code: "obfuscation",
      params: { id },
    })),
  ];
}

describe.each(languages)("reasons in %s", (language) => {
  const t = createI18n(language).getFixedT(language, "reasons");

  it("have a sentence for every code that the runtime can send", () => {
    const has = (key: string) => t(key, { defaultValue: "", count: 1 }) !== "";
    const missing = collect().filter(({ code, params }) => {
      if (params.id !== undefined) return !has(`obfuscated.${params.id}`);
      return reasonText(t, { code, params }, "sentence") === code;
    });
    expect(missing.map(({ code, params }) => `${code} ${params.id ?? ""}`.trim())).toEqual([]);
  });

  it("say why always is withheld, by group or by bare code", () => {
    const grouped = reasonText(t, { code: "always.inlineEval", params: {} }, "withheld");
    expect(reasonText(t, { code: "inlineEval", params: {} }, "withheld")).toBe(grouped);
    expect(grouped).not.toContain("always.");
  });

  it("name the cause of an allowlist finding when it is known", () => {
    const finding = (why: string) => reasonText(t, { code: "entry.tooBroad", params: { why } }, "sentence");
    expect(new Set(["everything", "wholeTree", "wholeDirectory", "other"].map(finding)).size).toBe(4);
  });

  it("leave no empty brackets when a detail is not known", () => {
    expect(reasonText(t, { code: "programEscape", params: {} }, "sentence")).not.toMatch(/\(\)|（）/u);
  });

  it("name what a shell runs rather than that it runs something, when both are known", () => {
    const text = (ids: string) => reasonText(t, { code: "obfuscation", params: { ids } }, "sentence");
    expect(text("pipe-to-shell curl-pipe-shell pipe-to-any-shell")).toBe(text("curl-pipe-shell"));
    expect(text("pipe-to-shell pipe-to-any-shell")).not.toBe(text("curl-pipe-shell"));
  });

  it("list several signs of a hidden command once each", () => {
    const ids = "curl-pipe-shell process-substitution-remote-exec hex-escape";
    const text = reasonText(t, { code: "obfuscation", params: { ids } }, "sentence");
    expect(text.split(t("listSeparator"))).toHaveLength(2);
  });
});
