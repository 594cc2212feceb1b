import { describe, expect, test } from "vitest";
import type { PolicyCell, PolicyColumn } from "../../../../shared/policy/types.ts";
import { drawRow, planColumns } from "./matrixGeometry.ts";

function column(id: PolicyColumn["id"], kind: PolicyColumn["kind"], isSkipped = false): PolicyColumn {
  return {
    id,
    kind,
    label: id,
    configPaths: [],
    state: isSkipped ? "skipped" : "active",
    failsOpen: false,
    survivors: 0,
    removed: 0,
  };
}

const columns = [
  column("exists", "pre-filter"),
  column("profile", "stage"),
  column("global", "stage", true),
  column("agent", "stage"),
  column("sandbox", "call-site"),
  column("http", "surface"),
];
const cells = (...effects: PolicyCell["effect"][]): PolicyCell[] => effects.map((effect) => ({ effect }));

describe("matrix geometry", () => {
  test("stretches stages into the room within limits and folds skipped ones when narrow", () => {
    expect(planColumns(columns, 100, false).places[1]?.width).toBe(54);
    expect(planColumns(columns, 4000, false).places[1]?.width).toBe(120);
    const folded = planColumns(columns, 100, true);
    expect(folded.places[2]).toMatchObject({ width: 12, isFolded: true });
    expect(folded.places[1]?.isFolded).toBe(false);
  });

  test("columns never overlap and keep a gap between their kinds", () => {
    const { places, width } = planColumns(columns, 700, false);
    let end = 0;
    for (const place of places) {
      expect(place.x).toBeGreaterThanOrEqual(end);
      end = place.x + place.width;
    }
    expect(width).toBe(end);
  });

  test("draws a kept tool to the end with an arrow, and breaks the line at a skipped stage", () => {
    const plan = planColumns(columns, 700, false);
    const drawing = drawRow(cells("kept", "kept", "skipped", "kept", "kept", "kept"), columns, plan, 17);
    expect(drawing.arrow).not.toBe("");
    expect(drawing.line.match(/M/gu)).toHaveLength(2);
    expect(drawing.skipped).not.toBe("");
    expect(drawing.bars).toBe("");
  });

  test("ends the line at the bar and shows later removers hollow, without a line", () => {
    const plan = planColumns(columns, 700, false);
    const drawing = drawRow(
      cells("kept", "removed", "gone", "wouldRemove", "withoutEffect", "removed"),
      columns,
      plan,
      17,
    );
    expect(drawing.line).toBe(`M0 8.5H${plan.places[1]?.center}`);
    expect(drawing.hollow.match(/M/gu)).toHaveLength(1);
    expect(drawing.plus).not.toBe("");
    expect(drawing.arrow).toBe("");
    // The HTTP surface has its own answer, a solid bar.
    expect(drawing.bars.match(/M/gu)).toHaveLength(2);
  });

  test("passes a list that fails open through a ring", () => {
    const plan = planColumns(columns, 700, false);
    const drawing = drawRow(cells("kept", "failsOpen", "kept", "kept", "kept", "skipped"), columns, plan, 17);
    expect(drawing.rings).not.toBe("");
    expect(drawing.arrow).not.toBe("");
    expect(drawing.line.match(/M/gu)).toHaveLength(2);
  });

  test("a tool that does not exist has a bar and no line", () => {
    const plan = planColumns(columns, 700, false);
    const drawing = drawRow(cells("absent", "gone", "gone", "gone", "gone", "absent"), columns, plan, 17);
    expect(drawing.line).toBe("");
    expect(drawing.bars).not.toBe("");
  });
});
