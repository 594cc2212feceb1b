/** The columns of the matrix for one walk: which are active, their labels and places in the config. */

import { type ColumnId, columnIds, type PreFilterId } from "./codes.ts";
import type { PolicyRun, StageVerdicts } from "./evaluate.ts";
import type { PolicyColumn } from "./types.ts";

export type ColumnSpec = { column: PolicyColumn } & (
  | { kind: "exists" }
  | { kind: "pre-filter"; filter: PreFilterId }
  /** The owner filter on HTTP, behind the stages. */
  | { kind: "http-owner" }
  | { kind: "skipped" }
  | { kind: "stage"; verdicts: StageVerdicts }
  | { kind: "http" }
);

/** Labels of stages that are skipped; an active stage brings its own. */
const defaultLabels: Record<ColumnId, string> = {
  exists: "exists",
  "message-provider": "channel",
  "model-provider": "model",
  "owner-only": "owner",
  profile: "tools.profile",
  "provider-profile": "tools.byProvider.profile",
  global: "tools.allow",
  "global-provider": "tools.byProvider.allow",
  agent: "agent tools.allow",
  "agent-provider": "agent tools.byProvider.allow",
  group: "group tools.allow",
  sandbox: "sandbox tools.allow",
  subagent: "subagent tools.allow",
  http: "HTTP /tools/invoke",
};

const stageNumbers: ReadonlyMap<ColumnId, number> = new Map([
  ["profile", 1],
  ["provider-profile", 2],
  ["global", 3],
  ["global-provider", 4],
  ["agent", 5],
  ["agent-provider", 6],
  ["group", 7],
  ["sandbox", 8],
  ["subagent", 9],
]);

/** On HTTP the owner filter comes behind the stages. */
const httpOrder: readonly ColumnId[] = [
  ...columnIds.filter((id) => id !== "owner-only" && id !== "http"),
  "owner-only",
  "http",
];

/** @returns the columns in the order in which tools pass them */
export function columnsOf(run: PolicyRun, isHttp: boolean): ColumnSpec[] {
  return (isHttp ? httpOrder : columnIds).map((id) => specOf(id, run, isHttp));
}

function specOf(id: ColumnId, run: PolicyRun, isHttp: boolean): ColumnSpec {
  const number = stageNumbers.get(id);
  const verdicts = number === undefined ? undefined : run.stages.find(({ policy }) => policy.column === id);
  const column: PolicyColumn = {
    id,
    kind: kindOf(id, number),
    label: verdicts?.policy.label ?? labelOf(id, run),
    configPaths: [],
    state: "active",
    failsOpen: false,
    survivors: 0,
    removed: 0,
  };
  if (id === "exists") return { kind: "exists", column };
  if (id === "http") {
    column.configPaths = httpPaths(run);
    return { kind: "http", column };
  }
  if (number === undefined) {
    if (!isPreFilterActive(id, run, isHttp)) column.state = "skipped";
    if (isHttp && id === "owner-only") return { kind: "http-owner", column };
    return { kind: "pre-filter", filter: id as PreFilterId, column };
  }
  column.number = number;
  if (verdicts === undefined) {
    column.state = "skipped";
    return { kind: "skipped", column };
  }
  column.configPaths = verdicts.policy.configPaths.map((path) => [...path]);
  column.failsOpen = verdicts.report.dropped;
  return { kind: "stage", verdicts, column };
}

function kindOf(id: ColumnId, number: number | undefined): PolicyColumn["kind"] {
  if (number === undefined) return id === "http" ? "surface" : "pre-filter";
  return number > 7 ? "call-site" : "stage";
}

/** Where the deny set of the surface is written, as far as it is. */
function httpPaths(run: PolicyRun): PolicyColumn["configPaths"] {
  const paths = [...run.httpDenied.values()].flatMap(({ rule }) =>
    rule.configPath === null ? [] : [rule.configPath],
  );
  return paths.length === 0 ? [] : [["gateway", "tools", "deny"]];
}

function isPreFilterActive(id: ColumnId, { facts }: PolicyRun, isHttp: boolean): boolean {
  if (id === "owner-only") return !facts.isOwner;
  if (isHttp) return false;
  if (id === "model-provider") return facts.nativeSearch;
  return facts.messageProvider === "voice" || facts.messageProvider === "node";
}

/** Of a column that no stage of the walk stands for. */
function labelOf(id: ColumnId, run: PolicyRun): string {
  const { agentId } = run.plan;
  if (agentId !== undefined && id === "agent") return `agents.${agentId}.tools.allow`;
  if (agentId !== undefined && id === "agent-provider") return `agents.${agentId}.tools.byProvider.allow`;
  return defaultLabels[id];
}
