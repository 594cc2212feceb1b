/** Reads a note that was found: the same regular file still, of bounded size, as text. */

import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { maxNoteBytes } from "./listNotes.ts";

export interface NoteText {
  text: string;
  /** SHA-256 of the bytes, hex. */
  hash: string;
  sizeBytes: number;
}

/**
 * @returns null when it grew past the limit or is no regular file any more
 * @throws the error of the file system; ELOOP when it became a link
 */
export async function readNoteText(realPath: string): Promise<NoteText | null> {
  // Not following and not blocking: a link or pipe that was put there just now ends in an error.
  const handle = await open(realPath, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const facts = await handle.stat();
    if (!facts.isFile() || facts.size > maxNoteBytes) return null;
    const bytes = Buffer.alloc(facts.size + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await handle.read(bytes, length, bytes.length - length, length);
      length += bytesRead;
      if (bytesRead === 0 || length === bytes.length) break;
    }
    const content = bytes.subarray(0, length);
    return {
      text: new TextDecoder("utf-8").decode(content).replaceAll("\r\n", "\n"),
      hash: createHash("sha256").update(content).digest("hex"),
      sizeBytes: length,
    };
  } finally {
    await handle.close();
  }
}
