/** Keeps what a call tells besides its text within a limit, and such that it can be sent as JSON. */

/** UTF-8 bytes of JSON. Tools keep to less by themselves; a plugin or a bug must not fill a connection. */
export const maxDetailsBytes = 512 * 1024;

/** @returns the details as they are when JSON can say them, or what stands in their place with the sizes; undefined when there are none */
export function withinDetailsBudget(details: unknown, maxBytes = maxDetailsBytes): unknown {
  if (details === undefined) return undefined;
  let text: string | undefined;
  try {
    text = JSON.stringify(details);
  } catch {
    // Circular, nested too deep, a BigInt, or a `toJSON` that throws: no connection could send it.
    return { detailsOmitted: { reason: "not-json", maxBytes } };
  }
  // A function or a symbol alone says nothing in JSON.
  if (text === undefined) return { detailsOmitted: { reason: "not-json", maxBytes } };
  const sizeBytes = Buffer.byteLength(text);
  if (sizeBytes > maxBytes) return { detailsOmitted: { reason: "too-large", sizeBytes, maxBytes } };
  return details;
}
