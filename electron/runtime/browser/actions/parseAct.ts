/** Reads an act as an agent wrote it, in either form, and says exactly what is wrong with it. */

import { browserProblem } from "../problems.ts";
import type { Act, ActKind, ElementSpec, FillField, LoadState, Modifier, MouseButton } from "./actTypes.ts";
import { booleanOf, clamp, numberOf, recordOf, textOf, textsOf } from "./readArgs.ts";

type Fields = Map<string, unknown>;

const kinds: ReadonlySet<string> = new Set<ActKind>([
  "click",
  "type",
  "press",
  "hover",
  "scrollIntoView",
  "drag",
  "select",
  "fill",
  "resize",
  "wait",
  "evaluate",
  "close",
  "batch",
]);

const buttons: ReadonlySet<string> = new Set<MouseButton>(["left", "right", "middle"]);
const modifierNames: ReadonlySet<string> = new Set<Modifier>([
  "Alt",
  "Control",
  "ControlOrMeta",
  "Meta",
  "Shift",
]);
const loadStates: ReadonlySet<string> = new Set<LoadState>(["load", "domcontentloaded", "networkidle"]);

/** Kinds that act on the page or on refs only. */
const withoutSelector: ReadonlySet<string> = new Set(["press", "fill", "resize", "evaluate", "close"]);

const maxClickDelayMs = 5000;
const maxWaitMs = 30_000;
const maxBatchActions = 100;
const maxBatchDepth = 5;
const actionDefaultMs = 8000;
const waitDefaultMs = 20_000;

/** @throws AppError INVALID_INPUT that names the field */
export function parseAct(request: unknown): Act {
  const fields = recordOf(request);
  if (fields === undefined)
    throw bad("request required: give act a request such as {kind: 'click', ref: 'e3'}");
  const count = { actions: 0 };
  return parse(fields, { depth: 0, count });
}

function parse(fields: Fields, place: { depth: number; count: { actions: number } }): Act {
  const kind = textOf(fields.get("kind")) ?? "";
  if (!kinds.has(kind)) {
    throw bad(
      `kind is required and must be one of ${[...kinds].join(", ")}${kind === "" ? "" : `; got ${kind.slice(0, 40)}`}`,
    );
  }
  if (place.depth === 0 && withoutSelector.has(kind) && textOf(fields.get("selector")) !== undefined) {
    throw bad(
      `selector is not supported for ${kind}. Take a snapshot, find the element's ref there, and act on the ref. A selector works for click, type, hover, drag, select, wait and scrollIntoView.`,
    );
  }
  switch (kind as ActKind) {
    case "click":
      return parseClick(fields);
    case "type": {
      const text = fields.get("text");
      const element = elementOf(fields, "type");
      if (typeof text !== "string") throw bad("text is required (type requires text; it may be empty)");
      return {
        kind: "type",
        element,
        text,
        submit: booleanOf(fields.get("submit")) ?? false,
        slowly: booleanOf(fields.get("slowly")) ?? false,
        timeoutMs: actionTimeout(fields),
      };
    }
    case "press": {
      const key = textOf(fields.get("key"));
      if (key === undefined)
        throw bad("key is required, for example Enter or Control+a; a blank is called Space");
      return { kind: "press", key, delayMs: clamp(numberOf(fields.get("delayMs")) ?? 0, 0, maxClickDelayMs) };
    }
    case "hover":
      return { kind: "hover", element: elementOf(fields, "hover"), timeoutMs: actionTimeout(fields) };
    case "scrollIntoView":
      return {
        kind: "scrollIntoView",
        element: elementOf(fields, "scrollIntoView"),
        timeoutMs: longTimeout(fields),
      };
    case "drag":
      return {
        kind: "drag",
        start: elementOf(fields, "drag", "startRef", "startSelector"),
        end: elementOf(fields, "drag", "endRef", "endSelector"),
        timeoutMs: actionTimeout(fields),
      };
    case "select": {
      const element = elementOf(fields, "select");
      const values = textsOf(fields.get("values"));
      if (values.length === 0) throw bad("values are required: texts or values of the options to choose");
      return { kind: "select", element, values, timeoutMs: actionTimeout(fields) };
    }
    case "fill":
      return parseFill(fields);
    case "resize": {
      const width = Math.floor(numberOf(fields.get("width")) ?? 0);
      const height = Math.floor(numberOf(fields.get("height")) ?? 0);
      if (width === 0 || height === 0) throw bad("width and height are required, in pixels");
      return { kind: "resize", width: clamp(width, 1, 10_000), height: clamp(height, 1, 10_000) };
    }
    case "wait":
      return parseWait(fields);
    case "evaluate": {
      const fn = textOf(fields.get("fn"));
      if (fn === undefined) throw bad("fn is required: the source of a function, or an expression");
      return { kind: "evaluate", fn, ref: textOf(fields.get("ref")), timeoutMs: longTimeout(fields) };
    }
    case "close":
      return { kind: "close" };
    case "batch":
      return parseBatch(fields, place);
  }
}

