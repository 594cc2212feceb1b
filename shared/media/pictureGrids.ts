/** Sizes and qualities that a picture is tried in until it fits (tools-files-web-media.md 2 and 7.2). */

/** More than this is not decoded at all. */
export const maxPixels = 25_000_000;

/** What a vision model gets. */
export const modelSides: readonly number[] = [2048, 1536, 1280, 1024, 800];
export const modelQualities: readonly number[] = [80, 70, 60, 50, 40];
export const defaultImageCapBytes = 6 * 1024 * 1024;

/** First step of a picture that `read` shows. */
export const readFirst = {
  side: 2000,
  /** Of the base64 text. */
  maxBase64Bytes: 4.5 * 1024 * 1024,
  qualities: [80, 85, 70, 55, 40],
  shrink: 0.75,
} as const;

/** Second step, for every picture in a result. */
export const resultStep = {
  defaultSide: 1200,
  maxBytes: 5 * 1024 * 1024,
  sides: [1800, 1600, 1400, 1200, 1000, 800],
  qualities: [85, 75, 65, 55, 45, 35],
} as const;

/**
 * @param longest side of the picture now
 * @returns sides to try, downwards, none above the picture's own: nothing is enlarged
 */
export function sidesFor(longest: number, sides: readonly number[]): number[] {
  return [...new Set(sides.map((side) => Math.min(side, longest)))].sort((a, b) => b - a);
}

/** @returns the size with the longest side at most `side`, at least 1 by 1 */
export function fitWithin(
  size: { width: number; height: number },
  side: number,
): { width: number; height: number } {
  const factor = Math.min(1, side / Math.max(size.width, size.height));
  return {
    width: Math.max(1, Math.round(size.width * factor)),
    height: Math.max(1, Math.round(size.height * factor)),
  };
}

/** @returns length of the base64 text of so many bytes */
export function base64Length(sizeBytes: number): number {
  return Math.ceil(sizeBytes / 3) * 4;
}

/** @returns the cap in bytes from a number of MiB; undefined when it is no usable number */
export function capBytesOf(mebibytes: unknown): number | undefined {
  return typeof mebibytes === "number" && Number.isFinite(mebibytes) && mebibytes > 0
    ? Math.floor(mebibytes * 1024 * 1024)
    : undefined;
}
