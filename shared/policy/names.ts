/** Normalisation of the names that policy compares: tools, list entries, plugin ids, providers, accounts. */

const aliases = new Map([
  ["bash", "exec"],
  ["apply-patch", "apply_patch"],
]);

/** Trim, lower-case, then alias. Used for tools, list entries and plugin ids alike (policy §2). */
export function normalizeToolName(name: string): string {
  const lowered = name.trim().toLowerCase();
  return aliases.get(lowered) ?? lowered;
}

/** Provider names, channels and byProvider keys: trimmed and lower-cased; blank is absent. */
export function normalizeKey(value: string | undefined): string | undefined {
  const key = value?.trim().toLowerCase();
  return key === undefined || key === "" ? undefined : key;
}

const defaultAgentId = "main";
const agentIdMaxLength = 64;

/** Agent ids (policy §5): lower case, other characters become `-`, at most 64 characters, empty is `main`. */
export function normalizeAgentId(id: string | undefined): string {
  return idSlug(id) ?? defaultAgentId;
}

/** Account ids follow the same rule; empty is `default`. */
export function normalizeAccountId(id: string | undefined): string {
  return idSlug(id) ?? "default";
}

function idSlug(id: string | undefined): string | undefined {
  const slug = (id ?? "")
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, agentIdMaxLength);
  return slug === "" ? undefined : slug;
}
