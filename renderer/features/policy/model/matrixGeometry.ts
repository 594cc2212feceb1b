/** Where the columns of the policy matrix stand, and the drawing of one tool's line through them, as SVG paths. */

import type { PolicyCell, PolicyColumn } from "../../../../shared/policy/types.ts";

const preFilterWidthPx = 19;
const stageWidthPx = { min: 54, max: 120 };
const surfaceWidthPx = 58;
const foldedWidthPx = 12;
const groupGapPx = 6;

export interface ColumnPlace {
  x: number;
  width: number;
  center: number;
  isFolded: boolean;
}

export interface MatrixPlan {
  places: ColumnPlace[];
  /** Width of all columns together, without the tool column. */
  width: number;
  /** Right end of the line of a kept tool: where the model stands. */
  lineEnd: number;
}

/**
 * @param availablePx room for the columns; stages stretch into it up to a limit and never shrink below legible labels
 * @param foldSkipped skipped stages become a thin stub, for narrow windows
 */
export function planColumns(
  columns: readonly PolicyColumn[],
  availablePx: number,
  foldSkipped: boolean,
): MatrixPlan {
  const isFolded = (column: PolicyColumn) =>
    foldSkipped && column.state === "skipped" && column.kind !== "pre-filter" && column.kind !== "surface";
  let fixed = 0;
  let stretchable = 0;
  let previousKind: string | null = null;
  for (const column of columns) {
    if (previousKind !== null && previousKind !== column.kind) fixed += groupGapPx;
    previousKind = column.kind;
    if (column.kind === "pre-filter") fixed += preFilterWidthPx;
    else if (column.kind === "surface") fixed += surfaceWidthPx;
    else if (isFolded(column)) fixed += foldedWidthPx;
    else stretchable += 1;
  }
  const share = stretchable === 0 ? 0 : Math.floor((availablePx - fixed) / stretchable);
  const stageWidth = Math.min(stageWidthPx.max, Math.max(stageWidthPx.min, share));

  const places: ColumnPlace[] = [];
  let x = 0;
  let lineEnd = 0;
  previousKind = null;
  for (const column of columns) {
    if (previousKind !== null && previousKind !== column.kind) x += groupGapPx;
    previousKind = column.kind;
    const folded = isFolded(column);
    const width =
      column.kind === "pre-filter"
        ? preFilterWidthPx
        : column.kind === "surface"
          ? surfaceWidthPx
          : folded
            ? foldedWidthPx
            : stageWidth;
    places.push({ x, width, center: x + Math.floor(width / 2), isFolded: folded });
    x += width;
    if (column.kind !== "surface") lineEnd = x;
  }
  return { places, width: x, lineEnd };
}

/** One SVG path per look; an empty string means nothing to draw. */
export interface RowDrawing {
  line: string;
  skipped: string;
  dots: string;
  smallDots: string;
  bars: string;
  hollow: string;
  rings: string;
  plus: string;
  arrow: string;
}

/**
 * Draws a tool's row. The line runs from the left edge to the column that removes the tool, breaks into dots at
 * skipped columns and leaves a gap inside an open ring. Surface columns carry a mark and no line.
 */
export function drawRow(
  cells: readonly PolicyCell[],
  columns: readonly PolicyColumn[],
  plan: MatrixPlan,
  rowHeightPx: number,
): RowDrawing {
  const middle = rowHeightPx / 2;
  const drawing: RowDrawing = {
    line: "",
    skipped: "",
    dots: "",
    smallDots: "",
    bars: "",
    hollow: "",
    rings: "",
    plus: "",
    arrow: "",
  };
  let isAlive = true;
  let from = 0;
  const lineTo = (to: number) => {
    if (to > from) drawing.line += `M${from} ${middle}H${to}`;
  };
  columns.forEach((column, index) => {
    const place = plan.places[index];
    const cell = cells[index];
    if (place === undefined || cell === undefined) return;
    const { center } = place;
    if (column.kind === "surface") {
      if (cell.effect === "kept" || cell.effect === "failsOpen") drawing.dots += dot(middle, center, 2.75);
      else if (cell.effect === "removed") drawing.bars += bar(middle, center);
      else if (cell.effect === "wouldRemove") drawing.hollow += hollowBar(middle, center);
      else if (cell.effect === "absent" || cell.effect === "skipped")
        drawing.skipped += dotted(middle, center, 9);
      return;
    }
    if (!isAlive) {
      if (cell.effect === "wouldRemove" || cell.effect === "removed")
        drawing.hollow += hollowBar(middle, center);
      else if (cell.effect === "withoutEffect") drawing.plus += struckPlus(middle, center);
      return;
    }
    switch (cell.effect) {
      case "kept":
        if (column.kind === "pre-filter") drawing.smallDots += dot(middle, center, 1.75);
        else drawing.dots += dot(middle, center, 2.75);
        return;
      case "skipped": {
        const half = Math.min(place.width / 2 - 1, 4);
        lineTo(center - half);
        drawing.skipped += dotted(middle, center, half * 2);
        from = center + half;
        return;
      }
      case "failsOpen":
        lineTo(center - 6);
        drawing.rings += openRing(middle, center);
        from = center + 6;
        return;
      case "withoutEffect":
        lineTo(center - 5);
        drawing.plus += struckPlus(middle, center);
        from = center + 5;
        return;
      case "removed":
      case "wouldRemove":
        lineTo(center);
        drawing.bars += bar(middle, center);
        isAlive = false;
        return;
      case "absent":
        // A tool that is not there has no line; its bar stands in the column that says so.
        drawing.bars += bar(middle, center);
        isAlive = false;
        return;
      case "gone":
        isAlive = false;
        return;
    }
  });
  if (isAlive) {
    lineTo(plan.lineEnd - 5);
    drawing.arrow = `M${plan.lineEnd - 5} ${middle - 3}v6l4-3z`;
  }
  return drawing;
}

function dot(middle: number, x: number, radius: number): string {
  return `M${x - radius} ${middle}a${radius} ${radius} 0 1 0 ${radius * 2} 0a${radius} ${radius} 0 1 0 ${-radius * 2} 0z`;
}

function bar(middle: number, x: number): string {
  return `M${x - 1.5} ${middle - 6.5}h3v13h-3z`;
}

function hollowBar(middle: number, x: number): string {
  return `M${x - 2} ${middle - 4.5}h4v9h-4z`;
}

function dotted(middle: number, x: number, length: number): string {
  return `M${x - length / 2} ${middle}h${length}`;
}

function openRing(middle: number, x: number): string {
  return `M${x - 2} ${middle - 4.5}q-4.5 4.5 0 9M${x + 2} ${middle - 4.5}q4.5 4.5 0 9`;
}

function struckPlus(middle: number, x: number): string {
  return `M${x - 5} ${middle}h10M${x} ${middle - 3}v6`;
}
