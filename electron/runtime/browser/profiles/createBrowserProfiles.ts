/** The profiles of the managed browser as one object: found, started, attached to, stopped, reconciled with the config. */

import { homedir } from "node:os";
import path from "node:path";
import {
  type BrowserConfig,
  browserConfigOf,
  type ProfileFacts,
  profilesOf,
  reconcileReason,
  shownCdpUrl,
} from "../../../../shared/browser/index.ts";
import { AppError } from "../../../../shared/errors/index.ts";
import type { Clock } from "../../clock.ts";
import type { ConfigStore } from "../../config/index.ts";
import { createEmitter } from "../../events/emitter.ts";
import type { Logger } from "../../logging/logger.ts";
import type { BrowserProfile, BrowserProfiles, ProfileState } from "../browserTypes.ts";
import type { GuardDesk } from "../guard/profileGuard.ts";
import { moveToTrash } from "../trash/moveToTrash.ts";
import { browserEnv } from "./browserEnv.ts";
import { defaultUserDataDirs, existingEndpoint } from "./existingBrowser.ts";
import {
  type BrowserSystem,
  type FoundBrowser,
  findBrowsers,
  installHint,
  thisSystem,
} from "./findBrowsers.ts";
import { launchBrowser } from "./launch.ts";
import { hasDisplay, launchArgs } from "./launchArgs.ts";
import { endOrphans, userDataDirOf } from "./ownershipRecord.ts";
import { createProfileEdits, type ProfileEdits } from "./profileEdits.ts";
import { type ConnectPlan, createProfileSlot, type ProfileSlot } from "./profileSlot.ts";
import type { LaunchWrapper } from "./sandboxLaunch.ts";

/** A Chromium that the shell brings along, for computers without a browser. */
export interface EmbeddedBrowser {
  executable: string;
  /** Before all flags, for example the folder of an app. */
  args: readonly string[];
}

export interface BrowserProfilesDeps {
  config: ConfigStore;
  stateDir: string;
  homeDir: string;
  /** The environment that browsers are started with. */
  env: Record<string, string>;
  gatewayPort(): number;
  guard: GuardDesk;
  clock: Clock;
  logger: Logger;
  /** The computer that browsers are looked for on; this one by default. */
  system?: BrowserSystem;
  embeddedBrowser?: EmbeddedBrowser;
  /** Starts browsers elsewhere than on this computer itself, for target `sandbox`. They have no display there. */
  wrapLaunch?: LaunchWrapper;
  /** Which profiles there are; absent: those of the config. */
  facts?(): ProfileFacts[];
  /** How long a started browser may take until its port answers. */
  readyTimeoutMs?: number;
}

export interface ManagedBrowserProfiles extends BrowserProfiles, ProfileEdits {
  /** Why the running browser will be stopped before its next use; null when it may be used as it is. */
  reconcileReason(name: string): string | null;
  /** The browser that a managed profile would be started with; null when there is none. */
  chosenBrowser(): Promise<FoundBrowser | null>;
}

const defaultReadyTimeoutMs = 15_000;
const loopbackTimeoutMs = 2_000;
const defaultRemoteTimeoutMs = 1_500;

