/** Which skills an agent has and which tools they need, read from the folders of skills; nothing of them is run. */

import { constants } from "node:fs";
import { open, readdir, realpath } from "node:fs/promises";
import path from "node:path";
import { asRecord, getIn, getList } from "../../../shared/policy/configRecord.ts";
import type { SkillTools } from "../../../shared/policy/debug/index.ts";
import { agentScopes } from "../../../shared/policy/scopes.ts";
import { commandNameOf } from "./commandName.ts";
import { parseSkillFile, type SkillFile, shownName } from "./skillFile.ts";

export interface SkillsDeps {
  /** The config whose folders count. Not one that a question brings: it must not make us look anywhere. */
  config(): unknown;
  workspaceOf(agentId: string): string;
  stateDir: string;
  homeDir: string;
}

/** A skill as it lies in its folder, with what the config says about it. */
export interface Skill {
  name: string;
  /** What is typed after the slash. */
  commandName: string;
  description: string | null;
  path: string;
  file: Pick<SkillFile, "isUserInvocable" | "isForModel" | "dispatch" | "allowedTools">;
  /** Why it is not in force for this agent: by the config, or because its SKILL.md has no keys; null when it is. */
  off: {
    code: "skillSwitchedOff" | "skillNotForAgent" | "skillWithoutKeys";
    params: Record<string, string>;
  } | null;
}

/**
 * @param config says which skills are switched off, and which the agent may have
 * @param agentId normalised
 */
export type SkillsFor = (config: unknown, agentId: string) => Promise<readonly SkillTools[]>;

export interface Skills {
  /** Every skill that is found, the nearest last: those that are switched off, or have no keys, too. */
  all(config: unknown, agentId: string): Promise<readonly Skill[]>;
  /** What the skills that are in force need, for findings. */
  needs: SkillsFor;
}

const maxFolders = 300;
const maxExtraDirs = 16;
const maxFileBytes = 256 * 1024;
/** Front matter stands at the beginning. */
const readBytes = 64 * 1024;

/** What a SKILL.md without front matter says: nothing. */
const withoutKeys: Skill["file"] = {
  isUserInvocable: false,
  isForModel: false,
  dispatch: { kind: "text" },
  allowedTools: [],
};

/** @see gateway-sessions-nodes.md §22 */
export function createSkills({ config, workspaceOf, stateDir, homeDir }: SkillsDeps): Skills {
  const foldersOf = (agentId: string): string[] => {
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
    return [
      ...extra,
      path.join(stateDir, "skills"),
      path.join(homeDir, ".agents", "skills"),
      path.join(workspace, ".agents", "skills"),
      path.join(workspace, "skills"),
    ];
  };
  const all = async (asked: unknown, agentId: string): Promise<Skill[]> => {
    const byName = new Map<string, Skill>();
    for (const folder of foldersOf(agentId)) {
      for (const skill of await skillsIn(folder)) {
        // A file that is no skill yet is shown, and takes no name from one that is.
        if (skill.off !== null && byName.has(skill.name)) continue;
        byName.delete(skill.name);
        byName.set(skill.name, { ...skill, off: skill.off ?? whyOff(asked, agentId, skill.name) });
      }
    }
    return [...byName.values()];
  };
  return {
    all,
    needs: async (asked, agentId) =>
      (await all(asked, agentId)).filter(({ off }) => off === null).map(needsOf),
  };
}

/** Tools that a skill names, the one of its command first. */
export function toolsOf({ file }: Pick<Skill, "file">): string[] {
  const command = commandToolOf(file);
  return [...new Set(command === null ? file.allowedTools : [command, ...file.allowedTools])];
}

/** @returns the tool that `/<skill>` calls, as written; null when it calls none */
function commandToolOf({ dispatch }: Skill["file"]): string | null {
  return dispatch.kind === "tool" ? dispatch.tool : null;
}

function needsOf(skill: Skill): SkillTools {
  const { name, path: file } = skill;
  const commandTool = skill.file.isUserInvocable ? commandToolOf(skill.file) : null;
  return { name, tools: toolsOf(skill), path: file, ...(commandTool === null ? {} : { commandTool }) };
}

function whyOff(config: unknown, agentId: string, name: string): Skill["off"] {
  const entries = asRecord(getIn(config, "skills", "entries"));
  const entry = entries !== undefined && Object.hasOwn(entries, name) ? asRecord(entries[name]) : undefined;
  if (entry?.enabled === false) return { code: "skillSwitchedOff", params: { skill: name } };
  const wanted = agentScopes(config).get(agentId)?.entry.skills;
  return !Array.isArray(wanted) || wanted.includes(name)
    ? null
    : { code: "skillNotForAgent", params: { skill: name, agent: agentId } };
}

/** @returns what can be read, `off` when it has no keys; a folder or file that cannot be read holds no skill */
async function skillsIn(folder: string): Promise<Skill[]> {
  const root = await realpath(folder).catch(ignoreAbsence);
  if (root === null) return [];
  const names = (await readdir(root).catch(ignoreAbsence)) ?? [];
  const skills: Skill[] = [];
  for (const entry of names
    .filter((each) => !each.startsWith("."))
    .sort()
    .slice(0, maxFolders)) {
    const text = await headOf(root, path.join(root, entry, "SKILL.md"));
    if (text === null) continue;
    const parsed = parseSkillFile(text);
    const name = parsed?.name ?? shownName(entry);
    // A folder of blanks: nobody could type or see such a name.
    if (name === "") continue;
    skills.push({
      name,
      commandName: commandNameOf(name),
      description: parsed?.description ?? null,
      path: path.join(folder, entry, "SKILL.md"),
      file: parsed ?? withoutKeys,
      off: parsed === null ? { code: "skillWithoutKeys", params: { skill: name } } : null,
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
