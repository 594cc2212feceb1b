/** The word after the slash that calls a skill. */

const maxCommandChars = 32;

/**
 * Lower case, and only what a chat command may consist of, as OpenClaw makes commands from names of skills. A name of
 * which nothing would be left (one in Chinese, for example) stays as it is, where OpenClaw calls every such skill
 * `skill`: then only one of them could be reached.
 * @param name of a skill, or what a person typed for one
 */
export function commandNameOf(name: string): string {
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_/, "")
    .slice(0, maxCommandChars)
    // Behind the cut, so that the command is its own command.
    .replace(/_$/, "");
  return plain === "" ? name.trim().toLowerCase() : plain;
}
