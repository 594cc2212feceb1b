/** Words for what a trace says: columns, sections, reasons and verdicts, in the language of the panel. */

import type { TFunction } from "i18next";
import type {
  PolicyCell,
  PolicyColumn,
  PolicyRow,
  PolicyTrace,
  Reason,
} from "../../../shared/policy/types.ts";
import { cellRules, lineOf, type Positions } from "./model/matrixModel.ts";
import { plain } from "./Rich.tsx";

type Values = Record<string, string | number>;

/** Stages go by their real label; pre-filters and the surface have none, so they have a word. */
export function columnLabel(t: TFunction, column: PolicyColumn): string {
  if (column.kind === "pre-filter" || column.kind === "surface") return t(`columns.${column.id}`);
  return column.label;
}

/** Short enough for a head of 57 px: what every label of the kind shares is left out. */
export function columnHeadLabel(t: TFunction, column: PolicyColumn): string {
  const label = columnLabel(t, column);
  if (column.id === "profile" || column.id === "provider-profile" || column.id === "global-provider")
    // A bracket alone on a line of its own says nothing.
    return label.replace(/^tools\./u, "").replace(/\((\S{9,})\)$/u, "$1");
  if (column.id === "agent-provider") return label.replace(".tools.byProvider", ".byProvider");
  return label;
}

/** `stage 5 agents.support.tools.allow`, as it is read aloud. */
export function columnName(t: TFunction, column: PolicyColumn): string {
  const label = columnLabel(t, column);
  if (column.kind === "pre-filter") return t("columns.preFilterName", { label });
  if (column.kind === "surface") return t("columns.surfaceName", { label });
  return t("columns.stageName", { number: column.number ?? "", label });
}

/** @param servers sections of MCP servers, with the id of the server */
export function sectionLabel(
  t: TFunction,
  section: string,
  servers: ReadonlyMap<string, string> = new Map(),
): string {
  const server = servers.get(section);
  if (server !== undefined) return t("sections.server", { id: server });
  if (section.startsWith("plugin:")) return t("sections.plugin", { id: section.slice("plugin:".length) });
  return t(`sections.${section}`, { defaultValue: section });
}

/** Values of a reason with what its sentence may also name. */
export function reasonValues(
  t: TFunction,
  trace: PolicyTrace,
  why: Reason,
  tool: string,
): { key: string; values: Values } {
  const values: Values = { tool, entry: "", reason: "", ...why.params };
  if (why.params?.column !== undefined) {
    const column = trace.columns.find(({ id }) => id === why.params?.column);
    values.column = column === undefined ? why.params.column : columnName(t, column);
  }
  if (why.params?.threat !== undefined)
    values.threat = t(`threat.${why.params.threat}`, { defaultValue: why.params.threat });
  if (why.code === "unavailable") values.reason = absenceText(t, why.params ?? {});
  return { key: `why.${why.code}`, values };
}

/** A registration says why a tool is missing with a code of its own; unknown ones are shown as they are. */
export function absenceText(t: TFunction, params: Readonly<Record<string, string>>): string {
  const reason = params.reason ?? "";
  return String(t(`absent.${reason}`, { ...params, ns: "reasons", defaultValue: reason }));
}

/** What a cell says in one sentence when the trace gives no reason of its own. */
export function cellSentence(
  t: TFunction,
  trace: PolicyTrace,
  column: PolicyColumn,
  cell: PolicyCell,
  row: PolicyRow,
): { key: string; values: Values } {
  if (cell.why !== undefined) return reasonValues(t, trace, cell.why, row.name);
  if (cell.effect === "skipped" || column.state === "skipped")
    return { key: `skippedColumn.${column.id}`, values: {} };
  if (cell.effect === "gone") {
    const remover =
      row.verdict.kind === "removed"
        ? trace.columns.find(
            (candidate) => row.verdict.kind === "removed" && candidate.id === row.verdict.column,
          )
        : trace.columns[0];
    return { key: "gone", values: { column: remover === undefined ? "" : columnName(t, remover) } };
  }
  if (cell.effect === "absent") return { key: "absentSurface", values: { tool: row.name } };
  if (cell.effect === "kept")
    return {
      key: column.id === "exists" ? "keptExists" : "keptColumn",
      values: { tool: row.name, column: columnName(t, column) },
    };
  if (cell.effect === "failsOpen") return { key: "why.list-dropped", values: { tool: row.name } };
  return { key: `effect.${cell.effect}`, values: {} };
}

