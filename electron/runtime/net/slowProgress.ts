/** Says what a call waits for once it takes more than a moment. */

const afterMs = 1000;

/** @param text of the moment; asked after a second and then every other second while `work` runs */
export async function withProgress<T>(
  report: (text: string) => void,
  text: () => string,
  work: () => Promise<T>,
): Promise<T> {
  const startedMs = performance.now();
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - startedMs) / 1000);
    if (seconds === 1 || seconds % 2 === 0) report(`${text()} (${seconds} s)`);
  }, afterMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
