/** The browsers of sandboxes: which agents have one, under which name, and that each ends when its sandbox changes. */

import { createHash } from "node:crypto";
import {
  browserConfigOf,
  type ProfileFacts,
  portRangeStart,
  profilePortCount,
  profilesOf,
} from "../../../../shared/browser/index.ts";
import { AppError } from "../../../../shared/errors/index.ts";
import { getIn, getRecord } from "../../../../shared/policy/configRecord.ts";
import { normalizeAgentId } from "../../../../shared/policy/index.ts";
import { agentScopes } from "../../../../shared/policy/scopes.ts";
import { sandboxSettingsOf } from "../../exec/hosts/sandboxSettings.ts";
import type { FileRoots } from "../records/fileRoots.ts";
import {
  type BrowserProfilesDeps,
  createBrowserProfiles,
  type ManagedBrowserProfiles,
} from "./createBrowserProfiles.ts";
import { sandboxLaunch } from "./sandboxLaunch.ts";

/** Whose sandbox it is. */
export interface SandboxCaller {
  agentId: string;
  sessionKey: string;
}

export interface SandboxBrowserSettings {
  /** `sandbox.browser.enabled`. */
  isEnabled: boolean;
  /** `sandbox.browser.allowHostControl`. */
  allowsHost: boolean;
}

/**
 * `agents.defaults.sandbox.browser`, key by key under the agent's own; a sandbox that all agents share is set in the
 * defaults alone.
 * @see browser.md 5
 */
export function sandboxBrowserSettingsOf(config: unknown, agentId: string): SandboxBrowserSettings {
  const id = normalizeAgentId(agentId);
  const shared = getRecord(getIn(config, "agents", "defaults", "sandbox"), "browser");
  const isShared = sandboxSettingsOf(config, id).scope === "shared";
  const own = isShared
    ? undefined
    : getRecord(getIn(agentScopes(config).get(id)?.entry, "sandbox"), "browser");
  const settingOf = (key: "enabled" | "allowHostControl") => own?.[key] ?? shared?.[key];
  return { isEnabled: settingOf("enabled") === true, allowsHost: settingOf("allowHostControl") === true };
}

export interface SandboxBrowsers {
  /** Started and stopped like all others; only those that a sandbox has used are known. */
  profiles: ManagedBrowserProfiles;
  has(name: string): boolean;
  settings(agentId: string): SandboxBrowserSettings;
  /** What a profile is called in this caller's sandbox. */
  nameFor(caller: SandboxCaller, profile: string): string;
  /**
   * Makes the browser of this profile in this caller's sandbox known; starts nothing.
   * @returns its name
   * @throws AppError INVALID_INPUT for profiles whose browser we do not start
   */
  admit(caller: SandboxCaller, profile: string): Promise<string>;
  /** Ends those of sandboxes that were made for one session. */
  endSessions(isEnded: (sessionKey: string) => boolean): Promise<void>;
  dispose(): Promise<void>;
}

interface Known {
  facts: ProfileFacts;
  agentId: string;
  sessionKey: string | null;
  /** What the browser was allowed under; another text means another sandbox. */
  terms: string;
  base: string;
}

