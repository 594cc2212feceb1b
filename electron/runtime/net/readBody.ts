/** Reads an answer within a number of bytes, whatever its length says and however it is compressed. */

import type { Readable, Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { netProblem } from "./netProblem.ts";

export interface Body {
  bytes: Buffer;
  /** More was there than the limit lets in. */
  isCut: boolean;
}

const maxEncodings = 2;

/**
 * Decoded bytes are counted as they come, so a small bomb never grows past the limit in memory.
 * @param encoding value of `Content-Encoding`
 * @param onBytes called with the number of decoded bytes so far
 * @throws AppError kind `encoding` when the bytes are not what the header says
 */
export async function readBody(
  body: Readable,
  encoding: string,
  maxBytes: number,
  onBytes?: (bytes: number) => void,
): Promise<Body> {
  const decoders = decodersFor(encoding);
  // `pipe` passes no errors on: a broken connection must end the decoders too.
  let source: Readable = body;
  for (const decoder of decoders) {
    const from = source;
    from.once("error", (error) => decoder.destroy(error));
    source = from.pipe(decoder);
  }
  const chunks: Buffer[] = [];
  let size = 0;
  let isCut = false;
  try {
    for await (const chunk of source) {
      const bytes = chunk as Buffer;
      const room = maxBytes - size;
      if (bytes.length > room) {
        chunks.push(bytes.subarray(0, room));
        size = maxBytes;
        isCut = true;
        break;
      }
      chunks.push(bytes);
      size += bytes.length;
      onBytes?.(size);
    }
  } catch (cause) {
    if (
      typeof cause === "object" &&
      cause !== null &&
      /^(?:Z_|ERR__ZLIB|ERR_BROTLI|ERR_PADDING)/.test(codeOf(cause))
    ) {
      throw netProblem("encoding", "The answer is not compressed the way its header says.", { cause });
    }
    throw cause;
  } finally {
    for (const decoder of decoders) decoder.destroy();
    body.destroy();
  }
  return { bytes: Buffer.concat(chunks), isCut };
}

function decodersFor(encoding: string): Transform[] {
  const names = encoding
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity");
  if (names.length > maxEncodings)
    throw netProblem("encoding", "The answer is compressed too many times over.");
  return names.reverse().map((name) => {
    switch (name) {
      case "gzip":
      case "x-gzip":
        return createGunzip();
      case "deflate":
        return createInflate();
      case "br":
        return createBrotliDecompress();
      default:
        throw netProblem(
          "encoding",
          `The answer is compressed with ${name.slice(0, 40)}, which is not understood.`,
        );
    }
  });
}

function codeOf(error: object): string {
  const code = Reflect.get(error, "code");
  return typeof code === "string" ? code : "";
}
