/** Bytes of a page to text, in the encoding that the page is really written in. */

export interface DecodedText {
  text: string;
  /** WHATWG name of the encoding, `utf-8` for instance. */
  charset: string;
}

const sniffedBytes = 4096;

/**
 * Byte order mark, then header, then what the page says of itself; a name that does not fit the bytes is passed over.
 * @param contentType value of the header, "" when there is none
 * @param isGuessing false: always UTF-8, as the reference does
 * @param isCut the last character may be torn
 */
export function decodeText(
  bytes: Uint8Array,
  contentType: string,
  isGuessing: boolean,
  isCut = false,
): DecodedText {
  if (!isGuessing) return { text: new TextDecoder().decode(bytes), charset: "utf-8" };
  const marked = markedCharset(bytes);
  if (marked !== null) return { text: new TextDecoder(marked).decode(bytes), charset: marked };
  const named = [headerCharset(contentType), declaredCharset(bytes)].filter((name) => name !== null);
  for (const charset of [...named, "utf-8"]) {
    const text = strictDecode(bytes, charset, isCut);
    if (text !== null) return { text, charset: new TextDecoder(charset).encoding };
  }
  // Nothing fits without errors: the first name that is an encoding at all, with marks for what does not fit.
  const fallback = named.find((name) => decoderFor(name, false) !== null) ?? "windows-1252";
  const decoder = new TextDecoder(fallback);
  return { text: decoder.decode(bytes), charset: decoder.encoding };
}

function markedCharset(bytes: Uint8Array): string | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return "utf-8";
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  return bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : null;
}

function headerCharset(contentType: string): string | null {
  return /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i.exec(contentType)?.[1]?.toLowerCase() ?? null;
}

function declaredCharset(bytes: Uint8Array): string | null {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, sniffedBytes));
  const found =
    /<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{1,40})/i.exec(head)?.[1] ??
    /^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})/i.exec(head)?.[1];
  const name = found?.toLowerCase() ?? null;
  // A page whose declaration can be read byte by byte is not UTF-16, whatever it says.
  return name?.startsWith("utf-16") === true ? "utf-8" : name;
}

function strictDecode(bytes: Uint8Array, charset: string, isCut: boolean): string | null {
  const decoder = decoderFor(charset, true);
  if (decoder === null) return null;
  try {
    return decoder.decode(bytes, { stream: isCut });
  } catch {
    // The bytes are not in this encoding: the next one is tried.
    return null;
  }
}

function decoderFor(charset: string, fatal: boolean): InstanceType<typeof TextDecoder> | null {
  try {
    return new TextDecoder(charset, { fatal });
  } catch {
    // No encoding of that name.
    return null;
  }
}
