/** What a session's sandbox shows of this machine, for the tools that reach its files from outside. */

import { AppError } from "../../../../shared/errors/index.ts";
import { type FolderDeps, sandboxFolders } from "./sandboxFolders.ts";
import { sandboxSettingsOf } from "./sandboxSettings.ts";

/**
 * @returns the mounts of the sandbox, workspace first, and the paths inside that it covers up
 * @throws AppError UNAVAILABLE when a folder must not be shown
 */
export async function sandboxViewOf(
  config: unknown,
  session: { agentId: string; sessionKey: string },
  deps: FolderDeps,
) {
  const settings = sandboxSettingsOf(config, session.agentId);
  const answer = await sandboxFolders(settings, session, deps);
  if (!answer.ok) {
    throw new AppError("UNAVAILABLE", answer.message.replace("Nothing was run.", "Nothing was done."), {
      data: { reason: answer.code },
    });
  }
  const { mounts, covered } = answer.folders;
  return { workdir: settings.workdir, mounts, covered };
}
