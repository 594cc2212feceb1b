/** One tool of the matrix: verdict, name, its line through the stages, and a cell per column to stand on. */

// biome-ignore-all lint/a11y/useSemanticElements: a virtual grid of positioned cells cannot be a table
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid holds focus and names the active cell
// biome-ignore-all lint/a11y/useKeyWithClickEvents: keys are handled by the grid

import { memo } from "react";
import type { PolicyRow } from "../../../../shared/policy/types.ts";
import type { MatrixPlan, RowDrawing } from "../model/matrixGeometry.ts";

export interface MatrixRowProps {
  row: PolicyRow;
  rowIndex: number;
  top: number;
  height: number;
  width: number;
  toolWidth: number;
  plan: MatrixPlan;
  drawing: RowDrawing;
  /** Name of the section in its first row, else null. */
  section: string | null;
  hideSection: boolean;
  verdictLabel: string;
  cellNames: readonly string[];
  idPrefix: string;
  /** Column under the cursor, or null when the cursor is in another row. */
  activeColumn: number | null;
  /** Indices of cells that differ from the saved config. */
  changed: ReadonlySet<number> | null;
  changeSign: "+" | "−" | "~" | null;
  onPick: (rowIndex: number, columnIndex: number) => void;
}

export const MatrixRowView = memo(function MatrixRowView(props: MatrixRowProps) {
  const { row, plan, drawing, height } = props;
  const isKept = row.verdict.kind === "kept";
  const classes = ["mx-row"];
  if (props.activeColumn !== null) classes.push("is-active");
  if (props.section !== null) classes.push("starts-section");
  if (props.changeSign !== null) classes.push("is-changed");
  return (
    <div
      role="row"
      aria-rowindex={props.rowIndex + 2}
      className={classes.join(" ")}
      style={{ transform: `translateY(${props.top}px)`, height, width: props.width }}
    >
      <div
        role="rowheader"
        className="mx-tool"
        style={{ width: props.toolWidth }}
        onClick={() => props.onPick(props.rowIndex, 0)}
      >
        {props.hideSection ? null : <span className="mx-section">{props.section}</span>}
        <span className={isKept ? "mx-verdict is-kept" : "mx-verdict is-removed"} aria-hidden="true" />
        <span className="sr-only">{props.verdictLabel} </span>
        <span className={isKept ? "mx-name" : "mx-name is-out"} title={row.name}>
          {row.name}
          {props.changeSign === null ? null : <b className="mx-sign"> {props.changeSign}</b>}
        </span>
      </div>
      <svg
        className="mx-svg"
        width={plan.width}
        height={height}
        style={{ left: props.toolWidth }}
        aria-hidden="true"
      >
        <Path look="mx-line" d={drawing.line} />
        <Path look="mx-skipped" d={drawing.skipped} />
        <Path look="mx-dot" d={drawing.dots + drawing.smallDots + drawing.arrow} />
        <Path look="mx-bar" d={drawing.bars} />
        <Path look="mx-hollow" d={drawing.hollow} />
        <Path look="mx-ring" d={drawing.rings} />
        <Path look="mx-plus" d={drawing.plus} />
        {props.changed === null
          ? null
          : [...props.changed].map((index) => (
              <circle
                key={index}
                className="mx-changed"
                cx={plan.places[index]?.center ?? 0}
                cy={height / 2}
                r={Math.min(6.5, height / 2 - 1)}
              />
            ))}
      </svg>
      {plan.places.map((place, index) => (
        <div
          key={place.x}
          role="gridcell"
          // Only the cell that the grid names as the active one is ever looked up.
          id={props.activeColumn === index ? `${props.idPrefix}-${props.rowIndex}-${index}` : undefined}
          aria-colindex={index + 2}
          aria-selected={props.activeColumn === index}
          aria-label={props.cellNames[index]}
          className={props.activeColumn === index ? "mx-cell is-active" : "mx-cell"}
          style={{ left: props.toolWidth + place.x, width: place.width }}
          onClick={() => props.onPick(props.rowIndex, index)}
        />
      ))}
    </div>
  );
});

/** Most rows have few kinds of signs; an element for the others would only cost time while scrolling. */
function Path({ look, d }: { look: string; d: string }) {
  return d === "" ? null : <path className={look} d={d} />;
}
