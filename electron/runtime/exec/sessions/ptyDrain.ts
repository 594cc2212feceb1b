/**
 * Keeps the last output of a terminal program from being lost on Linux. When the last user of a terminal exits,
 * libuv takes a short read together with the hang-up for the end of the stream; but a terminal hands out at most
 * 4 KB per read, so whatever is still queued would be thrown away. Holding the terminal's far side open keeps
 * the hang-up away; at the exit the queue is read empty here, and only then is it let go.
 */

import { closeSync, constants, openSync, readSync } from "node:fs";

export interface DrainHold {
  /** Lets go of the far side. May be called twice. */
  release(): void;
}

const readSizeBytes = 65_536;
/** Something outside the ended session could write for ever. */
const maxDrainBytes = 16 * 1024 * 1024;

/**
 * @param terminal a terminal of node-pty, before its first turn of the event loop
 * @param onData gets what is read at the end, after everything that the terminal itself reported
 */
export function holdUntilDrained(terminal: object, onData: (chunk: Buffer) => void): DrainHold {
  const nothing: DrainHold = { release() {} };
  const masterFd: unknown = Reflect.get(terminal, "fd");
  const farSide: unknown = Reflect.get(terminal, "ptsName");
  if (process.platform !== "linux" || typeof masterFd !== "number" || typeof farSide !== "string")
    return nothing;
  let heldFd: number | null;
  try {
    heldFd = openSync(farSide, constants.O_RDWR | constants.O_NOCTTY);
  } catch {
    // Without the hold the program runs all the same; only its very last output is less certain.
    return nothing;
  }
  const release = (): void => {
    if (heldFd === null) return;
    closeSync(heldFd);
    heldFd = null;
  };
  onNativeExit(terminal, () => {
    if (heldFd !== null) readAll(masterFd, onData);
    release();
  });
  return { release };
}

/**
 * node-pty tells of the exit only after the terminal closed, which the hold prevents for the 200 ms that it
 * waits at most. The field that it sets at the exit itself gives the earlier moment; should a later version
 * set none, everything still works, 200 ms later.
 */
function onNativeExit(terminal: object, listener: () => void): void {
  let value: unknown = Reflect.get(terminal, "_boundClose");
  Object.defineProperty(terminal, "_boundClose", {
    configurable: true,
    enumerable: true,
    get: () => value,
    set(next: unknown) {
      const isExit = next === true && value !== true;
      value = next;
      // node-pty goes on in the same turn; it must not see its stream end in the middle of that.
      if (isExit) queueMicrotask(listener);
    },
  });
}

/** The descriptor does not block: reading ends with EAGAIN when empty, with EIO when hung up. */
function readAll(fd: number, onData: (chunk: Buffer) => void): void {
  const buffer = Buffer.allocUnsafe(readSizeBytes);
  let totalBytes = 0;
  while (totalBytes < maxDrainBytes) {
    let sizeBytes: number;
    try {
      sizeBytes = readSync(fd, buffer);
    } catch {
      // Empty or hung up: either way nothing is left.
      return;
    }
    if (sizeBytes === 0) return;
    totalBytes += sizeBytes;
    onData(Buffer.from(buffer.subarray(0, sizeBytes)));
  }
}
