/** Argument lists for bubblewrap: an empty read-only root with the system's programs, own processes, no network. */

import { lstatSync, readlinkSync } from "node:fs";
import type { SandboxFolders } from "./sandboxFolders.ts";
import { isNetworkShared, type SandboxSettings } from "./sandboxSettings.ts";

/** What the installed version can do, read from its help text. */
export interface BubblewrapFeatures {
  disableUserns: boolean;
  tmpfsSize: boolean;
}

export function featuresOf(helpText: string): BubblewrapFeatures {
  return {
    disableUserns: /--disable-userns\b/.test(helpText),
    tmpfsSize: /--size\b/.test(helpText),
  };
}

/** How the top of this system is laid out: on most, /bin and /lib are links into /usr. */
export type SystemRoot = { path: string; linkTo: string | null }[];

export function readSystemRoot(): SystemRoot {
  return ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store"].flatMap((path) => {
    try {
      const facts = lstatSync(path);
      return [{ path, linkTo: facts.isSymbolicLink() ? readlinkSync(path) : null }];
    } catch {
      // Not every system has all of them.
      return [];
    }
  });
}

/** Names, certificates and loader settings; no keys, no service configuration. */
const etcFiles = [
  "alternatives",
  "ca-certificates",
  "ca-certificates.conf",
  "group",
  "hosts",
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "localtime",
  "nsswitch.conf",
  "passwd",
  "pki/ca-trust",
  "pki/tls/certs",
  "protocols",
  "services",
  "ssl/certs",
  "ssl/openssl.cnf",
  "timezone",
];

/** A process that is root outside could write these although it holds no capability: the kernel looks at the user alone. */
const readOnlyProc = [
  "sys",
  "sysrq-trigger",
  "irq",
  "bus",
  "fs",
  "acpi",
  "scsi",
  "driver",
  "mtrr",
  "pressure",
];

const tmpfsBytes = 1024 ** 3;

/** How the limits of a sandbox hold here, for the person: bubblewrap itself has none. */
export function limitsHeld(
  settings: SandboxSettings,
  hasPrlimit: boolean,
): { held: string[]; notHeld: string[] } {
  const { memoryBytes, pids, cpus, ulimits } = settings.limits;
  const named = [
    ...(memoryBytes === null ? [] : ["memory"]),
    ...(pids === null ? [] : ["pidsLimit"]),
    ...(cpus === null ? [] : ["cpus"]),
    ...ulimits.keys(),
  ];
  if (!hasPrlimit) return { held: [], notHeld: named };
  const held = [
    ...(memoryBytes === null ? [] : ["memory (each process)"]),
    // The kernel does not count processes of root.
    ...(pids === null || isRoot() ? [] : ["pidsLimit"]),
  ];
  const notHeld = [
    ...(pids === null || !isRoot() ? [] : ["pidsLimit (not counted for root)"]),
    ...(cpus === null ? [] : ["cpus"]),
    ...[...ulimits.keys()].filter((name) => !prlimitNames.has(name)),
  ];
  return { held, notHeld };
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** Names of limits that prlimit takes under the same name. */
const prlimitNames = new Set(["core", "cpu", "data", "fsize", "memlock", "nofile", "nproc", "rss", "stack"]);

export interface BubblewrapRun {
  settings: SandboxSettings;
  folders: SandboxFolders;
  features: BubblewrapFeatures;
  root: SystemRoot;
  innerCwd: string;
  path: string;
  home: string;
  /** What runs inside; argv. */
  command: readonly string[];
  /** Inside path of prlimit, or null when the system has none: then limits do not hold. */
  prlimit: string | null;
}

/** @returns the arguments after the program's name */
export function bubblewrapArgs(run: BubblewrapRun): string[] {
  const { settings, folders, features } = run;
  const shared = isNetworkShared(settings);
  return [
    "--unshare-user",
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-cgroup-try",
    ...(shared ? [] : ["--unshare-net"]),
    ...(features.disableUserns ? ["--disable-userns"] : []),
    // The end of the process that started it, however it comes, ends everything inside.
    "--die-with-parent",
    // Without the terminal of this process nothing can be typed into it.
    "--new-session",
    "--cap-drop",
    "ALL",
    "--hostname",
    "sandbox",
    ...run.root.flatMap(({ path, linkTo }) =>
      linkTo === null ? ["--ro-bind", path, path] : ["--symlink", linkTo, path],
    ),
    ...etcFiles.flatMap((name) => ["--ro-bind-try", `/etc/${name}`, `/etc/${name}`]),
    ...(shared ? ["--ro-bind-try", "/etc/resolv.conf", "/etc/resolv.conf"] : []),
    "--proc",
    "/proc",
    ...readOnlyProc.flatMap((name) => ["--ro-bind-try", `/proc/${name}`, `/proc/${name}`]),
    "--dev",
    "/dev",
    ...settings.tmpfs
      .map(tmpfsPath)
      .flatMap((path) => [
        ...(features.tmpfsSize ? ["--size", String(settings.limits.memoryBytes ?? tmpfsBytes)] : []),
        "--tmpfs",
        path,
      ]),
    ...folders.mounts.flatMap(({ source, target, isWritable }) => [
      isWritable ? "--bind" : "--ro-bind",
      source,
      target,
    ]),
    ...folders.covered.flatMap((path) => ["--tmpfs", path, "--remount-ro", path]),
    "--remount-ro",
    "/",
    "--setenv",
    "HOME",
    run.home,
    "--setenv",
    "PATH",
    run.path,
    "--chdir",
    run.innerCwd,
    "--",
    ...limitCommand(run),
    ...run.command,
  ];
}

/** `/tmp:size=64m` is how container engines write options; only the path means something here. */
function tmpfsPath(entry: string): string {
  return entry.split(":")[0] ?? entry;
}

function limitCommand({ settings, prlimit }: BubblewrapRun): string[] {
  const { memoryBytes, pids, ulimits } = settings.limits;
  if (prlimit === null) return [];
  const limits = [
    ...(memoryBytes === null ? [] : [`--as=${memoryBytes}`]),
    ...(pids === null ? [] : [`--nproc=${Math.floor(pids)}`]),
    ...[...ulimits].flatMap(([name, value]) => (prlimitNames.has(name) ? [`--${name}=${value}`] : [])),
  ];
  return limits.length === 0 ? [] : [prlimit, ...limits, "--"];
}
