/** What the config says about the sandbox of an agent: `agents.defaults.sandbox` and `agents.list[].sandbox`, key by key. */

import { normalizeAgentId } from "../../../../shared/policy/index.ts";

export type SandboxBackend = "bubblewrap" | "docker" | "podman";
export type WorkspaceAccess = "none" | "ro" | "rw";

export interface SandboxLimits {
  /** Bytes; null = no limit. */
  memoryBytes: number | null;
  pids: number | null;
  /** Processors, may be a fraction. */
  cpus: number | null;
  /** Name → "soft:hard" or one number, as container engines take them. */
  ulimits: ReadonlyMap<string, string>;
}

export interface SandboxSettings {
  /** An unknown word is kept, so that the refusal can name it. */
  backend: SandboxBackend | { unknown: string };
  scope: "session" | "agent" | "shared";
  workspaceAccess: WorkspaceAccess;
  /** Where workspaces of the sandbox itself are kept, as written; null = in the state directory. */
  workspaceRoot: string | null;
  image: string;
  containerPrefix: string;
  /** Absolute path of the workspace inside. */
  workdir: string;
  /** `none`, or a name; see the backends. */
  network: string;
  readOnlyRoot: boolean;
  tmpfs: readonly string[];
  user: string | null;
  capDrop: readonly string[];
  env: ReadonlyMap<string, string>;
  hasSetupCommand: boolean;
  limits: SandboxLimits;
  seccompProfile: string | null;
  apparmorProfile: string | null;
  dns: readonly string[];
  extraHosts: readonly string[];
  /** `source:target[:ro|rw]`, sources on this machine. */
  binds: readonly string[];
}

type Record_ = Readonly<Record<string, unknown>>;

function record(value: unknown): Record_ {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record_) : {};
}

function text(value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : null;
}

function texts(value: unknown): string[] | null {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : null;
}

function positive(value: unknown): number | null {
  const number = typeof value === "string" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) && number > 0 ? number : null;
}

const units = new Map([
  ["", 1],
  ["b", 1],
  ["k", 1024],
  ["m", 1024 ** 2],
  ["g", 1024 ** 3],
  ["t", 1024 ** 4],
]);

/** @returns bytes of "512m", "1g" or a number; null for anything else */
export function parseBytes(value: unknown): number | null {
  if (typeof value === "number") return positive(value);
  const match = /^(\d+(?:\.\d+)?)([bkmgt]?)b?$/i.exec(typeof value === "string" ? value.trim() : "");
  const unit = units.get((match?.[2] ?? "").toLowerCase());
  return match === null || unit === undefined ? null : Math.floor(Number(match[1]) * unit);
}

function ulimitsOf(value: unknown): Map<string, string> {
  const found = new Map<string, string>();
  for (const [name, limit] of Object.entries(record(value))) {
    if (!/^[a-z]+$/.test(name)) continue;
    if (typeof limit === "number" || typeof limit === "string") found.set(name, String(limit));
    else {
      const { soft, hard } = record(limit);
      if (typeof soft === "number") found.set(name, `${soft}:${typeof hard === "number" ? hard : soft}`);
    }
  }
  return found;
}

/**
 * @param agentId normalised
 * @param platform decides the backend when the config names none: bubblewrap on Linux, docker elsewhere
 */
export function sandboxSettingsOf(
  config: unknown,
  agentId: string,
  platform: NodeJS.Platform = process.platform,
): SandboxSettings {
  const agents = record(record(config).agents);
  const list = Array.isArray(agents.list) ? agents.list : [];
  const entry = list.map(record).find((one) => normalizeAgentId(String(one.id ?? "")) === agentId);
  const shared = record(record(agents.defaults).sandbox);
  const own = record(entry?.sandbox);
  const sandbox = { ...shared, ...own };
  const sharedDocker = record(shared.docker);
  const ownDocker = record(own.docker);
  const docker = { ...sharedDocker, ...ownDocker };
  const env = { ...record(sharedDocker.env), ...record(ownDocker.env) };

  const word = text(sandbox.backend)?.toLowerCase() ?? (platform === "linux" ? "bubblewrap" : "docker");
  const backend = word === "bubblewrap" || word === "docker" || word === "podman" ? word : { unknown: word };
  const { scope, workspaceAccess } = sandbox;
  return {
    backend,
    scope: scope === "session" || scope === "shared" ? scope : "agent",
    // Whatever is not one of the two wider words gives least.
    workspaceAccess: workspaceAccess === "rw" || workspaceAccess === "ro" ? workspaceAccess : "none",
    workspaceRoot: text(sandbox.workspaceRoot),
    image: text(docker.image) ?? "openclaw-sandbox:bookworm-slim",
    containerPrefix: text(docker.containerPrefix) ?? "sallyport-sandbox-",
    workdir: text(docker.workdir) ?? "/workspace",
    network: text(docker.network)?.toLowerCase() ?? "none",
    readOnlyRoot: docker.readOnlyRoot !== false,
    tmpfs: texts(docker.tmpfs) ?? ["/tmp", "/var/tmp", "/run"],
    user: text(docker.user),
    capDrop: texts(docker.capDrop) ?? ["ALL"],
    env: new Map(
      Object.entries(env).flatMap(([name, value]): [string, string][] =>
        typeof value === "string" ? [[name, value]] : [],
      ),
    ),
    hasSetupCommand: text(docker.setupCommand) !== null,
    limits: {
      memoryBytes: parseBytes(docker.memory),
      pids: positive(docker.pidsLimit),
      cpus: positive(docker.cpus),
      ulimits: ulimitsOf(docker.ulimits),
    },
    seccompProfile: text(docker.seccompProfile),
    apparmorProfile: text(docker.apparmorProfile),
    dns: texts(docker.dns) ?? [],
    extraHosts: texts(docker.extraHosts) ?? [],
    binds: [...new Set([...(texts(sharedDocker.binds) ?? []), ...(texts(ownDocker.binds) ?? [])])],
  };
}

/**
 * Whether a command in this sandbox reaches services on the loopback interface of this machine. Container engines
 * give a network of their own; bubblewrap can only share ours.
 */
export function isNetworkShared(settings: SandboxSettings): boolean {
  return settings.backend === "bubblewrap" && settings.network !== "none";
}
