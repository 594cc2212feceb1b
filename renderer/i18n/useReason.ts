/** Sentences for reason codes of the runtime; an unknown code is shown as it is, with its values. */

import type { TFunction } from "i18next";
import type { Reason } from "../../shared/contract/index.ts";
import { useT } from "./index.ts";

export type ReasonForm = "sentence" | "short" | "withheld";

/** @returns `(reason, form)`: a sentence, a few words for a chip, or why "always" is withheld */
export function useReason(): (reason: Reason, form?: ReasonForm) => string {
  const t = useT("reasons");
  return (reason, form = "sentence") => reasonText(t, reason, form);
}

/** Values that sentences may name; a code that lacks one still reads as a sentence. */
export function reasonText(t: TFunction, reason: Reason, form: ReasonForm): string {
  const values: Record<string, unknown> = { ...reason.params };
  for (const [name, value] of Object.entries(values)) {
    if (Array.isArray(value)) values[name] = value.join(", ");
  }
  const text = (name: string) =>
    typeof values[name] === "string" && values[name] !== "" ? values[name] : null;
  const place = text("path") ?? text("realPath") ?? text("word") ?? text("bin");
  const program = text("program") ?? baseName(place) ?? t("theProgram");
  const filled = {
    wrapper: t("theProgram"),
    word: "",
    detail: "",
    path: program,
    realPath: program,
    flag: "",
    count: 1,
    ...values,
    program,
  };
  const plain = [reason.code, ...Object.values(values).map(String)].filter((part) => part !== "").join(" · ");
  const keys =
    form === "sentence" ? [`sentence.${reason.code}`] : [`${form}.${reason.code}`, `sentence.${reason.code}`];
  return t(keys, { ...filled, defaultValue: plain });
}

function baseName(path: string | null): string | null {
  if (path === null) return null;
  return path.split(/[\\/]/).filter(Boolean).at(-1) ?? path;
}
