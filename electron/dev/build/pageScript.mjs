/** Vite plugin: `import script from "./x.page.ts?script"` gives code for pages, compiled to one self-contained text. */
import path from "node:path";

const SUFFIX = "?script";
const PAGE_TARGET = "chrome120";

/** @returns {import("vite").Plugin} */
export function pageScript() {
  return {
    name: "sallyport-page-script",
    enforce: "pre",
    async resolveId(source, importer) {
      if (!source.endsWith(SUFFIX) || importer === undefined) return null;
      return path.resolve(path.dirname(importer.split("?")[0]), source.slice(0, -SUFFIX.length)) + SUFFIX;
    },
    async load(id) {
      if (!id.endsWith(SUFFIX)) return null;
      const file = id.slice(0, -SUFFIX.length);
      const { code, files } = await compilePageScript(file);
      for (const used of files) this.addWatchFile(used);
      return `export default ${JSON.stringify(code)};`;
    },
  };
}

/**
 * @param {string} file absolute
 * @returns {Promise<{ code: string, files: string[] }>} the script, and the files it was made of
 */
async function compilePageScript(file) {
  const { build } = await import("vite");
  const files = [file];
  const nodeEnv = process.env.NODE_ENV;
  try {
    const built = await build({
      configFile: false,
      logLevel: "warn",
      root: path.dirname(file),
      publicDir: false,
      plugins: [{ name: "files", transform: (_, id) => void files.push(id) }],
      build: {
        write: false,
        target: PAGE_TARGET,
        minify: true,
        rolldownOptions: { input: file, output: { format: "iife", codeSplitting: false } },
      },
    });
    const output = Array.isArray(built) ? built[0].output : built.output;
    return { code: output[0].code, files };
  } finally {
    // A build leaves NODE_ENV at "production" in its process; whoever compiles this may be a test.
    if (nodeEnv === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = nodeEnv;
  }
}
