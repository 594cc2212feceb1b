/** Keys of the matrix: where the cursor goes, and what a key asks for. Pure. */

export interface Cursor {
  row: number;
  column: number;
}

export type MatrixAct =
  | { kind: "move"; cursor: Cursor }
  | { kind: "open" }
  | { kind: "why" }
  | { kind: "whatif" }
  | { kind: "list" }
  | null;

/**
 * @param key as in KeyboardEvent.key
 * @param pageRows rows that fit on the screen
 * @param allowLetters single letters may be switched off in the settings
 */
export function matrixAct(
  key: string,
  cursor: Cursor,
  size: { rows: number; columns: number; pageRows: number },
  allowLetters: boolean,
): MatrixAct {
  const move = (row: number, column: number): MatrixAct => ({
    kind: "move",
    cursor: {
      row: Math.max(0, Math.min(size.rows - 1, row)),
      column: Math.max(0, Math.min(size.columns - 1, column)),
    },
  });
  switch (key) {
    case "ArrowUp":
      return move(cursor.row - 1, cursor.column);
    case "ArrowDown":
      return move(cursor.row + 1, cursor.column);
    case "ArrowLeft":
      return move(cursor.row, cursor.column - 1);
    case "ArrowRight":
      return move(cursor.row, cursor.column + 1);
    case "PageUp":
      return move(cursor.row - size.pageRows, cursor.column);
    case "PageDown":
      return move(cursor.row + size.pageRows, cursor.column);
    case "Home":
      return move(cursor.row, 0);
    case "End":
      return move(cursor.row, size.columns - 1);
    case "Enter":
      return { kind: "open" };
  }
  if (!allowLetters) return null;
  if (key === "w" || key === "W") return { kind: "why" };
  if (key === "x" || key === "X") return { kind: "whatif" };
  if (key === "l" || key === "L") return { kind: "list" };
  return null;
}
