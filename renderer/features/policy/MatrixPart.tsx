/** The matrix with its detail panel, or the same as a list. */

import { type RefObject, useMemo, useState } from "react";
import { useLocation } from "wouter";
import type { PolicyContext } from "../../../shared/policy/types.ts";
import { useT } from "../../i18n/index.ts";
import { DetailPane, Pane, SplitView, useIsNarrow } from "../../ui/index.ts";
import { CellDetail } from "./detail/CellDetail.tsx";
import { Legend } from "./matrix/Legend.tsx";
import { ListAlternative } from "./matrix/ListAlternative.tsx";
import { Matrix } from "./matrix/Matrix.tsx";
import type { Cursor } from "./matrix/matrixKeys.ts";
import "./matrix/legend.css";
import { contextToSearch } from "./model/contextAddress.ts";
import { matrixRows, removerIndex } from "./model/matrixModel.ts";
import type { TraceView } from "./usePolicyTrace.ts";

export function MatrixPart(props: {
  view: TraceView;
  context: PolicyContext;
  config: unknown;
  filter: string;
  onFilter: (filter: string) => void;
  filterRef: RefObject<HTMLInputElement | null>;
  asList: boolean;
  onAsList: (asList: boolean) => void;
}) {
  const t = useT("policy");
  const [, navigate] = useLocation();
  const isNarrow = useIsNarrow();
  const { trace, positions } = props.view;
  const rows = useMemo(() => matrixRows(trace, props.filter), [trace, props.filter]);
  const [cursor, setCursor] = useState<Cursor | null>(null);
  const [isOpen, setIsOpen] = useState(!isNarrow);
  const row = cursor === null ? undefined : rows[cursor.row];
  const search = contextToSearch(props.context);
  const why = (tool: string) =>
    navigate(`/policy/why/${encodeURIComponent(tool)}${search === "" ? "" : `?${search}`}`);
  const isDetailShown = isOpen || !isNarrow;
  const filterField = (
    <input
      ref={props.filterRef}
      className="input policy-filter"
      type="search"
      value={props.filter}
      placeholder={t("filterHint")}
      aria-label={t("filter")}
      onChange={(event) => props.onFilter(event.target.value)}
    />
  );
  return (
    <SplitView>
      <Pane label={t("grid.label")} footer={<Legend t={t} asList={props.asList} onAsList={props.onAsList} />}>
        {trace.rows.length === 0 ? (
          <p className="view-pad">{t("empty")}</p>
        ) : props.asList ? (
          <ListAlternative
            trace={trace}
            rows={rows}
            filterField={filterField}
            onPick={(traceIndex, column) => {
              setCursor({ row: rows.findIndex((entry) => entry.traceIndex === traceIndex), column });
              setIsOpen(true);
            }}
          />
        ) : (
          <Matrix
            trace={trace}
            rows={rows}
            positions={positions}
            cursor={cursor}
            onCursor={setCursor}
            onPointed={() => setIsOpen(true)}
            onOpen={() => {
              // Enter on a tool's later cells shows that cell; on a blank one, the cell that decided.
              if (row !== undefined && cursor !== null && row.row.cells[cursor.column]?.effect === "gone") {
                setCursor({ row: cursor.row, column: removerIndex(trace, row.row) ?? cursor.column });
              }
              setIsOpen(true);
            }}
            onWhy={why}
            onWhatIf={() => navigate(`/policy/whatif${search === "" ? "" : `?${search}`}`)}
            onList={() => props.onAsList(true)}
            corner={filterField}
            emptyText={t("noMatch", { filter: props.filter })}
          />
        )}
      </Pane>
      {isDetailShown ? (
        <DetailPane label={t("detail.label")} onClose={() => setIsOpen(false)}>
          <CellDetail
            trace={trace}
            positions={positions}
            config={props.config}
            cell={
              row === undefined || cursor === null
                ? null
                : { traceIndex: row.traceIndex, columnIndex: cursor.column }
            }
            onWhy={why}
          />
        </DetailPane>
      ) : null}
    </SplitView>
  );
}
