/** First step of every script: is this Node new enough? */
import { SetupProblem } from "./problem.mjs";

const MINIMUM = [20, 19];

/**
 * @param {string} [version] as in `process.versions.node`
 * @throws SetupProblem when it is older than 20.19
 */
export function checkNodeVersion(version = process.versions.node) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > MINIMUM[0] || (major === MINIMUM[0] && minor >= MINIMUM[1])) return;
  throw new SetupProblem(
    `This is Node ${version}; Sallyport needs Node ${MINIMUM.join(".")} or newer.`,
    "install a current Node (https://nodejs.org, or your version manager) and run the command again.",
  );
}