/** Ends the browsers that a crash of a former run left, then answers. Starts none. */
export async function createBrowserProfiles(deps: BrowserProfilesDeps): Promise<ManagedBrowserProfiles> {
  const { config, stateDir, homeDir, guard, logger } = deps;
  const system = deps.system ?? thisSystem(deps.env, homeDir || homedir());
  const events = createEmitter<{ changed: string }>({
    onListenerError: (_name, error) => logger.error("browser.listenerFailed", { error }),
  });
  const slots = new Map<string, { slot: ProfileSlot; facts: ProfileFacts }>();
  let isDisposed = false;
  await endOrphans(stateDir, logger);

  const settings = (): BrowserConfig => browserConfigOf(config.effective().config);
  const facts = deps.facts ?? ((): ProfileFacts[] => profilesOf(settings(), deps.gatewayPort()));

  const profileOf = (one: ProfileFacts): BrowserProfile => ({
    ...one,
    cdpUrl: one.cdpUrl === null ? null : shownCdpUrl(one.cdpUrl),
    userDataDir:
      one.kind === "managed"
        ? userDataDirOf(stateDir, one.name)
        : (one.userDataDir?.replace(/^~(?=$|[\\/])/, homeDir) ?? null),
  });

  /** @throws AppError NOT_FOUND */
  function factsOf(name: string | undefined): ProfileFacts {
    const all = facts();
    const wanted = name?.trim() ?? "";
    const found = wanted === "" ? all.find((one) => one.isDefault) : all.find((one) => one.name === wanted);
    if (found !== undefined) return found;
    const known = all.map((one) => one.name).join(", ");
    const what =
      wanted === "" ? `The default profile "${settings().defaultProfile ?? ""}"` : `Profile "${wanted}"`;
    throw new AppError("NOT_FOUND", `${what} does not exist. Known profiles: ${known}.`, {
      data: { profiles: all.map((one) => one.name) },
    });
  }

  async function chosenBrowser(): Promise<FoundBrowser | null> {
    const own = settings().executablePath?.trim();
    if (own !== undefined && own !== "") {
      const executable = path.resolve(own.replace(/^~(?=$|[\\/])/, homeDir));
      if (!system.isProgram(executable))
        throw new AppError(
          "UNAVAILABLE",
          `browser.executablePath names ${executable}, which is not there or cannot be started. Correct it, or remove it to use an installed browser.`,
        );
      return { brand: "custom", executable };
    }
    const [first] = await findBrowsers(system);
    if (first !== undefined) return first;
    const { embeddedBrowser } = deps;
    return embeddedBrowser === undefined
      ? null
      : { brand: "embedded", executable: embeddedBrowser.executable };
  }

  /** @param facts with the whole address, credentials included */
  function planFor(facts: ProfileFacts): ConnectPlan {
    const profile = profileOf(facts);
    const now = settings();
    const remoteMs = now.remoteCdpTimeoutMs ?? defaultRemoteTimeoutMs;
    if (profile.kind === "existing") {
      const folders =
        profile.userDataDir === null
          ? defaultUserDataDirs(system.platform, homeDir, deps.env)
          : [profile.userDataDir];
      return {
        kind: "attach",
        timeoutMs: profile.cdpUrl === null ? loopbackTimeoutMs : remoteMs,
        handshakeTimeoutMs: null,
        endpoint: () => existingEndpoint(facts, folders),
      };
    }
    const { cdpUrl, cdpPort } = facts;
    if (profile.kind === "remote" || profile.attachOnly || cdpPort === null) {
      if (cdpUrl === null) throw new AppError("INVALID_INPUT", `Profile "${profile.name}" has no cdpUrl.`);
      const timeoutMs = profile.kind === "remote" ? remoteMs : loopbackTimeoutMs;
      const handshakeTimeoutMs = now.remoteCdpHandshakeTimeoutMs ?? Math.max(2_000, 2 * remoteMs);
      return { kind: "attach", timeoutMs, handshakeTimeoutMs, endpoint: async () => cdpUrl };
    }
    return {
      kind: "launch",
      run: (profileGuard) =>
        launchBrowser({
          profile: { ...profile, cdpPort },
          stateDir,
          logger,
          isWrapped: deps.wrapLaunch !== undefined,
          beforeAttach: (wsUrl) => profileGuard.beforeAttach(wsUrl),
          readyTimeoutMs: deps.readyTimeoutMs ?? defaultReadyTimeoutMs,
          plan: async (userDataDir) => {
            const found = await chosenBrowser();
            if (found === null) throw new AppError("UNAVAILABLE", installHint(system.platform));
            const isRoot = process.getuid?.() === 0;
            const noSandbox = now.noSandbox === true || isRoot;
            const isEmbedded = found.brand === "embedded";
            if (isEmbedded && !hasDisplay(system.platform, deps.env))
              throw new AppError(
                "UNAVAILABLE",
                `${installHint(system.platform)} The browser that Sallyport brings along needs a display, and there is none.`,
              );
            const args = launchArgs({
              cdpPort,
              userDataDir,
              isHeadless:
                deps.wrapLaunch !== undefined || (now.headless ?? !hasDisplay(system.platform, deps.env)),
              noSandbox,
              isEmbedded,
              platform: system.platform,
              proxyUrl: profileGuard.proxyUrl,
              extraArgs: now.extraArgs ?? [],
            });
            const before = isEmbedded ? (deps.embeddedBrowser?.args ?? []) : [];
            const plan = {
              executable: found.executable,
              args: [...before, ...args],
              env: browserEnv(deps.env, profileGuard.guardedBy),
              isSandboxedByBrowser: !noSandbox,
            };
            return deps.wrapLaunch === undefined ? plan : deps.wrapLaunch(plan, userDataDir, profile.name);
          },
        }),
    };
  }

  function makeSlot(one: ProfileFacts): ProfileSlot {
    const profile = profileOf(one);
    return createProfileSlot({
      profile,
      stateDir,
      guard,
      plan: () => planFor(one),
      clock: deps.clock,
      logger,
      onChanged: () => events.emit("changed", profile.name),
    });
  }

  /** Why a slot's browser is out of date against the config. */
  function staleness(name: string): string | null {
    const held = slots.get(name);
    if (held === undefined) return null;
    const now = facts().find((one) => one.name === name);
    if (now === undefined) return "the profile was removed from the config";
    const reason = reconcileReason(held.facts, now);
    if (reason !== null) return reason;
    const guardedBy = held.slot.guardedBy();
    if (guardedBy !== null && guardedBy !== guard.modeFor(held.slot.profile))
      return "browser.ssrfPolicy changed";
    return null;
  }

  /** The slot as the config wants it now; a browser of an older config is stopped first. */
  async function currentSlot(one: ProfileFacts): Promise<ProfileSlot> {
    const held = slots.get(one.name);
    const reason = staleness(one.name);
    if (held !== undefined && reason === null) return held.slot;
    if (held !== undefined) {
      logger.info("browser.reconciled", { profile: one.name, reason });
      await held.slot.stop();
      if (slots.get(one.name) !== held) return currentSlot(one);
    }
    const slot = makeSlot(one);
    slots.set(one.name, { slot, facts: one });
    return slot;
  }

  function onConfigChanged(): void {
    for (const [name, { slot }] of [...slots]) {
      const reason = staleness(name);
      const isRunning = slot.guardedBy() !== null;
      // A stricter policy must not wait for the next use: pages of the running browser go on by themselves.
      if (reason === null || !isRunning) continue;
      if (reason !== "browser.ssrfPolicy changed") continue;
      slot.stop().catch((error: unknown) => logger.error("browser.notStopped", { profile: name, error }));
    }
    for (const one of facts()) events.emit("changed", one.name);
  }
  async function retire(name: string): Promise<void> {
    const held = slots.get(name);
    if (held === undefined) return;
    await held.slot.stop();
    if (slots.get(name) === held) slots.delete(name);
  }
  const edits = createProfileEdits({
    config,
    stateDir,
    gatewayPort: deps.gatewayPort,
    factsOf,
    retire,
    trash: (target) =>
      moveToTrash(target, {
        platform: system.platform,
        env: deps.env,
        homeDir,
        nowMs: () => deps.clock.nowMs(),
      }),
  });

  const stopListening = config.events.on("changed", onConfigChanged);

  return {
    all: () => facts().map(profileOf),
    find: (name) => profileOf(factsOf(name)),
    state: (name): ProfileState => slots.get(factsOf(name).name)?.slot.state() ?? { kind: "stopped" },
    connection: (name) => slots.get(name)?.slot.connection() ?? null,
    async connect(name, { signal }) {
      if (isDisposed) throw new AppError("UNAVAILABLE", "Sallyport is ending; no browser is started.");
      if (settings().enabled === false)
        throw new AppError(
          "UNAVAILABLE",
          "The browser is switched off. Set browser.enabled to true in openclaw.json to use it.",
        );
      for (;;) {
        const slot = await currentSlot(factsOf(name));
        const connection = await slot.connect(signal);
        // The config may have become another one during the start.
        if (staleness(slot.profile.name) === null) return connection;
      }
    },
    async stop(name) {
      const held = slots.get(factsOf(name).name);
      return held === undefined ? { stopped: false } : held.slot.stop();
    },
    create: edits.create,
    remove: (name) => edits.remove(factsOf(name).name),
    async reset(name) {
      const done = await edits.reset(factsOf(name).name);
      events.emit("changed", name);
      return done;
    },
    onChanged: (listener) => events.on("changed", listener),
    reconcileReason: staleness,
    chosenBrowser,
    async dispose() {
      isDisposed = true;
      stopListening();
      const results = await Promise.allSettled([...slots.values()].map(({ slot }) => slot.stop()));
      for (const result of results)
        if (result.status === "rejected") logger.error("browser.notStopped", { error: result.reason });
      events.clear();
    },
  };
}
