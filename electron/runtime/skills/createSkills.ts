/** Which skills an agent has and which tools they need, read from the folders of skills; nothing of them is run. */

import { constants } from "node:fs";
import { open, readdir, realpath } from "node:fs/promises";
import path from "node:path";
import { asRecord, getIn, getList } from "../../../shared/policy/configRecord.ts";
import type { SkillTools } from "../../../shared/policy/debug/index.ts";
import { agentScopes } from "../../../shared/policy/scopes.ts";
import { parseSkillFile } from "./skillFile.ts";

export interface SkillsDeps {
  /** The config whose folders count. Not one that a question brings: it must not make us look anywhere. */
  config(): unknown;
  workspaceOf(agentId: string): string;
  stateDir: string;
  homeDir: string;
}

/**
 * @param config says which skills are switched off, and which the agent may have
 * @param agentId normalised
 */
export type SkillsFor = (config: unknown, agentId: string) => Promise<readonly SkillTools[]>;

const maxFolders = 300;
const maxExtraDirs = 16;
const maxFileBytes = 256 * 1024;
/** Front matter stands at the beginning. */
const readBytes = 64 * 1024;

/** @see gateway-sessions-nodes.md §22 */
export function createSkills({ config, workspaceOf, stateDir, homeDir }: SkillsDeps): SkillsFor {
  return async (asked, agentId) => {
    const workspace = workspaceOf(agentId);
    const extra = (getList(config(), "skills", "load", "extraDirs") ?? [])
      .flatMap((dir) => (typeof dir === "string" && dir.trim() !== "" ? [dir.trim()] : []))
      .slice(0, maxExtraDirs)
      .map((dir) =>
        path.resolve(
          workspace,
          dir.replace(/^~(?=$|[\\/])/, () => homeDir),
        ),
      );
    // Of two skills of one name the one in the later folder counts.
    const folders = [
      ...extra,
      path.join(stateDir, "skills"),
      path.join(homeDir, ".agents", "skills"),
      path.join(workspace, ".agents", "skills"),
      path.join(workspace, "skills"),
    ];
    const byName = new Map<string, SkillTools>();
    for (const folder of folders) {
      for (const skill of await skillsIn(folder)) {
        byName.delete(skill.name);
        byName.set(skill.name, skill);
      }
    }
    return [...byName.values()].filter(({ name }) => isSwitchedOn(asked, agentId, name));
  };
}

function isSwitchedOn(config: unknown, agentId: string, name: string): boolean {
  const entries = asRecord(getIn(config, "skills", "entries"));
  const entry = entries !== undefined && Object.hasOwn(entries, name) ? asRecord(entries[name]) : undefined;
  if (entry?.enabled === false) return false;
  const wanted = agentScopes(config).get(agentId)?.entry.skills;
  return !Array.isArray(wanted) || wanted.includes(name);
}

/** @returns what can be read; a folder or file that cannot be read holds no skill */
async function skillsIn(folder: string): Promise<SkillTools[]> {
  const root = await realpath(folder).catch(ignoreAbsence);
  if (root === null) return [];
  const names = (await readdir(root).catch(ignoreAbsence)) ?? [];
  const skills: SkillTools[] = [];
  for (const name of names
    .filter((each) => !each.startsWith("."))
    .sort()
    .slice(0, maxFolders)) {
    const text = await headOf(root, path.join(root, name, "SKILL.md"));
    const parsed = text === null ? null : parseSkillFile(text);
    if (parsed === null) continue;
    const { commandTool, allowedTools } = parsed;
    const tools = commandTool === undefined ? allowedTools : [commandTool, ...allowedTools];
    skills.push({
      name: parsed.name ?? name,
      tools: [...new Set(tools)],
      path: path.join(folder, name, "SKILL.md"),
    });
  }
  return skills;
}

/** @returns the beginning of a regular file that really lies below the root; null otherwise */
async function headOf(root: string, file: string): Promise<string | null> {
  const real = await realpath(file).catch(ignoreAbsence);
  // A link that leads out would show the beginning of any file.
  if (real === null || !real.startsWith(root + path.sep)) return null;
  // Not following and not blocking: a link or a pipe that was put there just now ends in an error.
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const handle = await open(real, flags).catch(ignoreAbsence);
  if (handle === null) return null;
  try {
    const facts = await handle.stat();
    if (!facts.isFile() || facts.size > maxFileBytes) return null;
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(readBytes), 0, readBytes, 0);
    return buffer.subarray(0, bytesRead).toString("utf8");
  } catch {
    // It went away or cannot be read: then the agent cannot read it either.
    return null;
  } finally {
    await handle.close();
  }
}

/** Skills are optional: whatever is not there, or not readable for us, is no skill. */
function ignoreAbsence(): null {
  return null;
}
