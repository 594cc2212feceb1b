/** Renders a sentence of the catalogue in which `backticks` mark evidence and **stars** mark weight. */

import type { TFunction } from "i18next";
import type { ReactNode } from "react";

/**
 * Values are put in after the marks have been read, so that a name from a config cannot make marks of its own.
 * @param values names and numbers; written as they are
 */
export function rich(
  t: TFunction,
  key: string,
  values: Readonly<Record<string, string | number>> = {},
): ReactNode[] {
  const names = Object.keys(values);
  const tokens = Object.fromEntries(
    names.map((name, index) => [
      name,
      name === "count" ? values[name] : `\uE000${String.fromCharCode(0xe100 + index)}`,
    ]),
  );
  const template = t(key, tokens);
  const fill = (text: string) =>
    text.replace(/\uE000(.)/gu, (_, mark: string) =>
      String(values[names[mark.charCodeAt(0) - 0xe100] ?? ""] ?? ""),
    );
  return template.split(/(`[^`]*`|\*\*.*?\*\*)/u).map((part, index) => {
    // biome-ignore-start lint/suspicious/noArrayIndexKey: the parts of one sentence never move
    if (part.startsWith("`")) return <code key={index}>{fill(part.slice(1, -1))}</code>;
    if (part.startsWith("**")) return <strong key={index}>{fill(part.slice(2, -2))}</strong>;
    return fill(part);
    // biome-ignore-end lint/suspicious/noArrayIndexKey: the parts of one sentence never move
  });
}

/** The same sentence as plain text, for names that screen readers read. */
export function plain(
  t: TFunction,
  key: string,
  values: Readonly<Record<string, string | number>> = {},
): string {
  return t(key, values).replace(/\*\*|`/gu, "");
}

export function Rich(props: {
  t: TFunction;
  k: string;
  values?: Readonly<Record<string, string | number>>;
}): ReactNode {
  return rich(props.t, props.k, props.values);
}
