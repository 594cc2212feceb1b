/** `npm start`: set-up, build when sources changed, then the app; without a display the same panel in a browser. */

import path from "node:path";
import { createInterface } from "node:readline";
import { buildIfChanged } from "./build.mjs";
import { endOnInterrupt, startGroup } from "./childGroup.mjs";
import { panelUrlIn } from "./panelUrl.mjs";
import { rootDir } from "./setup/paths.mjs";
import { printProblem } from "./setup/problem.mjs";
import { findProgram, hasDisplay } from "./setup/programs.mjs";
import { createProgress, elapsed } from "./setup/progress.mjs";
import { describeElectron, setUp } from "./setup/setUp.mjs";

// What Chromium says on machines without a message bus or a graphics card; it means nothing to anybody.
const NOISE =
  /:(ERROR|WARNING):(bus\.cc|object_proxy\.cc|viz_main_impl\.cc|command_buffer_proxy_impl\.cc|.*shared_image.*\.cc)\(/;

async function main(appArguments) {
  const startedAtMs = performance.now();
  const progress = createProgress();
  const display = hasDisplay();
  const { electron } = await setUp({ electron: display, tests: false }, progress);
  await buildIfChanged(progress);
  if (electron !== null) progress.say(describeElectron(electron));
  const ready = `Ready after ${elapsed(startedAtMs)}; starting`;
  if (electron?.kind === "runtime") {
    progress.say(`${ready} the app. Ctrl-C ends it.`);
    return runApp(electron.executable, appArguments);
  }
  progress.say(display ? "The panel opens in the browser instead." : "There is no display.");
  progress.say(`${ready} without windows. Ctrl-C ends it.`);
  return runHeadless(appArguments, display);
}

function runApp(executable, appArguments) {
  // Chromium refuses its sandbox to root; everybody else keeps it.
  const flags = process.platform === "linux" && process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  const env = { ...process.env };
  // Set by some terminals and editors that are Electron apps themselves; it would turn the app into plain Node.
  delete env.ELECTRON_RUN_AS_NODE;
  const group = startGroup(executable, [...flags, rootDir, ...appArguments], {
    cwd: rootDir,
    env,
    stdio: ["ignore", "inherit", "pipe"],
  });
  createInterface({ input: group.child.stderr }).on("line", (line) => {
    if (!NOISE.test(line)) process.stderr.write(`${line}\n`);
  });
  return finish(group);
}

function runHeadless(appArguments, openBrowser) {
  const entry = path.join(rootDir, "out", "headless", "index.js");
  const group = startGroup(process.execPath, [entry, "--panel", ...appArguments], {
    cwd: rootDir,
    stdio: ["ignore", openBrowser ? "pipe" : "inherit", "inherit"],
  });
  if (openBrowser) {
    let opened = false;
    createInterface({ input: group.child.stdout }).on("line", (line) => {
      process.stdout.write(`${line}\n`);
      const url = panelUrlIn(line);
      if (url !== null && !opened) {
        opened = true;
        openInBrowser(url);
      }
    });
  }
  return finish(group);
}

/** Best effort: the address stands in the terminal in any case. */
function openInBrowser(url) {
  if (process.platform === "win32") startGroup("cmd", ["/c", "start", "", url], { stdio: "ignore" });
  else {
    const opener = process.platform === "darwin" ? "open" : "xdg-open";
    if (findProgram(opener) !== null) startGroup(opener, [url], { stdio: "ignore" });
  }
}

async function finish(group) {
  const stopListening = endOnInterrupt(group.end);
  const { exitCode, signal, error } = await group.ended;
  stopListening();
  await group.end();
  if (error !== undefined) throw error;
  process.exitCode = exitCode ?? (signal === null ? 0 : 1);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  printProblem(error);
}
