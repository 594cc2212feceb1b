/** Long computations in small steps, so that whoever runs them decides when others get a turn. */

/** Every `yield` is a place to pause at; the work between two takes well under a few milliseconds. */
export type Steps<T> = Generator<void, T, void>;

/** Runs to the end without a pause. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
