/** The same answer as a list by stage, for reading in order instead of by position. */

import { type ReactNode, useMemo } from "react";
import type { PolicyTrace } from "../../../../shared/policy/types.ts";
import { useT } from "../../../i18n/index.ts";
import { VerdictShape } from "../../../ui/index.ts";
import { keptCount, type MatrixRow, removerIndex } from "../model/matrixModel.ts";
import { columnName } from "../words.ts";

export function ListAlternative(props: {
  trace: PolicyTrace;
  rows: readonly MatrixRow[];
  filterField: ReactNode;
  onPick: (traceIndex: number, columnIndex: number) => void;
}) {
  const t = useT("policy");
  const { trace, rows } = props;
  const groups = useMemo(() => byColumn(trace, rows), [trace, rows]);
  const kept = keptCount(trace);
  return (
    <div className="policy-list">
      <div className="row">
        {props.filterField}
        <p className="second">{t("list.summary", { kept, removed: trace.rows.length - kept })}</p>
      </div>
      {groups.map((group) => {
        const column = group.columnIndex === null ? undefined : trace.columns[group.columnIndex];
        const title = column === undefined ? t("list.kept") : t("list.at", { column: columnName(t, column) });
        return (
          <section key={group.columnIndex ?? "kept"} aria-label={title}>
            <h2>
              <VerdictShape kind={column === undefined ? "kept" : "removed"} /> {title}{" "}
              <span className="second">{group.rows.length}</span>
            </h2>
            <ul>
              {group.rows.map(({ row, traceIndex }) => (
                <li key={row.name}>
                  <button
                    type="button"
                    className="policy-list-item evidence"
                    onClick={() => props.onPick(traceIndex, group.columnIndex ?? 0)}
                  >
                    {row.name}
                  </button>
                </li>
              ))}
            </ul>
          </section>
        );
      })}
    </div>
  );
}

function byColumn(trace: PolicyTrace, rows: readonly MatrixRow[]) {
  const groups = new Map<number | null, MatrixRow[]>([[null, []]]);
  for (const entry of rows) {
    const index = removerIndex(trace, entry.row);
    const group = groups.get(index) ?? [];
    group.push(entry);
    groups.set(index, group);
  }
  return [...groups]
    .map(([columnIndex, members]) => ({ columnIndex, rows: members }))
    .sort((a, b) => (a.columnIndex ?? -1) - (b.columnIndex ?? -1));
}
