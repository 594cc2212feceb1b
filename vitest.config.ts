import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { pageScript } from "./electron/dev/build/pageScript.mjs";

/** Unit tests live beside the code; renderer tests ask for a DOM with a `@vitest-environment` comment. */
export default defineConfig({
  plugins: [react(), pageScript()],
  test: {
    include: ["shared/**/*.test.ts", "electron/**/*.test.ts", "renderer/**/*.test.{ts,tsx}"],
    setupFiles: ["electron/dev/unitSetup.mjs"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
