/** Sentences for reason codes of the runtime; an unknown code is shown as it is, with its values. */

import type { Reason } from "../contract/index.ts";

/** `row`: a few words under the short form, where the command stands beside it. */
export type ReasonForm = "sentence" | "short" | "row" | "withheld";

/** Looks a key up in the catalogue of reasons, the first that there is, and fills in values; i18next's `t` is one. */
export type Translate = (keys: string | string[], values?: Record<string, unknown>) => string;

/** First words of codes such as `always.inlineEval`; each is a part of the catalogue. */
export const reasonGroups = ["analysis", "hostile", "always", "absent", "entry", "differs", "grant"] as const;

/** Values that sentences may name; a code that lacks one still reads as a sentence. */
export function reasonText(t: Translate, reason: Reason, form: ReasonForm): string {
  const values: Record<string, unknown> = { ...reason.params };
  for (const [name, value] of Object.entries(values)) {
    if (Array.isArray(value)) values[name] = value.join(", ");
  }
  const text = (name: string) =>
    typeof values[name] === "string" && values[name] !== "" ? values[name] : null;
  const signs = reason.code === "obfuscation" ? (text("id") ?? text("ids")) : null;
  if (signs !== null && form === "sentence") return obfuscationText(t, signs);
  const place = text("path") ?? text("realPath") ?? text("bin") ?? text("word");
  const program = text("program") ?? baseName(place) ?? t("theProgram");
  const why = text("why") ?? codeKind(reason);
  const filled = {
    wrapper: t("theProgram"),
    path: program,
    realPath: program,
    flag: "",
    count: 1,
    ...values,
    program,
    word: text("word") ?? nothing,
    detail: text("detail") ?? nothing,
    // A code may have a more exact sentence for one of its causes.
    context: reason.code === "removedByPolicy" && text("rule") !== null ? "rule" : (why ?? ""),
  };
  const code = reason.code === "absent" && why !== null ? `absent.${why}` : reason.code;
  const plain = [reason.code, ...Object.values(values).map(String)].filter((part) => part !== "").join(" · ");
  // As a default text of `t` it would be read as one with places to fill, and its words are not ours.
  const sentence = t(keysOf(code, form), { ...filled, defaultValue: "" });
  // A sentence that names a detail in brackets is whole without it.
  return sentence === "" ? plain : sentence.replace(emptyBrackets, "").replaceAll(nothing, "");
}

/** Stands for a detail that is not known; no word of a command, so that brackets of others stay. */
const nothing = "\u0000nothing\u0000";
const emptyBrackets = new RegExp(`\\s*(?:\\(${nothing}\\)|（${nothing}）)`, "gu");

/** Catalogue keys to try, best first; the bare code of a group is understood too. */
function keysOf(code: string, form: ReasonForm): string[] {
  const isGrouped = reasonGroups.some((group) => code.startsWith(`${group}.`));
  const sentences = isGrouped ? [code] : [`sentence.${code}`, `analysis.${code}`];
  if (form === "short") return [`short.${code}`, ...sentences];
  if (form === "row") return [`row.${code}`, ...sentences];
  if (form === "withheld" && !isGrouped) return [`always.${code}`, ...sentences];
  return sentences;
}

/** "Code in the command" covers several things; each has its own sentence. */
function codeKind({ code, params }: Reason): string | null {
  if (code !== "inlineEval" || typeof params.flag !== "string") return null;
  const { flag } = params;
  if (flag === "<stdin>" || flag === "-s") return "stdin";
  if (/^(?:<command>|-exec|-execdir|-ok|-okdir)$/i.test(flag)) return "starts";
  if (/^-(?:delete|fprint|fprint0|fprintf|fls)$/i.test(flag)) return "changes";
  return flag.startsWith("<") ? "plain" : null;
}

/** Signs of obfuscation. They say that a shell runs some output; the other signs say which. */
export const vagueSigns = new Set(["pipe-to-shell", "pipe-to-any-shell"]);

/** Several signs in one command read as one list. */
function obfuscationText(t: Translate, signs: string): string {
  const all = signs.split(" ");
  const exact = all.filter((id) => !vagueSigns.has(id));
  const known = (exact.length > 0 ? exact : all)
    .map((id) => t(`obfuscated.${id}`, { defaultValue: "" }))
    .filter((one) => one !== "");
  const listed = [...new Set(known)].join(t("listSeparator"));
  return listed === "" ? t("sentence.obfuscation") : listed;
}

function baseName(path: string | null): string | null {
  if (path === null) return null;
  return path.split(/[\\/]/).filter(Boolean).at(-1) ?? path;
}
