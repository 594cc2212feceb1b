/** Lines of collected output for `process log` (spec/exec.md 4). */

export interface LogSlice {
  slice: string;
  totalLines: number;
  totalChars: number;
}

/**
 * @param text everything collected
 * @param range offset counts lines from 0; only a limit means the last lines; null or absent = not given
 */
export function sliceLog(
  text: string,
  range: { offset?: number | null | undefined; limit?: number | null | undefined },
): LogSlice {
  const lines = text === "" ? [] : text.replaceAll("\r\n", "\n").split("\n");
  if (lines.length > 0 && lines.at(-1) === "") lines.pop();
  const whole = (value: number | null | undefined): number | null =>
    typeof value === "number" && Number.isFinite(value) ? Math.max(0, Math.floor(value)) : null;
  const offset = whole(range.offset);
  const limit = whole(range.limit);
  const start = offset ?? (limit === null ? 0 : Math.max(0, lines.length - limit));
  const end = limit === null ? lines.length : start + limit;
  return { slice: lines.slice(start, end).join("\n"), totalLines: lines.length, totalChars: text.length };
}

/** What `process log` asks for when the model gave neither offset nor limit. */
export const defaultLogLimit = 200;
