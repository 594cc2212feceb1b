/** Progress of one call: what the tool reports, repeated while nothing changes, so that clients do not give up. */

export interface ProgressReporter {
  report(text: string): void;
  stop(): void;
}

const repeatMs = 5000;
const maxTextLength = 500;

/**
 * @param send delivers one notification; `progress` only grows, as the protocol asks
 */
export function createProgressReporter(
  send: (progress: number, message: string) => void,
  options: { repeatMs?: number } = {},
): ProgressReporter {
  let progress = 0;
  let lastText = "running";
  const emit = () => {
    progress += 1;
    send(progress, lastText);
  };
  const timer = setInterval(emit, options.repeatMs ?? repeatMs);
  timer.unref();
  return {
    report(text) {
      const shown = text.slice(0, maxTextLength);
      // The same words again say nothing new; the timer repeats them.
      if (shown === lastText && progress > 0) return;
      lastText = shown;
      emit();
    },
    stop: () => clearInterval(timer),
  };
}
