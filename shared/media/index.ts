/** Pure rules of the media tools: models, pages, sizes, pictures. */

export * from "./geometry.ts";
export * from "./hardening.ts";
export * from "./modelChoice.ts";
export * from "./namedMedia.ts";
export * from "./pageRanges.ts";
export * from "./pictureFacts.ts";
export * from "./pictureGrids.ts";
