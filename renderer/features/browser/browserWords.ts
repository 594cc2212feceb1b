/** Words and small texts of the browser view. */

import type { TFunction } from "i18next";
import type { BrowserFilmEntry, BrowserProfileView } from "../../../shared/contract/index.ts";
import type { VerdictKind } from "../../ui/index.ts";

/** State, port, and whether it is the default, in one line. */
export function profileStateText(t: TFunction, profile: BrowserProfileView): string {
  const facts = [
    t(`state.${profile.state.kind}`),
    profile.cdpPort === null ? null : t("port", { port: profile.cdpPort }),
    profile.isDefault ? t("isDefault") : null,
    profile.isPaused ? t("isPaused") : null,
  ];
  return facts.filter((fact) => fact !== null).join(" · ");
}

/** What people type into an address field: a bare host means https. */
export function withScheme(typed: string): string {
  const text = typed.trim();
  if (/^[a-z][a-z0-9+.-]*:/i.test(text) && !/^[\w.-]+:\d/.test(text)) return text;
  return /^(?:localhost|127\.|\[::1\])/.test(text) ? `http://${text}` : `https://${text}`;
}

export function filmShape(entry: BrowserFilmEntry): VerdictKind {
  switch (entry.result.kind) {
    case "running":
      return "running";
    case "done":
      return "done";
    case "failed":
      return "denied";
  }
}

/** `click e14 button “Place order”`: the machine's words, then the page's. */
export function filmText(entry: BrowserFilmEntry): string {
  const { action, target, detail } = entry;
  const element =
    target === null
      ? []
      : [target.ref ?? "", target.role, target.name === "" ? "" : `“${target.name}”`].filter(
          (part) => part !== "",
        );
  return [action, ...element, ...(detail === null || detail === "" ? [] : [`· ${detail}`])].join(" ");
}
