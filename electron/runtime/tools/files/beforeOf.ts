/** What stands where a whole file is replaced or removed: as much as the decision and the difference need. */

import type { FileChange } from "./changeDraft.ts";
import { type FileDesk, maxEditBytes, maxHashedBytes } from "./fileDesk.ts";
import type { Target } from "./locate.ts";

/**
 * @returns null when there is no file. Content that is no text, or large, has no text; a link that is removed, and a
 *   huge file of the workspace, have no hash ("") and are told apart by their facts
 * @throws AppError too_large for a huge file outside: what a person decides about is always hashed
 */
export async function beforeOf(
  desk: FileDesk,
  target: Target,
  signal: AbortSignal,
): Promise<FileChange["before"]> {
  const { facts, isInside } = target;
  if (facts === null) return null;
  const sizeBytes = Number(facts.size);
  const isHuge = isInside && sizeBytes > maxEditBytes;
  if (!facts.isFile() || isHuge) return { sha256: "", sizeBytes, text: null };
  const { bytes, sha256 } = await desk.read(target, maxHashedBytes, signal);
  return { sha256, sizeBytes, text: bytes.length <= maxEditBytes ? textOrNull(bytes) : null };
}

function textOrNull(bytes: Buffer): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // No UTF-8: there is nothing to compare by line.
    return null;
  }
}
