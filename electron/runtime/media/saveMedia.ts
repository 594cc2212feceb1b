/** Keeps generated files in the state directory: private, whole or not at all. */

import { randomUUID } from "node:crypto";
import { chmod, mkdir, open, rename, unlink } from "node:fs/promises";
import path from "node:path";
import { messageOf } from "../../../shared/errors/index.ts";
import { mediaProblem } from "./problems.ts";

/** A name may have 255 bytes, and more is appended. */
const maxHintBytes = 120;

/**
 * @param folder made with mode 0700 when missing
 * @param hint of a name, from a model; may be absent
 * @param extension with its dot
 * @returns absolute path of the new file, mode 0600
 * @throws AppError kind not_saved
 */
export async function saveMedia(
  folder: string,
  bytes: Uint8Array,
  extension: string,
  hint?: string,
): Promise<string> {
  const base = nameFrom(hint);
  const name = `${base === "" ? "" : `${base}---`}${randomUUID()}${extension}`;
  const target = path.join(folder, name);
  const temporary = path.join(folder, `.${randomUUID()}.tmp`);
  let isWritten = false;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // One that was there before may be open to others.
    await chmod(folder, 0o700);
    const handle = await open(temporary, "wx", 0o600);
    isWritten = true;
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, target);
    return target;
  } catch (cause) {
    if (isWritten) {
      await unlink(temporary).catch(() => {
        // The write has failed already and that error is the one to report.
      });
    }
    throw mediaProblem("not_saved", `The picture cannot be kept in ${folder}: ${messageOf(cause)}.`, {
      cause,
    });
  }
}

/** Letters and digits of any script; everything that means something to a file system becomes a dash. */
function nameFrom(hint: string | undefined): string {
  const plain = (hint ?? "")
    .normalize("NFC")
    .replace(/\.[a-z0-9]{1,5}$/i, "")
    .replace(/[^\p{L}\p{N}_-]+/gu, "-")
    .replace(/^-+|-+$/g, "");
  let name = "";
  for (const char of plain) {
    if (Buffer.byteLength(name + char) > maxHintBytes) break;
    name += char;
  }
  return name;
}
