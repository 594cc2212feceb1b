/** All text of the panel: one catalogue per area and language, found by file name. */

import i18next, { type i18n, type TFunction } from "i18next";
import { initReactI18next, useTranslation } from "react-i18next";
import type { UiSettings } from "../../shared/contract/index.ts";
import { sharedEnglish } from "../../shared/text/english.ts";

export const languages = ["en", "zh-CN"] as const;
export type Language = (typeof languages)[number];

const files: Record<string, Record<string, unknown>> = import.meta.glob("./{en,zh-CN}/*.json", {
  eager: true,
  import: "default",
});

/** Catalogues by language and area: `renderer/i18n/en/policy.json` is area `policy` of `en`. */
export function readCatalogues(): Record<string, Record<string, Record<string, unknown>>> {
  // English that the terminal speaks too lives where both can read it.
  const resources: Record<string, Record<string, Record<string, unknown>>> = { en: { ...sharedEnglish } };
  for (const [path, catalogue] of Object.entries(files)) {
    const match = /^\.\/([^/]+)\/([^/]+)\.json$/.exec(path);
    const [, language, area] = match ?? [];
    if (language === undefined || area === undefined) continue;
    resources[language] = { ...resources[language], [area]: catalogue };
  }
  return resources;
}

/** Starts i18next once; React escapes what it renders, so i18next must not do it again. */
export function createI18n(language: Language): i18n {
  const instance = i18next.createInstance();
  void instance.use(initReactI18next).init({
    resources: readCatalogues(),
    lng: language,
    fallbackLng: "en",
    defaultNS: "common",
    fallbackNS: "common",
    interpolation: { escapeValue: false },
    returnNull: false,
    initAsync: false,
    // Codes such as `exec:inline` are data, not a namespace.
    nsSeparator: false,
  });
  return instance;
}

/** @param preferred languages of the person's system, best first */
export function chooseLanguage(setting: UiSettings["language"], preferred: readonly string[]): Language {
  if (setting !== "system") return setting;
  for (const tag of preferred) {
    if (tag.toLowerCase().startsWith("zh")) return "zh-CN";
    if (tag.toLowerCase().startsWith("en")) return "en";
  }
  return "en";
}

/** @param area name of the catalogue file; keys missing there are looked up in `common` */
export function useT(area: string): TFunction {
  return useTranslation(area).t;
}

/** @returns the language in use, as a BCP 47 tag, for `Intl` and `lang`. */
export function useLanguage(): string {
  return useTranslation().i18n.language;
}
