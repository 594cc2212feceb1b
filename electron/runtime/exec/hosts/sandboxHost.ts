/** Runs in a sandbox of this machine: bubblewrap by default on Linux, Docker or Podman when the config says so. */

import { randomBytes } from "node:crypto";
import { AppError } from "../../../../shared/errors/index.ts";
import type { ExecutionPlan } from "../../../../shared/exec/index.ts";
import type { ConfigStore } from "../../config/index.ts";
import type { Logger } from "../../logging/logger.ts";
import { agentExecConfig } from "../execSettings.ts";
import type { Places } from "../places.ts";
import type { RunPlan } from "../sessions/index.ts";
import { bootstrapText, sandboxEnv } from "./bootstrap.ts";
import { bubblewrapArgs, limitsHeld, readSystemRoot } from "./bubblewrap.ts";
import {
  clientEnv,
  containerRemoveArgs,
  containerRunArgs,
  mountProblem,
  networkProblem,
} from "./containerEngine.ts";
import type { ExecHost, HostPlaceRequest, HostSession } from "./execHost.ts";
import { runQuietly } from "./runQuietly.ts";
import { type SandboxFolders, sandboxCwd, sandboxFolders } from "./sandboxFolders.ts";
import { createSandboxProbe } from "./sandboxProbe.ts";
import { type SandboxSettings, sandboxSettingsOf } from "./sandboxSettings.ts";

export interface SandboxHostDeps {
  config: ConfigStore;
  places: Places;
  baseEnv: Record<string, string>;
  homeDir: string;
  stateDir: string;
  logger: Logger;
}

const removeTimeoutMs = 15_000;

/** @see exec.md §3.7 (sandbox), policy.md §16 */
export function createSandboxHost(deps: SandboxHostDeps): ExecHost {
  const probe = createSandboxProbe({ baseEnv: deps.baseEnv });

  const settingsOf = (agentId: string) => sandboxSettingsOf(deps.config.effective().config, agentId);

  const foldersOf = (settings: SandboxSettings, session: HostSession) =>
    sandboxFolders(settings, session, {
      stateDir: deps.stateDir,
      homeDir: deps.homeDir,
      workspaceOf: (agentId) => deps.places.workspaceOf(agentId),
    });

  /** @throws AppError UNAVAILABLE when a folder must not be shown */
  const usableFolders = async (settings: SandboxSettings, session: HostSession): Promise<SandboxFolders> => {
    const answer = await foldersOf(settings, session);
    if (!answer.ok) throw new AppError("UNAVAILABLE", answer.message, { data: { reason: answer.code } });
    return answer.folders;
  };

  const envOf = (settings: SandboxSettings, request: HostPlaceRequest) => {
    const agent = agentExecConfig(deps.config.effective().config, request.agentId);
    const prepend = agent.agent?.pathPrepend ?? agent.global?.pathPrepend ?? [];
    return sandboxEnv({
      home: settings.workdir,
      own: settings.env,
      call: request.envOverrides,
      pathPrepend: prepend.map((entry) => entry.trim()).filter((entry) => entry.startsWith("/")),
    });
  };

  return {
    kind: "sandbox",
    async isAvailable(session) {
      const settings = settingsOf(session.agentId);
      const backend = await probe(settings);
      if (!backend.ok) return backend;
      const answer = await foldersOf(settings, session);
      if (!answer.ok) return answer;
      const problem = backend.kind === "bubblewrap" ? null : containerProblem(settings, answer.folders);
      return problem === null ? { ok: true } : { ok: false, code: "containerSettings", message: problem };
    },
    async place(request) {
      const settings = settingsOf(request.agentId);
      const folders = await usableFolders(settings, request);
      const { carriers, path } = envOf(settings, request);
      const chosen = await sandboxCwd(request.workdir, folders, settings.workdir);
      return { ...chosen, env: { PATH: carriers.OPENCLAW_PREPEND_PATH ?? path, HOME: folders.workspace } };
    },
    shellLabel: () => "/bin/sh -l",
    async prepare(request) {
      const { place } = request;
      const settings = settingsOf(request.agentId);
      const backend = await probe(settings);
      if (!backend.ok) throw new AppError("UNAVAILABLE", backend.message, { data: { reason: backend.code } });
      const folders = await usableFolders(settings, request);
      const env = envOf(settings, request);
      const text = bootstrapText(env, textOf(request.plan));
      const warnings = [...env.warnings];
      if (request.pty)
        warnings.push("Warning: the sandbox has no terminal; the command runs with plain pipes.");
      if (settings.hasSetupCommand)
        warnings.push(
          "Warning: sandbox.docker.setupCommand is not run, because every command has a container of its own; build what it installs into the image.",
        );
      const ready = { cwd: place.cwd, pty: false, warnings };
      const common = { settings, folders, innerCwd: place.innerCwd, path: env.path, home: env.home };

      if (backend.kind === "bubblewrap") {
        const { notHeld } = limitsHeld(settings, backend.prlimit !== null);
        if (notHeld.length > 0)
          warnings.push(
            `Warning: bubblewrap cannot hold these limits of the sandbox here: ${notHeld.join(", ")}.`,
          );
        const args = bubblewrapArgs({
          ...common,
          features: backend.features,
          root: readSystemRoot(),
          prlimit: backend.prlimit,
          command: ["/bin/sh", "-lc", text],
        });
        return { ...ready, plan: planOf(backend.file, args), env: { PATH: env.path, ...env.carriers } };
      }

      const problem = containerProblem(settings, folders);
      if (problem !== null) throw new AppError("UNAVAILABLE", problem);
      const name = `${settings.containerPrefix}${randomBytes(6).toString("hex")}`;
      const client = clientEnv(deps.baseEnv);
      const args = containerRunArgs({
        ...common,
        engine: backend.kind,
        name,
        carrierNames: Object.keys(env.carriers),
        user: userOf(),
        text,
      });
      return {
        ...ready,
        plan: planOf(backend.file, args),
        env: { ...client, ...env.carriers },
        async afterEnd({ wasStopped }) {
          if (!wasStopped) return;
          // The client was ended; what runs in the container has another parent.
          const removed = await runQuietly(backend.file, containerRemoveArgs(name), {
            env: client,
            timeoutMs: removeTimeoutMs,
          });
          if (removed.exitCode !== 0)
            deps.logger.warn("exec.containerNotRemoved", { name, problem: removed.problem });
        },
      };
    },
  };
}

function containerProblem(settings: SandboxSettings, folders: SandboxFolders): string | null {
  const problem = networkProblem(settings.network) ?? mountProblem(folders);
  return problem === null ? null : `exec host=sandbox: ${problem} Nothing was run.`;
}

/** The command as typed; a plan by argv has quoted words that a shell reads as exactly that argv. */
function textOf(plan: ExecutionPlan): string {
  return plan.kind === "argv" ? plan.displayText : plan.text;
}

function planOf(file: string, args: readonly string[]): RunPlan {
  return { kind: "argv", chain: [{ op: null, pipeline: [{ file, argv: [file, ...args] }] }] };
}

function userOf(): string | null {
  const uid = process.getuid?.();
  const gid = process.getgid?.();
  return uid === undefined || gid === undefined ? null : `${uid}:${gid}`;
}
