/** Vitest reporter of the vector runs: each mismatch with its difference, notes about kinds left out, the counts. */
import { writeFileSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";

const NOTE = /^not (built|run here): /;

export default class VectorsReporter {
  #passed = 0;
  #failed = 0;

  /** @param {{ content: string }} log suites that are built in part say with console.log which kinds they leave out */
  onUserConsoleLog({ content }) {
    for (const line of content.split("\n")) if (NOTE.test(line)) say(line);
  }

  /** @param {import("vitest/node").TestCase} testCase */
  onTestCaseResult(testCase) {
    const { state, errors } = testCase.result();
    if (state === "passed") this.#passed += 1;
    if (state === "failed") this.#fail(testCase.fullName, errors ?? []);
  }

  /**
   * @param {ReadonlyArray<import("vitest/node").TestModule>} modules
   * @param {ReadonlyArray<import("vitest/node").SerializedError>} unhandledErrors
   */
  onTestRunEnd(modules, unhandledErrors) {
    for (const module of modules) {
      const errors = module.errors();
      if (errors.length > 0) this.#fail(`${module.relativeModuleId} could not be run`, errors);
    }
    if (unhandledErrors.length > 0) this.#fail("an error outside of every case", unhandledErrors);
    const counts = { passed: this.#passed, failed: this.#failed };
    writeFileSync(process.env.SALLYPORT_VECTORS_COUNTS, JSON.stringify(counts));
  }

  #fail(title, errors) {
    this.#failed += 1;
    say(`✗ ${title}`);
    for (const { message, diff } of errors) {
      // The difference says it all where there is one; the message repeats both values in one line.
      const text = stripVTControlCharacters(diff ?? message).trimEnd();
      for (const line of text.split("\n")) say(`    ${line}`);
    }
  }
}

function say(line) {
  process.stdout.write(`${line}\n`);
}
