/** Texts in Chinese, Japanese or Korean whose font is not in the document: the canvas itself looks for no other font. */

/** The part of `GlobalFonts` of @napi-rs/canvas that is used. */
export interface CanvasFonts {
  readonly families: readonly { family: string }[];
  /** Not in the types of the package, so its absence is reckoned with. */
  setAlias?(family: string, alias: string): unknown;
}

/** What systems bring along, the first one there is taken. They hold Latin letters too. */
const known = {
  "sans-serif": [
    "Noto Sans CJK SC",
    "Source Han Sans SC",
    "PingFang SC",
    "Microsoft YaHei",
    "Noto Sans CJK JP",
    "Noto Sans CJK TC",
    "Hiragino Sans GB",
    "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei",
  ],
  serif: [
    "Noto Serif CJK SC",
    "Source Han Serif SC",
    "Songti SC",
    "SimSun",
    "Noto Serif CJK JP",
    "Noto Serif CJK TC",
  ],
} as const;

/**
 * pdf.js asks for `sans-serif` or `serif` when a font is missing. Fonts that are in the document, and the fourteen
 * standard ones, are not touched.
 * @returns the families that are used from now on, by generic name; what is not installed is left out
 */
export function aliasCjkFonts(fonts: CanvasFonts): Map<string, string> {
  const installed = new Set(fonts.families.map(({ family }) => family));
  const used = new Map<string, string>();
  if (fonts.setAlias === undefined) return used;
  for (const [generic, names] of Object.entries(known)) {
    const other = [...known.serif, ...known["sans-serif"]];
    const family = [...names, ...other].find((name) => installed.has(name));
    if (family === undefined) continue;
    fonts.setAlias(family, generic);
    used.set(generic, family);
  }
  return used;
}
