/** What is built and how: the Node programs, the preload script and the panel, all with vite. */

import { builtinModules } from "node:module";
import path from "node:path";
import { pageScript } from "./pageScript.mjs";

/** The programs that run on Node, by folder below `out/`; they share their common chunks. */
const nodeEntries = {
  main: "electron/main/index.ts",
  headless: "electron/headless/index.ts",
  cli: "electron/cli/index.ts",
  pageWorker: "electron/runtime/net/pageWorker.ts",
  pdfWorker: "electron/runtime/media/pdf/pdfWorker.ts",
  memoryWorker: "electron/runtime/memory/memoryWorker.ts",
};

/**
 * Stay in node_modules: Electron itself, native modules, Playwright with its own data files, and the optional
 * speed-ups of ws, which are not installed.
 */
const external = [
  "electron",
  "node-pty",
  "libsql",
  /^@libsql\//,
  "playwright-core",
  /^playwright-core\//,
  /^@napi-rs\//,
  /^pdfjs-dist\//,
  "bufferutil",
  "utf-8-validate",
];

// Older than both Electrons and Node versions that run it.
const NODE_TARGET = "node20";
const BROWSER_TARGET = ["chrome120", "firefox121", "safari17"];

const quiet = { configFile: false, logLevel: "warn" };
// How long each plugin took is of no use to somebody who wants to start the app.
const checks = { pluginTimings: false };
const isExternal = (id) =>
  id.startsWith("node:") ||
  builtinModules.includes(id) ||
  external.some((known) => (typeof known === "string" ? known === id : known.test(id)));

/**
 * @param {string} rootDir
 * @param {string} outDir
 * @returns {import("vite").InlineConfig} main, headless and command line in one build
 */
export function nodeTarget(rootDir, outDir) {
  const input = Object.fromEntries(
    Object.entries(nodeEntries).map(([name, file]) => [name, path.join(rootDir, file)]),
  );
  return {
    ...quiet,
    root: rootDir,
    publicDir: false,
    plugins: [pageScript()],
    ssr: { noExternal: true, target: "node" },
    build: {
      ssr: true,
      target: NODE_TARGET,
      outDir,
      emptyOutDir: false,
      minify: false,
      sourcemap: true,
      rolldownOptions: {
        checks,
        input,
        external: isExternal,
        output: {
          format: "es",
          entryFileNames: "[name]/index.js",
          chunkFileNames: "chunks/[name]-[hash].js",
        },
      },
    },
  };
}

/**
 * @param {string} rootDir
 * @param {string} outDir
 * @param {string[]} files names in `e2e/bench`
 * @returns {import("vite").InlineConfig} benchmarks, bundled like the programs they measure
 */
export function benchTarget(rootDir, outDir, files) {
  const config = nodeTarget(rootDir, outDir);
  const input = files.map((file) => [file.replace(/\.ts$/, ""), path.join(rootDir, "e2e", "bench", file)]);
  config.build.rolldownOptions.input = Object.fromEntries(input);
  config.build.rolldownOptions.output.entryFileNames = "[name].js";
  return config;
}

/**
 * A sandboxed preload is one CommonJS file that may ask for little more than "electron".
 * @param {string} rootDir
 * @param {string} outDir
 * @returns {import("vite").InlineConfig}
 */
export function preloadTarget(rootDir, outDir) {
  return {
    ...quiet,
    root: rootDir,
    publicDir: false,
    ssr: { noExternal: true, target: "node" },
    build: {
      ssr: true,
      target: NODE_TARGET,
      outDir,
      emptyOutDir: false,
      minify: false,
      sourcemap: false,
      rolldownOptions: {
        checks,
        input: { preload: path.join(rootDir, "electron/preload/index.ts") },
        external: (id) => id === "electron",
        output: { format: "cjs", entryFileNames: "[name]/index.cjs", codeSplitting: false },
      },
    },
  };
}

/**
 * The panel: relative addresses, so that it works below a custom scheme and below http; nothing inline, so that the
 * strict content security policy holds.
 * @param {string} rootDir
 * @param {string} outDir
 * @returns {Promise<import("vite").InlineConfig>}
 */
export async function rendererTarget(rootDir, outDir) {
  const { default: react } = await import("@vitejs/plugin-react");
  return {
    ...quiet,
    root: path.join(rootDir, "renderer"),
    base: "./",
    plugins: [react()],
    worker: { format: "es", rolldownOptions: { checks } },
    build: {
      target: BROWSER_TARGET,
      outDir: path.join(outDir, "renderer"),
      emptyOutDir: true,
      sourcemap: false,
      rolldownOptions: { checks },
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      // The editor alone is several megabytes; it is loaded when a view needs it.
      chunkSizeWarningLimit: 8000,
    },
  };
}
