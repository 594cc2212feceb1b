/** Argument lists for Docker and Podman: one container for each command, gone with it. */

import type { SandboxFolders } from "./sandboxFolders.ts";
import type { SandboxSettings } from "./sandboxSettings.ts";

export interface ContainerRun {
  engine: "docker" | "podman";
  settings: SandboxSettings;
  folders: SandboxFolders;
  /** Of the container; unique. */
  name: string;
  innerCwd: string;
  path: string;
  home: string;
  /** Variables whose values the client takes from its own environment, so that they stand on no command line. */
  carrierNames: readonly string[];
  /** `uid:gid` of this user, null where the system has none. */
  user: string | null;
  /** For `sh -lc`. */
  text: string;
}

/** Networks through which a container would reach what it must not. */
export function networkProblem(network: string): string | null {
  if (network !== "host" && !network.startsWith("container:") && !network.startsWith("ns:")) return null;
  return `sandbox.docker.network ${JSON.stringify(network)} would share a network with this machine or another container. Use "none" or "bridge".`;
}

/** Mount options are separated by commas; a path with one cannot be written safely. */
export function mountProblem(folders: SandboxFolders): string | null {
  const odd = [...folders.mounts.flatMap(({ source, target }) => [source, target]), ...folders.covered].find(
    (path) => /[,"\r\n]/.test(path),
  );
  return odd === undefined
    ? null
    : `The path ${JSON.stringify(odd)} holds a comma, quote or line break, which mounts of a container cannot name.`;
}

/** @returns the arguments after the program's name */
export function containerRunArgs(run: ContainerRun): string[] {
  const { settings, folders } = run;
  const { limits } = settings;
  const user = settings.user ?? run.user;
  return [
    "run",
    "--rm",
    // Reaps, and hands signals on to the command.
    "--init",
    // An image that is not here is an error, never a download.
    "--pull",
    "never",
    "--name",
    run.name,
    "--label",
    "sallyport.sandbox=1",
    "--network",
    settings.network,
    ...(settings.readOnlyRoot ? ["--read-only"] : []),
    ...settings.tmpfs.flatMap((path) => ["--tmpfs", path]),
    ...settings.capDrop.flatMap((name) => ["--cap-drop", name]),
    "--security-opt",
    "no-new-privileges",
    ...(settings.seccompProfile === null ? [] : ["--security-opt", `seccomp=${settings.seccompProfile}`]),
    ...(settings.apparmorProfile === null ? [] : ["--security-opt", `apparmor=${settings.apparmorProfile}`]),
    // Rootless Podman maps users anew; files in the workspace shall stay this user's.
    ...(run.engine === "podman" && settings.user === null ? ["--userns", "keep-id"] : []),
    ...(user === null ? [] : ["--user", user]),
    ...(limits.memoryBytes === null
      ? []
      : ["--memory", String(limits.memoryBytes), "--memory-swap", String(limits.memoryBytes)]),
    ...(limits.pids === null ? [] : ["--pids-limit", String(Math.floor(limits.pids))]),
    ...(limits.cpus === null ? [] : ["--cpus", String(limits.cpus)]),
    ...[...limits.ulimits].flatMap(([name, value]) => ["--ulimit", `${name}=${value}`]),
    ...settings.dns.flatMap((address) => ["--dns", address]),
    ...settings.extraHosts.flatMap((entry) => ["--add-host", entry]),
    ...folders.mounts.flatMap(({ source, target, isWritable }) => [
      "--mount",
      `type=bind,source=${source},target=${target}${isWritable ? "" : ",readonly"}`,
    ]),
    ...folders.covered.flatMap((path) => ["--mount", `type=tmpfs,target=${path}`]),
    "--workdir",
    run.innerCwd,
    "--env",
    `HOME=${run.home}`,
    "--env",
    `PATH=${run.path}`,
    ...run.carrierNames.flatMap((name) => ["--env", name]),
    "--entrypoint",
    "/bin/sh",
    settings.image,
    "-lc",
    run.text,
  ];
}

/** Ends a container whose client is gone; harmless when it went with its command. */
export function containerRemoveArgs(name: string): string[] {
  return ["rm", "--force", name];
}

/** What a client needs of this environment to find its engine; nothing else goes along. */
export function clientEnv(base: Record<string, string>): Record<string, string> {
  const names =
    /^(?:PATH|HOME|USER|LOGNAME|LANG|TMPDIR|XDG_RUNTIME_DIR|XDG_CONFIG_HOME|XDG_DATA_HOME|(?:DOCKER|CONTAINER|CONTAINERS)_\w+)$/;
  return Object.fromEntries(Object.entries(base).filter(([name]) => names.test(name)));
}
