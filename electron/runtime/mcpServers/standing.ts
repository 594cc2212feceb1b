/** What a person said about servers and their tools, kept in sallyport.json5 and bound to digests. */

import type { DocumentEdit } from "../../../shared/json5/json5Edit.ts";
import { normalizeAgentId } from "../../../shared/policy/names.ts";
import type { Clock } from "../clock.ts";
import type { Settings, StoredServer } from "../config/settings.ts";
import type { SettingsStore } from "../config/settingsStore.ts";
import type { ForeignTool } from "./definitions.ts";
import type { ServerEntry } from "./entries.ts";

export type Confirmation = "confirmed" | "none" | "changed";

export interface Standing {
  /** Whether exactly this entry may be started. */
  confirmation(entry: ServerEntry): Confirmation;
  confirm(entry: ServerEntry, by: string): Promise<void>;
  /** @returns whether there was a word to take back */
  withdraw(name: string): Promise<boolean>;
  /** Whether this agent may call the tool as it is now without asking. */
  isAllowed(entry: ServerEntry, tool: ForeignTool, agentId: string): boolean;
  /** Agents with a word that counts, and whether there is one that no longer fits. */
  allowance(entry: ServerEntry, tool: ForeignTool): { allowedFor: string[]; isChanged: boolean };
  allow(entry: ServerEntry, tool: ForeignTool, agentId: string, by: string): Promise<void>;
  /** Tools of this server, by its own names, about which anything is stored. */
  toolsWithWords(name: string): string[];
  /** Forgets words; absent filters fit all. @returns how many */
  askAgain(
    name: string,
    filter: { tool?: string | undefined; agentId?: string | undefined },
  ): Promise<number>;
}

type Allowed = StoredServer["allowedTools"][number];
/** More words than a person gives; the oldest go. */
const maxAllowed = 2000;

export function createStanding(deps: { settings: SettingsStore; clock: Clock }): Standing {
  const { settings, clock } = deps;

  const edit = async (
    name: string,
    change: (before: StoredServer | null) => StoredServer | null,
  ): Promise<void> => {
    await settings.update((now): DocumentEdit[] => {
      const next = change(storedOf(now, name));
      const path = ["mcp", "servers", name];
      return next === null ? [{ op: "remove", path }] : [{ op: "set", path, value: next }];
    });
  };
  const fits = (entry: ServerEntry, tool: ForeignTool, one: Allowed) =>
    one.tool === tool.remoteName &&
    one.definitionDigest === tool.definitionDigest &&
    one.entryDigest === entry.digest;

  return {
    confirmation(entry) {
      const digest = storedOf(settings.settings(), entry.name)?.confirmedDigest ?? null;
      if (digest === null) return "none";
      return digest === entry.digest ? "confirmed" : "changed";
    },
    confirm: (entry, by) =>
      edit(entry.name, (before) => ({
        confirmedDigest: entry.digest,
        confirmedAtMs: clock.nowMs(),
        confirmedBy: by,
        // What was said about tools of another program says nothing about this one.
        allowedTools: (before?.allowedTools ?? []).filter((one) => one.entryDigest === entry.digest),
      })),
    async withdraw(name) {
      const had = storedOf(settings.settings(), name) !== null;
      if (had) await edit(name, () => null);
      return had;
    },
    isAllowed(entry, tool, agentId) {
      const id = normalizeAgentId(agentId);
      return allowedOf(settings.settings(), entry.name).some(
        (one) => fits(entry, tool, one) && (one.agentId === "*" || normalizeAgentId(one.agentId) === id),
      );
    },
    allowance(entry, tool) {
      const words = allowedOf(settings.settings(), entry.name).filter((one) => one.tool === tool.remoteName);
      const counting = words.filter((one) => fits(entry, tool, one));
      return {
        allowedFor: [...new Set(counting.map((one) => one.agentId))],
        isChanged: words.length > counting.length,
      };
    },
    allow: (entry, tool, givenId, by) =>
      edit(entry.name, (before) => {
        // Only a person writes `*`, for all; an agent that calls itself so is one agent.
        const agentId = normalizeAgentId(givenId);
        const kept = (before?.allowedTools ?? []).filter(
          (one) => one.tool !== tool.remoteName || one.agentId !== agentId,
        );
        const word: Allowed = {
          tool: tool.remoteName,
          agentId,
          definitionDigest: tool.definitionDigest,
          entryDigest: entry.digest,
          atMs: clock.nowMs(),
          by,
        };
        return { ...(before ?? nothingSaid), allowedTools: [...kept, word].slice(-maxAllowed) };
      }),
    toolsWithWords: (name) => [...new Set(allowedOf(settings.settings(), name).map((one) => one.tool))],
    async askAgain(name, { tool, agentId }) {
      const isMeant = (one: Allowed) =>
        (tool === undefined || one.tool === tool) &&
        (agentId === undefined || idOf(one.agentId) === idOf(agentId));
      const count = allowedOf(settings.settings(), name).filter(isMeant).length;
      if (count > 0)
        await edit(name, (before) =>
          before === null
            ? null
            : { ...before, allowedTools: before.allowedTools.filter((one) => !isMeant(one)) },
        );
      return count;
    },
  };
}

/** `*` stands for all agents and is no id. */
function idOf(agentId: string): string {
  return agentId === "*" ? agentId : normalizeAgentId(agentId);
}

const nothingSaid: StoredServer = {
  confirmedDigest: null,
  confirmedAtMs: null,
  confirmedBy: null,
  allowedTools: [],
};

function storedOf(settings: Settings, name: string): StoredServer | null {
  const { servers } = settings.mcp;
  return Object.hasOwn(servers, name) ? (servers[name] ?? null) : null;
}

function allowedOf(settings: Settings, name: string): readonly Allowed[] {
  return storedOf(settings, name)?.allowedTools ?? [];
}
