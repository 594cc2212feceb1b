/** Progress lines for long steps, so that no step is silent for longer than a few seconds. */

const HEARTBEAT_MS = 4000;

/**
 * @typedef {object} Progress
 * @property {(line: string) => void} say prints one line
 * @property {<T>(title: string, work: (detail: (text: string) => void) => Promise<T>,
 *   conclude?: (result: T) => string) => Promise<T>} step runs one long step: prints its title at once, a line with
 *   the elapsed time every few seconds (with the latest `detail`), and when it ends what `conclude` says (by default
 *   its title) with the total. Errors pass through.
 */

/**
 * @param {NodeJS.WritableStream} [out] default stderr: stdout belongs to what the command itself answers
 * @param {number} [heartbeatMs] time between two lines of a running step
 * @returns {Progress}
 */
export function createProgress(out = process.stderr, heartbeatMs = HEARTBEAT_MS) {
  const say = (line) => out.write(`${line}\n`);
  const step = async (title, work, conclude = () => `✓ ${title}`) => {
    const startedAtMs = performance.now();
    let latest = "";
    say(`• ${title} …`);
    const timer = setInterval(() => {
      say(`  … ${title}: ${elapsed(startedAtMs)}${latest === "" ? "" : `, ${latest}`}`);
    }, heartbeatMs);
    try {
      const result = await work((text) => {
        latest = text;
      });
      say(`${conclude(result)} (${elapsed(startedAtMs)})`);
      return result;
    } finally {
      clearInterval(timer);
    }
  };
  return { say, step };
}

/**
 * @param {number} startedAtMs a `performance.now()` reading
 * @returns {string} for people: "3.2 s" or "2 min 5 s"
 */
export function elapsed(startedAtMs) {
  const seconds = (performance.now() - startedAtMs) / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}
