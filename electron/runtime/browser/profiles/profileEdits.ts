/** Creates, deletes and resets profiles: edits of the config that keep its comments, folders that go to the trash. */

import {
  browserConfigOf,
  isNewProfileName,
  nextColor,
  nextPort,
  normalizeColor,
  type ProfileFacts,
  parseCdpUrl,
  portRangeStart,
  profilesOf,
} from "../../../../shared/browser/index.ts";
import { AppError } from "../../../../shared/errors/index.ts";
import type { ConfigStore } from "../../config/index.ts";
import type { Trashed } from "../trash/moveToTrash.ts";
import { profileFolder, userDataDirOf } from "./ownershipRecord.ts";

export interface NewProfile {
  name: string;
  /** One that is no colour is replaced by the next free one. */
  color?: string | undefined;
  cdpUrl?: string | undefined;
  /** Only for `existing-session`. */
  userDataDir?: string | undefined;
  driver?: "openclaw" | "existing-session" | undefined;
}

export interface ProfileEdits {
  /** @throws AppError INVALID_INPUT (`data.status` 400 or 409), UNAVAILABLE (507) when all ports are taken */
  create(wanted: NewProfile): Promise<void>;
  /**
   * Stops the browser, moves the folder of a managed profile to the trash, removes the profile from the config.
   * @returns where the folder went; null when there was none
   */
  remove(name: string): Promise<{ movedTo: string | null }>;
  /** Stops the browser and moves its user data to the trash: all logins are gone. */
  reset(name: string): Promise<{ movedTo: string | null; from: string }>;
}

export interface ProfileEditsDeps {
  config: ConfigStore;
  stateDir: string;
  gatewayPort(): number;
  /** @throws AppError NOT_FOUND */
  factsOf(name: string): ProfileFacts;
  /** Stops it and forgets its state. */
  retire(name: string): Promise<void>;
  trash(target: string): Promise<Trashed | null>;
}

export function createProfileEdits(deps: ProfileEditsDeps): ProfileEdits {
  const { config, stateDir } = deps;
  let last: Promise<unknown> = Promise.resolve();

  /** One after the other, so that two new profiles never get the same port. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const run = last.then(work, work);
    last = run.catch(() => undefined); // The caller has the failure; the next one does not depend on it.
    return run;
  }

  async function create(wanted: NewProfile): Promise<void> {
    const name = wanted.name.trim();
    if (!isNewProfileName(name))
      throw refuse(
        400,
        `"${name}" is no name for a profile: use a-z, 0-9 and -, at most 64, not starting with -.`,
      );
    const now = browserConfigOf(config.effective().config);
    const known = profilesOf(now, deps.gatewayPort());
    if (known.some((one) => one.name === name)) throw refuse(409, `The profile "${name}" exists already.`);
    const isExisting = wanted.driver === "existing-session";
    const cdpUrl = wanted.cdpUrl?.trim() ?? "";
    const userDataDir = wanted.userDataDir?.trim() ?? "";
    if (cdpUrl !== "" && parseCdpUrl(cdpUrl) === null)
      throw refuse(400, "cdpUrl must be an address that begins with http, https, ws or wss.");
    if (userDataDir !== "" && !isExisting)
      throw refuse(400, 'userDataDir is only for profiles with driver "existing-session".');
    if (userDataDir !== "" && cdpUrl !== "") throw refuse(400, "Give cdpUrl or userDataDir, not both.");
    const color = normalizeColor(wanted.color) ?? nextColor(known.map((one) => one.color));
    const value = {
      ...(isExisting ? { driver: "existing-session", attachOnly: true } : {}),
      ...(cdpUrl === "" ? {} : { cdpUrl }),
      ...(userDataDir === "" ? {} : { userDataDir }),
      ...(isExisting || cdpUrl !== "" ? {} : { cdpPort: freePort(known) }),
      color,
    };
    await config.edit(
      [{ op: "set", path: ["browser", "profiles", name], value }],
      undefined,
      // Another program may have written meanwhile; the lock of the file is held here.
      (candidate) => checkPorts(profilesOf(browserConfigOf(candidate), deps.gatewayPort()), name),
    );
  }

  function freePort(known: readonly ProfileFacts[]): number {
    const start = portRangeStart(browserConfigOf(config.effective().config), deps.gatewayPort());
    const port = nextPort(portsOf(known), start);
    if (port === null)
      throw new AppError("UNAVAILABLE", "All ports for browser profiles are taken. Delete a profile first.", {
        data: { status: 507 },
      });
    return port;
  }

  async function remove(name: string): Promise<{ movedTo: string | null }> {
    const facts = deps.factsOf(name);
    if (facts.isDefault)
      throw refuse(
        400,
        `"${name}" is the default profile and cannot be deleted. Set browser.defaultProfile to another first.`,
      );
    if (!facts.isInConfig)
      throw new AppError("NOT_FOUND", `The profile "${name}" is built in and not written in the config.`);
    await deps.retire(name);
    const trashed = facts.kind === "managed" ? await deps.trash(profileFolder(stateDir, name)) : null;
    await config.edit([{ op: "remove", path: ["browser", "profiles", name] }]);
    return { movedTo: placeOf(trashed) };
  }

  async function reset(name: string): Promise<{ movedTo: string | null; from: string }> {
    const facts = deps.factsOf(name);
    if (facts.kind !== "managed")
      throw refuse(
        400,
        `The browser of profile "${name}" is not started by Sallyport, so its data is not touched.`,
      );
    await deps.retire(name);
    const from = userDataDirOf(stateDir, name);
    const trashed = await deps.trash(from);
    return { movedTo: placeOf(trashed), from };
  }

  return {
    create: (wanted) => inTurn(() => create(wanted)),
    remove: (name) => inTurn(() => remove(name)),
    reset: (name) => inTurn(() => reset(name)),
  };
}

/** The `trash` command does not say where it puts things. */
function placeOf(trashed: Trashed | null): string | null {
  return trashed === null ? null : (trashed.to ?? "the trash");
}

function portsOf(profiles: readonly ProfileFacts[]): number[] {
  return profiles.flatMap(({ cdpPort, cdpUrl }) => [
    ...(cdpPort === null ? [] : [cdpPort]),
    // A port of another computer is kept free too, as the reference does.
    ...(cdpUrl === null ? [] : [parseCdpUrl(cdpUrl)?.port ?? []].flat()),
  ]);
}

function checkPorts(profiles: readonly ProfileFacts[], name: string): void {
  const own = profiles.find((one) => one.name === name);
  const twin = profiles.find(
    (one) => one.name !== name && one.cdpPort !== null && one.cdpPort === own?.cdpPort,
  );
  if (own?.kind === "managed" && twin !== undefined)
    throw refuse(409, `The profile "${twin.name}" has taken port ${twin.cdpPort} meanwhile. Try again.`);
}

function refuse(status: number, message: string): AppError {
  return new AppError("INVALID_INPUT", message, { data: { status } });
}
