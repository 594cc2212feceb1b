/** Everything a checkout needs before it can run: each step looks first and repairs only what is missing. */
import { endOnInterrupt } from "../childGroup.mjs";
import { resolveElectron } from "./electron/resolveElectron.mjs";
import { withLock } from "./lock.mjs";
import { checkNodeVersion } from "./nodeVersion.mjs";
import { installPackages, whyInstallPackages } from "./packages.mjs";
import { rootDir } from "./paths.mjs";
import { SetupProblem } from "./problem.mjs";
import { findChromium } from "./programs.mjs";
import { installSystemPackages, missingSystemPackages } from "./systemPackages.mjs";

/**
 * @typedef {object} Prepared
 * @property {import("./electron/resolveElectron.mjs").ElectronChoice | null} electron null when not asked for
 * @property {string | null} chromium path of a browser of the Chromium family
 */

/**
 * @param {{ electron: boolean, tests: boolean }} wanted what the caller is going to run
 * @param {import("./progress.mjs").Progress} progress
 * @returns {Promise<Prepared>}
 * @throws SetupProblem with the next step for the person
 */
export async function setUp(wanted, progress) {
  checkNodeVersion();
  const stopListening = endOnInterrupt(async () => {
    progress.say(
      "\nInterrupted. Nothing is half-done: the same command starts over with the step that was running.",
    );
  });
  try {
    return await prepare(wanted, progress);
  } finally {
    stopListening();
  }
}

function prepare(wanted, progress) {
  return withLock("setup", progress.say, async () => {
    const reason = await whyInstallPackages(rootDir);
    // System packages first and all at once: where they cannot be installed, nothing half-done is left behind.
    const needs = { compiler: reason !== null, electron: wanted.electron, tests: wanted.tests };
    const missing = await missingSystemPackages(needs);
    if (missing.length > 0) {
      await installSystemPackages(missing, progress);
      const stillMissing = await missingSystemPackages(needs);
      if (stillMissing.length > 0) {
        throw new SetupProblem(
          `Installed, but not found: what belongs to ${stillMissing.join(", ")}.`,
          "check that PATH holds /usr/bin and run the command again.",
        );
      }
    }
    if (reason !== null) await installPackages(rootDir, progress, reason);
    const electron = wanted.electron ? await resolveElectron(rootDir, progress) : null;
    return { electron, chromium: findChromium() };
  });
}

/**
 * @param {import("./electron/resolveElectron.mjs").ElectronChoice} choice
 * @returns {string} the one line that says which Electron runs and why
 */
export function describeElectron(choice) {
  if (choice.kind === "none") return `No Electron: ${choice.reason}.`;
  if (choice.origin === "registry") {
    return `Electron ${choice.version} from the npm registry (for developing and testing): ${choice.reason}.`;
  }
  return `Electron ${choice.version}: ${choice.reason}.`;
}
