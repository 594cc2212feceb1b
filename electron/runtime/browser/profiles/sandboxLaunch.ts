/** Starts a managed browser inside bubblewrap: it sees the system's programs and its own folder, nothing of the person's. */

import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import path from "node:path";
import { AppError } from "../../../../shared/errors/index.ts";
import { bubblewrapArgs, readSystemRoot } from "../../exec/hosts/bubblewrap.ts";
import { createSandboxProbe } from "../../exec/hosts/sandboxProbe.ts";
import { isNetworkShared, type SandboxSettings } from "../../exec/hosts/sandboxSettings.ts";
import type { LaunchPlan } from "./launch.ts";

/** Turns the start of a browser into one elsewhere. @throws AppError UNAVAILABLE that names the way out */
export type LaunchWrapper = (plan: LaunchPlan, userDataDir: string, profile: string) => Promise<LaunchPlan>;

/** What browsers read of the system besides programs: fonts, their own settings, certificates. */
const readOnlyFolders = [
  "/etc/fonts",
  "/etc/chromium",
  "/etc/chromium.d",
  "/etc/opt/chrome",
  "/etc/opt/edge",
];

/**
 * The browser's own sandbox cannot be made inside, so it runs without: bubblewrap stands in its place. The network is
 * that of this computer, because the debugging port and the guard's proxy are on its loopback.
 * @param deps.settings of the sandbox that a profile's browser is for, as they are now
 * @param deps.folders that it sees besides its own; they exist
 */
export function sandboxLaunch(deps: {
  settings(profile: string): SandboxSettings;
  baseEnv: Record<string, string>;
  folders?(): Promise<{ path: string; isWritable: boolean }[]>;
}): LaunchWrapper {
  const probe = createSandboxProbe({ baseEnv: deps.baseEnv });
  return async (plan, userDataDir, profile) => {
    const settings = deps.settings(profile);
    const backend = await probe(settings);
    if (!backend.ok) throw new AppError("UNAVAILABLE", backend.message, { data: { reason: backend.code } });
    if (backend.kind !== "bubblewrap")
      throw new AppError(
        "UNAVAILABLE",
        `A browser inside ${backend.kind} is not supported. Set agents.defaults.sandbox.backend to "bubblewrap", or use target "host".`,
      );
    if (!isNetworkShared(settings))
      throw new AppError(
        "UNAVAILABLE",
        'The sandbox has no network (agents.defaults.sandbox.docker.network is "none"), and a browser without one opens nothing. Allow it a network, or use target "host".',
        { data: { kind: "sandbox_network", status: 409 } },
      );
    const programFolder = path.dirname(await realpath(plan.executable));
    const isInSystem = readSystemRoot().some(({ path: root }) => programFolder.startsWith(`${root}/`));
    const folders = (await deps.folders?.()) ?? [];
    const mounts = [
      { source: userDataDir, target: userDataDir, isWritable: true },
      ...folders.map(({ path: folder, isWritable }) => ({ source: folder, target: folder, isWritable })),
      ...readOnlyFolders
        .filter((folder) => existsSync(folder))
        .map((folder) => ({ source: folder, target: folder, isWritable: false })),
      ...(isInSystem ? [] : [{ source: programFolder, target: programFolder, isWritable: false }]),
    ];
    const args = bubblewrapArgs({
      // A limit of address space stops every browser at its start: it reserves far more than it uses.
      settings: { ...settings, limits: { ...settings.limits, memoryBytes: null, pids: null } },
      folders: { mounts, covered: [], workspace: userDataDir },
      features: backend.features,
      root: readSystemRoot(),
      innerCwd: userDataDir,
      path: "/usr/local/bin:/usr/bin:/bin",
      home: userDataDir,
      prlimit: null,
      command: [
        plan.executable,
        ...plan.args.filter((arg) => arg !== "about:blank"),
        ...(plan.args.includes("--no-sandbox") ? [] : ["--no-sandbox"]),
        "about:blank",
      ],
    });
    return {
      executable: backend.file,
      args,
      // Nothing of the person's environment goes in.
      env: { PATH: plan.env.PATH ?? "/usr/bin:/bin" },
      isSandboxedByBrowser: false,
    };
  };
}
