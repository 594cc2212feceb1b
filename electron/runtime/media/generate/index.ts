/** The services that make pictures. */

import { falImages } from "./falImages.ts";
import type { Generator } from "./generatorTypes.ts";
import { googleImages } from "./googleImages.ts";
import { minimaxImages } from "./minimaxImages.ts";
import { openaiImages } from "./openaiImages.ts";

export const generators: ReadonlyMap<string, Generator> = new Map(
  [openaiImages, googleImages, falImages, minimaxImages].map((generator) => [generator.id, generator]),
);
