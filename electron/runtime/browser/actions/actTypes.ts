/** An act after reading: every field checked, every limit applied. */

/** By a ref of a snapshot, or by a CSS selector that must match exactly one element. */
export type ElementSpec = { by: "ref"; ref: string } | { by: "selector"; selector: string };

export type MouseButton = "left" | "right" | "middle";
export type Modifier = "Alt" | "Control" | "ControlOrMeta" | "Meta" | "Shift";
export type LoadState = "load" | "domcontentloaded" | "networkidle";

export interface FillField {
  ref: string;
  /** `text` when absent; `checkbox` and `radio` are set, anything else is text. */
  type: string;
  value: string | number | boolean | undefined;
}

/** Times in milliseconds. */
export type Act =
  | {
      kind: "click";
      element: ElementSpec;
      doubleClick: boolean;
      button: MouseButton;
      modifiers: Modifier[];
      delayMs: number;
      timeoutMs: number;
    }
  | { kind: "type"; element: ElementSpec; text: string; submit: boolean; slowly: boolean; timeoutMs: number }
  | { kind: "press"; key: string; delayMs: number }
  | { kind: "hover"; element: ElementSpec; timeoutMs: number }
  | { kind: "scrollIntoView"; element: ElementSpec; timeoutMs: number }
  | { kind: "drag"; start: ElementSpec; end: ElementSpec; timeoutMs: number }
  | { kind: "select"; element: ElementSpec; values: string[]; timeoutMs: number }
  | { kind: "fill"; fields: FillField[]; droppedFields: number; timeoutMs: number }
  | { kind: "resize"; width: number; height: number }
  | WaitAct
  | { kind: "evaluate"; fn: string; ref: string | undefined; timeoutMs: number }
  | { kind: "close" }
  | { kind: "batch"; actions: Act[]; stopOnError: boolean };

export interface WaitAct {
  kind: "wait";
  timeMs: number | undefined;
  text: string | undefined;
  textGone: string | undefined;
  selector: string | undefined;
  url: string | undefined;
  loadState: LoadState | undefined;
  fn: string | undefined;
  /** Of each condition. */
  timeoutMs: number;
}

export type ActKind = Act["kind"];

/** What an act may take by itself, in milliseconds: the sum of its own limits. The outer limit adds a margin. */
export function budgetOf(act: Act): number {
  switch (act.kind) {
    case "press":
      return 5000 + act.delayMs;
    case "resize":
    case "close":
      return 5000;
    case "click":
      return act.timeoutMs + act.delayMs;
    case "type":
      return act.timeoutMs + (act.slowly ? slowTypingMs(act.text) : 0);
    case "drag":
      return act.timeoutMs * 2;
    case "wait":
      return (act.timeMs ?? 0) + act.timeoutMs * Math.max(1, conditionsOf(act));
    case "fill":
      return act.timeoutMs * Math.max(1, act.fields.length);
    case "batch":
      return act.actions.reduce((sum, step) => sum + budgetOf(step), 0);
    default:
      return act.timeoutMs;
  }
}

/** Pause between keys of `slowly`. */
export const keyDelayMs = 75;

/** Time that slow typing needs; without it long texts would run into the limit of the action. */
export function slowTypingMs(text: string): number {
  return Array.from(text).length * (keyDelayMs + 25);
}

function conditionsOf(act: WaitAct): number {
  const { text, textGone, selector, url, loadState, fn } = act;
  return [text, textGone, selector, url, loadState, fn].filter((condition) => condition !== undefined).length;
}
