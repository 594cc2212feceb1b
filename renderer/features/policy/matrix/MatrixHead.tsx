/** Heads of the matrix: groups of columns, numbers, real labels broken at dots, and what each column left and took. */

// biome-ignore-all lint/a11y/useSemanticElements: a virtual grid of positioned cells cannot be a table
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid holds focus and names the active cell
// biome-ignore-all lint/a11y/useKeyWithClickEvents: keys are handled by the grid

import type { TFunction } from "i18next";
import { Fragment, memo, type ReactNode } from "react";
import type { PolicyColumn } from "../../../../shared/policy/types.ts";
import type { MatrixPlan } from "../model/matrixGeometry.ts";
import { labelPieces, lineOf, type Positions } from "../model/matrixModel.ts";
import { columnHeadLabel, columnName } from "../words.ts";

const groupKeys = {
  "pre-filter": "columns.groupPreFilter",
  stage: "columns.groupStage",
  "call-site": "columns.groupCallSite",
  surface: "columns.groupSurface",
} as const;

export const MatrixHead = memo(function MatrixHead(props: {
  t: TFunction;
  columns: readonly PolicyColumn[];
  plan: MatrixPlan;
  toolWidth: number;
  width: number;
  positions: Positions;
  activeColumn: number | null;
  corner: ReactNode;
  /** Where two traces share the head, counts of one would mislead. */
  hideCounts?: boolean;
}) {
  const { t, columns, plan } = props;
  return (
    <div role="row" aria-rowindex={1} className="mx-head" style={{ width: props.width }}>
      <div role="columnheader" aria-colindex={1} className="mx-corner" style={{ width: props.toolWidth }}>
        {props.corner}
        <span className="mx-corner-word">{t("columns.tool")}</span>
      </div>
      {groups(columns, plan).map((group) => (
        <div
          key={group.kind}
          className={`mx-group is-${group.kind}`}
          style={{ left: props.toolWidth + group.x, width: group.width }}
          aria-hidden="true"
        >
          {t(groupKeys[group.kind])}
        </div>
      ))}
      {columns.map((column, index) => {
        const place = plan.places[index];
        if (place === undefined) return null;
        const isSkipped = column.state === "skipped";
        const classes = ["mx-col", `is-${column.kind}`];
        if (isSkipped) classes.push("is-skipped");
        if (place.isFolded) classes.push("is-folded");
        if (column.failsOpen) classes.push("fails-open");
        if (props.activeColumn === index) classes.push("is-active");
        const line = column.configPaths
          .map((path) => lineOf(props.positions, path))
          .find((found) => found !== null);
        const name = headName(t, column);
        return (
          <div
            key={column.id}
            role="columnheader"
            aria-colindex={index + 2}
            aria-label={line === undefined ? name : `${name}, ${t("columns.atLine", { line })}`}
            title={line === undefined ? name : `${name}, ${t("columns.atLine", { line })}`}
            className={classes.join(" ")}
            style={{ left: props.toolWidth + place.x, width: place.width }}
          >
            <span className="mx-number">{column.number ?? ""}</span>
            <span
              className={place.width < 57 && column.kind !== "pre-filter" ? "mx-label is-tight" : "mx-label"}
            >
              {place.isFolded
                ? null
                : labelPieces(columnHeadLabel(t, column)).map((piece, at) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one label never move
                    <Fragment key={at}>
                      {at > 0 && !isJoined(columnHeadLabel(t, column), at) ? " " : null}
                      {piece}
                      <wbr />
                    </Fragment>
                  ))}
            </span>
            {column.failsOpen && !place.isFolded ? (
              <span className="mx-fails">{t("columns.failsOpen")}</span>
            ) : null}
            <span className="mx-counts">
              {props.hideCounts === true && !isSkipped ? null : isSkipped ? (
                column.kind === "pre-filter" || place.isFolded ? null : (
                  <span className="dim">{t("columns.skipped")}</span>
                )
              ) : (
                <>
                  {column.kind === "pre-filter" ? null : <b>{column.survivors}</b>}
                  {column.removed > 0 ? <span className="tone-stop"> −{column.removed}</span> : null}
                </>
              )}
            </span>
          </div>
        );
      })}
    </div>
  );
});

/** Whether the piece follows the one before directly: then only a break may stand between them, no space. */
function isJoined(label: string, pieceIndex: number): boolean {
  const pieces = labelPieces(label);
  return label.includes(`${pieces[pieceIndex - 1]}${pieces[pieceIndex]}`);
}

function headName(t: TFunction, column: PolicyColumn): string {
  const name = columnName(t, column);
  if (column.state === "skipped") return t("columns.headSkipped", { name });
  const values = { name, survivors: column.survivors, removed: column.removed };
  return t(column.failsOpen ? "columns.headFailsOpen" : "columns.headName", values);
}

function groups(columns: readonly PolicyColumn[], plan: MatrixPlan) {
  const found: { kind: PolicyColumn["kind"]; x: number; width: number }[] = [];
  columns.forEach((column, index) => {
    const place = plan.places[index];
    if (place === undefined) return;
    const last = found.at(-1);
    if (last?.kind === column.kind) last.width = place.x + place.width - last.x;
    else found.push({ kind: column.kind, x: place.x, width: place.width });
  });
  return found;
}
