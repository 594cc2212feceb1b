/** One tool's way through the columns, drawn large. */

import type { TFunction } from "i18next";
import { useRef } from "react";
import type { PolicyRow, PolicyTrace } from "../../../../shared/policy/types.ts";
import { useElementSize } from "../matrix/useElementSize.ts";
import { columnHeadLabel, columnName } from "../words.ts";

const height = 44;
const middle = 22;

export function BigLine({ t, trace, row }: { t: TFunction; trace: PolicyTrace; row: PolicyRow }) {
  const ref = useRef<HTMLDivElement>(null);
  const { width: measured } = useElementSize(ref);
  const columns = trace.columns.filter((column) => column.kind !== "surface");
  const width = Math.max(measured, columns.length * 62);
  const usable = width - 56;
  const weights = columns.map((column) => (column.kind === "pre-filter" ? 0.78 : 1));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let x = 0;
  const places = weights.map((weight) => {
    const size = (usable * weight) / total;
    const place = { x, size, center: x + size / 2 };
    x += size;
    return place;
  });
  let end = usable;
  columns.forEach((_, index) => {
    const effect = row.cells[index]?.effect;
    if (end === usable && (effect === "removed" || effect === "absent"))
      end = places[index]?.center ?? usable;
  });
  const isKept = row.verdict.kind === "kept";
  return (
    <div ref={ref} className="policy-bigline" role="img" aria-label={lineText(t, trace, row)}>
      <svg width={width} height={height} aria-hidden="true">
        <path className="bl-rest" d={`M0 ${middle}H${usable}`} />
        <path className="bl-line" d={`M0 ${middle}H${end}`} />
        {columns.map((column, index) => {
          const center = places[index]?.center ?? 0;
          const isPast = center > end;
          switch (row.cells[index]?.effect) {
            case "kept":
              return <circle key={column.id} className="bl-dot" cx={center} cy={middle} r="5" />;
            case "removed":
            case "absent":
              return isPast ? (
                <rect key={column.id} className="bl-hollow" x={center - 4} y={8} width="8" height="28" />
              ) : (
                <rect key={column.id} className="bl-bar" x={center - 4} y={5} width="8" height="34" />
              );
            case "wouldRemove":
              return (
                <rect key={column.id} className="bl-hollow" x={center - 4} y={8} width="8" height="28" />
              );
            case "failsOpen":
              return (
                <path
                  key={column.id}
                  className="bl-ring"
                  d={`M${center - 3} ${middle - 6}q-6 6 0 12M${center + 3} ${middle - 6}q6 6 0 12`}
                />
              );
            case "gone":
              return <circle key={column.id} className="bl-open" cx={center} cy={middle} r="4" />;
            case "skipped":
              return (
                <g key={column.id}>
                  <rect className="bl-gap" x={center - 9} y={middle - 3} width="18" height="6" />
                  <path className="bl-dots" d={`M${center - 7} ${middle}h14`} />
                </g>
              );
            default:
              return null;
          }
        })}
        <path
          className={isKept ? "bl-arrow is-kept" : "bl-arrow"}
          d={`M${usable + 2} ${middle - 6}v12l8-6z`}
        />
        <text className="bl-model" x={usable + 14} y={middle + 4}>
          {t("missing.model")}
        </text>
      </svg>
      <div className="bl-labels" style={{ width }} aria-hidden="true">
        {columns.map((column, index) => {
          const place = places[index];
          const effect = row.cells[index]?.effect;
          const tone =
            effect === "removed" || effect === "wouldRemove" || effect === "absent"
              ? " is-stop"
              : effect === "failsOpen"
                ? " is-ask"
                : "";
          return (
            <span
              key={column.id}
              className={`bl-label${tone}`}
              style={{ left: place?.x ?? 0, width: place?.size ?? 0 }}
              title={columnName(t, column)}
            >
              {column.number === undefined ? null : `${column.number} `}
              {columnHeadLabel(t, column).replaceAll(".", ".\u200b")}
            </span>
          );
        })}
      </div>
    </div>
  );
}

function lineText(t: TFunction, trace: PolicyTrace, row: PolicyRow): string {
  const steps = trace.columns.flatMap((column, index) => {
    const effect = row.cells[index]?.effect;
    if (effect === undefined || effect === "gone" || effect === "skipped" || column.kind === "surface")
      return [];
    return [`${columnName(t, column)}: ${t(`effect.${effect}`)}`];
  });
  return `${t("missing.line", { tool: row.name })}. ${steps.join(", ")}`;
}
