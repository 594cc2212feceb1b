/** Programs and libraries of the operating system: what is missing, and how to get it in one command. */
import { existsSync } from "node:fs";
import { SetupProblem } from "./problem.mjs";
import { findChromium, findProgram } from "./programs.mjs";
import { runCommand } from "./runCommand.mjs";

/** Libraries that Electron loads, with the Debian package of each. */
const electronLibraries = [
  ["libgtk-3.so.0", "libgtk-3-0"],
  ["libnss3.so", "libnss3"],
  ["libasound.so.2", "libasound2"],
  ["libgbm.so.1", "libgbm1"],
  ["libXss.so.1", "libxss1"],
  ["libnotify.so.4", "libnotify4"],
  ["libsecret-1.so.0", "libsecret-1-0"],
];

/**
 * @typedef {object} SystemNeeds
 * @property {boolean} compiler a native module has to be compiled
 * @property {boolean} electron Electron's libraries
 * @property {boolean} tests a virtual display, a browser and fonts for the end-to-end tests, the sandbox of exec, and a
 *   speech program
 */

/**
 * @param {SystemNeeds} needs
 * @returns {Promise<string[]>} names of the Debian packages that are missing; empty on other systems than Linux
 */
export async function missingSystemPackages(needs) {
  if (process.platform !== "linux") return [];
  const missing = [];
  if (needs.compiler) {
    for (const [program, name] of [
      ["python3", "python3"],
      ["make", "make"],
      ["g++", "g++"],
    ]) {
      if (findProgram(program) === null) missing.push(name);
    }
  }
  if (needs.electron) missing.push(...(await missingLibraries()));
  if (needs.tests) {
    if (findProgram("Xvfb") === null) missing.push("xvfb");
    if (findChromium() === null) missing.push("chromium");
    if (!(await hasChineseFont())) missing.push("fonts-noto-cjk");
    if (findProgram("bwrap") === null) missing.push("bubblewrap");
    // A window manager and a way to type into other windows: the focus rules are tested with both.
    if (findProgram("openbox") === null) missing.push("openbox");
    if (findProgram("xdotool") === null) missing.push("xdotool");
    if (findProgram("espeak-ng") === null) missing.push("espeak-ng");
    // The sealing of stored keys is tested on a session bus and a keyring of the test's own.
    if (findProgram("dbus-daemon") === null) missing.push("dbus");
    if (findProgram("gnome-keyring-daemon") === null) missing.push("gnome-keyring");
  }
  return missing;
}

/**
 * Installs Debian packages when this process may.
 * @param {string[]} names
 * @param {import("./progress.mjs").Progress} progress
 * @throws SetupProblem with the exact command when it may not, or with apt's last lines
 */
export async function installSystemPackages(names, progress) {
  if (findProgram("apt-get") === null) {
    throw new SetupProblem(
      `Some programs or libraries are missing; on Debian they are called: ${names.join(" ")}.`,
      "install their counterparts with this system's package manager and run the command again.",
    );
  }
  const command = `apt-get update && apt-get install -y ${names.join(" ")}`;
  if (process.getuid?.() !== 0) {
    const asRoot = `sudo sh -c '${command}'`;
    throw new SetupProblem(
      `Some system packages are missing: ${names.join(", ")}. Nothing was changed.`,
      `run\n\n    ${asRoot}\n\n  and then this command again.`,
    );
  }
  await progress.step(`Installing system packages: ${names.join(" ")}`, async (detail) => {
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    const run = async (args) => {
      const result = await runCommand("apt-get", args, { env, onLine: (line) => detail(line.slice(0, 80)) });
      if (result.exitCode === 0) return;
      throw new SetupProblem(
        `apt-get ${args[0]} failed:\n${result.output.trim()}`,
        `run  ${command}  by hand, mend what it says, and run this command again.`,
      );
    };
    await run(["update"]);
    const available = [];
    for (const name of names) available.push(await availableName(name));
    await run(["install", "-y", "--no-install-recommends", ...available]);
  });
}

/** Newer releases renamed some libraries (64-bit time); the old name is then only a virtual one. */
async function availableName(name) {
  const shown = await runCommand("apt-cache", ["show", "--no-all-versions", name]);
  if (shown.exitCode === 0 && shown.output.includes("Package:")) return name;
  const renamed = await runCommand("apt-cache", ["show", "--no-all-versions", `${name}t64`]);
  return renamed.exitCode === 0 ? `${name}t64` : name;
}

async function missingLibraries() {
  const ldconfig = ["/sbin/ldconfig", "/usr/sbin/ldconfig"].find((file) => existsSync(file));
  // A system without it names missing libraries itself when Electron starts.
  if (ldconfig === undefined) return [];
  const known = new Set();
  await runCommand(ldconfig, ["-p"], { onLine: (line) => known.add(line.trim().split(" ")[0]) });
  return electronLibraries.filter(([library]) => !known.has(library)).map(([, name]) => name);
}

async function hasChineseFont() {
  const listed = await runCommand("fc-list", [":lang=zh-cn", "file"]);
  return listed.exitCode === 0 && listed.stdout.trim() !== "";
}
