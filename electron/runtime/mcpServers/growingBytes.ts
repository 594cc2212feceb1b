/** Bytes that come in pieces, kept as one: a sender of single bytes must not cost an object for each. */

export interface GrowingBytes {
  readonly length: number;
  add(piece: Uint8Array): void;
  /** @returns all of it, and begins anew; nobody else holds these bytes */
  take(): Buffer;
}

const firstSize = 4096;

export function createGrowingBytes(): GrowingBytes {
  let room = Buffer.alloc(0);
  let length = 0;
  return {
    get length() {
      return length;
    },
    add(piece) {
      const needed = length + piece.length;
      if (needed > room.length) {
        // Doubled, so that all copying together stays in proportion to what came.
        const larger = Buffer.alloc(Math.max(firstSize, needed, room.length * 2));
        room.copy(larger, 0, 0, length);
        room = larger;
      }
      room.set(piece, length);
      length = needed;
    },
    take() {
      const all = room.subarray(0, length);
      room = Buffer.alloc(0);
      length = 0;
      return all;
    },
  };
}
