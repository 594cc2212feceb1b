/** The static catalog: 29 tools in 11 sections, with profiles and groups. Data only, no decisions. */

export const toolProfileIds = ["minimal", "coding", "messaging", "full"] as const;
export type ToolProfileId = (typeof toolProfileIds)[number];

/** Labels of the profile picker. */
export const toolProfileLabels: ReadonlyMap<ToolProfileId, string> = new Map([
  ["minimal", "Minimal"],
  ["coding", "Coding"],
  ["messaging", "Messaging"],
  ["full", "Full"],
]);

export interface CatalogTool {
  id: string;
  section: string;
  /** Profiles that list the tool; none lists `full`, which is the absence of a list. */
  profiles: readonly ToolProfileId[];
  /** Member of `group:openclaw`. */
  inOpenclawGroup: boolean;
  /** The plugin that registers it at run time; absent for tools of the core. */
  pluginId?: string;
  /** One line for the system prompt and the catalog view. */
  summary: string;
}

export interface CatalogSection {
  id: string;
  label: string;
}

export const catalogSections: readonly CatalogSection[] = [
  { id: "fs", label: "Files" },
  { id: "runtime", label: "Runtime" },
  { id: "web", label: "Web" },
  { id: "memory", label: "Memory" },
  { id: "sessions", label: "Sessions" },
  { id: "ui", label: "UI" },
  { id: "messaging", label: "Messaging" },
  { id: "automation", label: "Automation" },
  { id: "nodes", label: "Nodes" },
  { id: "agents", label: "Agents" },
  { id: "media", label: "Media" },
];

type Letters = "" | "c" | "s" | "cs" | "mcs";

function tool(
  id: string,
  section: string,
  letters: Letters,
  inOpenclawGroup: boolean,
  summary: string,
  pluginId?: string,
): CatalogTool {
  const profiles: ToolProfileId[] = [];
  if (letters.includes("m")) profiles.push("minimal");
  if (letters.includes("c")) profiles.push("coding");
  if (letters.includes("s")) profiles.push("messaging");
  return { id, section, profiles, inOpenclawGroup, summary, ...(pluginId === undefined ? {} : { pluginId }) };
}

/** All tools in catalog order. */
export const catalogTools: readonly CatalogTool[] = [
  tool("read", "fs", "c", false, "Show what is in a file, whole or by line range"),
  tool("write", "fs", "c", false, "Put new content into a file, creating it when needed"),
  tool("edit", "fs", "c", false, "Swap an exact piece of a file for another"),
  tool("apply_patch", "fs", "c", false, "Change several files at once from one patch"),
  tool("exec", "runtime", "c", false, "Start a shell command and return what it printed"),
  tool("process", "runtime", "c", false, "Look after commands that run in the background"),
  tool("code_execution", "runtime", "c", true, "Have Python run in the provider's own sandbox", "xai"),
  tool("web_search", "web", "c", true, "Search the web and list the hits"),
  tool("web_fetch", "web", "c", true, "Load one page and return its readable text"),
  tool("x_search", "web", "c", true, "Search posts on X", "xai"),
  tool("memory_search", "memory", "c", true, "Find passages in the agent's notes by meaning", "memory-core"),
  tool("memory_get", "memory", "c", true, "Read lines of one note", "memory-core"),
  tool("sessions_list", "sessions", "cs", true, "List the sessions that may be seen from here"),
  tool("sessions_history", "sessions", "cs", true, "Read back the messages of a session"),
  tool("sessions_send", "sessions", "cs", true, "Pass a message to another session"),
  tool("sessions_spawn", "sessions", "c", true, "Hand a task to a new sub-agent"),
  tool("sessions_yield", "sessions", "c", true, "End the turn and wait for sub-agents to report"),
  tool("subagents", "sessions", "c", true, "See, steer or stop sub-agents"),
  tool("session_status", "sessions", "mcs", true, "Report time, model and usage of this session"),
  tool("browser", "ui", "", true, "Drive a real browser: open, look, click, type", "browser"),
  tool("canvas", "ui", "", true, "Show a page on a screen and read it back"),
  tool("message", "messaging", "s", true, "Send and manage messages on chat channels"),
  tool("cron", "automation", "c", true, "Plan jobs and reminders for later"),
  tool("gateway", "automation", "", true, "Read or change the gateway's config, or restart it"),
  tool("nodes", "nodes", "", true, "Use paired devices: camera, screen, commands"),
  tool("agents_list", "agents", "", true, "List the agents that may be given work"),
  tool("image", "media", "c", true, "Ask a vision model about pictures"),
  tool("image_generate", "media", "c", true, "Make or change pictures from a description"),
  tool("tts", "media", "", true, "Speak a text as audio"),
];

/** Core tools outside the catalog that can be there at run time: in no section, group or profile. */
export const uncataloguedCoreTools: readonly { id: string; summary: string }[] = [
  { id: "pdf", summary: "Ask a model about PDF documents" },
];

const byId: ReadonlyMap<string, CatalogTool> = new Map(catalogTools.map((entry) => [entry.id, entry]));

/** @returns the catalog entry of a normalised tool name, or undefined */
export function findCatalogTool(name: string): CatalogTool | undefined {
  return byId.get(name);
}

function buildGroups(): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>([["group:openclaw", []]]);
  for (const section of catalogSections) groups.set(`group:${section.id}`, []);
  for (const entry of catalogTools) {
    groups.get(`group:${entry.section}`)?.push(entry.id);
    if (entry.inOpenclawGroup) groups.get("group:openclaw")?.push(entry.id);
  }
  return groups;
}

/** The 12 groups: `group:openclaw` and one per section, members in catalog order. */
export const toolGroups: ReadonlyMap<string, readonly string[]> = buildGroups();

function buildProfiles(): ReadonlyMap<string, readonly string[]> {
  const lists = new Map<string, readonly string[]>();
  for (const profile of ["minimal", "coding", "messaging"] as const) {
    lists.set(
      profile,
      catalogTools.filter((entry) => entry.profiles.includes(profile)).map((entry) => entry.id),
    );
  }
  return lists;
}

/** The list of each profile that has one. `full` and unknown words have none, which means no limit (policy §6). */
export const profileLists: ReadonlyMap<string, readonly string[]> = buildProfiles();

/**
 * Expands a list (policy §2): normalise, drop empty entries, replace exact group ids by their members,
 * de-duplicate keeping the first position. Groups do not nest.
 */
export function expandToolGroups(entries: readonly string[], normalize: (name: string) => string): string[] {
  const expanded = new Set<string>();
  for (const entry of entries) {
    const name = normalize(entry);
    if (name === "") continue;
    for (const member of toolGroups.get(name) ?? [name]) expanded.add(member);
  }
  return [...expanded];
}

/** Section of a tool for views: catalog section id, `plugin:<id>` for other plugin tools, else `other`. */
export function sectionOfTool(name: string, pluginId: string | undefined): string {
  const known = byId.get(name);
  if (known !== undefined) return known.section;
  return pluginId === undefined ? "other" : `plugin:${pluginId}`;
}
