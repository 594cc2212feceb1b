/** Keeps the ownership records of running commands and deals with those of an earlier run. */

import { AppError } from "../../../../shared/errors/index.ts";
import type { Logger } from "../../logging/logger.ts";
import {
  identityOfEntry,
  type OwnershipEntry,
  type ProcessOwnership,
  type ProcessSurvivor,
  readBootId,
  sortEntries,
  startTimeOf,
} from "./ownership.ts";
import type { ProcessTree, TreeEnd, TreeIdentity } from "./processTree.ts";
import type { Session } from "./session.ts";

export interface SurvivorDesk {
  /** Writes down a session; failures are logged, they never stop a command. */
  record(session: Session): void;
  forget(execId: string): void;
  /** @param ownExecIds commands that this process itself runs or adopted */
  find(ownExecIds: ReadonlySet<string>): Promise<ProcessSurvivor[]>;
  /** @throws AppError NOT_FOUND */
  take(survivorId: string): Promise<{ entry: OwnershipEntry; identity: TreeIdentity; pid: number }>;
  endTree(survivorId: string): Promise<TreeEnd>;
  /** Resolves when no write is on its way. */
  settled(): Promise<void>;
}

export function createSurvivorDesk(deps: {
  ownership: ProcessOwnership | undefined;
  tree: ProcessTree;
  logger: Logger;
}): SurvivorDesk {
  const { ownership, tree, logger } = deps;
  const owner = { pid: process.pid, startTime: startTimeOf(process.pid) };
  const recorded = new Set<string>();
  // One queue: a removal must not overtake the record it removes.
  let queue: Promise<void> = Promise.resolve();

  const enqueue = (event: string, execId: string, run: () => void | Promise<void>): void => {
    queue = queue.then(run).catch((error: unknown) => {
      logger.error(event, { execId, error });
    });
  };

  const list = async (): Promise<OwnershipEntry[]> => {
    await queue;
    return ownership === undefined ? [] : ownership.list();
  };

  const findOne = async (survivorId: string): Promise<ProcessSurvivor> => {
    const entry = (await list()).find((candidate) => candidate.execId === survivorId);
    const survivor = entry === undefined ? undefined : sortEntries([entry], tree).survivors[0];
    if (survivor === undefined)
      throw new AppError("NOT_FOUND", "That process is gone, or belongs to a running Sallyport.");
    return survivor;
  };

  const desk: SurvivorDesk = {
    record(session) {
      if (ownership === undefined || session.outcome() !== null) return;
      const { facts } = session;
      const { pid } = session.info();
      if (pid === null) return;
      const entry: OwnershipEntry = {
        execId: facts.execId,
        sessionId: facts.sessionId,
        agentId: facts.agentId,
        scopeKey: facts.scopeKey,
        sessionKey: facts.sessionKey,
        command: facts.command,
        cwd: facts.cwd,
        pid,
        startTime: startTimeOf(pid),
        bootId: readBootId(),
        startedAtMs: facts.startedAtMs,
        members: [...session.identity.known].map(([memberPid, startTime]) => ({ pid: memberPid, startTime })),
        owner,
      };
      recorded.add(facts.execId);
      enqueue("exec.ownershipNotRecorded", facts.execId, () => ownership.record(entry));
    },
    forget(execId) {
      if (ownership === undefined || !recorded.delete(execId)) return;
      enqueue("exec.ownershipNotRemoved", execId, () => ownership.remove(execId));
    },
    async find(ownExecIds) {
      const entries = (await list()).filter((entry) => !ownExecIds.has(entry.execId));
      const { survivors, gone } = sortEntries(entries, tree);
      if (ownership !== undefined)
        for (const entry of gone)
          enqueue("exec.ownershipNotRemoved", entry.execId, () => ownership.remove(entry.execId));
      return survivors;
    },
    async take(survivorId) {
      const { entry, pid } = await findOne(survivorId);
      return { entry, pid, identity: identityOfEntry(entry, readBootId()) };
    },
    async endTree(survivorId) {
      const { entry } = await findOne(survivorId);
      const end = await tree.end(identityOfEntry(entry, readBootId()));
      logger.info("exec.survivorEnded", { execId: entry.execId, ...end });
      if (end.treeGone && ownership !== undefined)
        enqueue("exec.ownershipNotRemoved", entry.execId, () => ownership.remove(entry.execId));
      return end;
    },
    settled: () => queue,
  };
  return desk;
}
