import { defineConfig } from "vitest/config";
import { pageScript } from "../electron/dev/build/pageScript.mjs";

/** Recorded vectors: one folder per suite; run through `npm run vectors`, which sets VECTORS_DIR. */
export default defineConfig({
  plugins: [pageScript()],
  test: {
    root: new URL("..", import.meta.url).pathname,
    include: ["e2e/vectorsRun/*/*.vectors.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
