/** Paths as a model writes them: clean-up before resolving, and the spellings that read tries. */

const oddSpaces = /[\u00A0\u2000-\u200A\u202F\u205F\u3000]/g;

/**
 * Drops one leading `@`, turns Unicode spaces into plain ones and expands `~`.
 * @param home absolute
 * @see tools-files-web-media.md 1.4
 */
export function cleanPath(raw: string, home: string): string {
  const plain = raw.replace(oddSpaces, " ");
  const path = plain.startsWith("@") ? plain.slice(1) : plain;
  if (path === "~") return home;
  return /^~[\\/]/.test(path) ? `${home}${path.slice(1)}` : path;
}

/** Other spellings of a name that macOS gives to screenshots and accented files, in the order in which they are tried. */
export function pathSpellings(path: string): string[] {
  const narrow = path.replace(/ (AM|PM)\./gi, "\u202F$1.");
  const decomposed = path.normalize("NFD");
  const curly = path.replaceAll("'", "\u2019");
  const both = decomposed.replaceAll("'", "\u2019");
  return [...new Set([narrow, decomposed, curly, both])].filter((spelling) => spelling !== path);
}
