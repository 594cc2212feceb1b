/** The colours of terminals, read from the tokens that count now. */

import type { ITheme } from "@xterm/xterm";

/** The sixteen colours of programs mean the panel's own states where they usually mean the same. */
export function terminalTheme(): ITheme {
  const style = getComputedStyle(document.documentElement);
  const token = (name: string) => style.getPropertyValue(name).trim();
  const [ink, sunk, stop, keep, ask, run] = [
    token("--ink"),
    token("--sunk"),
    token("--stop"),
    token("--keep"),
    token("--ask"),
    token("--run"),
  ];
  return {
    background: sunk,
    foreground: ink,
    cursor: ink,
    cursorAccent: sunk,
    selectionBackground: token("--sel"),
    scrollbarSliderBackground: token("--line"),
    scrollbarSliderHoverBackground: token("--line2"),
    scrollbarSliderActiveBackground: token("--line2"),
    black: sunk,
    brightBlack: token("--ink3"),
    white: token("--ink2"),
    brightWhite: ink,
    red: stop,
    brightRed: stop,
    green: keep,
    brightGreen: keep,
    yellow: ask,
    brightYellow: ask,
    blue: run,
    brightBlue: run,
    magenta: run,
    brightMagenta: run,
    cyan: keep,
    brightCyan: keep,
  };
}

/** Calls back when the theme of the document changes, by setting or by the system. */
export function onThemeChange(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  const media = window.matchMedia("(prefers-color-scheme: dark)");
  media.addEventListener("change", listener);
  return () => {
    observer.disconnect();
    media.removeEventListener("change", listener);
  };
}
