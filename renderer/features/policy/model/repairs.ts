/** Proposes the smallest edits of openclaw.json that could bring a removed tool back. Pure; each must be verified. */

import type {
  ConfigEdit,
  ConfigPath,
  PolicyCell,
  PolicyRow,
  PolicyTrace,
} from "../../../../shared/policy/types.ts";
import { cellRules, removers } from "./matrixModel.ts";
import { valueAt } from "./ruleBlocks.ts";

export interface RepairCandidate {
  edits: ConfigEdit[];
  /** For whom the edits are meant. */
  scope: "agent" | "global" | "list";
  /** The profile itself is lifted, which opens more than the tool wherever nothing else restricts. */
  liftsProfile: boolean;
}

interface Option {
  edit: ConfigEdit;
  scope: RepairCandidate["scope"];
}

const maxCandidates = 8;

/**
 * @param config the document that was evaluated
 * @returns combinations with one edit per remover; empty when a remover is no matter of the config
 */
export function repairCandidates(trace: PolicyTrace, row: PolicyRow, config: unknown): RepairCandidate[] {
  const agentPath = agentToolsPath(config, trace.result.agentId);
  const options = removers(trace, row).map(({ column, cell }) =>
    optionsFor(trace, column.id, cell, row.name, config, agentPath),
  );
  if (options.length === 0 || options.some((list) => list.length === 0)) return [];
  let combined: Option[][] = [[]];
  for (const list of options) {
    combined = combined
      .flatMap((chosen) => list.map((option) => [...chosen, option]))
      .slice(0, maxCandidates * 4);
  }
  const seen = new Set<string>();
  const candidates: RepairCandidate[] = [];
  for (const chosen of combined) {
    const edits = uniqueEdits(chosen.map(({ edit }) => edit));
    const key = JSON.stringify(edits);
    if (seen.has(key)) continue;
    seen.add(key);
    const scopes = new Set(chosen.map(({ scope }) => scope));
    candidates.push({
      edits,
      scope: scopes.has("global") ? "global" : scopes.has("agent") ? "agent" : "list",
      liftsProfile: edits.some((edit) => edit.path.at(-1) === "profile"),
    });
  }
  return candidates.sort((a, b) => a.edits.length - b.edits.length).slice(0, maxCandidates);
}

function optionsFor(
  trace: PolicyTrace,
  columnId: string,
  cell: PolicyCell,
  tool: string,
  config: unknown,
  agentPath: ConfigPath | null,
): Option[] {
  const rules = cellRules(trace, cell).filter((rule) => rule.lostTo === undefined);
  const denies = rules.filter((rule) => rule.effect === "denies" && rule.configPath !== null);
  const denying = denies.flatMap((rule) =>
    rule.configPath === null || typeof rule.configPath.at(-1) !== "number"
      ? []
      : [{ edit: { op: "remove", path: [...rule.configPath] } as ConfigEdit, scope: "list" as const }],
  );
  if (denying.length > 0) return denying;
  const code = cell.why?.code ?? "";
  const extra = (path: ConfigPath, scope: Option["scope"]): Option => ({
    edit: addToList(config, path, tool),
    scope,
  });
  switch (columnId) {
    case "profile": {
      const options: Option[] = slipFix(trace, tool);
      const agentList = agentPath === null ? undefined : valueAt(config, [...agentPath, "alsoAllow"]);
      const globalList = valueAt(config, ["tools", "alsoAllow"]);
      if (agentPath !== null) {
        const path = [...agentPath, "alsoAllow"];
        // An agent's list replaces the global one, so a new one must repeat what it replaces.
        options.push(
          Array.isArray(agentList) || !Array.isArray(globalList)
            ? extra(path, "agent")
            : { edit: { op: "set", path, value: [...globalList, tool] }, scope: "agent" },
        );
      }
      if (!Array.isArray(agentList)) options.push(extra(["tools", "alsoAllow"], "global"));
      if (agentPath !== null)
        options.push({ edit: { op: "set", path: [...agentPath, "profile"], value: "full" }, scope: "agent" });
      return options;
    }
    case "sandbox": {
      const options: Option[] = [];
      const own = ["sandbox", "tools", "alsoAllow"];
      const globalList = valueAt(config, ["tools", ...own]);
      if (agentPath !== null) {
        const path = [...agentPath, ...own];
        options.push(
          Array.isArray(valueAt(config, path)) || !Array.isArray(globalList)
            ? extra(path, "agent")
            : { edit: { op: "set", path, value: [...globalList, tool] }, scope: "agent" },
        );
      }
      options.push(extra(["tools", ...own], "global"));
      return options;
    }
    case "subagent":
      return code === "not-listed"
        ? [extra(["tools", "subagents", "tools", "allow"], "global")]
        : [extra(["tools", "subagents", "tools", "alsoAllow"], "global")];
    case "global":
    case "global-provider":
    case "agent":
    case "agent-provider":
    case "group": {
      const column = trace.columns.find(({ id }) => id === columnId);
      const restricting = rules.find((rule) => rule.effect === "restricts" && rule.configPath !== null);
      const base = restricting?.configPath ?? column?.configPaths[0];
      if (base === undefined || base === null) return [];
      const listPath = trimToList(config, base);
      return listPath === null ? [] : [extra(listPath, columnId.startsWith("agent") ? "agent" : "list")];
    }
    default:
      return [];
  }
}

