/** Finds programs that are installed on this machine. */
import { accessSync, constants, statSync } from "node:fs";
import path from "node:path";

const chromiumNames = [
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "microsoft-edge",
  "brave-browser",
];
const macApps = ["Google Chrome", "Chromium", "Microsoft Edge", "Brave Browser"];
const windowsPaths = [
  "Google\\Chrome\\Application\\chrome.exe",
  "Microsoft\\Edge\\Application\\msedge.exe",
  "BraveSoftware\\Brave-Browser\\Application\\brave.exe",
];

/**
 * @param {string} name without a folder
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {string | null} absolute path of the first match in PATH
 */
export function findProgram(name, env = process.env) {
  const folders = (env.PATH ?? env.Path ?? "").split(path.delimiter).filter((folder) => folder !== "");
  const fileName = process.platform === "win32" ? `${name}.exe` : name;
  return folders.map((folder) => path.resolve(folder, fileName)).find(isExecutableFile) ?? null;
}

/**
 * @param {NodeJS.ProcessEnv} [env] `SALLYPORT_CHROMIUM` names one by hand
 * @returns {string | null} a browser of the Chromium family
 */
export function findChromium(env = process.env) {
  if (env.SALLYPORT_CHROMIUM !== undefined) return env.SALLYPORT_CHROMIUM;
  const candidates = [];
  if (process.platform === "darwin") {
    for (const app of macApps) candidates.push(`/Applications/${app}.app/Contents/MacOS/${app}`);
  }
  if (process.platform === "win32") {
    for (const base of [env.ProgramFiles, env["ProgramFiles(x86)"], env.LOCALAPPDATA]) {
      if (base !== undefined) candidates.push(...windowsPaths.map((rest) => path.join(base, rest)));
    }
  }
  for (const name of chromiumNames) {
    const found = findProgram(name, env);
    if (found !== null) return found;
  }
  return candidates.find(isExecutableFile) ?? null;
}

/**
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {boolean} whether a window could be opened
 */
export function hasDisplay(env = process.env) {
  if (process.platform !== "linux") return true;
  return Boolean(env.DISPLAY) || Boolean(env.WAYLAND_DISPLAY);
}

function isExecutableFile(file) {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    // Absent or not ours to run: simply not a match.
    return false;
  }
}
