/** Every reason code that the runtime can send has a sentence in every language. */

import { describe, expect, it } from "vitest";
import { approvalOutcome, provenance } from "../../shared/contract/index.ts";
import {
  allowAlwaysPreview,
  analysisFailureCode,
  execReasonCode,
  execWarnings,
} from "../../shared/exec/schema.ts";
import { mcpHardening } from "../../shared/mcp/hardening.ts";
import { listKnownTools } from "../../shared/policy/availability.ts";
import { reasonText } from "../../shared/text/reasonText.ts";
import { createI18n, languages } from "./index.ts";

/** Source text by path; codes that no schema lists are read from where they are written. */
const sources: Record<string, string> = import.meta.glob(
  [
    "../../electron/runtime/**/*.ts",
    "../../shared/exec/{hygiene,obfuscation,grantText}.ts",
    "../../shared/exec/explain/knowledge.ts",
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
    .flatMap(([, text]) => allCodes(text, /\bcode: "([\w.-]+)",\s*params:/g));
}

/** Every code of the servers is written as a whole; names of hardening rules begin like them. */
function mcpCodes(): string[] {
  const rules = new Set(mcpHardening.map(({ id }) => id));
  const found = Object.entries(sources)
    .filter(([path]) => path.includes("/runtime/mcpServers/"))
    .flatMap(([, text]) => allCodes(text, /"(mcp\.\w+)"/g))
    .filter((code) => !rules.has(code));
  expect(found.length).toBeGreaterThan(0);
  return found;
}

function allCodes(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, code]) => code ?? "");
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
    ...allIn(source("shared/policy/availability.ts"), /(?:because|noModel)\("([\w-]+)"/g, "absent."),
    ...["tools/registry.ts", "policy/presentTools.ts", "memory/agentAbsence.ts"].flatMap((file) =>
      allIn(source(file), /reason: "([\w-]+)"/g, "absent."),
    ),
    ...allIn(differences, /"(\w+)"/g, "differs."),
    ...allIn(source("exec/grantPreview.ts"), /code: "(differs\.\w+)"/g),
    ...allIn(source("skills/skillCommands.ts"), /\| "(skill\w+)"/g),
    ...mcpCodes(),
    ...allIn(source("mcpServers/createMcpServers.ts"), /reason: "([\w-]+)"/g, "absent."),
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

  it("have a word for every end of a request, for who decided, and for what a program can do", () => {
    const abilities = /type Ability =([^;]+);/.exec(source("explain/knowledge.ts"))?.[1] ?? "";
    const keys = [
      ...approvalOutcome.options.map((outcome) => `outcome.${outcome}`),
      ...provenance.options.map(({ shape }) => `by.${shape.kind.value}`),
      ...allIn(abilities, /"(\w+)"/g, "ability."),
    ];
    expect(keys.filter((key) => t(key, { defaultValue: "" }) === "")).toEqual([]);
  });

  it("say of a tool that is not there what is missing and where it is set", () => {
    const config = { agents: { defaults: { pdfModel: "a/b" } } };
    const absences = listKnownTools(config, { hasPdfModel: false, hasWebSearchProvider: false }).flatMap(
      ({ unavailable }) => unavailable ?? [],
    );
    expect(absences.map(({ reason }) => reason)).toEqual(
      expect.arrayContaining(["model-without-key", "no-api-key", "no-image-model", "no-search-provider"]),
    );
    for (const { reason, params = {} } of absences) {
      const text = (form: "sentence" | "short") => reasonText(t, { code: `absent.${reason}`, params }, form);
      expect(text("sentence") + text("short")).not.toMatch(/[{}]|undefined/);
      expect(text("sentence") + text("short")).not.toContain(reason);
      for (const name of ["path", "variable", "keyPath", "model"])
        expect(text("sentence")).toContain(params[name] ?? "");
    }
  });

  it("never read a value as a mark of their own", () => {
    const word = "$t(sentence.grant) {{count}} $& $1";
    expect(reasonText(t, { code: "programEscape", params: { program: "sh", word } }, "sentence")).toContain(
      word,
    );
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