/** An unknown name one slip away from the tool, in a list that adds to the profile: mending it is the smallest edit. */
function slipFix(trace: PolicyTrace, tool: string): Option[] {
  const finding = trace.result.findings.find(
    ({ kind, suggestion, path }) =>
      kind === "unknown-entry" && suggestion === tool && path.includes("alsoAllow"),
  );
  const [edit] = finding?.fix ?? [];
  if (edit === undefined || edit.op === "remove") return [];
  return [{ edit, scope: edit.path[0] === "agents" ? "agent" : "global" }];
}

/** The allow list that a path points into, at, or that stands in the object it points at. */
function trimToList(config: unknown, path: ConfigPath): ConfigPath | null {
  const value = valueAt(config, path);
  if (Array.isArray(value)) return path;
  if (typeof value === "string" && typeof path.at(-1) === "number") return path.slice(0, -1);
  if (Array.isArray(valueAt(config, [...path, "allow"]))) return [...path, "allow"];
  return null;
}

function addToList(config: unknown, path: ConfigPath, tool: string): ConfigEdit {
  const list = valueAt(config, path);
  if (Array.isArray(list)) return { op: "insert", path: [...path, list.length], value: tool };
  return { op: "set", path: [...path], value: [tool] };
}

/** @returns path of the agent's `tools`, or null for an agent that the config does not list */
export function agentToolsPath(config: unknown, agentId: string | null): ConfigPath | null {
  if (agentId === null) return null;
  const list = valueAt(config, ["agents", "list"]);
  if (!Array.isArray(list)) return null;
  const index = list.findIndex(
    (agent) =>
      String(valueAt(agent, ["id"]) ?? "")
        .trim()
        .toLowerCase() === agentId.toLowerCase(),
  );
  return index < 0 ? null : ["agents", "list", index, "tools"];
}

function uniqueEdits(edits: ConfigEdit[]): ConfigEdit[] {
  const byText = new Map(edits.map((edit) => [JSON.stringify(edit), edit]));
  return [...byText.values()];
}

/**
 * Applies edits to a copy of a document.
 * @returns the new document; parents are created, unknown places are left alone
 */
export function applyToDocument(config: unknown, edits: readonly ConfigEdit[]): unknown {
  const root = structuredClone(config ?? {});
  for (const edit of orderedEdits(edits)) {
    const parent = parentOf(root, edit.path, edit.op !== "remove");
    const last = edit.path.at(-1);
    if (parent === null || last === undefined) continue;
    if (Array.isArray(parent) && typeof last === "number") {
      if (edit.op === "remove") parent.splice(last, 1);
      else if (edit.op === "insert") parent.splice(last, 0, edit.value);
      else parent[last] = edit.value;
    } else if (!Array.isArray(parent)) {
      if (edit.op === "remove") delete parent[String(last)];
      else defineOwn(parent, String(last), edit.value);
    }
  }
  return root;
}

/** Later places of the same list first, so that earlier ones keep their positions. */
export function orderedEdits(edits: readonly ConfigEdit[]): ConfigEdit[] {
  return [...edits].sort((a, b) => {
    const [x, y] = [a.path.at(-1), b.path.at(-1)];
    return typeof x === "number" && typeof y === "number" ? y - x : 0;
  });
}

function parentOf(
  root: unknown,
  path: ConfigPath,
  create: boolean,
): Record<string, unknown> | unknown[] | null {
  let value = root;
  for (let index = 0; index < path.length - 1; index += 1) {
    const segment = path[index];
    if (segment === undefined || typeof value !== "object" || value === null) return null;
    const record = value as Record<string | number, unknown>;
    if (!Object.hasOwn(record, segment)) {
      if (!create) return null;
      defineOwn(record, String(segment), typeof path[index + 1] === "number" ? [] : {});
    }
    value = record[segment];
  }
  return typeof value === "object" && value !== null ? (value as Record<string, unknown> | unknown[]) : null;
}

function defineOwn(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}
