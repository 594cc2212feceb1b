/** Hands source text to a page as a function. */

/**
 * Playwright calls functions and only evaluates texts; it sends what `toString` gives. So a text becomes a function
 * without ever being compiled in this process.
 * @param source of a function
 */
export function inPage<Argument = unknown, Result = unknown>(source: string): (argument: Argument) => Result {
  const carrier = (): never => {
    throw new Error("This function only runs in pages.");
  };
  return Object.assign(carrier as (argument: Argument) => Result, { toString: () => source });
}

/** An agent's text, function or expression: a function is called with the argument. */
export function callIfFunction(source: string): string {
  return `async (argument) => {
    const given = (${source}
    );
    return typeof given === "function" ? await given(argument) : await given;
  }`;
}
