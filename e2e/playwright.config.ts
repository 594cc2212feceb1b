import path from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "@playwright/test";

const here = path.dirname(fileURLToPath(import.meta.url));

/** End-to-end tests drive the built app; `npm test` names Electron, Chromium and the display in the environment. */
export default defineConfig({
  testDir: here,
  testMatch: "**/*.spec.ts",
  outputDir: path.join(here, "results", "playwright"),
  // Each test starts an app of its own; on two cores two at a time would only slow each other down.
  workers: 1,
  // On a busy machine a window may starve; a test that passes only at its second try is named as unsteady.
  retries: 1,
  forbidOnly: true,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: "list",
});