export async function createSandboxBrowsers(
  deps: Omit<BrowserProfilesDeps, "facts" | "wrapLaunch"> & {
    /** Folders that files are exchanged through; the browser sees them too. */
    fileRoots(): Promise<FileRoots>;
  },
): Promise<SandboxBrowsers> {
  const { config, logger } = deps;
  const known = new Map<string, Known>();
  const ports = new Map<string, number>();
  const saved = () => config.effective().config;

  const baseFacts = (profile: string): ProfileFacts | undefined =>
    profilesOf(browserConfigOf(saved()), deps.gatewayPort()).find(({ name }) => name === profile);

  const termsOf = (agentId: string, base: string): string =>
    JSON.stringify(
      [
        sandboxBrowserSettingsOf(saved(), agentId).isEnabled,
        sandboxSettingsOf(saved(), agentId),
        baseFacts(base),
      ],
      (_key, value: unknown) => (value instanceof Map ? [...value] : value),
    );

  /** The range behind that of the other browsers; a name keeps its port while we run. */
  const portOf = (name: string): number => {
    const start = Math.min(
      portRangeStart(browserConfigOf(saved()), deps.gatewayPort()) + profilePortCount,
      65_535 - (profilePortCount - 1),
    );
    const taken = new Set(ports.values());
    const mine = ports.get(name);
    if (mine !== undefined && mine >= start && mine < start + profilePortCount) return mine;
    for (let port = start; port < start + profilePortCount; port += 1) {
      if (taken.has(port)) continue;
      ports.set(name, port);
      return port;
    }
    throw new AppError(
      "UNAVAILABLE",
      "All ports for browsers in sandboxes are taken. Stop one of them first.",
    );
  };

  const profiles = await createBrowserProfiles({
    ...deps,
    facts: () => [...known.values()].map(({ facts }) => facts),
    wrapLaunch: sandboxLaunch({
      settings: (name) => sandboxSettingsOf(saved(), known.get(name)?.agentId ?? ""),
      baseEnv: deps.env,
      async folders() {
        const { uploads, downloads } = await deps.fileRoots();
        return [
          { path: uploads, isWritable: false },
          { path: downloads, isWritable: true },
        ];
      },
    }),
  });

  const forget = async (name: string): Promise<void> => {
    const one = known.get(name);
    if (one === undefined) return;
    await profiles.stop(name);
    if (known.get(name) !== one) return;
    known.delete(name);
    ports.delete(name);
  };

  const nameFor: SandboxBrowsers["nameFor"] = ({ agentId, sessionKey }, profile) => {
    const { scope } = sandboxSettingsOf(saved(), normalizeAgentId(agentId));
    const session = scope === "session" ? ` ${shortHash(sessionKey.toLowerCase())}` : "";
    const whose = scope === "shared" ? "" : ` ${normalizeAgentId(agentId)}${session}`;
    const name = `${profile} (sandbox${whose})`;
    // The panel takes 64 characters; of longer names only the beginning can be read anyway.
    return name.length <= maxNameChars ? name : `${name.slice(0, maxNameChars - 9)} ${shortHash(name)})`;
  };

  // What a sandbox may not do any more, its browser must not go on doing.
  const stopListening = config.events.on("changed", () => {
    for (const [name, one] of [...known]) {
      if (one.terms === termsOf(one.agentId, one.base)) continue;
      forget(name).catch((error: unknown) => logger.error("browser.sandboxNotEnded", { name, error }));
    }
  });

  return {
    profiles,
    has: (name) => known.has(name),
    settings: (agentId) => sandboxBrowserSettingsOf(saved(), agentId),
    nameFor,
    async admit(caller, profile) {
      const agentId = normalizeAgentId(caller.agentId);
      const base = baseFacts(profile);
      if (base === undefined || base.kind !== "managed" || base.attachOnly)
        throw new AppError(
          "INVALID_INPUT",
          `Profile ${profile} is not started by Sallyport, so there is none of it in the sandbox. Leave profile away.`,
        );
      const name = nameFor(caller, profile);
      const terms = termsOf(agentId, profile);
      if (known.has(name) && known.get(name)?.terms !== terms) await forget(name);
      if (known.get(name)?.terms === terms) return name;
      const cdpPort = portOf(name);
      const cdpUrl = `http://127.0.0.1:${cdpPort}`;
      const { scope } = sandboxSettingsOf(saved(), agentId);
      known.set(name, {
        facts: { ...base, name, isDefault: false, isInConfig: false, cdpPort, cdpUrl },
        agentId,
        sessionKey: scope === "session" ? caller.sessionKey : null,
        terms,
        base: profile,
      });
      return name;
    },
    async endSessions(isEnded) {
      const over = [...known].filter(([, { sessionKey }]) => sessionKey !== null && isEnded(sessionKey));
      await Promise.all(over.map(([name]) => forget(name)));
    },
    async dispose() {
      stopListening();
      await profiles.dispose();
    },
  };
}

const maxNameChars = 64;

function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 7);
}
