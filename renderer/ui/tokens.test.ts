// biome-ignore lint/style/noRestrictedImports: the test runner hands out style sheets as empty text
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const css = readFileSync(new URL("./tokens.css", import.meta.url), "utf8");

/** Colours of the block that starts with `selector`. */
function colours(selector: string): Map<string, string> {
  const block = css.slice(css.indexOf(selector), css.indexOf("}", css.indexOf(selector)));
  return new Map(
    [...block.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6})/g)].map(([, name, value]) => [name ?? "", value ?? ""]),
  );
}

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

const light = colours(':root[data-theme="light"]');
const themes = [
  ["light", light],
  ["dark", new Map([...light, ...colours(':root[data-theme="dark"]')])],
  ["dark by system", new Map([...light, ...colours(":root:not([data-theme])")])],
] as const;

describe.each(themes)("colours of %s", (_, theme) => {
  const of = (name: string) => theme.get(name) ?? "";
  const grounds = ["desk", "panel", "raised", "sunk", "sel"];

  it.each(["ink", "ink2", "ink3", "keep", "stop", "ask", "run"])("%s is readable on every ground", (name) => {
    for (const ground of grounds) expect(contrast(of(name), of(ground))).toBeGreaterThanOrEqual(4.5);
  });

  it("outlines of controls stand out", () => {
    for (const ground of grounds) expect(contrast(of("line2"), of(ground))).toBeGreaterThanOrEqual(3);
  });

  it.each(["keep", "stop", "ask", "run"])("%s is readable on its own wash", (name) => {
    expect(contrast(of(name), of(`${name}-bg`))).toBeGreaterThanOrEqual(4.5);
  });

  it("lit signs are readable", () => {
    expect(contrast(of("lit"), of("lit-ink"))).toBeGreaterThanOrEqual(7);
  });
});
