/** Checksum of a file without holding it in memory. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";

/**
 * @param {string} filePath
 * @returns {Promise<string>} SHA-256 in lower-case hex
 */
export async function sha256File(filePath) {
  const hash = createHash("sha256");
  await pipeline(createReadStream(filePath), hash);
  return hash.digest("hex");
}
