/** Delivers a child's output, exit and close to one late-coming consumer, each once and in order. */

import type { ChildExit, OutputStream, RunningChild } from "./types.ts";

export interface ChildHub extends Pick<RunningChild, "onData" | "onExit" | "onClose"> {
  data(stream: OutputStream, chunk: Buffer): void;
  exit(exit: ChildExit): void;
  close(): void;
}

export function createChildHub(): ChildHub {
  let consumer: ((stream: OutputStream, chunk: Buffer) => void) | null = null;
  const early: { stream: OutputStream; chunk: Buffer }[] = [];
  let exited: ChildExit | null = null;
  let closed = false;
  const exitListeners: ((exit: ChildExit) => void)[] = [];
  const closeListeners: (() => void)[] = [];

  return {
    data(stream, chunk) {
      if (consumer !== null) consumer(stream, chunk);
      else early.push({ stream, chunk });
    },
    exit(exit) {
      if (exited !== null) return;
      exited = exit;
      for (const listener of exitListeners) listener(exit);
    },
    close() {
      if (closed) return;
      closed = true;
      for (const listener of closeListeners) listener();
    },
    onData(listener) {
      consumer = listener;
      for (const { stream, chunk } of early.splice(0)) listener(stream, chunk);
    },
    onExit(listener) {
      exitListeners.push(listener);
      const exit = exited;
      if (exit !== null) queueMicrotask(() => listener(exit));
    },
    onClose(listener) {
      closeListeners.push(listener);
      if (closed) queueMicrotask(listener);
    },
  };
}
