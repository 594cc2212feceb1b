/** Which elements a reader of the page would not see, so that a model does not see them either. */

/** Dropped with all that is inside: no readable text, or not for the reader. */
export const droppedTags: ReadonlySet<string> = new Set([
  "meta",
  "template",
  "svg",
  "canvas",
  "iframe",
  "object",
  "embed",
  "script",
  "style",
  "noscript",
  "link",
  "math",
]);

const hiddenClasses: ReadonlySet<string> = new Set([
  "sr-only",
  "visually-hidden",
  "d-none",
  "hidden",
  "invisible",
  "screen-reader-only",
  "offscreen",
]);

/** @param attributes of the element, names in lower case, values decoded */
export function isHiddenElement(tag: string, attributes: Readonly<Record<string, string>>): boolean {
  const get = (name: string) => (Object.hasOwn(attributes, name) ? attributes[name] : undefined);
  if (get("hidden") !== undefined) return true;
  if (get("aria-hidden")?.trim().toLowerCase() === "true") return true;
  if (tag === "input" && get("type")?.trim().toLowerCase() === "hidden") return true;
  const classes = get("class");
  if (classes?.split(/\s+/).some((name) => hiddenClasses.has(name.toLowerCase())) === true) return true;
  const style = get("style");
  return style !== undefined && isHiddenStyle(style);
}

const zero = /^[+-]?0*(?:\.0*)?(?:px|em|rem|%|pt|ex|ch|vh|vw)?$/;
const farPx = 1000;
/** What hides an element is short; embedded pictures are not. */
const maxValueChars = 300;

/** @param style text of a style attribute */
export function isHiddenStyle(style: string): boolean {
  const values = declarationsOf(style);
  const get = (name: string) => values.get(name) ?? "";
  if (get("display") === "none") return true;
  if (/^(?:hidden|collapse)$/.test(get("visibility"))) return true;
  if (isZero(get("opacity")) || isZero(get("font-size"))) return true;
  if (isFarLeft(get("text-indent")) || isFarLeft(get("left")) || isFarLeft(get("top"))) return true;
  if (isClear(get("color"))) return true;
  if (/inset\([^)]*%/.test(get("clip-path"))) return true;
  const transform = get("transform");
  if (/scale[xy]?\(\s*0*(?:\.0*)?\s*[,)]/.test(transform)) return true;
  if (
    [...transform.matchAll(/translate(?:x|y|3d)?\(\s*([^,)]+)(?:,\s*([^,)]+))?/g)].some(
      ([, x = "", y = ""]) => isFarLeft(x) || isFarLeft(y),
    )
  ) {
    return true;
  }
  const isClipped = /^(?:hidden|clip)$/.test(get("overflow"));
  return isClipped && isZero(get("width")) && isZero(get("height"));
}

function declarationsOf(style: string): Map<string, string> {
  const values = new Map<string, string>();
  // Comments and escapes inside a declaration would otherwise hide it from the rules below.
  const plain = withoutComments(style).replace(/\\([0-9a-f]{1,6})\s?/gi, (_, hex: string) => {
    const code = Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : "";
  });
  for (const declaration of plain.split(";")) {
    const colon = declaration.indexOf(":");
    if (colon < 0) continue;
    const value = declaration.slice(colon + 1).replace(/!\s*important/i, "");
    values.set(
      declaration.slice(0, colon).trim().toLowerCase(),
      value.trim().slice(0, maxValueChars).toLowerCase(),
    );
  }
  return values;
}

/** By hand, because a pattern would look for the end again from every start. */
function withoutComments(style: string): string {
  const pieces: string[] = [];
  let at = 0;
  for (;;) {
    const start = style.indexOf("/*", at);
    if (start < 0) return pieces.join("") + style.slice(at);
    pieces.push(style.slice(at, start));
    const end = style.indexOf("*/", start + 2);
    if (end < 0) return pieces.join("");
    at = end + 2;
  }
}

function isZero(value: string): boolean {
  return value !== "" && /\d/.test(value) && zero.test(value);
}

function isFarLeft(value: string): boolean {
  const match = /^\s*-(\d+(?:\.\d+)?)(px|em|rem|vw|vh|%|pt)?/.exec(value);
  if (match === null) return false;
  const size = Number(match[1]);
  switch (match[2]) {
    case "em":
    case "rem":
      return size * 16 >= farPx;
    case "vw":
    case "vh":
    case "%":
      return size >= 100;
    default:
      return size >= farPx;
  }
}

function isClear(color: string): boolean {
  if (color === "transparent") return true;
  if (/^#(?:[0-9a-f]{3}0|[0-9a-f]{6}00)$/.test(color)) return true;
  return /^(?:rgb|hsl)a?\(.*[,/]\s*0*(?:\.0*)?%?\s*\)$/.test(color) && alphaOf(color);
}

/** Three comma-separated parts have no alpha: their last zero is a colour. */
function alphaOf(color: string): boolean {
  return color.includes("/") || color.split(",").length === 4;
}