function parseClick(fields: Fields): Act {
  const element = elementOf(fields, "click");
  const button = textOf(fields.get("button")) ?? "left";
  if (!buttons.has(button)) throw bad("button must be left|right|middle");
  const modifiers = textsOf(fields.get("modifiers") ?? []);
  if (!modifiers.every((name) => modifierNames.has(name))) {
    throw bad(`modifiers must be ${[...modifierNames].join("|")}`);
  }
  const delayMs = Math.max(0, numberOf(fields.get("delayMs")) ?? 0);
  if (delayMs > maxClickDelayMs) throw bad(`click delayMs exceeds maximum of ${maxClickDelayMs}ms`);
  return {
    kind: "click",
    element,
    doubleClick: booleanOf(fields.get("doubleClick")) ?? false,
    button: button as MouseButton,
    modifiers: modifiers as Modifier[],
    delayMs,
    timeoutMs: actionTimeout(fields),
  };
}

function parseFill(fields: Fields): Act {
  const given = fields.get("fields");
  const list = Array.isArray(given) ? given : [];
  const read = list.flatMap((item): FillField[] => {
    const field = recordOf(item);
    const ref = textOf(field?.get("ref"));
    if (field === undefined || ref === undefined) return [];
    const value = field.get("value");
    const isPlain = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
    return [
      { ref, type: (textOf(field.get("type")) ?? "text").toLowerCase(), value: isPlain ? value : undefined },
    ];
  });
  if (read.length === 0) throw bad("fields are required: a list of {ref, value} with refs of a snapshot");
  return {
    kind: "fill",
    fields: read,
    droppedFields: list.length - read.length,
    timeoutMs: actionTimeout(fields),
  };
}

function parseWait(fields: Fields): Act {
  const timeMs = numberOf(fields.get("timeMs"));
  const loadState = textOf(fields.get("loadState"));
  const act: Act = {
    kind: "wait",
    timeMs: timeMs === undefined ? undefined : clamp(timeMs, 0, maxWaitMs),
    text: textOf(fields.get("text")),
    textGone: textOf(fields.get("textGone")),
    selector: textOf(fields.get("selector")),
    url: textOf(fields.get("url")),
    loadState: loadState !== undefined && loadStates.has(loadState) ? (loadState as LoadState) : undefined,
    fn: textOf(fields.get("fn")),
    timeoutMs: longTimeout(fields),
  };
  const { text, textGone, selector, url, fn } = act;
  if ([act.timeMs, text, textGone, selector, url, act.loadState, fn].every((value) => value === undefined)) {
    throw bad(
      "wait requires one of timeMs, text, textGone, selector, url, loadState (load, domcontentloaded, networkidle), fn",
    );
  }
  return act;
}

function parseBatch(fields: Fields, place: { depth: number; count: { actions: number } }): Act {
  const given = fields.get("actions");
  const list = Array.isArray(given) ? given : [];
  if (list.length === 0) throw bad("actions are required: a list of 1 to 100 acts");
  if (place.depth >= maxBatchDepth) throw bad(`batches may be nested at most ${maxBatchDepth} deep`);
  place.count.actions += list.length;
  if (place.count.actions > maxBatchActions) throw bad(`a batch takes at most ${maxBatchActions} actions`);
  const own = textOf(fields.get("targetId"));
  const actions = list.map((item, index) => {
    const step = recordOf(item);
    if (step === undefined) throw bad(`actions[${index}] is no act`);
    const target = textOf(step.get("targetId"));
    if (target !== undefined && own !== undefined && target !== own) {
      throw bad("batched action targetId must match request targetId");
    }
    return parse(step, { depth: place.depth + 1, count: place.count });
  });
  return { kind: "batch", actions, stopOnError: booleanOf(fields.get("stopOnError")) ?? true };
}

function elementOf(fields: Fields, kind: string, refName = "ref", selectorName = "selector"): ElementSpec {
  const ref = textOf(fields.get(refName));
  if (ref !== undefined) return { by: "ref", ref };
  const selector = textOf(fields.get(selectorName));
  if (selector !== undefined) return { by: "selector", selector };
  throw bad(`${refName} or ${selectorName} is required (${kind} requires ${refName} or ${selectorName})`);
}

function actionTimeout(fields: Fields): number {
  return clamp(numberOf(fields.get("timeoutMs")) ?? actionDefaultMs, 500, 60_000);
}

function longTimeout(fields: Fields): number {
  return clamp(numberOf(fields.get("timeoutMs")) ?? waitDefaultMs, 500, 120_000);
}

function bad(message: string) {
  return browserProblem("bad_request", message);
}
