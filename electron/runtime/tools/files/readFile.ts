/** Reads a file that was located: regular, of bounded size, and still the one that was checked. */

import { constants } from "node:fs";
import { open, readlink } from "node:fs/promises";
import { sizeText } from "../../../../shared/files/index.ts";
import { sha256Hex } from "../../storage/atomicWrite.ts";
import { pathError, requireRegular, type Target } from "./locate.ts";
import { fileProblem } from "./problems.ts";

export interface ReadBytes {
  bytes: Buffer;
  /** SHA-256 of all bytes, hex. */
  sha256: string;
}

const chunkBytes = 1024 * 1024;

/**
 * @param maxBytes a larger file is refused, never cut
 * @throws AppError not_found, not_a_file, too_large, changed, no_access
 */
export async function readLocated(target: Target, maxBytes: number, signal: AbortSignal): Promise<ReadBytes> {
  const { given, realPath, facts } = target;
  if (facts === null)
    throw fileProblem("not_found", `There is no file ${given}. Check the path.`, { data: { path: given } });
  requireRegular(target);
  if (facts.size > BigInt(maxBytes)) throw tooLarge(given, Number(facts.size), maxBytes);
  try {
    // Not following and not blocking: a link or a pipe that was put there just now ends in an error.
    const handle = await open(realPath, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const now = await handle.stat({ bigint: true });
      const isSame = now.isFile() && now.dev === facts.dev && now.ino === facts.ino;
      if (!isSame || !(await isAt(handle.fd, realPath))) {
        throw fileProblem("changed", `${given} was replaced while it was opened. Try again.`, {
          data: { path: given },
        });
      }
      const parts: Buffer[] = [];
      let length = 0;
      for (;;) {
        signal.throwIfAborted();
        const { bytesRead, buffer } = await handle.read(
          Buffer.allocUnsafe(chunkBytes),
          0,
          chunkBytes,
          length,
        );
        if (bytesRead === 0) break;
        length += bytesRead;
        if (length > maxBytes) throw tooLarge(given, length, maxBytes);
        parts.push(buffer.subarray(0, bytesRead));
      }
      const bytes = Buffer.concat(parts, length);
      return { bytes, sha256: sha256Hex(bytes) };
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw pathError(given, error);
  }
}

/**
 * @returns whether an open file or folder still stands at this path. Where the system cannot say, the comparison of
 *   device and inode has to do.
 */
export async function isAt(fd: number, realPath: string): Promise<boolean> {
  if (process.platform !== "linux") return true;
  try {
    return (await readlink(`/proc/self/fd/${fd}`)) === realPath;
  } catch {
    // No /proc in this container.
    return true;
  }
}

function tooLarge(given: string, sizeBytes: number, maxBytes: number): Error {
  return fileProblem(
    "too_large",
    `${given} has ${sizeText(sizeBytes)}, more than the ${sizeText(maxBytes)} that are handled here. Look at parts of it with exec (head, tail, sed -n, grep).`,
    { data: { path: given, sizeBytes, maxBytes } },
  );
}
