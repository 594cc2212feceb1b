/** What a bare Electron runs first: finds the app named on the command line and becomes it. */

import { readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { app } from "electron";

/** Reads the arguments as Electron's own first app does: `-r MODULE` preloads, the first other word is the app. */
function readArguments(argv) {
  const preloads = [];
  for (let index = 1; index < argv.length; index += 1) {
    const word = argv[index];
    if (word === "-r" || word === "--require") {
      index += 1;
      preloads.push(argv[index]);
    } else if (word === "-v" || word === "--version") {
      return { preloads, version: true, file: null };
    } else if (!word.startsWith("-")) {
      return { preloads, version: false, file: word };
    }
  }
  return { preloads, version: false, file: null };
}

/** Takes over the name and version of the app's package.json and returns the file to import. */
function becomeApp(file) {
  const target = path.resolve(file);
  if (!statSync(target).isDirectory()) return target;
  const manifest = JSON.parse(readFileSync(path.join(target, "package.json"), "utf8"));
  app.setVersion(String(manifest.version ?? "0.0.0"));
  app.setName(String(manifest.productName ?? manifest.name ?? "app"));
  if (typeof manifest.desktopName === "string") app.setDesktopName(manifest.desktopName);
  app.setAppPath(target);
  return path.resolve(target, String(manifest.main ?? "index.js"));
}

const { preloads, version, file } = readArguments(process.argv);
if (version) {
  process.stdout.write(`v${process.versions.electron}\n`);
  process.exit(0);
}
if (file === null) {
  process.stderr.write("This Electron runs an app: electron FOLDER [arguments]\n");
  process.exit(1);
}
try {
  const require = createRequire(pathToFileURL(path.join(process.cwd(), "preload.js")));
  for (const name of preloads) require(name);
  // Awaited at the top level, so that "ready" is not emitted before the app has set itself up.
  await import(pathToFileURL(becomeApp(file)).href);
} catch (error) {
  process.stderr.write(`Cannot start the app ${file}: ${error?.stack ?? error}\n`);
  process.exit(1);
}
