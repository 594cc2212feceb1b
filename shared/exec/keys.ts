/** Encodes keys for a terminal, as `process send-keys` names them (spec/exec.md 4.1). */

export type CursorMode = "unknown" | "normal" | "application";

export interface KeyRequest {
  literal?: string | undefined;
  /** Bytes as `1b` or `0x1b`. */
  hex?: readonly string[] | undefined;
  keys?: readonly string[] | undefined;
  cursorMode: CursorMode;
}

export interface EncodedKeys {
  /** What to write; characters from hex bytes are code units 0–255 (latin1). */
  data: string;
  warnings: string[];
  /** Plain cursor keys that cannot be encoded while the terminal's mode is unknown: poll first. */
  refusedKeys: string[];
}

const esc = "\u001b";

const plain = new Map<string, string>([
  ["enter", "\r"],
  ["return", "\r"],
  ["tab", "\t"],
  ["escape", esc],
  ["esc", esc],
  ["space", " "],
  ["bspace", "\u007f"],
  ["backspace", "\u007f"],
  ["btab", `${esc}[Z`],
]);

const arrows = new Map([
  ["up", "A"],
  ["down", "B"],
  ["right", "C"],
  ["left", "D"],
]);

const tilde = new Map([
  ["home", "1"],
  ["end", "4"],
  ["pageup", "5"],
  ["pgup", "5"],
  ["ppage", "5"],
  ["pagedown", "6"],
  ["pgdn", "6"],
  ["npage", "6"],
  ["insert", "2"],
  ["ic", "2"],
  ["delete", "3"],
  ["del", "3"],
  ["dc", "3"],
]);

const functionKeys = new Map<string, string>(
  ["P", "Q", "R", "S"].map((letter, index): [string, string] => [`f${index + 1}`, `${esc}O${letter}`]),
);
[15, 17, 18, 19, 20, 21, 23, 24].forEach((code, index) => {
  functionKeys.set(`f${index + 5}`, `${esc}[${code}~`);
});

const keypad = new Map<string, string>([
  ["kp/", "o"],
  ["kp*", "j"],
  ["kp-", "m"],
  ["kp+", "k"],
  ["kp.", "n"],
  ["kpenter", "M"],
]);
for (let digit = 0; digit <= 9; digit += 1) keypad.set(`kp${digit}`, String.fromCharCode(0x70 + digit));

interface Modifiers {
  ctrl: boolean;
  alt: boolean;
  shift: boolean;
}

function readModifiers(token: string): { base: string; modifiers: Modifiers } {
  const modifiers = { ctrl: false, alt: false, shift: false };
  let base = token;
  for (;;) {
    const prefix = /^([CMS])-(?=.)/i.exec(base);
    if (prefix !== null) {
      const letter = (prefix[1] ?? "").toUpperCase();
      if (letter === "C") modifiers.ctrl = true;
      else if (letter === "M") modifiers.alt = true;
      else modifiers.shift = true;
      base = base.slice(2);
    } else if (base.startsWith("^") && base.length === 2) {
      modifiers.ctrl = true;
      base = base.slice(1);
    } else {
      return { base, modifiers };
    }
  }
}

function controlOf(char: string): string {
  if (char === "?") return "\u007f";
  const code = char.toUpperCase().charCodeAt(0);
  return code >= 64 && code <= 95 ? String.fromCharCode(code - 64) : char;
}

function encodeCursorKey(name: string, modifiers: Modifiers, mode: CursorMode): string | "refused" | null {
  const arrow = arrows.get(name);
  const number = tilde.get(name);
  if (arrow === undefined && number === undefined) return null;
  const modifier = 1 + (modifiers.shift ? 1 : 0) + (modifiers.alt ? 2 : 0) + (modifiers.ctrl ? 4 : 0);
  if (modifier > 1)
    return arrow === undefined ? `${esc}[${number};${modifier}~` : `${esc}[1;${modifier}${arrow}`;
  const changesWithMode = arrow !== undefined || name === "home" || name === "end";
  if (changesWithMode && mode === "unknown") return "refused";
  if (changesWithMode && mode === "application") return `${esc}O${arrow ?? (name === "home" ? "H" : "F")}`;
  return arrow === undefined ? `${esc}[${number}~` : `${esc}[${arrow}`;
}

function encodeKey(raw: string, mode: CursorMode, warnings: string[], refusedKeys: string[]): string {
  const token = raw.trim();
  if (token === "") return "";
  const { base, modifiers } = readModifiers(token);
  const name = base.toLowerCase();
  const alt = modifiers.alt ? esc : "";
  if (name === "tab" && modifiers.shift) return `${alt}${esc}[Z`;
  const cursor = encodeCursorKey(name, modifiers, mode);
  if (cursor === "refused") {
    refusedKeys.push(token);
    return "";
  }
  if (cursor !== null) return cursor;
  const keypadLetter = keypad.get(name);
  const named =
    plain.get(name) ??
    functionKeys.get(name) ??
    (keypadLetter === undefined ? undefined : `${esc}O${keypadLetter}`);
  if (named !== undefined) return alt + named;
  if ([...base].length === 1) {
    if (modifiers.ctrl) return alt + controlOf(base);
    return alt + (modifiers.shift ? base.toUpperCase() : base);
  }
  if (modifiers.ctrl || modifiers.alt || modifiers.shift)
    warnings.push(`Unknown key "${token}": typed as text without its modifiers.`);
  return base;
}

/** Order: literal text, hex bytes, then keys. Never throws. */
export function encodeKeys(request: KeyRequest): EncodedKeys {
  const warnings: string[] = [];
  const refusedKeys: string[] = [];
  let data = request.literal ?? "";
  for (const byte of request.hex ?? []) {
    const match = /^(?:0x)?([0-9a-f]{1,2})$/i.exec(byte.trim());
    if (match === null) warnings.push(`"${byte}" is no byte: use two hex digits such as 1b.`);
    else data += String.fromCharCode(Number.parseInt(match[1] ?? "0", 16));
  }
  for (const key of request.keys ?? []) data += encodeKey(key, request.cursorMode, warnings, refusedKeys);
  return { data, warnings, refusedKeys };
}

/** Wraps pasted text so that a terminal program can tell it from typing. Ends of bracketing inside are removed. */
export function encodePaste(text: string, isBracketed: boolean): string {
  return isBracketed ? `${esc}[200~${text.replaceAll(`${esc}[201~`, "")}${esc}[201~` : text;
}

/** Follows ESC[?1h and ESC[?1l in output; the last one counts. Keep the last 8 characters of a chunk for the next. */
export function trackCursorMode(previous: CursorMode, output: string): CursorMode {
  const on = output.lastIndexOf(`${esc}[?1h`);
  const off = output.lastIndexOf(`${esc}[?1l`);
  if (on === -1 && off === -1) return previous;
  return on > off ? "application" : "normal";
}