/** The accessible name of a cell: tool, column, effect, rule, line. */
export function cellName(
  t: TFunction,
  trace: PolicyTrace,
  column: PolicyColumn,
  cell: PolicyCell,
  row: PolicyRow,
  positions: Positions,
): string {
  const values = {
    tool: row.name,
    column: columnName(t, column),
    effect: t(`effect.${cell.effect}`),
  };
  if (cell.effect === "gone" || cell.effect === "skipped") return t("grid.cell", values);
  const parts: string[] = [];
  const [rule] = cellRules(trace, cell);
  if (rule !== undefined && rule.configPath !== null) parts.push(`${rule.list} ${rule.entry}`.trim());
  else if (cell.why !== undefined) {
    const { key, values: reason } = reasonValues(t, trace, cell.why, row.name);
    parts.push(plain(t, key, reason).replace(/[.。]$/u, ""));
  }
  const line = rule === undefined ? null : lineOf(positions, rule.configPath);
  if (line !== null) parts.push(t("columns.atLine", { line }));
  return parts.length === 0
    ? t("grid.cell", values)
    : t("grid.cellWhy", { ...values, why: parts.join(", ") });
}

/** Stands for the tool's name in a text that is made once for many tools. */
const toolToken = "\uE002";

/**
 * Names cells as `cellName` does. Most cells of a column say the same of another tool, so each text is made once:
 * a large matrix is named while it scrolls.
 */
export function createCellNamer(
  t: TFunction,
  trace: PolicyTrace,
  positions: Positions,
): (column: PolicyColumn, cell: PolicyCell, row: PolicyRow) => string {
  const templates = new Map<string, string>();
  return (column, cell, row) => {
    const { why, ruleIds } = cell;
    const params = why?.params === undefined ? "" : JSON.stringify(why.params);
    const key = `${column.id} ${cell.effect} ${why?.code ?? ""} ${ruleIds?.[0] ?? ""} ${params}`;
    let template = templates.get(key);
    if (template === undefined) {
      template = cellName(t, trace, column, cell, { ...row, name: toolToken }, positions);
      templates.set(key, template);
    }
    return template.replaceAll(toolToken, () => row.name);
  };
}

/** The chip above the detail panel. */
export function verdictText(
  t: TFunction,
  column: PolicyColumn,
  cell: PolicyCell,
): { text: string; tone: "keep" | "stop" | "ask" | "dim" } {
  switch (cell.effect) {
    case "kept":
      return { text: t("verdict.keptHere"), tone: "keep" };
    case "removed":
      if (column.kind === "surface") return { text: t("verdict.removedSurface"), tone: "stop" };
      return {
        text:
          column.number === undefined
            ? t("verdict.removedBefore")
            : t("verdict.removedAt", { number: column.number }),
        tone: "stop",
      };
    case "wouldRemove":
      return { text: t("verdict.wouldRemove", { number: column.number ?? 0 }), tone: "stop" };
    case "absent":
      return { text: t("verdict.absent"), tone: "stop" };
    case "failsOpen":
      return { text: t("verdict.failsOpen"), tone: "ask" };
    case "withoutEffect":
      return { text: t("verdict.withoutEffect"), tone: "dim" };
    case "skipped":
      return { text: t("verdict.skipped"), tone: "dim" };
    case "gone":
      return { text: t("verdict.gone"), tone: "dim" };
  }
}
