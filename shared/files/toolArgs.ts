/** Arguments as models really send them: other names for the same thing, and texts that come as blocks. */

type Args = Record<string, unknown>;

const pathAliases = ["file_path", "filePath", "file"];
const oldAliases = ["old_string", "old_text", "oldString"];
const newAliases = ["new_string", "new_text", "newString"];
const maxDepth = 6;

/** @returns path, and numbers that came as text, under their own names */
export function readArgs(value: unknown): unknown {
  const args = copyOf(value);
  if (args === null) return value;
  rename(args, "path", pathAliases);
  for (const key of ["offset", "limit"]) {
    const given = args[key];
    if (given === null) delete args[key];
    if (typeof given === "string" && Number.isFinite(Number.parseFloat(given)))
      args[key] = Number.parseFloat(given);
  }
  return args;
}

export function writeArgs(value: unknown): unknown {
  const args = copyOf(value);
  if (args === null) return value;
  rename(args, "path", pathAliases);
  flatten(args, "content");
  return args;
}

/**
 * Brings every form of an edit into `edits`: other names, a single pair at the top, blocks. Entries that cannot be
 * meant (no text to look for) are dropped as long as a valid one is left.
 */
export function editArgs(value: unknown): unknown {
  const args = copyOf(value);
  if (args === null) return value;
  rename(args, "path", pathAliases);
  const listed = typeof args.edits === "string" ? parsedList(args.edits) : args.edits;
  const entries: unknown[] = Array.isArray(listed) ? listed.map(editEntry) : [];
  const single = editEntry(args);
  for (const key of ["oldText", "newText", ...oldAliases, ...newAliases]) delete args[key];
  if (isRecord(single) && (single.oldText !== undefined || single.newText !== undefined)) {
    entries.push({ oldText: single.oldText, newText: single.newText });
  }
  const valid = entries.filter(isUsable);
  if (valid.length > 0) args.edits = valid;
  else if (entries.length > 0) args.edits = entries;
  return args;
}

function isUsable(entry: unknown): boolean {
  if (!isRecord(entry)) return false;
  return (
    typeof entry.oldText === "string" && entry.oldText.trim() !== "" && typeof entry.newText === "string"
  );
}

function editEntry(value: unknown): unknown {
  const entry = copyOf(value);
  if (entry === null) return value;
  rename(entry, "oldText", oldAliases);
  rename(entry, "newText", newAliases);
  flatten(entry, "oldText");
  flatten(entry, "newText");
  return entry;
}

/** Some models send the list as JSON text. */
function parsedList(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: it is reported as a wrong argument like any other text here.
    return text;
  }
}

/** The real name wins; aliases are removed in any case. */
function rename(args: Args, name: string, aliases: readonly string[]): void {
  for (const alias of aliases) {
    if (!Object.hasOwn(args, alias)) continue;
    if (!Object.hasOwn(args, name)) args[name] = args[alias];
    delete args[alias];
  }
}

function flatten(args: Args, name: string): void {
  const value = args[name];
  if (typeof value !== "object" || value === null) return;
  const text = textOf(value, 0);
  if (text !== null) args[name] = text;
}

/** @returns the text of nested blocks, concatenated; null when there is something that is no text */
function textOf(value: unknown, depth: number): string | null {
  if (typeof value === "string") return value;
  if (depth > maxDepth) return null;
  if (Array.isArray(value)) {
    const parts = value.map((part) => textOf(part, depth + 1));
    return parts.every((part) => part !== null) ? parts.join("") : null;
  }
  if (!isRecord(value)) return null;
  if (typeof value.text === "string") return value.text;
  if (value.kind === "text" && typeof value.value === "string") return value.value;
  if (value.content !== undefined) return textOf(value.content, depth + 1);
  return value.parts === undefined ? null : textOf(value.parts, depth + 1);
}

/** A copy without prototype, so that names such as `__proto__` are ordinary. */
function copyOf(value: unknown): Args | null {
  if (!isRecord(value)) return null;
  const copy: Args = Object.create(null);
  for (const [key, item] of Object.entries(value)) copy[key] = item;
  return copy;
}

function isRecord(value: unknown): value is Args {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
