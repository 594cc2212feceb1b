/** Which pictures and documents a finished call is about, read from the details of its own tool. */

export interface NamedMedia {
  kind: "picture" | "document";
  /** Path or address as the tool's details have it. */
  reference: string;
  /** `kept`: the product wrote the file; `given`: somebody else's file, which the tool was pointed at. */
  origin: "kept" | "given";
  /** False for addresses and data: addresses, of which nothing is kept. */
  isFile: boolean;
  /** Of the file when the call ran; null when the details do not say. */
  sizeBytes: number | null;
}

/** As many as any tool takes or makes. */
const maxMedia = 32;

/**
 * The same on both sides of the contract, so that a place in this list names a file without anybody sending a path.
 * Only tools of our own are looked at: their details were made here.
 * @param details of the result, untrusted
 */
export function namedMedia(tool: string, details: unknown): NamedMedia[] {
  const record = recordOf(details);
  if (record === null || record.status === "error" || typeof record.error === "string") return [];
  return found(tool, record).slice(0, maxMedia);
}

function found(tool: string, record: Record<string, unknown>): NamedMedia[] {
  switch (tool) {
    case "image": {
      const facts = listOf(record.pictures).map((one) => sizeOf(recordOf(one)?.original));
      return referencesOf(record, "image").map((reference, index) =>
        given("picture", reference, facts[index]),
      );
    }
    case "pdf": {
      const references = referencesOf(record, "pdf");
      const size = references.length === 1 ? sizeOf(record) : null;
      return references.map((reference) => given("document", reference, size));
    }
    case "image_generate": {
      const facts = listOf(record.pictures).map(sizeOf);
      return texts(record.paths).map((reference, index) => kept("picture", reference, facts[index] ?? null));
    }
    case "browser":
      // A snapshot with labels has its picture beside the text.
      if (typeof record.imagePath === "string") return [kept("picture", record.imagePath, null)];
      return typeof record.path === "string" ? madeByBrowser(record, record.path) : [];
    case "read":
      return typeof record.path === "string" ? shownByRead(record, record.path) : [];
    default:
      return [];
  }
}

function madeByBrowser(record: Record<string, unknown>, path: string): NamedMedia[] {
  if (recordOf(record.media)?.mediaUrl === path) return [kept("picture", path, sizeOf(record))];
  return path.toLowerCase().endsWith(".pdf") ? [kept("document", path, null)] : [];
}

function shownByRead(record: Record<string, unknown>, path: string): NamedMedia[] {
  const { mimeType } = record;
  if (typeof mimeType === "string" && mimeType.startsWith("image/")) {
    // What was shrunk for the model has other bytes than the file.
    return [given("picture", path, sizeOf(record.original === undefined ? record : record.original))];
  }
  return path.toLowerCase().endsWith(".pdf") ? [given("document", path, sizeOf(record))] : [];
}

/** One as `<key>`, several as `<key>s: [{ <key> }]`. */
function referencesOf(record: Record<string, unknown>, key: "image" | "pdf"): string[] {
  const one = record[key];
  if (typeof one === "string") return [one];
  return texts(listOf(record[`${key}s`]).map((entry) => recordOf(entry)?.[key]));
}

function given(kind: NamedMedia["kind"], reference: string, sizeBytes: number | null = null): NamedMedia {
  return { kind, reference, origin: "given", isFile: isFileReference(reference), sizeBytes };
}

function kept(kind: NamedMedia["kind"], reference: string, sizeBytes: number | null): NamedMedia {
  return { kind, reference, origin: "kept", isFile: true, sizeBytes };
}

/** A scheme has two letters or more: one is a drive. */
function isFileReference(reference: string): boolean {
  const text = reference
    .trim()
    .replace(/^@/, "")
    .replace(/^MEDIA:\s*/, "");
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(text)?.[1]?.toLowerCase();
  return scheme === undefined || scheme === "file";
}

function recordOf(value: unknown): Record<string, unknown> | null {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value.slice(0, maxMedia) : [];
}

function texts(value: unknown): string[] {
  return listOf(value).filter((one) => typeof one === "string");
}

function sizeOf(value: unknown): number | null {
  const size = recordOf(value)?.sizeBytes;
  return typeof size === "number" && Number.isFinite(size) ? size : null;
}
