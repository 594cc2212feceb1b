/** The error of every set-up step: what happened, and what the person does next. */

export class SetupProblem extends Error {
  /**
   * @param {string} message what happened, one sentence
   * @param {string} nextStep what to do next: a command to type where there is one
   * @param {{ cause?: unknown }} [options]
   */
  constructor(message, nextStep, options) {
    super(message, options);
    this.name = "SetupProblem";
    this.nextStep = nextStep;
  }
}

/**
 * Prints an error the way every developer script ends on one, and sets the exit code.
 * @param {unknown} error a SetupProblem is printed with its next step, anything else with its stack
 */
export function printProblem(error) {
  if (error instanceof SetupProblem) {
    process.stderr.write(`\n✗ ${error.message}\n  What to do next: ${error.nextStep}\n`);
  } else {
    process.stderr.write(`\n✗ ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.stderr.write(
      "  What to do next: run the same command again; if it fails the same way, report the lines above.\n",
    );
  }
  process.exitCode = 1;
}
