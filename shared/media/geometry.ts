/** What each service can make of size, aspect ratio, resolution, count and references (tools-files-web-media.md 8). */

export const aspectRatios = [
  "1:1",
  "2:3",
  "3:2",
  "3:4",
  "4:3",
  "4:5",
  "5:4",
  "9:16",
  "16:9",
  "21:9",
] as const;
export const resolutions = ["1K", "2K", "4K"] as const;
export type Resolution = (typeof resolutions)[number];

const threeSizes = ["1024x1024", "1024x1536", "1536x1024"];
const fiveSizes = [...threeSizes, "1024x1792", "1792x1024"];

export interface GeneratorCapabilities {
  maxCount: number;
  /** Pictures to start from; 0: none. */
  maxReferences: number;
  sizes: readonly string[];
  aspectRatios: readonly string[];
  resolutions: readonly Resolution[];
  /** With references no aspect ratio can be chosen. */
  hasRatioWithReferences: boolean;
}

export const generatorCapabilities: ReadonlyMap<string, GeneratorCapabilities> = new Map([
  [
    "openai",
    {
      maxCount: 4,
      maxReferences: 0,
      sizes: threeSizes,
      aspectRatios: [],
      resolutions: [],
      hasRatioWithReferences: false,
    },
  ],
  [
    "google",
    {
      maxCount: 4,
      maxReferences: 5,
      sizes: fiveSizes,
      aspectRatios,
      resolutions,
      hasRatioWithReferences: true,
    },
  ],
  [
    "fal",
    {
      maxCount: 4,
      maxReferences: 1,
      sizes: fiveSizes,
      aspectRatios: ["1:1", "4:3", "3:4", "16:9", "9:16"],
      resolutions,
      hasRatioWithReferences: false,
    },
  ],
  [
    "minimax",
    {
      maxCount: 9,
      maxReferences: 1,
      sizes: [],
      aspectRatios: ["1:1", "16:9", "4:3", "3:2", "2:3", "3:4", "9:16", "21:9"],
      resolutions: [],
      hasRatioWithReferences: true,
    },
  ],
]);

export interface WantedPicture {
  count: number;
  size?: string | undefined;
  aspectRatio?: string | undefined;
  resolution?: Resolution | undefined;
  references: number;
}

/** @returns what the service cannot do of it, as a sentence; null when it can do all */
export function unsupportedOf(
  label: string,
  can: GeneratorCapabilities,
  wanted: WantedPicture,
): string | null {
  const list = (items: readonly string[]) => (items.length === 0 ? "none" : items.join(", "));
  if (wanted.references > can.maxReferences) {
    return can.maxReferences === 0
      ? `${label} does not change given pictures. Leave image and images out, or name another model.`
      : `${label} takes at most ${can.maxReferences} reference picture(s), not ${wanted.references}.`;
  }
  if (wanted.count > can.maxCount) return `${label} makes at most ${can.maxCount} pictures at once.`;
  if (wanted.size !== undefined && !can.sizes.includes(wanted.size)) {
    return `${label} does not make the size ${wanted.size}. Sizes: ${list(can.sizes)}.`;
  }
  if (wanted.aspectRatio !== undefined) {
    if (!can.aspectRatios.includes(wanted.aspectRatio))
      return `${label} does not make the aspect ratio ${wanted.aspectRatio}. Ratios: ${list(can.aspectRatios)}.`;
    if (wanted.references > 0 && !can.hasRatioWithReferences)
      return `${label} takes no aspect ratio together with a reference picture.`;
  }
  if (wanted.resolution !== undefined && !can.resolutions.includes(wanted.resolution)) {
    return `${label} has no choice of resolution.`;
  }
  return null;
}

/** Resolution of a changed picture when none is asked for. @param longestSide in pixels, of the references */
export function resolutionFor(longestSide: number): Resolution {
  if (longestSide >= 3000) return "4K";
  return longestSide >= 1500 ? "2K" : "1K";
}

/** @returns what Google is asked for instead of a size; null for text that is no size */
export function ratioOfSize(size: string): { aspectRatio: string; resolution?: Resolution } | null {
  const found = /^(\d{2,5})x(\d{2,5})$/.exec(size);
  if (found === null) return null;
  const width = Number(found[1]);
  const height = Number(found[2]);
  const longest = Math.max(width, height);
  const [aspectRatio] = [...aspectRatios].sort(
    (a, b) =>
      Math.abs(Math.log(ratioOf(a) / (width / height))) - Math.abs(Math.log(ratioOf(b) / (width / height))),
  );
  if (aspectRatio === undefined) return null;
  if (longest >= 3072) return { aspectRatio, resolution: "4K" };
  return longest >= 1536 ? { aspectRatio, resolution: "2K" } : { aspectRatio };
}

/** Width divided by height. */
export function ratioOf(aspectRatio: string): number {
  const [width, height] = aspectRatio.split(":").map(Number);
  return (width ?? 1) / (height ?? 1);
}
