/** Finds the program behind a sandbox and tries it once: what is missing is said in words that name the way out. */

import { accessSync, constants, statSync } from "node:fs";
import { join } from "node:path";
import { type BubblewrapFeatures, bubblewrapArgs, featuresOf, readSystemRoot } from "./bubblewrap.ts";
import { clientEnv } from "./containerEngine.ts";
import type { HostAvailability } from "./execHost.ts";
import { runQuietly } from "./runQuietly.ts";
import { type SandboxSettings, sandboxSettingsOf } from "./sandboxSettings.ts";

export type SandboxBackendFound =
  | { ok: true; kind: "bubblewrap"; file: string; features: BubblewrapFeatures; prlimit: string | null }
  | { ok: true; kind: "docker" | "podman"; file: string }
  | (HostAvailability & { ok: false });

const probeTimeoutMs = 10_000;

/**
 * @param deps.baseEnv its PATH is where programs are looked for
 * @returns a probe that remembers what worked; what did not is tried again at the next call
 */
export function createSandboxProbe(deps: {
  baseEnv: Record<string, string>;
  platform?: NodeJS.Platform;
}): (settings: SandboxSettings) => Promise<SandboxBackendFound> {
  const { baseEnv, platform = process.platform } = deps;
  const known = new Map<string, SandboxBackendFound>();

  return async (settings) => {
    const { backend } = settings;
    if (typeof backend !== "string")
      return unavailable(
        "sandboxBackendUnknown",
        `sandbox.backend ${JSON.stringify(backend.unknown)} is not known. Use "bubblewrap", "docker" or "podman".`,
      );
    const key = backend === "bubblewrap" ? backend : `${backend} ${settings.image}`;
    const kept = known.get(key);
    if (kept !== undefined) return kept;
    const found =
      backend === "bubblewrap"
        ? await probeBubblewrap(baseEnv, platform)
        : await probeEngine(backend, settings.image, baseEnv);
    if (found.ok) known.set(key, found);
    return found;
  };
}

async function probeBubblewrap(
  baseEnv: Record<string, string>,
  platform: NodeJS.Platform,
): Promise<SandboxBackendFound> {
  if (platform !== "linux")
    return unavailable(
      "sandboxPlatform",
      'bubblewrap exists on Linux only. Install Docker or Podman and set agents.defaults.sandbox.backend to "docker" or "podman".',
    );
  const file = findProgram("bwrap", baseEnv.PATH);
  if (file === null)
    return unavailable(
      "bubblewrapMissing",
      "bubblewrap is not installed. Install it (Debian and Ubuntu: sudo apt-get install bubblewrap; Fedora: sudo dnf install bubblewrap; Arch: sudo pacman -S bubblewrap), or set agents.defaults.sandbox.backend to docker or podman.",
    );
  const env = { PATH: baseEnv.PATH ?? "" };
  const help = await runQuietly(file, ["--help"], { env, timeoutMs: probeTimeoutMs });
  const features = featuresOf(help.stdout);
  const prlimit = ["/usr/bin/prlimit", "/bin/prlimit"].find(isProgram) ?? null;
  const trial = bubblewrapArgs({
    settings: sandboxSettingsOf({}, "main", platform),
    folders: { mounts: [], covered: [], workspace: "/" },
    features,
    root: readSystemRoot(),
    innerCwd: "/",
    path: "/usr/bin:/bin",
    home: "/",
    prlimit,
    command: ["/bin/sh", "-c", "exit 0"],
  });
  const ran = await runQuietly(file, trial, { env, timeoutMs: probeTimeoutMs });
  if (ran.exitCode !== 0)
    return unavailable(
      "bubblewrapRefused",
      `bubblewrap cannot make a sandbox here (${ran.problem}). The system must allow unprivileged user namespaces ` +
        "(sysctl kernel.unprivileged_userns_clone=1; on Ubuntu 24.04 and later an AppArmor profile for bwrap), or set agents.defaults.sandbox.backend to docker or podman.",
    );
  return { ok: true, kind: "bubblewrap", file, features, prlimit };
}

async function probeEngine(
  engine: "docker" | "podman",
  image: string,
  baseEnv: Record<string, string>,
): Promise<SandboxBackendFound> {
  const file = findProgram(engine, baseEnv.PATH);
  if (file === null)
    return unavailable(
      "engineMissing",
      `The sandbox is set to ${engine}, which is not on PATH. Install ${engine}, or set agents.defaults.sandbox.backend to another one.`,
    );
  const options = { env: clientEnv(baseEnv), timeoutMs: probeTimeoutMs };
  const version = await runQuietly(file, ["version"], options);
  if (version.exitCode !== 0)
    return unavailable(
      "engineNotRunning",
      `${engine} does not answer (${version.problem}). Start its service, and check that this user may use it.`,
    );
  const inspected = await runQuietly(file, ["image", "inspect", image], options);
  if (inspected.exitCode !== 0)
    return unavailable(
      "imageMissing",
      `The image ${image} is not there. Build or pull it (${engine} pull ${image}), or name another in agents.defaults.sandbox.docker.image.`,
    );
  return { ok: true, kind: engine, file };
}

function unavailable(code: string, message: string): HostAvailability & { ok: false } {
  return { ok: false, code, message: `exec host=sandbox: ${message} Nothing was run.` };
}

function findProgram(name: string, path: string | undefined): string | null {
  const folders = (path ?? "").split(":").filter((folder) => folder.startsWith("/"));
  return folders.map((folder) => join(folder, name)).find(isProgram) ?? null;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    // Missing or not ours to run: both mean that it is not there for us.
    return false;
  }
}
