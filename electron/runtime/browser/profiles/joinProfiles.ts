/** The browsers of this computer and those of sandboxes as one set, told apart by their names. */

import type { BrowserProfiles } from "../browserTypes.ts";
import type { ManagedBrowserProfiles } from "./createBrowserProfiles.ts";
import type { SandboxBrowsers } from "./sandboxBrowsers.ts";

export type JoinedProfiles = BrowserProfiles &
  Pick<ManagedBrowserProfiles, "create" | "remove" | "reset" | "reconcileReason" | "chosenBrowser">;

/** Absent names mean this computer's default profile. Ending it ends both. */
export function joinProfiles(host: ManagedBrowserProfiles, sandboxes: SandboxBrowsers): JoinedProfiles {
  const inside = sandboxes.profiles;
  const of = (name: string | undefined) => (name !== undefined && sandboxes.has(name.trim()) ? inside : host);
  return {
    all: () => [...host.all(), ...inside.all()],
    find: (name) => of(name).find(name),
    state: (name) => of(name).state(name),
    connection: (name) => of(name).connection(name),
    connect: (name, options) => of(name).connect(name, options),
    stop: (name) => of(name).stop(name),
    onChanged(listener) {
      const offs = [host.onChanged(listener), inside.onChanged(listener)];
      return () => {
        for (const off of offs) off();
      };
    },
    create: (wanted) => host.create(wanted),
    remove: (name) => of(name).remove(name),
    reset: (name) => of(name).reset(name),
    reconcileReason: (name) => of(name).reconcileReason(name),
    chosenBrowser: () => host.chosenBrowser(),
    async dispose() {
      await Promise.all([host.dispose(), sandboxes.dispose()]);
    },
  };
}
