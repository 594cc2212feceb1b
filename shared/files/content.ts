/** What a file holds, by its first bytes. */

export type ImageType = "image/png" | "image/jpeg" | "image/gif" | "image/webp";

/** As many bytes as the decision looks at. */
export const sniffedBytes = 4100;

/** @returns the type of a picture that models take, by content and never by name; null for everything else */
export function imageTypeOf(head: Uint8Array): ImageType | null {
  if (startsWith(head, 0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return "image/png";
  if (startsWith(head, 0, [0xff, 0xd8, 0xff])) return "image/jpeg";
  if (startsWith(head, 0, [0x47, 0x49, 0x46, 0x38])) return "image/gif";
  const isRiff = startsWith(head, 0, [0x52, 0x49, 0x46, 0x46]);
  return isRiff && startsWith(head, 8, [0x57, 0x45, 0x42, 0x50]) ? "image/webp" : null;
}

export type TextProblem = "utf16" | "binary";

/** @returns why the bytes are no UTF-8 text as tools handle it; null when nothing speaks against it */
export function textProblemOf(head: Uint8Array): TextProblem | null {
  if (startsWith(head, 0, [0xff, 0xfe]) || startsWith(head, 0, [0xfe, 0xff])) return "utf16";
  return head.subarray(0, sniffedBytes).includes(0) ? "binary" : null;
}

function startsWith(bytes: Uint8Array, offset: number, wanted: readonly number[]): boolean {
  return wanted.every((byte, index) => bytes[offset + index] === byte);
}
